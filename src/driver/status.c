// What the device reports, as errors of the driver API.
#include <stdlib.h>

#include "driver/driver.h"

static CUresult of_fault(enum kd_fault fault) {
    switch (fault) {
    case KD_FAULT_NONE:
        return CUDA_SUCCESS;
    case KD_FAULT_ILLEGAL_ADDRESS:
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    case KD_FAULT_MISALIGNED:
        return CUDA_ERROR_MISALIGNED_ADDRESS;
    case KD_FAULT_TRAP:
        return CUDA_ERROR_LAUNCH_FAILED;
    case KD_FAULT_ASSERT:
        return CUDA_ERROR_ASSERT;
    case KD_FAULT_STACK_OVERFLOW:
        return CUDA_ERROR_HARDWARE_STACK_ERROR;
    case KD_FAULT_ILLEGAL_INSTRUCTION:
        return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case KD_FAULT_INVALID_PC:
        return CUDA_ERROR_INVALID_PC;
    case KD_FAULT_DEADLOCK:
        return CUDA_ERROR_LAUNCH_TIMEOUT;
    case KD_FAULT_OUT_OF_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_ERROR_UNKNOWN;
}

CUresult drv_context_fault(struct drv_context *ctx) {
    struct kd_fault_record record;
    if (!kd_context_fault(ctx->c, &record))
        return CUDA_SUCCESS;
    return drv_fail(of_fault(record.fault), "an earlier launch failed: %s", record.text);
}

static CUresult of_status(enum kd_status status) {
    switch (status) {
    case KD_OK:
        return CUDA_SUCCESS;
    case KD_NOT_READY:
        return CUDA_ERROR_NOT_READY;
    case KD_INVALID_VALUE:
        return CUDA_ERROR_INVALID_VALUE;
    case KD_OUT_OF_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    case KD_NOT_FOUND:
        return CUDA_ERROR_NOT_FOUND;
    case KD_FAULTED:
        return CUDA_ERROR_LAUNCH_FAILED;
    case KD_INVALID_IMAGE:
        return CUDA_ERROR_INVALID_IMAGE;
    case KD_NO_BINARY:
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    case KD_INVALID_PTX:
        return CUDA_ERROR_INVALID_PTX;
    case KD_UNSUPPORTED_PTX_VERSION:
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    case KD_JIT_NOT_FOUND:
        return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
    case KD_UNRESOLVED:
        return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
    case KD_OUT_OF_RESOURCES:
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    case KD_INVALID_CLUSTER:
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    case KD_COOPERATIVE_TOO_LARGE:
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    case KD_ALREADY_REGISTERED:
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    case KD_NOT_REGISTERED:
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    case KD_NOT_SUPPORTED:
        return CUDA_ERROR_NOT_SUPPORTED;
    case KD_SYSTEM:
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    return CUDA_ERROR_UNKNOWN;
}

CUresult drv_status(enum kd_status status, struct drv_context *ctx) {
    if (status == KD_OK) {
        char *warning = kd_take_warning();
        if (warning)
            drv_warn("%s", warning);
        free(warning);
        return CUDA_SUCCESS;
    }
    if (status == KD_NOT_READY)
        return CUDA_ERROR_NOT_READY; // an answer, not a failure
    if (status == KD_FAULTED && ctx && kd_context_fault(ctx->c, NULL))
        return drv_context_fault(ctx);
    return drv_fail(of_status(status), "%s", kd_reason());
}
