// Runs a fuzz target without libFuzzer: driver RUNS SEED FILE... gives it each file whole, cut at
// places all over it, and RUNS random changes of them (mutate.h). RUNS may be a time, as in 60s: of
// the processor, its own and that of processes it waited for, so that a loaded machine does as
// much. The same seed gives the same inputs. What is being run is kept in the file that
// KUDZU_FUZZ_KEEP names, so that it is there after a crash.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "fuzz.h"
#include "mutate.h"

__attribute__((weak)) size_t fuzz_pieces = 50;
__attribute__((weak)) uint64_t fuzz_changes = 4;
static unsigned long executions;

static struct text read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    struct text t = {malloc(MUTATE_MAX_BYTES), 0};
    if (!f || !t.data) {
        perror(path);
        exit(1);
    }
    t.len = fread(t.data, 1, MUTATE_MAX_BYTES, f);
    fclose(f);
    return t;
}

static void keep(const uint8_t *data, size_t len) {
    const char *path = getenv("KUDZU_FUZZ_KEEP");
    FILE *f = path ? fopen(path, "wb") : NULL;
    if (f) {
        fwrite(data, 1, len, f);
        fclose(f);
    }
}

// In a buffer of its own size, so that a sanitizer sees reads past the end.
static void run(const uint8_t *data, size_t len) {
    uint8_t *copy = malloc(len ? len : 1);
    memcpy(copy, data, len);
    keep(data, len);
    LLVMFuzzerTestOneInput(copy, len);
    executions++;
    free(copy);
}

static double seconds(struct timeval t) {
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static double now(void) {
    double sum = 0;
    for (int who = 0; who < 2; who++) {
        struct rusage use;
        getrusage(who ? RUSAGE_CHILDREN : RUSAGE_SELF, &use);
        sum += seconds(use.ru_utime) + seconds(use.ru_stime);
    }
    return sum;
}

// Each file whole, and cut, if at all. A file too long to be cut at many places is cut at few.
static void run_files(const struct text *texts, size_t n, double until) {
    for (size_t i = 0; i < n && fuzz_pieces && now() < until; i++) {
        size_t pieces = texts[i].len > 20000 && fuzz_pieces > 10 ? 10 : fuzz_pieces;
        for (size_t cut = 0; cut <= texts[i].len;
             cut += 1 + mutate_random_below(texts[i].len / pieces + 1))
            run(texts[i].data, cut);
        run(texts[i].data, texts[i].len);
    }
}

static void run_mutations(const struct text *texts, size_t n, unsigned long runs, double until) {
    struct text t = {malloc(MUTATE_MAX_BYTES), 0};
    if (!t.data)
        exit(1);
    for (unsigned long k = 0; k < runs && now() < until; k++) {
        const struct text *base = &texts[mutate_random_below(n)];
        memcpy(t.data, base->data, base->len);
        t.len = base->len;
        bool words = mutate_random_below(4) != 0;
        for (uint64_t times = 1 + mutate_random_below(fuzz_changes); times; times--)
            (words ? mutate_words : mutate_bytes)(&t, &texts[mutate_random_below(n)]);
        run(t.data, t.len);
    }
    free(t.data);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: %s RUNS SEED FILE...\n", argv[0]);
        return 2;
    }
    char *unit;
    unsigned long runs = strtoul(argv[1], &unit, 10);
    double start = now(), until = *unit == 's' ? start + (double)runs : start + 1e9;
    mutate_seed(strtoull(argv[2], NULL, 10));
    size_t n = (size_t)argc - 3;
    struct text *texts = malloc(n * sizeof *texts);
    if (!texts)
        return 1;
    for (size_t i = 0; i < n; i++)
        texts[i] = read_file(argv[i + 3]);
    run_files(texts, n, until);
    run_mutations(texts, n, *unit == 's' ? (unsigned long)-1 : runs, until);
    for (size_t i = 0; i < n; i++)
        free(texts[i].data);
    free(texts);
    printf("%lu executions in %.1f s, seed %s\n", executions, now() - start, argv[2]);
    return 0;
}
