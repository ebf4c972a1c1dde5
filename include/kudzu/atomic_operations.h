// Atomic operations with a memory order and a thread scope: what the compiler's __nv_atomic_
// functions (guide 10.14) and cuda::atomic consist of. Orders and scopes are constants of the
// caller, so that of each switch one instruction remains.
//
// Sequential consistency is a fence before the operation, as in the mapping that the PTX memory
// model was proven with.
#ifndef KUDZU_ATOMIC_OPERATIONS_H
#define KUDZU_ATOMIC_OPERATIONS_H

enum {
    __NV_ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};

namespace kudzu {

#define KUDZU_ATOMIC static __inline__ __attribute__((device, always_inline))

struct __attribute__((aligned(16))) two_words {
    unsigned long long low, high;
};

template <typename T> struct plain {
    typedef T type;
};
template <typename T> struct plain<volatile T> {
    typedef T type;
};

// asm of the text `before`, the scope, `after`, with the operands that follow. Clusters come with
// sm_90; what is narrower or wider than asked for does in their place.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define KUDZU_CLUSTER_SCOPE ".cluster"
#else
#define KUDZU_CLUSTER_SCOPE ".gpu"
#endif
#define KUDZU_BY_SCOPE(before, after, ...)                                                         \
    switch (scope) {                                                                               \
    case __NV_THREAD_SCOPE_THREAD:                                                                 \
    case __NV_THREAD_SCOPE_BLOCK:                                                                  \
        asm volatile(before ".cta" after : __VA_ARGS__);                                           \
        break;                                                                                     \
    case __NV_THREAD_SCOPE_CLUSTER:                                                                \
        asm volatile(before KUDZU_CLUSTER_SCOPE after : __VA_ARGS__);                              \
        break;                                                                                     \
    case __NV_THREAD_SCOPE_DEVICE:                                                                 \
        asm volatile(before ".gpu" after : __VA_ARGS__);                                           \
        break;                                                                                     \
    default:                                                                                       \
        asm volatile(before ".sys" after : __VA_ARGS__);                                           \
    }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700

KUDZU_ATOMIC void atomic_fence(int order, int scope) {
    if (order == __NV_ATOMIC_SEQ_CST) {
        KUDZU_BY_SCOPE("fence.sc", ";", : : "memory")
    } else if (order != __NV_ATOMIC_RELAXED) {
        KUDZU_BY_SCOPE("fence.acq_rel", ";", : : "memory")
    }
}
KUDZU_ATOMIC void fence_before(int order, int scope) {
    if (order == __NV_ATOMIC_SEQ_CST)
        atomic_fence(order, scope);
}
KUDZU_ATOMIC void fence_after(int, int) {
}
#define KUDZU_BY_ORDER(name, after, ...)                                                           \
    switch (order) {                                                                               \
    case __NV_ATOMIC_RELAXED:                                                                      \
        KUDZU_BY_SCOPE(name ".relaxed", after, __VA_ARGS__) break;                                 \
    case __NV_ATOMIC_CONSUME:                                                                      \
    case __NV_ATOMIC_ACQUIRE:                                                                      \
        KUDZU_BY_SCOPE(name ".acquire", after, __VA_ARGS__) break;                                 \
    case __NV_ATOMIC_RELEASE:                                                                      \
        KUDZU_BY_SCOPE(name ".release", after, __VA_ARGS__) break;                                 \
    default:                                                                                       \
        KUDZU_BY_SCOPE(name ".acq_rel", after, __VA_ARGS__)                                        \
    }
#define KUDZU_LOAD(before, after, ...)                                                             \
    if (order == __NV_ATOMIC_RELAXED) {                                                            \
        KUDZU_BY_SCOPE(before "ld.relaxed", after, __VA_ARGS__)                                    \
    } else {                                                                                       \
        KUDZU_BY_SCOPE(before "ld.acquire", after, __VA_ARGS__)                                    \
    }
#define KUDZU_STORE(before, after, ...)                                                            \
    if (order == __NV_ATOMIC_RELEASE) {                                                            \
        KUDZU_BY_SCOPE(before "st.release", after, __VA_ARGS__)                                    \
    } else {                                                                                       \
        KUDZU_BY_SCOPE(before "st.relaxed", after, __VA_ARGS__)                                    \
    }

#else // before sm_70 operations have no order of their own

KUDZU_ATOMIC void atomic_fence(int order, int scope) {
    if (order == __NV_ATOMIC_RELAXED)
        return;
    if (scope <= __NV_THREAD_SCOPE_BLOCK)
        asm volatile("membar.cta;" ::: "memory");
    else if (scope <= __NV_THREAD_SCOPE_DEVICE)
        asm volatile("membar.gl;" ::: "memory");
    else
        asm volatile("membar.sys;" ::: "memory");
}
KUDZU_ATOMIC void fence_before(int order, int scope) {
    if (order != __NV_ATOMIC_CONSUME && order != __NV_ATOMIC_ACQUIRE)
        atomic_fence(order, scope);
}
KUDZU_ATOMIC void fence_after(int order, int scope) {
    if (order != __NV_ATOMIC_RELEASE)
        atomic_fence(order, scope);
}
#define KUDZU_BY_ORDER(name, after, ...) KUDZU_BY_SCOPE(name, after, __VA_ARGS__)
#define KUDZU_LOAD(before, after, ...) asm volatile(before "ld.volatile" after : __VA_ARGS__);
#define KUDZU_STORE(before, after, ...) asm volatile(before "st.volatile" after : __VA_ARGS__);

#endif

// Overloads by the width of the words.
#define KUDZU_WORD(T, U, constraint, bits)                                                         \
    KUDZU_ATOMIC T word_load(const volatile T *p, int order, int scope) {                          \
        U value;                                                                                   \
        fence_before(order, scope);                                                                \
        KUDZU_LOAD("", "." bits " %0, [%1];", "=" constraint(value) : "l"(p) : "memory")           \
        fence_after(order, scope);                                                                 \
        return (T)value;                                                                           \
    }                                                                                              \
    KUDZU_ATOMIC void word_store(volatile T *p, T v, int order, int scope) {                       \
        fence_before(order, scope);                                                                \
        KUDZU_STORE("", "." bits " [%0], %1;", : "l"(p), constraint((U)v) : "memory")              \
        fence_after(order, scope);                                                                 \
    }
KUDZU_WORD(unsigned char, unsigned short, "h", "u8")
KUDZU_WORD(unsigned short, unsigned short, "h", "u16")
KUDZU_WORD(unsigned int, unsigned int, "r", "u32")
KUDZU_WORD(unsigned long long, unsigned long long, "l", "u64")
#undef KUDZU_WORD

#define KUDZU_RMW(name, T, op, constraint)                                                         \
    KUDZU_ATOMIC T name(volatile T *p, T v, int order, int scope) {                                \
        T old;                                                                                     \
        fence_before(order, scope);                                                                \
        KUDZU_BY_ORDER("atom", "." op " %0, [%1], %2;", "=" constraint(old) : "l"(p),              \
                       constraint(v) : "memory")                                                   \
        fence_after(order, scope);                                                                 \
        return old;                                                                                \
    }
#define KUDZU_CAS(T, op, constraint)                                                               \
    KUDZU_ATOMIC T word_cas(volatile T *p, T compare, T v, int order, int scope) {                 \
        T old;                                                                                     \
        fence_before(order, scope);                                                                \
        KUDZU_BY_ORDER("atom", "." op " %0, [%1], %2, %3;", "=" constraint(old) : "l"(p),          \
                       constraint(compare), constraint(v) : "memory")                              \
        fence_after(order, scope);                                                                 \
        return old;                                                                                \
    }
KUDZU_RMW(word_exchange, unsigned int, "exch.b32", "r")
KUDZU_RMW(word_exchange, unsigned long long, "exch.b64", "l")
KUDZU_CAS(unsigned int, "cas.b32", "r")
KUDZU_CAS(unsigned long long, "cas.b64", "l")
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
KUDZU_CAS(unsigned short, "cas.b16", "h")
#endif
#undef KUDZU_CAS
KUDZU_RMW(word_add, int, "add.s32", "r")
KUDZU_RMW(word_add, unsigned int, "add.u32", "r")
KUDZU_RMW(word_add, unsigned long long, "add.u64", "l")
KUDZU_RMW(word_add, float, "add.f32", "f")
KUDZU_RMW(word_add, double, "add.f64", "d")
KUDZU_RMW(word_min, int, "min.s32", "r")
KUDZU_RMW(word_min, unsigned int, "min.u32", "r")
KUDZU_RMW(word_min, long long, "min.s64", "l")
KUDZU_RMW(word_min, unsigned long long, "min.u64", "l")
KUDZU_RMW(word_max, int, "max.s32", "r")
KUDZU_RMW(word_max, unsigned int, "max.u32", "r")
KUDZU_RMW(word_max, long long, "max.s64", "l")
KUDZU_RMW(word_max, unsigned long long, "max.u64", "l")
KUDZU_RMW(word_and, unsigned int, "and.b32", "r")
KUDZU_RMW(word_and, unsigned long long, "and.b64", "l")
KUDZU_RMW(word_or, unsigned int, "or.b32", "r")
KUDZU_RMW(word_or, unsigned long long, "or.b64", "l")
KUDZU_RMW(word_xor, unsigned int, "xor.b32", "r")
KUDZU_RMW(word_xor, unsigned long long, "xor.b64", "l")
#undef KUDZU_RMW

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define KUDZU_QUAD_OUT "=l"(old.low), "=l"(old.high)
KUDZU_ATOMIC two_words word_exchange(volatile two_words *p, two_words v, int order, int scope) {
    two_words old;
    fence_before(order, scope);
    KUDZU_BY_ORDER("{ .reg .b128 o, v; mov.b128 v, {%3, %4}; atom",
                   ".exch.b128 o, [%2], v; mov.b128 {%0, %1}, o; }", KUDZU_QUAD_OUT : "l"(p),
                   "l"(v.low), "l"(v.high) : "memory")
    return old;
}
KUDZU_ATOMIC two_words word_cas(volatile two_words *p, two_words compare, two_words v, int order,
                                int scope) {
    two_words old;
    fence_before(order, scope);
    KUDZU_BY_ORDER("{ .reg .b128 o, c, v; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6}; atom",
                   ".cas.b128 o, [%2], c, v; mov.b128 {%0, %1}, o; }", KUDZU_QUAD_OUT : "l"(p),
                   "l"(compare.low), "l"(compare.high), "l"(v.low), "l"(v.high) : "memory")
    return old;
}
#undef KUDZU_QUAD_OUT
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
KUDZU_ATOMIC two_words word_load(const volatile two_words *p, int order, int scope) {
    two_words value;
    fence_before(order, scope);
    KUDZU_LOAD("{ .reg .b128 v; ", ".b128 v, [%2]; mov.b128 {%0, %1}, v; }", "=l"(value.low),
               "=l"(value.high) : "l"(p) : "memory")
    return value;
}
KUDZU_ATOMIC void word_store(volatile two_words *p, two_words v, int order, int scope) {
    fence_before(order, scope);
    KUDZU_STORE("{ .reg .b128 v; mov.b128 v, {%1, %2}; ", ".b128 [%0], v; }", : "l"(p), "l"(v.low),
                "l"(v.high) : "memory")
}
#endif

#undef KUDZU_STORE
#undef KUDZU_LOAD
#undef KUDZU_BY_ORDER
#undef KUDZU_BY_SCOPE
#undef KUDZU_CLUSTER_SCOPE

// The word of a type's size, and the type that arithmetic on it has.
template <unsigned long Size> struct word_of_size {};
template <> struct word_of_size<1> {
    typedef unsigned char type;
};
template <> struct word_of_size<2> {
    typedef unsigned short type;
};
template <> struct word_of_size<4> {
    typedef unsigned int type;
};
template <> struct word_of_size<8> {
    typedef unsigned long long type;
};
template <> struct word_of_size<16> {
    typedef two_words type;
};
template <typename T> struct arithmetic_word {
    typedef T type;
};
template <> struct arithmetic_word<long> {
    typedef long long type;
};
template <> struct arithmetic_word<unsigned long> {
    typedef unsigned long long type;
};

// Any trivially copyable T of a word's size as that word, and back.
template <typename T> KUDZU_ATOMIC typename word_of_size<sizeof(T)>::type to_word(const T &v) {
    return __builtin_bit_cast(typename word_of_size<sizeof(T)>::type, v);
}
template <typename T>
KUDZU_ATOMIC volatile typename word_of_size<sizeof(T)>::type *as_word(const volatile T *p) {
    return (volatile typename word_of_size<sizeof(T)>::type *)p;
}

template <typename T> KUDZU_ATOMIC T atomic_load(const volatile T *p, int order, int scope) {
    return __builtin_bit_cast(T, word_load(as_word(p), order, scope));
}
template <typename T> KUDZU_ATOMIC void atomic_store(volatile T *p, T v, int order, int scope) {
    word_store(as_word(p), to_word(v), order, scope);
}
template <typename T> KUDZU_ATOMIC T atomic_exchange(volatile T *p, T v, int order, int scope) {
    return __builtin_bit_cast(T, word_exchange(as_word(p), to_word(v), order, scope));
}
template <typename T> KUDZU_ATOMIC bool same_word(T a, T b) {
    return a == b;
}
KUDZU_ATOMIC bool same_word(two_words a, two_words b) {
    return a.low == b.low && a.high == b.high;
}
// The order of a compare and exchange that is as strong as both of its orders.
KUDZU_ATOMIC int stronger_order(int success, int failure) {
    if (failure == __NV_ATOMIC_SEQ_CST || success == __NV_ATOMIC_SEQ_CST)
        return __NV_ATOMIC_SEQ_CST;
    if (failure == __NV_ATOMIC_RELAXED)
        return success;
    return success == __NV_ATOMIC_RELEASE   ? __NV_ATOMIC_ACQ_REL
           : success == __NV_ATOMIC_RELAXED ? failure
                                            : success;
}
template <typename T>
KUDZU_ATOMIC bool atomic_compare_exchange(volatile T *p, T *expected, T desired, int success,
                                          int failure, int scope) {
    typedef typename word_of_size<sizeof(T)>::type word;
    word compare = to_word(*expected);
    word old =
        word_cas(as_word(p), compare, to_word(desired), stronger_order(success, failure), scope);
    if (same_word(old, compare))
        return true;
    *expected = __builtin_bit_cast(T, old);
    return false;
}

#undef KUDZU_ATOMIC

} // namespace kudzu

#endif
