// The PTX that runs cases: one kernel a case, one thread a set.
//
//   .entry kN(.param .u64 in, .param .u64 out, .param .u32 sets)
//
// Source k of set i lies at in + 16 (k sets + i), result k goes to out + 16 (k sets + i): 16 bytes
// each, what is above the register's width zero. Blocks have HW_BLOCK threads.
#ifndef KUDZU_TESTS_HARDWARE_KERNEL_H
#define KUDZU_TESTS_HARDWARE_KERNEL_H

#include "cases.h"
#include "support/strbuf.h"

enum { HW_BLOCK = 128 };

// A module with the kernels k0, k1, ... of `count` cases. sm: the target.
void hw_module_text(const struct hw_case *cases, unsigned count, unsigned sm, struct strbuf *out);

#endif
