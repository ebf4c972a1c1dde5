// What the files of the runtime share: entering a call, errors, the driver's functions, contexts,
// registered images.
//
// A call of the runtime is one or more documented calls of the driver between RT_ENTER (a context
// is current) and rt_result (the driver's answer as the runtime's error, recorded for
// cudaGetLastError).
#ifndef KUDZU_RUNTIME_RUNTIME_H
#define KUDZU_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define __CUDART_API_VERSION_INTERNAL
#include "api/runtime_decls.h"

#include "api/api.h"
#include "runtime/load/driver_table.h"

#pragma GCC visibility push(default)
#include "kudzu/registration.h"
#pragma GCC visibility pop

enum { RT_MAX_DEVICES = 64, RT_LAUNCHED = 16 };

// The version of this library (CUDART_VERSION), of which there are two: version_12.c, version_13.c.
extern const int rt_version;

// ---- Errors: errors.c ----------------------------------------------------------------------

// Records `error` as the calling thread's last one and writes the reason to CUDA_LOG_FILE.
cudaError_t rt_fail(const char *function, cudaError_t error, const char *reason, ...)
    __attribute__((format(printf, 3, 4), cold));

// The runtime's error for the driver's result, recorded; the driver has logged the reason.
// `function`: that asks, for `kudzu check`.
cudaError_t rt_driver_error(const char *function, CUresult result) __attribute__((cold));

#define rt_result(result) rt_result_of(__func__, result)
static inline cudaError_t rt_result_of(const char *function, CUresult result) {
    if (__builtin_expect(result == CUDA_SUCCESS, 1))
        return cudaSuccess;
    cudaError_t error = rt_driver_error(function, result);
    __asm__ volatile("" : "+r"(error)); // no tail call: `kudzu check` names the caller
    return error;
}

#define RT_REQUIRE(condition, error, ...)                                                          \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            return rt_fail(__func__, error, __VA_ARGS__);                                          \
    } while (0)

// Returns from the calling function when `expression` is an error that is already recorded.
#define RT_TRY(expression)                                                                         \
    do {                                                                                           \
        cudaError_t rt_try_ = (expression);                                                        \
        if (__builtin_expect(rt_try_ != cudaSuccess, 0))                                           \
            return rt_try_;                                                                        \
    } while (0)

// ---- Failed launches, for `kudzu run`: failed_launch.c --------------------------------------

// Keeps the reason of an error in case that it is a launch's; NULL: the driver has logged it.
void rt_keep_reason(const char *reason) __attribute__((cold));
// The result of a launch, which it returns: an error is reported when the process ends, unless the
// thread asks for its last error before that.
cudaError_t rt_launch_failed(cudaError_t error, const void *entry, dim3 grid, dim3 block)
    __attribute__((cold));
static inline cudaError_t rt_launched(cudaError_t error, const void *entry, dim3 grid, dim3 block) {
    return __builtin_expect(error == cudaSuccess, 1) ? error
                                                     : rt_launch_failed(error, entry, grid, block);
}
// A call of the thread has failed: for a note where the program ends badly. `in_driver`: the driver
// has logged the function and the reason.
void rt_call_failed(const char *function, bool in_driver, cudaError_t error) __attribute__((cold));
// The thread makes a call after one whose error `kudzu check` holds.
void rt_next_call(void) __attribute__((cold));
// The thread asks for its last error.
void rt_errors_seen(void) __attribute__((cold));

// ---- Driver and contexts: driver_table.c, context.c ----------------------------------------

// Loads the driver and calls cuInit, once. Errors are recorded.
cudaError_t rt_init(void);
// A launch has failed. Where there is no driver nothing ever ran, and a program that looked at
// errors would not have come here: one line on stderr says why, once.
void rt_tell_of_no_driver(void);
int rt_device_count(void);

// Makes sure that the thread has a current context: the one that is current, or else the primary
// context of the thread's device.
cudaError_t rt_enter_slow(void);

struct rt_thread {
    cudaError_t last_error;
    bool unseen_failure; // nobody has asked for the error: failed_launch.c
    bool first_failure;  // last_error's call is the first one that failed in the process
    unsigned held;       // of `kudzu check`: enum check_held
    char *reason;        // of last_error, for failed_launch.c; NULL: the driver's log has it
    bool device_chosen;  // by cudaSetDevice
    int device;          // when device_chosen
    CUcontext context;   // known to be current and alive ...
    uint64_t generation; // ... as of this generation
    CUdevice context_device;
    bool primary; // the context is one that the runtime holds
    int nvalid;   // cudaSetValidDevices
    int valid[RT_MAX_DEVICES];
    // The functions that the thread launched last, by their entries' addresses; emptied whenever
    // `context` or `generation` is set.
    struct rt_launched {
        const void *entry;
        CUfunction function;
    } launched[RT_LAUNCHED];
};
extern _Thread_local struct rt_thread rt_thread __attribute__((visibility("hidden")));
extern _Atomic uint64_t rt_generation __attribute__((visibility("hidden")));

static inline cudaError_t rt_enter(void) {
    CUcontext current;
    if (__builtin_expect(rt_thread.held, 0))
        rt_next_call();
    if (__builtin_expect(rt_thread.context != NULL && rt_thread.generation == rt_generation, 1) &&
        rt_driver[0].cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == rt_thread.context)
        return cudaSuccess;
    return rt_enter_slow();
}

#define RT_ENTER() RT_TRY(rt_enter())
#define RT_INIT() RT_TRY(rt_init())
// For what host functions may call, too, without a current context (recorded on an H200).
#define RT_ENTER_FROM_HOST_FUNCTION()                                                              \
    do {                                                                                           \
        RT_INIT();                                                                                 \
        if (__builtin_expect(rt_thread.held, 0))                                                   \
            rt_next_call();                                                                        \
    } while (0)

// The device whose context is, or would become, current.
cudaError_t rt_current_device(int *device);
// Retains the primary context of `device` for the runtime, once, and gives it in *context.
cudaError_t rt_primary_context(int device, CUcontext *context);
cudaError_t rt_check_device(const char *function, int device);
// After RT_ENTER: limits of the current device that launches are checked against.
struct rt_limits {
    int max_threads, block[3], grid[3];
};
cudaError_t rt_launch_limits(const struct rt_limits **limits);

// ---- Registered images: registration.c ------------------------------------------------------

struct rt_image;

// The kernel that the address of its host stub stands for, or a handle from cudaGetKernel or
// cudaLibraryGetKernel. Loads the image on first use. cudaErrorInvalidDeviceFunction where the
// address is unknown or the image lacks the kernel.
cudaError_t rt_kernel(const char *function, const void *entry, CUkernel *kernel);
// The same as a function of the current context, for launches: they fail where the stream belongs
// to another one (guide 6.2.9.3).
cudaError_t rt_function(const char *function, const void *entry, CUfunction *handle);
// A copy of the kernel's name for the address of its stub, or false.
bool rt_kernel_name(const void *entry, char *name, size_t size);
// The address that a launch would name a kernel by; the handle itself where there is none.
const void *rt_kernel_entry(CUfunction function);
// The variable that the address of its host shadow stands for: its address in the current context
// and its size. cudaErrorInvalidSymbol where unknown.
cudaError_t rt_variable(const char *function, const void *symbol, CUdeviceptr *address,
                        size_t *size);
// The texture reference at the address of its host variable, in the current context, and what is
// known of its binding there. cudaErrorInvalidTexture where unknown.
struct rt_texture {
    CUtexref handle;
    enum cudaTextureReadMode read_mode;
    bool bound;
    size_t offset;
};
cudaError_t rt_texture(const char *function, const struct textureReference *key,
                       struct rt_texture *texture);
void rt_texture_bound(const struct textureReference *key, bool bound, size_t offset);
// cudaErrorInvalidSurface where unknown.
cudaError_t rt_surface(const char *function, const struct surfaceReference *key, CUsurfref *handle);
bool rt_is_reference(const void *key, bool surface);
// Kernel handles which launches accept besides stubs.
cudaError_t rt_remember_kernel(const char *function, CUkernel kernel);
void rt_forget_kernels(const CUkernel *kernels, unsigned int count);
// Gives managed variables that are not yet connected their addresses; cheap when there are none.
cudaError_t rt_connect_managed(void);
// The context ends: what lived there is to be connected again.
void rt_disconnect_managed(CUcontext context);

#endif
