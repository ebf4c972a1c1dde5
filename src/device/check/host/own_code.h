// The code of the library that this is part of.
#ifndef KUDZU_DEVICE_OWN_CODE_H
#define KUDZU_DEVICE_OWN_CODE_H

#include <stdbool.h>
#include <stdint.h>

// Finds out where it lies; to be called before own_code_has. False: it is not known.
bool own_code_find(void);
// Safe in signal handlers.
bool own_code_has(uint64_t pc);

#endif
