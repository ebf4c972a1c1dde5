#include "support/cuda_version.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "support/environment.h"

// NULL: not set.
static const char *value(void) {
    const char *text = environment_get("KUDZU_CUDA_VERSION");
    return text && *text ? text : NULL;
}

static int parse(const char *text) {
    unsigned major, minor;
    char end;
    if (strlen(text) > 5 || sscanf(text, "%2u.%1u%c", &major, &minor, &end) != 2)
        return 0;
    int version = (int)(major * 1000 + minor * 10);
    return version >= CUDA_VERSION_OLDEST && version <= CUDA_VERSION_LATEST ? version : 0;
}

int cuda_version_asked(void) {
    const char *text = value();
    return text ? parse(text) : 0;
}

const char *cuda_version_unknown(void) {
    const char *text = value();
    return text && !parse(text) ? text : NULL;
}

int cuda_version_of_headers(void) {
    return cuda_version_asked() >= 13000 ? 13000 : 12090;
}
