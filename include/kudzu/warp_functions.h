// Warp-level functions: shuffles (guide 10.22), votes (10.19), match (10.20), reductions (10.21),
// __activemask, __syncwarp; and the forms without a mask of older programs, which mean "the
// threads that are active now".
#ifndef KUDZU_WARP_FUNCTIONS_H
#define KUDZU_WARP_FUNCTIONS_H

#define KUDZU_WARP static __inline__ __attribute__((device, always_inline))

KUDZU_WARP unsigned int __activemask() {
    return __nvvm_activemask();
}
KUDZU_WARP void __syncwarp(unsigned int mask = 0xffffffffu) {
    __nvvm_bar_warp_sync(mask);
}
KUDZU_WARP int __all_sync(unsigned int mask, int predicate) {
    return __nvvm_vote_all_sync(mask, predicate);
}
KUDZU_WARP int __any_sync(unsigned int mask, int predicate) {
    return __nvvm_vote_any_sync(mask, predicate);
}
KUDZU_WARP int __uni_sync(unsigned int mask, int predicate) {
    return __nvvm_vote_uni_sync(mask, predicate);
}
KUDZU_WARP unsigned int __ballot_sync(unsigned int mask, int predicate) {
    return __nvvm_vote_ballot_sync(mask, predicate);
}
KUDZU_WARP int __all(int predicate) {
    return __all_sync(__activemask(), predicate);
}
KUDZU_WARP int __any(int predicate) {
    return __any_sync(__activemask(), predicate);
}
KUDZU_WARP unsigned int __ballot(int predicate) {
    return __ballot_sync(__activemask(), predicate);
}

KUDZU_WARP void __barrier_sync(unsigned int id) {
    __nvvm_barrier_sync(id);
}
KUDZU_WARP void __barrier_sync_count(unsigned int id, unsigned int count) {
    __nvvm_barrier_sync_cnt(id, count);
}

// The position of the offset-th set bit of mask, counted from bit `base` (upwards for a positive
// offset, downwards for a negative one); 0xffffffff when there is none.
KUDZU_WARP unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
    if (offset == 0)
        return (mask >> base) & 1 ? base : 0xffffffffu;
    int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
    for (int bit = (int)base; bit >= 0 && bit < 32; bit += step)
        if ((mask >> bit) & 1 && --left == 0)
            return (unsigned int)bit;
    return 0xffffffffu;
}

// ---- Shuffles -----------------------------------------------------------------------------
// One definition a type: 32-bit types go through the register, 64-bit ones as two halves.

#define KUDZU_SHFL_C(width, low) (((32 - (width)) << 8) | (low))

#define KUDZU_SHFL_32(name, builtin, low, arg_t, T, to, from)                                      \
    KUDZU_WARP T name##_sync(unsigned int mask, T v, arg_t b, int width = 32) {                    \
        return from(builtin##_i32(mask, to(v), b, KUDZU_SHFL_C(width, low)));                      \
    }                                                                                              \
    KUDZU_WARP T name(T v, arg_t b, int width = 32) {                                              \
        return name##_sync(__activemask(), v, b, width);                                           \
    }
#define KUDZU_SHFL_64(name, arg_t, T)                                                              \
    KUDZU_WARP T name##_sync(unsigned int mask, T v, arg_t b, int width = 32) {                    \
        unsigned long long bits = __builtin_bit_cast(unsigned long long, v);                       \
        unsigned int lo = name##_sync(mask, (unsigned int)bits, b, width);                         \
        unsigned int hi = name##_sync(mask, (unsigned int)(bits >> 32), b, width);                 \
        return __builtin_bit_cast(T, (unsigned long long)hi << 32 | lo);                           \
    }                                                                                              \
    KUDZU_WARP T name(T v, arg_t b, int width = 32) {                                              \
        return name##_sync(__activemask(), v, b, width);                                           \
    }
#define KUDZU_AS_INT(v) __builtin_bit_cast(int, v)
#define KUDZU_AS_UINT(v) __builtin_bit_cast(unsigned int, v)
#define KUDZU_AS_FLOAT(v) __builtin_bit_cast(float, v)
#define KUDZU_SHFL(name, builtin, low, arg_t)                                                      \
    KUDZU_SHFL_32(name, builtin, low, arg_t, int, , )                                              \
    KUDZU_SHFL_32(name, builtin, low, arg_t, unsigned int, KUDZU_AS_INT, KUDZU_AS_UINT)            \
    KUDZU_SHFL_32(name, builtin, low, arg_t, float, KUDZU_AS_INT, KUDZU_AS_FLOAT)                  \
    KUDZU_SHFL_64(name, arg_t, long)                                                               \
    KUDZU_SHFL_64(name, arg_t, unsigned long)                                                      \
    KUDZU_SHFL_64(name, arg_t, long long)                                                          \
    KUDZU_SHFL_64(name, arg_t, unsigned long long)                                                 \
    KUDZU_SHFL_64(name, arg_t, double)

KUDZU_SHFL(__shfl, __nvvm_shfl_sync_idx, 0x1f, int)
KUDZU_SHFL(__shfl_up, __nvvm_shfl_sync_up, 0, unsigned int)
KUDZU_SHFL(__shfl_down, __nvvm_shfl_sync_down, 0x1f, unsigned int)
KUDZU_SHFL(__shfl_xor, __nvvm_shfl_sync_bfly, 0x1f, int)

// ---- Match (compute capability 7.0) -------------------------------------------------------

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define KUDZU_MATCH(T, bits, B)                                                                    \
    KUDZU_WARP unsigned int __match_any_sync(unsigned int mask, T v) {                             \
        return __nvvm_match_any_sync_i##bits(mask, __builtin_bit_cast(B, v));                      \
    }                                                                                              \
    KUDZU_WARP unsigned int __match_all_sync(unsigned int mask, T v, int *pred) {                  \
        return __nvvm_match_all_sync_i##bits##p(mask, __builtin_bit_cast(B, v), pred);             \
    }
KUDZU_MATCH(int, 32, unsigned int)
KUDZU_MATCH(unsigned int, 32, unsigned int)
KUDZU_MATCH(float, 32, unsigned int)
KUDZU_MATCH(long, 64, unsigned long long)
KUDZU_MATCH(unsigned long, 64, unsigned long long)
KUDZU_MATCH(long long, 64, unsigned long long)
KUDZU_MATCH(unsigned long long, 64, unsigned long long)
KUDZU_MATCH(double, 64, unsigned long long)
#undef KUDZU_MATCH
#endif

// ---- Reductions (compute capability 8.0) --------------------------------------------------

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define KUDZU_REDUCE(name, T, builtin)                                                             \
    KUDZU_WARP T name(unsigned int mask, T v) {                                                    \
        return (T)builtin(v, mask);                                                                \
    }
KUDZU_REDUCE(__reduce_add_sync, int, __nvvm_redux_sync_add)
KUDZU_REDUCE(__reduce_add_sync, unsigned int, __nvvm_redux_sync_add)
KUDZU_REDUCE(__reduce_min_sync, int, __nvvm_redux_sync_min)
KUDZU_REDUCE(__reduce_min_sync, unsigned int, __nvvm_redux_sync_umin)
KUDZU_REDUCE(__reduce_max_sync, int, __nvvm_redux_sync_max)
KUDZU_REDUCE(__reduce_max_sync, unsigned int, __nvvm_redux_sync_umax)
KUDZU_REDUCE(__reduce_and_sync, unsigned int, __nvvm_redux_sync_and)
KUDZU_REDUCE(__reduce_or_sync, unsigned int, __nvvm_redux_sync_or)
KUDZU_REDUCE(__reduce_xor_sync, unsigned int, __nvvm_redux_sync_xor)
#undef KUDZU_REDUCE
#endif

#undef KUDZU_SHFL
#undef KUDZU_SHFL_32
#undef KUDZU_SHFL_64
#undef KUDZU_SHFL_C
#undef KUDZU_AS_INT
#undef KUDZU_AS_UINT
#undef KUDZU_AS_FLOAT
#undef KUDZU_WARP

#endif
