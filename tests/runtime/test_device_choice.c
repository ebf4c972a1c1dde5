// Which driver KUDZU_DEVICE takes: the first device's name begins with the argument; "none" where
// there must be no driver.
#include "check.h"

int main(int argc, char **argv) {
    struct cudaDeviceProp properties;
    memset(&properties, 0, sizeof properties);
    const char *expected = argc > 1 ? argv[1] : "";
    if (strcmp(expected, "none") == 0) {
        CHECK_ERROR(cudaErrorInsufficientDriver, cudaGetDeviceProperties(&properties, 0));
        return finish();
    }
    CHECK_OK(cudaGetDeviceProperties(&properties, 0));
    CHECK(strncmp(properties.name, expected, strlen(expected)) == 0);
    return finish();
}
