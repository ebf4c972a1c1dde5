// Runs a fuzz target without libFuzzer: driver RUNS SEED FILE... gives it each file whole, cut at
// places all over it, and RUNS random mutations of them (bytes changed, removed, repeated, pieces
// of other files put in). The same seed gives the same inputs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { MAX_BYTES = 1 << 17 };

struct text {
    uint8_t *data;
    size_t len;
};

static uint64_t state;

static uint64_t random_below(uint64_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (state * 0x2545f4914f6cdd1d >> 11) % n : 0;
}

static struct text read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    struct text t = {malloc(MAX_BYTES), 0};
    if (!f || !t.data) {
        perror(path);
        exit(1);
    }
    t.len = fread(t.data, 1, MAX_BYTES, f);
    fclose(f);
    return t;
}

// In a buffer of its own size, so that a sanitizer sees reads past the end.
static void run(const uint8_t *data, size_t len) {
    uint8_t *copy = malloc(len ? len : 1);
    memcpy(copy, data, len);
    LLVMFuzzerTestOneInput(copy, len);
    free(copy);
}

// Puts `n` bytes of `from` in place of `gone` bytes at `at`.
static void splice(struct text *t, size_t at, size_t gone, const uint8_t *from, size_t n) {
    static uint8_t piece[MAX_BYTES];
    if (t->len - gone + n > MAX_BYTES)
        return;
    if (n)
        memcpy(piece, from, n); // `from` may lie in t
    memmove(t->data + at + n, t->data + at + gone, t->len - at - gone);
    memcpy(t->data + at, piece, n);
    t->len += n - gone;
}

static void mutate(struct text *t, const struct text *other) {
    static const char interesting[] = "{}[]()<>,;:.|!@-+0xfd%_\"/*\n\0\xff 9";
    size_t at = random_below(t->len + 1), left = t->len - at;
    size_t n = random_below(left < 40 ? left + 1 : 40);
    uint8_t byte = random_below(2) ? (uint8_t)interesting[random_below(sizeof interesting - 1)]
                                   : (uint8_t)random_below(256);
    switch (random_below(6)) {
    case 0:
        splice(t, at, left ? 1 : 0, &byte, 1);
        break;
    case 1:
        splice(t, at, n, NULL, 0);
        break;
    case 2:
        splice(t, at, 0, t->data + at, n);
        break;
    case 3: {
        size_t from = random_below(other->len);
        size_t m = random_below(other->len - from < 80 ? other->len - from : 80);
        splice(t, at, random_below(2) ? n : 0, other->data + from, m);
        break;
    }
    case 4:
        splice(t, at, 0, &byte, 1);
        break;
    default: { // swaps two pieces: moves one elsewhere
        size_t to = random_below(t->len + 1);
        splice(t, to, 0, t->data + at, n);
        break;
    }
    }
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: %s RUNS SEED FILE...\n", argv[0]);
        return 2;
    }
    unsigned long runs = strtoul(argv[1], NULL, 10);
    state = strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15 + 1;
    size_t n = (size_t)argc - 3;
    struct text *texts = malloc(n * sizeof *texts);
    for (size_t i = 0; i < n; i++) {
        texts[i] = read_file(argv[i + 3]);
        for (size_t cut = 0; cut <= texts[i].len; cut += 1 + random_below(texts[i].len / 50 + 1))
            run(texts[i].data, cut);
        run(texts[i].data, texts[i].len);
    }
    struct text t = {malloc(MAX_BYTES), 0};
    for (unsigned long k = 0; k < runs; k++) {
        const struct text *base = &texts[random_below(n)];
        memcpy(t.data, base->data, base->len);
        t.len = base->len;
        for (uint64_t times = 1 + random_below(4); times; times--)
            mutate(&t, &texts[random_below(n)]);
        run(t.data, t.len);
    }
    for (size_t i = 0; i < n; i++)
        free(texts[i].data);
    free(texts);
    free(t.data);
    printf("%lu mutations\n", runs);
    return 0;
}
