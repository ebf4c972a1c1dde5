// Initialisation, version, the end of the process, children of fork.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/driver.h"
#include "driver/leaks.h"
#include "support/capability.h"
#include "support/environment.h"
#include "support/run_report.h"

_Atomic int drv_state = DRV_NEW;
_Thread_local const char *drv_api;
_Thread_local int drv_in_callback;
_Thread_local int api_per_thread;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t init_pid;

void drv_lock(void) {
    pthread_mutex_lock(&lock);
}

void drv_unlock(void) {
    pthread_mutex_unlock(&lock);
}

CUresult drv_enter_refused(void) {
    switch (drv_state) {
    case DRV_NEW:
        return drv_fail(CUDA_ERROR_NOT_INITIALIZED, "cuInit has not been called");
    case DRV_EXITING:
        return CUDA_ERROR_DEINITIALIZED; // no message: the log's file may be closed
    case DRV_FORKED:
        return drv_fail(CUDA_ERROR_NOT_INITIALIZED,
                        "the process was forked after cuInit; a child must exec before it can use "
                        "the driver");
    default:
        return drv_fail(CUDA_ERROR_NOT_PERMITTED,
                        "a host function or stream callback cannot call the driver");
    }
}

// `kudzu run` wants to know of faults of what is still running: it may take some time to its end.
static void wait_for_faults(void) {
    enum { SLICES = 200, SLICE_US = 10000 };
    for (int k = 0; k < SLICES && !drv_contexts_idle(); k++)
        usleep(SLICE_US);
}

// Writes out what finished kernels printed. Runs after the handlers and destructors that the
// program registered, as this library's constructor ran before them.
static void at_exit(void) {
    if (drv_state == DRV_READY && getpid() == init_pid) {
        if (run_report_on())
            wait_for_faults();
        drv_contexts_flush();
        drv_leaks_tell(NULL);
        kd_finish_better_code();
    }
    drv_state = DRV_EXITING;
}

static void in_child(void) {
    if (drv_state == DRV_READY)
        drv_state = DRV_FORKED;
}

__attribute__((constructor)) static void library_loaded(void) {
    atexit(at_exit);
    pthread_atfork(NULL, NULL, in_child);
}

bool drv_launch_blocking;

static bool is_1(const char *variable) {
    const char *value = environment_get(variable);
    return value && !strcmp(value, "1");
}

// Of the environment (guide, chapter 22), what concerns all of the library.
static CUresult read_environment(void) {
    drv_core_dump_open();
    TRY(drv_version_check());
    REQUIRE(
        !capability_unknown(), CUDA_ERROR_INVALID_VALUE,
        "KUDZU_COMPUTE_CAPABILITY is '%.32s': it must be 7.0, 7.2, 7.5, 8.0, 8.6, 8.7, 8.9, 9.0, "
        "10.0, 10.1, 10.3, 11.0, 12.0 or 12.1",
        capability_unknown());
    drv_launch_blocking = is_1("CUDA_LAUNCH_BLOCKING");
    if (is_1("CUDA_FORCE_PRELOAD_LIBRARIES"))
        return drv_status(kd_preload(), NULL);
    return CUDA_SUCCESS;
}

// Flags must be 0. CUDA_ERROR_NO_DEVICE when CUDA_VISIBLE_DEVICES hides all devices.
CUresult cuInit(unsigned int Flags) {
    NO_CANCEL();
    CALL();
    drv_api = __func__;
    REQUIRE(Flags == 0, CUDA_ERROR_INVALID_VALUE, "Flags must be 0, not %u", Flags);
    if (drv_state == DRV_READY)
        return CUDA_SUCCESS;
    if (drv_state != DRV_NEW)
        return drv_enter_refused();
    pthread_mutex_lock(&init_lock);
    CUresult result = drv_state == DRV_NEW ? drv_devices_open() : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS && drv_state == DRV_NEW)
        result = read_environment();
    if (result == CUDA_SUCCESS) {
        init_pid = getpid();
        drv_state = DRV_READY;
    }
    pthread_mutex_unlock(&init_lock);
    if (result == CUDA_SUCCESS)
        run_report_started();
    return result;
}

// Works before cuInit.
CUresult cuDriverGetVersion(int *driverVersion) {
    drv_api = __func__;
    REQUIRE_POINTER(driverVersion);
    *driverVersion = drv_version();
    return CUDA_SUCCESS;
}
