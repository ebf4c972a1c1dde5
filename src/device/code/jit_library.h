// libkudzu-jit.so, loaded when something has to be compiled or interpreted.
#ifndef KUDZU_DEVICE_JIT_LIBRARY_H
#define KUDZU_DEVICE_JIT_LIBRARY_H

#include "abi/jit.h"
#include "device/device.h"

struct jit_library {
    __typeof__(kj_module_load) *module_load;
    __typeof__(kj_module_free) *module_free;
    __typeof__(kj_module_info) *module_info;
    __typeof__(kj_compile) *compile; // NULL: the library has only the interpreter
    __typeof__(kj_interpret_block) *interpret_block;
    __typeof__(kj_plan_kernel) *plan_kernel;       // may be NULL
    __typeof__(kj_interpret_plan) *interpret_plan; // may be NULL
    __typeof__(kj_set_runtime) *set_runtime;
    __typeof__(kj_link_ptx) *link_ptx;                       // may be NULL
    __typeof__(kj_check_ptx) *check_ptx;                     // may be NULL
    __typeof__(kj_find_access) *find_access;                 // may be NULL
    __typeof__(kj_out_of_memory) *out_of_memory;             // may be NULL
    __typeof__(kj_unsupported_version) *unsupported_version; // may be NULL
    __typeof__(kj_version) *version;
};

// Loads it from the folder of this library first, then from the system's search path. NULL with
// the reason in kd_reason(). Once loaded it stays.
const struct jit_library *jit_library(void);
// Until jit_library_wanted this thread does not load it: it is NULL then, without a reason. With a
// lock held, that is, for another thread may run a constructor, under the lock of the system's
// loader, and wait for it.
void jit_library_try(void);
// Whether it was missing, and has been loaded now: to be tried again.
bool jit_library_wanted(void);
// For threads that others wait for. NULL when it takes half a second: another thread has the
// loader's lock.
const struct jit_library *jit_library_soon(void);
// What compiled code depends on besides its input: part of every cache key. Known without loading
// the library (loading takes longer than everything else that a short program does): the linker's
// hash in its file where it lies beside this library, else its own version. NULL: there is no
// library, reason in kd_reason().
const char *jit_library_identity(void);
// After a load or link by the library that failed on this thread: KD_OUT_OF_MEMORY or
// KD_UNSUPPORTED_PTX_VERSION if that was why, else `otherwise`.
enum kd_status jit_library_failure(enum kd_status otherwise);
// For tests: this table instead of the library.
void jit_library_use(const struct jit_library *table);

#endif
