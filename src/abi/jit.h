// libkudzu-jit.so: PTX -> module -> code. The driver loads it the first time that something
// has to be compiled or interpreted; it is the only library that needs LLVM.
#ifndef KUDZU_JIT_JIT_H
#define KUDZU_JIT_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/generated_code.h"
#include "abi/launch_number.h"

#ifdef KUDZU_JIT_BUILD
#define KJ_API __attribute__((visibility("default")))
#else
#define KJ_API
#endif

struct kj_module;

// What the driver needs to know about a module, without any of its code. All strings and
// arrays belong to the module. image/ serialises this for images with native code.
struct kj_param {
    uint32_t offset, size, align;
};
// A 64-bit value in the parameter block, and what it must be a multiple of so that accesses
// through it are aligned. Code for KD_SPEC_ALIGNED_PARAMS does not test them again.
struct kj_aligned {
    uint32_t offset, align;
};
struct kj_kernel {
    const char *name;
    uint32_t nparams;
    const struct kj_param *params;
    uint32_t param_bytes;
    uint32_t shared_static; // bytes
    uint32_t local_bytes;   // a thread, as far as it is known before compilation
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg;
    uint32_t cluster[3], max_cluster; // .reqnctapercluster, .maxclusterrank; 0: not stated
    uint32_t cluster_required;        // .explicitcluster
    uint32_t lacking;                 // it can call what the device does not have
    uint32_t launches;                // it can launch kernels, or submit copies or sets
    uint32_t registers;               // an estimate for occupancy; 1 .. 255
    // A grid-stride loop and nothing else: how its n follows from the parameters (no steps: it is
    // none).
    uint32_t nstride;
    const struct kj_step *stride;
    uint32_t naligned;
    const struct kj_aligned *aligned;
};
struct kj_reloc {
    uint64_t offset;
    int64_t addend;
    int32_t var;   // index of a variable, or -1: a function
    int32_t func;  // handle of a function when var is -1
    uint32_t size; // 4 or 8
};
struct kj_var {
    const char *name;
    uint64_t size;
    uint32_t align;
    uint8_t is_const, is_extern, is_visible, managed;
    const uint8_t *init; // size bytes, NULL: zero
    uint32_t nrelocs;
    const struct kj_reloc *relocs;
};
struct kj_module_info {
    uint32_t nkernels, nvars;
    const struct kj_kernel *kernels;
    const struct kj_var *vars;
    uint32_t ptx_major, ptx_minor, target_sm;
};

// Parses, verifies and lowers PTX text (NUL-terminated or not). On failure NULL, and the
// message with line and column in log (always NUL-terminated, cut at log_size).
KJ_API struct kj_module *kj_module_load(const char *ptx, size_t len, char *log, size_t log_size);
KJ_API void kj_module_free(struct kj_module *m);
KJ_API const struct kj_module_info *kj_module_info(const struct kj_module *m);

// Compiles kernel `index` for a specialisation to a relocatable ELF object (of spec->level, PIC)
// with one global symbol "kd_entry"; what it calls besides kd_rt_* are functions of the C library
// named in device/code/code_loader.c. *obj is malloc'ed. The same input gives the same bytes.
// Returns false with a reason in log. Safe from several threads.
KJ_API bool kj_compile(struct kj_module *m, uint32_t kernel, const struct kd_spec *spec, void **obj,
                       size_t *obj_size, struct kd_code_info *info, char *log, size_t log_size);

// What becomes of kernel `kernel` for a specialisation, for `kudzu explain`: malloc'ed text, or
// NULL with a reason in log. "@ file:line" where the kernel begins, if that is known; lines "+
// text" and "- text" for the whole kernel; then "file:line: + text" in the source's order. '-'
// stands before what costs. KJ_EXPLAIN_ALL: notes of '+' too. KJ_EXPLAIN_PLAN: instead, the plans
// of the functions that are emitted (plan/plan.h), as text.
enum kj_explained { KJ_EXPLAIN_COSTS, KJ_EXPLAIN_ALL, KJ_EXPLAIN_PLAN };
KJ_API char *kj_explain(struct kj_module *m, uint32_t kernel, const struct kd_spec *spec,
                        enum kj_explained what, char *log, size_t log_size);

// Runs one block of kernel `index` on the interpreter, from b->ctaid and the rest of *b.
KJ_API void kj_interpret_block(struct kj_module *m, uint32_t kernel, struct kd_block *b);

// Plans kernel `index` for a specialisation as kj_compile does, with what it does to the kernel
// before, and runs blocks of that shape as the plan says (plan/interp/plan_interp.h): a statement
// of the plan that does not hold is told on stderr, and is a fault. NULL with a reason in log:
// there is no plan. It ends with the module. kernel: is not looked at.
struct kj_plan;
KJ_API struct kj_plan *kj_plan_kernel(struct kj_module *m, uint32_t index,
                                      const struct kd_spec *spec, char *log, size_t log_size);
KJ_API void kj_interpret_plan(struct kj_plan *p, uint32_t kernel, struct kd_block *b);

// After compiled code has faulted in the block that b describes: which thread made the access, and
// where in the source (file NULL, line 0: not known; the string is the module's). address: what was
// touched, NULL when that is not known. Runs the block again, on copies of memory; takes 0.4 s
// at the most. False: it was not found.
struct kj_access {
    uint64_t address; // what was touched
    uint32_t thread;
    const char *file;
    uint32_t line;
};
KJ_API bool kj_find_access(struct kj_module *m, uint32_t kernel, const struct kd_block *b,
                           const uint64_t *address, struct kj_access *out);

// Must be called once before kj_interpret_block: the device's helpers.
KJ_API void kj_set_runtime(const struct kd_rt *rt);

// The level of the machine that this runs on (never KD_LEVEL_HOST).
KJ_API enum kd_level kj_host_level(void);

// Links several PTX texts into one (cuLink*, -dlink): malloc'ed NUL-terminated PTX, or NULL
// with a message in log.
KJ_API char *kj_link_ptx(const char *const *ptx, const size_t *len, size_t n, char *log,
                         size_t log_size);

// Whether the text parses and passes the verifier by itself; else false with the messages in log.
// Functions that other texts define may be missing.
KJ_API bool kj_check_ptx(const char *ptx, size_t len, char *log, size_t log_size);

// Whether the calling thread's last load, check or link failed for PTX of a version that is not
// known.
KJ_API bool kj_unsupported_version(void);

// Whether the calling thread's last load, compilation or link failed because memory ran out. For
// LLVM see codegen/llvm_memory.h.
KJ_API bool kj_out_of_memory(void);

// For tests: refuses the n-th allocation from now (0: the next one; negative: none), of the
// library's own; whether that has come to pass; blocks that are not freed.
KJ_API void kj_refuse_allocation(long n);
KJ_API bool kj_allocation_refused(void);
KJ_API long kj_allocated_blocks(void);

// For tests: LLVM fails in the n-th compilation from now, as it is about to make the object; kind
// 0: by a fatal error, 1: by abort(), 2: by exit(). Negative n: never.
KJ_API void kj_provoke_failure(long n, int kind);

// Part of every cache key: changes whenever the same PTX could give other code.
KJ_API const char *kj_version(void);

#endif
