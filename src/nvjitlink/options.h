// nvJitLink's options.
#ifndef KUDZU_NVJITLINK_OPTIONS_H
#define KUDZU_NVJITLINK_OPTIONS_H

#include <nvJitLink.h>

#include "assembler/device_linking.h"
#include "nvjitlink/lto.h"

// False: *result says what is wrong with them, and the linking's log in words.
bool nvjitlink_options_read(struct device_linking *l, struct lto_options *lto, uint32_t n,
                            const char *const *options, nvJitLinkResult *result);

#endif
