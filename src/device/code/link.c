// Linking of PTX: what the JIT library does for cuLink*.
#include "device/code/jit_library.h"
#include "device/device.h"
#include "device/reason.h"

enum kd_status kd_check_ptx(const char *ptx, size_t size, char *log, size_t log_size) {
    char reason[1024] = "";
    const struct jit_library *lib = jit_library();
    if (!lib)
        return KD_JIT_NOT_FOUND;
    if (!lib->check_ptx)
        return kd_succeed();
    if (!log || log_size < 2) {
        log = reason;
        log_size = sizeof reason;
    }
    return lib->check_ptx(ptx, size, log, log_size)
               ? kd_succeed()
               : kd_fail(jit_library_failure(KD_INVALID_PTX), "%s", log);
}

enum kd_status kd_link_ptx(const char *const *ptx, const size_t *size, size_t n, char *log,
                           size_t log_size, char **out) {
    char reason[1024] = "";
    const struct jit_library *lib = jit_library();
    if (!lib)
        return KD_JIT_NOT_FOUND;
    if (!lib->link_ptx)
        return kd_fail(KD_NOT_SUPPORTED, "the compiler library cannot link");
    if (!log || log_size < 2) {
        log = reason;
        log_size = sizeof reason;
    }
    *out = lib->link_ptx(ptx, size, n, log, log_size);
    return *out ? kd_succeed()
                : kd_fail(jit_library_failure(KD_INVALID_PTX), "PTX cannot be linked: %s", log);
}
