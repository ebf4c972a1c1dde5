// Variables that a function of the host declares as the device's (guide 18.5.3.1): `static
// __device__ int x;`. clang accepts them and keeps no trace of those that nothing uses, so they are
// looked for in the text.
#ifndef KUDZU_CC_HOST_STATICS_H
#define KUDZU_CC_HOST_STATICS_H

#include "cc/processes/cc.h"

struct host_static {
    const char *path, *name;
    uint32_t line, column;
};
typedef VEC(struct host_static) host_statics;

// Those in the source and in the files that it includes (source_tokens.h). What #if leaves out is
// among them: to be looked for once more in what the preprocessor makes of the source for the host.
void host_statics_find(struct arena *arena, const char *source, const cc_strings *options,
                       host_statics *found);

#endif
