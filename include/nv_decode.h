// Names that C++ compilers mangled, as users write them (libcufilt.a).
#ifndef KUDZU_NV_DECODE_H
#define KUDZU_NV_DECODE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The name that `id` stands for. `output_buffer` is NULL, or malloc'ed memory of *length bytes,
// which is made larger by realloc where it does not suffice; the result is that buffer, or one to
// be freed. *length, where `length` is not NULL, becomes its size. *status, where `status` is not
// NULL, becomes 0; -1: out of memory, or there is no C++ library; -2: `id` is no mangled name; -3:
// `id` is NULL, or `length` where there is a buffer. The result is NULL then.
char *__cu_demangle(const char *id, char *output_buffer, size_t *length, int *status);

#ifdef __cplusplus
}
#endif

#endif
