#include "target/arm_level.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>

// Linux's numbers (asm/hwcap.h, linux/prctl.h), which older headers lack.
enum { CAPABILITY_SVE = 1 << 22, GET_VECTOR_LENGTH = 51, LENGTH_MASK = 0xffff };

enum kd_level arm_level(void) {
    int length = getauxval(AT_HWCAP) & CAPABILITY_SVE ? prctl(GET_VECTOR_LENGTH) : -1;
    switch (length < 0 ? 0 : length & LENGTH_MASK) { // bytes
    case 32:
        return KD_LEVEL_AARCH64_SVE256;
    case 64:
        return KD_LEVEL_AARCH64_SVE512;
    default: // of 16 bytes: what NEON has
        return KD_LEVEL_AARCH64;
    }
}
#endif
