#define _GNU_SOURCE // secure_getenv
#include "support/environment.h"

#include <stdlib.h>
#include <sys/auxv.h>

const char *environment_get(const char *name) {
    return secure_getenv(name);
}

bool environment_is_trusted(void) {
    return !getauxval(AT_SECURE);
}
