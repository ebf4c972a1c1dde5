// Growable arrays that live in an arena: declare as `VEC(T) name;`, zero it to start.
#ifndef KUDZU_SUPPORT_VEC_H
#define KUDZU_SUPPORT_VEC_H

#include <string.h>

#include "support/arena.h"

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *data;                                                                                   \
        uint32_t len, cap;                                                                         \
    }

// Appends one element; `arena` owns the storage (old storage is left to the arena).
#define vec_push(arena, v, ...)                                                                    \
    do {                                                                                           \
        if ((v)->len == (v)->cap) {                                                                \
            uint32_t vec_cap_ = (v)->cap ? (v)->cap * 2 : 8;                                       \
            void *vec_new_ = arena_alloc((arena), sizeof(*(v)->data) * vec_cap_);                  \
            if ((v)->len)                                                                          \
                memcpy(vec_new_, (v)->data, sizeof(*(v)->data) * (v)->len);                        \
            (v)->data = vec_new_;                                                                  \
            (v)->cap = vec_cap_;                                                                   \
        }                                                                                          \
        (v)->data[(v)->len++] = (__VA_ARGS__);                                                     \
    } while (0)

#define vec_last(v) ((v)->data[(v)->len - 1])

#endif
