// A program that is compiled at run time: what it was made of, and what came out.
#ifndef KUDZU_NVRTC_PROGRAM_H
#define KUDZU_NVRTC_PROGRAM_H

#pragma GCC visibility push(default)
#include <nvrtc.h>
#pragma GCC visibility pop
#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"
#include "support/check/live_objects.h"
#include "support/strbuf.h"
#include "support/vec.h"

struct rtc_text {
    const char *name, *text;
};

struct rtc_name {
    const char *expression;
    const char *lowered; // NULL: not compiled, or not found
};

struct _nvrtcProgram {
    struct live_object live;
    struct arena arena;
    const char *name, *source;
    VEC(struct rtc_text) headers;
    VEC(struct rtc_name) names;
    bool compiled; // with success
    bool attempted;
    struct strbuf log, ptx, lto_ir;
    void *cubin; // malloc'ed
    size_t cubin_size;
    int (*callback)(void *payload, void *reserved);
    void *payload;
};

// Compiles and fills log, PTX, cubin and lowered names. `library`: the path of this library, by
// which headers and clang are found.
nvrtcResult rtc_compile(struct _nvrtcProgram *p, const char *library, int count,
                        const char *const *options);

#endif
