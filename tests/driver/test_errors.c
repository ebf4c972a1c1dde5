// Names and texts of errors.
#include "check.h"

static void names(CUresult error, const char *name, const char *text) {
    const char *got = NULL;
    OK(cuGetErrorName(error, &got));
    CHECK(got && !strcmp(got, name));
    OK(cuGetErrorString(error, &got));
    CHECK(got && !strcmp(got, text));
}

int main(void) {
    names(CUDA_SUCCESS, "CUDA_SUCCESS", "no error");
    names(CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument");
    names(CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
          "an illegal memory access was encountered");
    names(CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure");
    names(CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error");
    const char *s = "left alone";
    EXPECT(cuGetErrorName((CUresult)12345, &s), CUDA_ERROR_INVALID_VALUE);
    CHECK(s == NULL);
    s = "left alone";
    EXPECT(cuGetErrorString((CUresult)-1, &s), CUDA_ERROR_INVALID_VALUE);
    CHECK(s == NULL);
    EXPECT(cuGetErrorName(CUDA_SUCCESS, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGetErrorString(CUDA_SUCCESS, NULL), CUDA_ERROR_INVALID_VALUE);
    // Values of the documented interface.
    CHECK(CUDA_ERROR_INVALID_HANDLE == 400 && CUDA_ERROR_NOT_READY == 600 &&
          CUDA_ERROR_ILLEGAL_ADDRESS == 700 && CUDA_ERROR_ASSERT == 710 &&
          CUDA_ERROR_LAUNCH_FAILED == 719 && CUDA_ERROR_NOT_SUPPORTED == 801);
    return check_result();
}
