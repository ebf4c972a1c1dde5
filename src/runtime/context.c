// Initialisation and contexts: the runtime works in the context that is current to the calling
// thread, and makes the primary context of the thread's device current where there is none
// (guide 6.2.1, 21.1).
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "runtime/load/find_driver.h"
#include "runtime/runtime.h"

_Thread_local struct rt_thread rt_thread;
_Atomic uint64_t rt_generation = 1;

static pthread_once_t init_once = PTHREAD_ONCE_INIT;
static cudaError_t init_error;
static char init_reason[512];
static bool no_driver;
static int device_count;

static struct device {
    _Atomic(CUcontext) primary;
    _Atomic bool active; // retained by the runtime
    _Atomic bool limits_known;
    struct rt_limits limits;
} devices[RT_MAX_DEVICES];
static pthread_mutex_t devices_mutex = PTHREAD_MUTEX_INITIALIZER;

// A driver of the runtime's own major version will do.
static int oldest_driver(void) {
    return rt_version / 1000 * 1000;
}

static void init_driver(void) {
    int version = 0;
    struct found_driver driver;
    find_driver(&driver);
    init_error = cudaErrorInsufficientDriver;
    no_driver = !driver.handle;
    if (no_driver) {
        snprintf(init_reason, sizeof init_reason, "%.*s", (int)sizeof init_reason - 1, driver.why);
        return;
    }
    if (!rt_fill_driver_table(driver.handle, init_reason, sizeof init_reason))
        return;
    if (rt_driver[0].cuDriverGetVersion(&version) != CUDA_SUCCESS || version < oldest_driver()) {
        snprintf(init_reason, sizeof init_reason,
                 "the CUDA driver is of version %d, and %d or later is needed", version,
                 oldest_driver());
        return;
    }
    CUresult result = rt_driver[0].cuInit(0);
    if (result == CUDA_SUCCESS)
        result = rt_driver[0].cuDeviceGetCount(&device_count);
    if (result == CUDA_SUCCESS && device_count == 0)
        result = CUDA_ERROR_NO_DEVICE;
    if (device_count > RT_MAX_DEVICES)
        device_count = RT_MAX_DEVICES;
    init_error = result == CUDA_SUCCESS ? cudaSuccess : rt_driver_error("cudart", result);
    snprintf(init_reason, sizeof init_reason, "the CUDA driver could not be initialized: %s",
             cudaGetErrorString(init_error));
}

cudaError_t rt_init(void) {
    pthread_once(&init_once, init_driver);
    if (init_error != cudaSuccess)
        return rt_fail("cudart", init_error, "%s", init_reason);
    return cudaSuccess;
}

void rt_tell_of_no_driver(void) {
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (no_driver && !atomic_flag_test_and_set(&told))
        fprintf(stderr, "CUDA error: no kernel runs: %s\n", init_reason);
}

int rt_device_count(void) {
    return device_count;
}

cudaError_t rt_check_device(const char *function, int device) {
    RT_INIT();
    if (device < 0 || device >= device_count)
        return rt_fail(function, cudaErrorInvalidDevice,
                       "device %d does not exist: there are %d devices", device, device_count);
    return cudaSuccess;
}

// Whether this is how a kernel fails, which ends a context for good. NVIDIA's driver then answers
// so whenever the process wants a context of the device, also after a reset.
static bool is_fault(CUresult result) {
    switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
        return true;
    default:
        return false;
    }
}

static CUresult retain_primary(int device, CUcontext *context) {
    struct device *d = &devices[device];
    CUresult result = CUDA_SUCCESS;
    if (!d->active) {
        pthread_mutex_lock(&devices_mutex);
        if (!d->active) {
            CUcontext primary = NULL;
            result = rt_driver[0].cuDevicePrimaryCtxRetain(&primary, device);
            if (result == CUDA_SUCCESS)
                d->primary = primary;
            d->active = result == CUDA_SUCCESS;
        }
        pthread_mutex_unlock(&devices_mutex);
    }
    *context = d->primary;
    return result;
}

static cudaError_t primary_result(int device, CUresult result) {
    if (is_fault(result))
        return rt_fail("cudart", cudaErrorDevicesUnavailable,
                       "a kernel of this process failed on device %d, and the driver gives the "
                       "process no new context: it has to begin anew",
                       device);
    return rt_result(result);
}

cudaError_t rt_primary_context(int device, CUcontext *context) {
    return primary_result(device, retain_primary(device, context));
}

// Of a thread that has chosen no device: of the first one that it may use and whose compute mode
// allows a context (guide 6.4).
static cudaError_t any_primary_context(CUcontext *context, int *device) {
    int n = rt_thread.nvalid ? rt_thread.nvalid : device_count;
    CUresult result = CUDA_ERROR_DEVICE_UNAVAILABLE;
    for (int i = 0; i < n && result == CUDA_ERROR_DEVICE_UNAVAILABLE; i++) {
        *device = rt_thread.nvalid ? rt_thread.valid[i] : i;
        result = retain_primary(*device, context);
    }
    return primary_result(*device, result);
}

// The device whose primary context `context` is, when the runtime has retained it before; or -1.
static int device_of_primary(CUcontext context) {
    for (int i = 0; i < device_count; i++)
        if (devices[i].primary == context)
            return i;
    return -1;
}

static int thread_device(void) {
    if (rt_thread.device_chosen)
        return rt_thread.device;
    return rt_thread.nvalid ? rt_thread.valid[0] : 0;
}

cudaError_t rt_current_device(int *device) {
    RT_INIT();
    CUcontext current = NULL;
    CUdevice handle;
    RT_TRY(rt_result(rt_driver[0].cuCtxGetCurrent(&current)));
    // Of a context that was reset, or that has a fault, the driver would tell nothing.
    int primary = current ? device_of_primary(current) : thread_device();
    if (primary >= 0) {
        *device = primary;
        return cudaSuccess;
    }
    RT_TRY(rt_result(rt_driver[0].cuCtxGetDevice(&handle)));
    *device = handle;
    return cudaSuccess;
}

cudaError_t rt_enter_slow(void) {
    RT_INIT();
    uint64_t generation = rt_generation;
    CUcontext current = NULL;
    RT_TRY(rt_result(rt_driver[0].cuCtxGetCurrent(&current)));
    int device = current ? device_of_primary(current) : thread_device();
    if (device >= 0) {
        // A primary context may have been reset since this thread made it current.
        CUcontext primary;
        if (current || rt_thread.device_chosen)
            RT_TRY(rt_primary_context(device, &primary));
        else
            RT_TRY(any_primary_context(&primary, &device));
        if (primary != current)
            RT_TRY(rt_result(rt_driver[0].cuCtxSetCurrent(primary)));
        current = primary;
    }
    RT_TRY(rt_result(rt_driver[0].cuCtxGetDevice(&rt_thread.context_device)));
    memset(rt_thread.launched, 0, sizeof rt_thread.launched);
    rt_thread.context = current;
    rt_thread.primary = device >= 0;
    rt_thread.generation = generation;
    return rt_connect_managed();
}

cudaError_t rt_launch_limits(const struct rt_limits **limits) {
    static const struct {
        CUdevice_attribute attribute;
        size_t offset;
    } wanted[] = {
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, offsetof(struct rt_limits, max_threads)},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, offsetof(struct rt_limits, block[0])},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, offsetof(struct rt_limits, block[1])},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, offsetof(struct rt_limits, block[2])},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, offsetof(struct rt_limits, grid[0])},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, offsetof(struct rt_limits, grid[1])},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, offsetof(struct rt_limits, grid[2])},
    };
    CUdevice device = rt_thread.context_device;
    struct device *d = &devices[device];
    if (!d->limits_known) {
        struct rt_limits found;
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            RT_TRY(rt_result(rt_driver[0].cuDeviceGetAttribute(
                (int *)((char *)&found + wanted[i].offset), wanted[i].attribute, device)));
        pthread_mutex_lock(&devices_mutex);
        d->limits = found;
        d->limits_known = true;
        pthread_mutex_unlock(&devices_mutex);
    }
    *limits = &d->limits;
    return cudaSuccess;
}

// Gives back what the runtime holds of the device's primary context and destroys it, with all
// that lives in it, also when a kernel has failed there: a later call of the runtime begins anew.
cudaError_t cudaDeviceReset(void) {
    int device;
    RT_TRY(rt_current_device(&device));
    pthread_mutex_lock(&devices_mutex);
    CUresult result = CUDA_SUCCESS;
    if (devices[device].active) {
        devices[device].active = false;
        rt_disconnect_managed(devices[device].primary);
        (void)rt_driver[0].cuDevicePrimaryCtxRelease(device); // may answer with the kernel's fault
    }
    result = rt_driver[0].cuDevicePrimaryCtxReset(device);
    rt_generation++;
    pthread_mutex_unlock(&devices_mutex);
    rt_thread.context = NULL;
    return rt_result(result);
}

cudaError_t cudaSetDevice(int device) {
    CUcontext primary;
    RT_TRY(rt_check_device(__func__, device));
    rt_thread.device_chosen = true;
    rt_thread.device = device;
    RT_TRY(rt_primary_context(device, &primary));
    RT_TRY(rt_result(rt_driver[0].cuCtxSetCurrent(primary)));
    return rt_enter();
}

cudaError_t cudaGetDevice(int *device) {
    RT_REQUIRE(device, cudaErrorInvalidValue, "device must not be NULL");
    return rt_current_device(device);
}

// Without flags nothing changes but that the device's primary context exists.
cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
    CUcontext primary;
    RT_TRY(rt_check_device(__func__, device));
    RT_REQUIRE((flags & ~(unsigned)cudaInitDeviceFlagsAreValid) == 0, cudaErrorInvalidValue,
               "flags has unknown bits: 0x%x", flags);
    if (flags & cudaInitDeviceFlagsAreValid) {
        RT_REQUIRE((deviceFlags & ~(unsigned)cudaDeviceMask) == 0, cudaErrorInvalidValue,
                   "deviceFlags has unknown bits: 0x%x", deviceFlags);
        RT_TRY(rt_result(RT_CALL(cuDevicePrimaryCtxSetFlags, device, deviceFlags)));
    }
    return rt_primary_context(device, &primary);
}

// The devices that a thread which has not called cudaSetDevice may take, the first one first.
cudaError_t cudaSetValidDevices(int *device_arr, int len) {
    RT_INIT();
    RT_REQUIRE(len >= 0 && len <= device_count && (device_arr || len == 0), cudaErrorInvalidValue,
               "a list of %d devices is not possible: there are %d", len, device_count);
    for (int i = 0; i < len; i++)
        RT_TRY(rt_check_device(__func__, device_arr[i]));
    for (int i = 0; i < len; i++)
        rt_thread.valid[i] = device_arr[i];
    rt_thread.nvalid = len;
    return cudaSuccess;
}
