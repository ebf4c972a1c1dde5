// The PTX of a device pass, checked as NVIDIA's assembler would (ptx_check.h), with messages that
// name the source's lines.
#ifndef KUDZU_CC_DEVICE_CHECK_H
#define KUDZU_CC_DEVICE_CHECK_H

#include "cc/headers/clang_flags.h"
#include "cc/link/device_image.h"

// Checks what a device pass made of the source: PTX, or with `has_asm` not NULL bitcode, where that
// is the file by which the pass says that there is inline PTX. False: the messages are in a file
// that has joined `diagnostics`, or were printed.
bool device_check(const struct compilation *c, const struct device_code *code, const char *source,
                  const char *has_asm, cc_strings *diagnostics);

// The same for PTX that somebody wrote: messages have its own lines, and are printed.
bool device_check_text(const struct compilation *c, const char *path, const char *text,
                       size_t size);

// The same for what a device link made, which knows no lines.
bool device_check_linked(const struct compilation *c, const struct device_code *code);

#endif
