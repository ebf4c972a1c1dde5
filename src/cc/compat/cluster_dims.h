// __cluster_dims__: the shape of a kernel's clusters, which clang cannot write into PTX. The
// compiler plugin leaves a comment for each such kernel; this turns it into directives.
#ifndef KUDZU_CC_CLUSTER_DIMS_H
#define KUDZU_CC_CLUSTER_DIMS_H

#include "cc/processes/cc.h"

// The text with .reqnctapercluster where it belongs; the same text when no kernel has clusters.
// A NUL follows it.
const char *cluster_dims_apply(struct arena *arena, const char *ptx, size_t *size);

#endif
