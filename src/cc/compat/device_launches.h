// Kernels launched by device code (guide 13). clang 19 refuses to name a kernel there, also with
// <<<>>>. A lambda is code for both sides, though, in which the name is allowed until the lambda is
// known to be called on the device; kudzu/device_launch.h calls it in a way that keeps clang from
// knowing. So a launch becomes, on the lines where it stands,
//
//   __kudzu_launch([&]()->void{kernel<<<grid, block>>>(arguments);})
//
// and what it resolves to (templates, overloads, default arguments) is clang's own affair. The
// plugin turns the call of the kernel into a launch (plugin/device_launch.cpp). The same goes for
// functions of the device runtime that take a kernel.
#ifndef KUDZU_CC_DEVICE_LAUNCHES_H
#define KUDZU_CC_DEVICE_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "cc/processes/cc.h"

// What clang's messages about kernels in device code have told so far.
struct device_launches {
    cc_strings files;     // all of whose launches may be device code
    cc_strings addresses; // "path:line:name": a kernel's name that is not launched there
};

// Replaces *text, of the file `path` where it has one, where functions marked as device code
// contain launches or `found` tells of a kernel's address. `everywhere`: also launches where it
// cannot be seen whether code is the device's: functions marked by a macro, bodies of macros.
// False: there was nothing to do.
bool device_launches_rewrite(struct arena *arena, char **text, size_t *size, bool everywhere,
                             const struct device_launches *found, const char *path);

// Launches that were not seen to be device code and addresses of kernels: what clang's messages (in
// files) about them name joins `found`, for another attempt. False: there is nothing new.
bool device_launches_find(struct arena *arena, const cc_strings *diagnostics,
                          struct device_launches *found);

#endif
