// Which devices a PTX text is for, without parsing more of it than its first directives.
#ifndef KUDZU_IMAGE_PTX_TARGET_H
#define KUDZU_IMAGE_PTX_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_target {
    uint32_t sm;   // 90 for sm_90, sm_90a
    char features; // 'a': of one architecture, 'f': of a family (guide 20.1.3), 0: of all
};

// Of .target; `size` bytes, or up to a NUL. False: there is no such directive where it belongs, or
// it names none.
bool ptx_target_read(const char *ptx, size_t size, struct ptx_target *out);

// Whether code for the target runs on a device: `capability` is 90 for 9.0.
bool ptx_target_runs(struct ptx_target target, uint32_t capability);

#endif
