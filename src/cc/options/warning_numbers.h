// The numbers and names that nvcc has for warnings, for those that clang has, too.
#ifndef KUDZU_CC_WARNING_NUMBERS_H
#define KUDZU_CC_WARNING_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

enum { UNREACHABLE_CODE = 111, UNREACHABLE_LOOP = 128, HOST_CALL = 20014 };

// The number of clang's -W<flag>, n letters; 0: it has none here.
unsigned warning_number(const char *flag, size_t n);
// What a pragma or an option calls a warning, a number or a name, n letters; 0: not known.
unsigned warning_called(const char *name, size_t n);
// The i-th of clang's flags, without "-W", for what warning_called returned; NULL: no more.
const char *warning_flag(unsigned number, size_t i);

// What nvcc warns of without being asked, and clang when it is: its flags, without "-W". NULL ends
// them.
extern const char *const warnings_by_default[];

#endif
