// NVIDIA's assembler, where the user has it and asks for it: machine code of GPUs beside the PTX,
// so that their driver has nothing left to compile.
#ifndef KUDZU_CC_PTXAS_H
#define KUDZU_CC_PTXAS_H

#include "cc/options/options.h"

// The cubin of a PTX text (`size` bytes) for one real architecture ("sm_90"), in memory of the
// arena. False: ptxas could not be run or refused the text, which it says itself.
bool ptxas_assemble(struct arena *arena, const struct cc_options *o, const char *architecture,
                    const char *ptx, size_t size, char **cubin, size_t *cubin_size);

#endif
