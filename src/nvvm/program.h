// A program of NVVM IR: the modules it was given, and what came out.
#ifndef KUDZU_NVVM_PROGRAM_H
#define KUDZU_NVVM_PROGRAM_H

#pragma GCC visibility push(default)
#include <nvvm.h>
#pragma GCC visibility pop
#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"
#include "support/check/live_objects.h"
#include "support/strbuf.h"
#include "support/vec.h"

struct nvvm_module {
    const char *name;
    const char *data;
    size_t size;
    bool lazy; // a library
};

struct _nvvmProgram {
    struct live_object live;
    struct arena arena;
    VEC(struct nvvm_module) modules;
    struct strbuf log;
    struct strbuf result; // PTX; LTO-IR (lto_ir.h) with -gen-lto; nothing without success
    bool is_lto;          // otherwise the NUL behind the result counts
};

// Checks the modules, or compiles them; fills the log and the result. `library`: the path of this
// library, by which the compiler is found.
nvvmResult nvvm_run(struct _nvvmProgram *p, const char *library, bool verify_only, int count,
                    const char *const *options);

#endif
