// Parts of copies that graphs need too.
#ifndef KUDZU_RUNTIME_COPY_H
#define KUDZU_RUNTIME_COPY_H

#include "runtime/runtime.h"

// The driver's description of a copy. Gives *nothing true, and no error, where it is empty.
cudaError_t rt_describe_3d(const char *function, CUDA_MEMCPY3D *copy,
                           const struct cudaMemcpy3DParms *given, bool *nothing);
// The place in a variable, after the range is checked.
cudaError_t rt_symbol_place(const char *function, const void *symbol, size_t count, size_t offset,
                            void **pointer);
// `host`: the direction of a copy between the host and a variable.
cudaError_t rt_symbol_direction(const char *function, enum cudaMemcpyKind kind,
                                enum cudaMemcpyKind host);

#endif
