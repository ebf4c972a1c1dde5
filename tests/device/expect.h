// Checks for the device's tests: each prints what failed and where; the test goes on and
// expect_done() is the exit status.
#ifndef KUDZU_TESTS_DEVICE_EXPECT_H
#define KUDZU_TESTS_DEVICE_EXPECT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int expect_failures;

#define EXPECT(cond)                                                                               \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: expected: %s\n", __FILE__, __LINE__, #cond);                   \
            expect_failures++;                                                                     \
        }                                                                                          \
    } while (0)

#define EXPECT_EQ(got, want)                                                                       \
    do {                                                                                           \
        long long got_ = (long long)(got), want_ = (long long)(want);                              \
        if (got_ != want_) {                                                                       \
            fprintf(stderr, "%s:%d: %s is %lld, expected %lld\n", __FILE__, __LINE__, #got, got_,  \
                    want_);                                                                        \
            expect_failures++;                                                                     \
        }                                                                                          \
    } while (0)

#define EXPECT_STR(got, want)                                                                      \
    do {                                                                                           \
        const char *got_ = (got), *want_ = (want);                                                 \
        if (!got_ || strcmp(got_, want_) != 0) {                                                   \
            fprintf(stderr, "%s:%d: %s is \"%s\", expected \"%s\"\n", __FILE__, __LINE__, #got,    \
                    got_ ? got_ : "(null)", want_);                                                \
            expect_failures++;                                                                     \
        }                                                                                          \
    } while (0)

// For what the rest of a test cannot go on without.
#define REQUIRE(cond)                                                                              \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: required: %s\n", __FILE__, __LINE__, #cond);                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static inline int expect_done(void) {
    if (expect_failures)
        fprintf(stderr, "%d checks failed\n", expect_failures);
    return expect_failures != 0;
}

#endif
