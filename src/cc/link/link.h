// The last step: objects and libraries to a program or a shared library.
#ifndef KUDZU_CC_LINK_H
#define KUDZU_CC_LINK_H

#include "cc/headers/clang_flags.h"

// `objects`: for each of the options' inputs, the file to link in its place. `device_link`: the
// object of the device link, NULL: none.
bool link_program(const struct compilation *c, const cc_strings *objects, const char *device_link,
                  const char *output);
// -lib: an archive of the objects.
bool link_archive(const struct compilation *c, const cc_strings *objects, const char *output);

#endif
