// The entry point of a fuzz target: libFuzzer's, and that of driver.c.
#ifndef KUDZU_TESTS_FUZZ_H
#define KUDZU_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

// At about how many places driver.c cuts each file, before it changes them: 50, where a target says
// nothing else; 0: it begins with changes.
extern size_t fuzz_pieces;

// How many changes it makes of a file at most: 4, likewise.
extern uint64_t fuzz_changes;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
