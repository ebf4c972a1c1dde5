// Code that waits for the link to be optimised: what kudzu's libnvvm makes with -gen-lto.
#ifndef KUDZU_NVJITLINK_LTO_H
#define KUDZU_NVJITLINK_LTO_H

#include <stdbool.h>
#include <stddef.h>

#include "support/arena.h"
#include "support/strbuf.h"
#include "support/vec.h"

struct lto_module {
    const char *name;
    const void *bitcode;
    size_t size;
};
typedef VEC(struct lto_module) lto_modules;

struct lto_options {
    bool enabled; // -lto
    bool debug, no_optimization, ftz, no_prec_sqrt, no_prec_div, no_fma;
};

// Whether the data begin as such code does, kudzu's or NVIDIA's.
bool lto_is(const void *data, size_t size);
// Copies kudzu's. False: it is NVIDIA's, or damaged.
bool lto_add(struct arena *arena, lto_modules *modules, const char *name, const void *data,
             size_t size);
// The PTX of all of them, for one architecture ("sm_90"). `folder`: where kudzu-nvvm-compiler is.
// False: messages in the log.
bool lto_compile(struct arena *arena, const lto_modules *modules, const struct lto_options *o,
                 const char *arch, const char *folder, struct strbuf *ptx, struct strbuf *log);

#endif
