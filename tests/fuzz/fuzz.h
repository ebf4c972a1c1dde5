// The entry point of a fuzz target: libFuzzer's, and that of driver.c.
#ifndef KUDZU_TESTS_FUZZ_H
#define KUDZU_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
