// kudzu's headers on a program's own search path.
#ifndef KUDZU_CC_OWN_HEADERS_H
#define KUDZU_CC_OWN_HEADERS_H

#include "cc/options/options.h"
#include "cc/processes/toolchain.h"

// Takes the folders of kudzu's headers out of what -I, -isystem and -idirafter name: they are
// searched after all others anyway, as host compilers leave directories of the system at their
// place. So a program that names $CUDA_HOME/include gets the libcu++ of the CCCL that it names, or
// that was added, and not kudzu's part of it.
void own_headers_last(struct cc_options *o, const struct toolchain *t, struct arena *arena);

#endif
