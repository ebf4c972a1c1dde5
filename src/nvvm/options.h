// The options of nvvmCompileProgram and nvvmVerifyProgram.
#ifndef KUDZU_NVVM_OPTIONS_H
#define KUDZU_NVVM_OPTIONS_H

#include "cc/processes/cc.h"

struct nvvm_options {
    const char *arch; // clang's name of the architecture: "sm_90a"
    bool debug;       // -g
    bool optimize;
    bool ftz, prec_sqrt, prec_div, fma;
    bool lto; // IR comes out, not PTX
};

// False: an unknown option, or a wrong value; cc_error has told.
bool nvvm_options_parse(struct nvvm_options *o, struct arena *arena, int count,
                        const char *const *options);

#endif
