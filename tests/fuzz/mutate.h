// Random changes to a text: of bytes, and of the words, numbers and lines that it is made of, so
// that much of what comes out still parses.
#ifndef KUDZU_TESTS_MUTATE_H
#define KUDZU_TESTS_MUTATE_H

#include <stddef.h>
#include <stdint.h>

enum { MUTATE_MAX_BYTES = 1 << 17 };

struct text {
    uint8_t *data; // MUTATE_MAX_BYTES
    size_t len;
};

// The same seed gives the same changes.
void mutate_seed(uint64_t seed);
uint64_t mutate_random_below(uint64_t n);

// Changes `t` once; pieces may come from `other`.
void mutate_bytes(struct text *t, const struct text *other);
void mutate_words(struct text *t, const struct text *other);

#endif
