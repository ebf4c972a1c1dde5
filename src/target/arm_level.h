// Which level (abi/generated_code.h) a 64-bit Arm has.
#ifndef KUDZU_TARGET_ARM_LEVEL_H
#define KUDZU_TARGET_ARM_LEVEL_H

#include "abi/generated_code.h"

// On aarch64: SVE's, where the system grants it and its registers have 256 or 512 bits in the
// calling thread; else NEON's.
enum kd_level arm_level(void);

#endif
