// The driver's version. Programs of earlier ones go on: a function's earlier forms stay.
#include <stdio.h>
#include <string.h>

#include "driver/driver.h"
#include "support/environment.h"

// Every function of the latest version exists; docs/api.md lists what answers that it is not
// supported. Before the oldest there is nothing that the runtime could load images through.
enum { LATEST = 13000, OLDEST = 12000 };

// "13.0" is 13000. 0: no version that the driver can be.
static int parse(const char *text) {
    unsigned major, minor;
    char end;
    if (strlen(text) > 5 || sscanf(text, "%2u.%1u%c", &major, &minor, &end) != 2)
        return 0;
    int version = (int)(major * 1000 + minor * 10);
    return version >= OLDEST && version <= LATEST ? version : 0;
}

int drv_version(void) {
    const char *text = environment_get("KUDZU_CUDA_VERSION");
    int version = text && *text ? parse(text) : LATEST;
    return version ? version : LATEST;
}

CUresult drv_version_check(void) {
    const char *text = environment_get("KUDZU_CUDA_VERSION");
    REQUIRE(!text || !*text || parse(text), CUDA_ERROR_INVALID_VALUE,
            "KUDZU_CUDA_VERSION is '%.32s': it must be a version from %d.%d to %d.%d", text,
            OLDEST / 1000, OLDEST % 1000 / 10, LATEST / 1000, LATEST % 1000 / 10);
    return CUDA_SUCCESS;
}
