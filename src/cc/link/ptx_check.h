// What NVIDIA's assembler refuses in PTX, found when it is made: what is not well formed, as inline
// PTX may be, and static shared and constant memory above the limits. Besides, the memory that each
// kernel takes.
#ifndef KUDZU_CC_PTX_CHECK_H
#define KUDZU_CC_PTX_CHECK_H

#include <stdint.h>

#include "cc/processes/cc.h"

struct ptx_module;

struct ptx_problem {
    uint32_t line, column; // in the PTX; 0: it is about the symbol
    const char *symbol;    // NULL: it is about the place
    const char *text;
};
typedef VEC(struct ptx_problem) ptx_problems;

struct kernel_usage {
    const char *name;
    uint64_t shared, parameters; // bytes, static
    uint64_t frame, stack;       // bytes of local memory, without and with those of what it calls
    uint32_t barriers;
};
struct ptx_usage {
    unsigned sm; // 90 for sm_90
    uint64_t global, constant;
    VEC(struct kernel_usage) kernels;
};

// `whole`: nothing else is linked to it, and the limits hold. The results live in the arena;
// `usage` may be NULL. False: there are problems.
bool ptx_check(struct arena *arena, const char *text, size_t size, bool whole,
               ptx_problems *problems, struct ptx_usage *usage);
// The same, with the module that was parsed; NULL: there are problems.
struct ptx_module *ptx_check_module(struct arena *arena, const char *text, size_t size, bool whole,
                                    ptx_problems *problems, struct ptx_usage *usage);

#endif
