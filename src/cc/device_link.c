#include "cc/device_link.h"

bool device_link(const struct compilation *c, const cc_strings *objects, bool always,
                 const char **object) {
    *object = NULL;
    return true;
}
