// The CCCL (Thrust, CUB, libcu++) that the user has added with `kudzu cccl`: headers in a folder of
// the user's, which are found behind the program's own folders and before kudzu's.
#ifndef KUDZU_CC_CCCL_H
#define KUDZU_CC_CCCL_H

#include "cc/options/options.h"

// The folder for it, whether it is there or not; NULL: neither XDG_DATA_HOME nor HOME says where.
const char *cccl_folder(struct arena *arena);
// Adds its headers to the options, if there are any.
void cccl_use(struct cc_options *o, struct arena *arena);

#endif
