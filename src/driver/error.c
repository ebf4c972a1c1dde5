// Names and texts of errors. Both work before cuInit.
#include "driver/driver.h"
#include "driver/error_list.h"

const char *drv_error_name(CUresult error) {
    switch (error) {
#define CASE(name, text)                                                                           \
    case name:                                                                                     \
        return #name;
        DRV_ERRORS(CASE)
#undef CASE
    }
    return NULL;
}

const char *drv_error_text(CUresult error) {
    switch (error) {
#define CASE(name, text)                                                                           \
    case name:                                                                                     \
        return text;
        DRV_ERRORS(CASE)
#undef CASE
    }
    return NULL;
}

// An error that does not exist sets *pStr to NULL and returns CUDA_ERROR_INVALID_VALUE.
CUresult cuGetErrorName(CUresult error, const char **pStr) {
    drv_api = __func__;
    REQUIRE_POINTER(pStr);
    *pStr = drv_error_name(error);
    REQUIRE(*pStr, CUDA_ERROR_INVALID_VALUE, "%d is no error code", (int)error);
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **pStr) {
    drv_api = __func__;
    REQUIRE_POINTER(pStr);
    *pStr = drv_error_text(error);
    REQUIRE(*pStr, CUDA_ERROR_INVALID_VALUE, "%d is no error code", (int)error);
    return CUDA_SUCCESS;
}
