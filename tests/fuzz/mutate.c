// See mutate.h.
#include "mutate.h"

#include <stdbool.h>
#include <string.h>

static uint64_t state;

void mutate_seed(uint64_t seed) {
    state = seed * 0x9e3779b97f4a7c15 + 1;
}

uint64_t mutate_random_below(uint64_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (state * 0x2545f4914f6cdd1d >> 11) % n : 0;
}

// Puts `n` bytes of `from` in place of `gone` bytes at `at`.
static void splice(struct text *t, size_t at, size_t gone, const void *from, size_t n) {
    static uint8_t piece[MUTATE_MAX_BYTES];
    if (t->len - gone + n > MUTATE_MAX_BYTES)
        return;
    if (n)
        memcpy(piece, from, n); // `from` may lie in t
    memmove(t->data + at + n, t->data + at + gone, t->len - at - gone);
    memcpy(t->data + at, piece, n);
    t->len += n - gone;
}

void mutate_bytes(struct text *t, const struct text *other) {
    static const char interesting[] = "{}[]()<>,;:.|!@-+0xfd%_\"/*\n\0\xff 9";
    size_t at = mutate_random_below(t->len + 1), left = t->len - at;
    size_t n = mutate_random_below(left < 40 ? left + 1 : 40);
    uint8_t byte = mutate_random_below(2)
                       ? (uint8_t)interesting[mutate_random_below(sizeof interesting - 1)]
                       : (uint8_t)mutate_random_below(256);
    switch (mutate_random_below(6)) {
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
        size_t from = mutate_random_below(other->len);
        size_t m = mutate_random_below(other->len - from < 80 ? other->len - from : 80);
        splice(t, at, mutate_random_below(2) ? n : 0, other->data + from, m);
        break;
    }
    case 4:
        splice(t, at, 0, &byte, 1);
        break;
    default: // a piece once more, elsewhere
        splice(t, mutate_random_below(t->len + 1), 0, t->data + at, n);
    }
}

struct range {
    size_t at, len;
};

static bool in_word(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '%' || c == '$';
}

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

// A word near a random place; its first character says of what sort it is.
static struct range pick_word(const struct text *t) {
    size_t at = mutate_random_below(t->len), end;
    while (at < t->len && !in_word(t->data[at]))
        at++;
    for (end = at; end < t->len && in_word(t->data[end]);)
        end++;
    while (at > 0 && in_word(t->data[at - 1]))
        at--;
    return (struct range){at, end - at};
}

static int sort_of(const struct text *t, struct range w) {
    if (!w.len)
        return 0;
    uint8_t c = t->data[w.at];
    if (c == '%') // registers of one class
        return w.len > 1 ? 256 + t->data[w.at + 1] : 1;
    return is_digit(c) ? 2 : w.at > 0 && t->data[w.at - 1] == '.' ? 3 : 4;
}

// A word of the same sort in place of another: a register, a number, a suffix, a name.
static void exchange_words(struct text *t, const struct text *other) {
    struct range to = pick_word(t);
    for (int tries = 0; tries < 20; tries++) {
        struct range from = pick_word(other);
        if (sort_of(other, from) != sort_of(t, to) && tries < 19)
            continue;
        splice(t, to.at, to.len, other->data + from.at, from.len);
        return;
    }
}

static void extreme_number(struct text *t) {
    static const char *const numbers[] = {"0",
                                          "1",
                                          "2",
                                          "3",
                                          "4",
                                          "8",
                                          "16",
                                          "31",
                                          "32",
                                          "33",
                                          "63",
                                          "64",
                                          "127",
                                          "128",
                                          "255",
                                          "256",
                                          "1024",
                                          "65535",
                                          "65536",
                                          "2147483647",
                                          "2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "9223372036854775807",
                                          "-1",
                                          "-128",
                                          "-2147483648",
                                          "0x7fffffff",
                                          "0f7FC00000",
                                          "0d7FF0000000000000",
                                          "18446744073709551615",
                                          "99999999999999999999"};
    const char *n = numbers[mutate_random_below(sizeof numbers / sizeof *numbers)];
    for (int tries = 0; tries < 50; tries++) {
        struct range w = pick_word(t);
        if (!w.len || !is_digit(t->data[w.at]))
            continue;
        splice(t, w.at, w.len, n, strlen(n));
        return;
    }
}

static void put_word(struct text *t) {
    static const char *const words[] = {
        "pred",    "u8",    "s16",  "b32",      "u32",     "s64",   "f16",      "f16x2",
        "bf16",    "f32",   "f64",  "b128",     "shared",  "param", "local",    "const",
        "global",  "v2",    "v4",   "ftz",      "sat",     "rn",    "rz",       "approx",
        "wide",    "hi",    "lo",   "volatile", "acquire", "uni",   "cc",       "extern",
        "visible", "weak",  "func", "entry",    "reg",     "align", "noreturn", "to",
        "%p1",     "%r1",   "%rd1", "%f1",      "%fd1",    "%rs1",  "%tid",     "%laneid",
        "null",    "undef", "bb0",  "bb1",      "phi",     "ret",   "exit",     "bra",
        "call",    "bar",   "sync", "vote",     "shfl",    "atom",  "ld",       "st"};
    const char *word = words[mutate_random_below(sizeof words / sizeof *words)];
    struct range w = pick_word(t);
    splice(t, w.at, w.len, word, strlen(word));
}

// The line around a random place, its end of line included.
static struct range pick_line(const struct text *t) {
    size_t at = mutate_random_below(t->len), end = at;
    while (at > 0 && t->data[at - 1] != '\n')
        at--;
    while (end < t->len && t->data[end] != '\n')
        end++;
    return (struct range){at, end - at + (end < t->len)};
}

void mutate_words(struct text *t, const struct text *other) {
    if (!t->len || !other->len)
        return;
    struct range a = pick_line(t), b = pick_line(t), c = pick_line(other);
    switch (mutate_random_below(12)) {
    case 0:
        splice(t, a.at, a.len, NULL, 0);
        break;
    case 1: // a line once more, elsewhere
        splice(t, b.at, 0, t->data + a.at, a.len);
        break;
    case 2:
        splice(t, b.at, 0, other->data + c.at, c.len);
        break;
    case 3:
        splice(t, a.at, a.len, t->data + b.at, b.len);
        break;
    case 4:
    case 5:
        extreme_number(t);
        break;
    case 6:
        put_word(t);
        break;
    case 7:
        exchange_words(t, other);
        break;
    default:
        exchange_words(t, t);
    }
}
