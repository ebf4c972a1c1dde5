// The functions __nv_atomic_* (guide 10.14): atomic operations whose memory order and thread scope
// are arguments, which must be constants. What a function has no overload for is an error.
#ifndef KUDZU_ATOMIC_BUILTINS_H
#define KUDZU_ATOMIC_BUILTINS_H

#include "atomic_operations.h"

#define __CUDACC_DEVICE_ATOMIC_BUILTINS__ 1

// Errors for arguments that are no constants or not among those allowed: `orders` is a set of bits.
#define KUDZU_ORDER_IN(order, orders) ((order) >= 0 && (order) <= 5 && ((orders) >> (order) & 1))
#define KUDZU_REFUSE(condition, reason) __attribute__((diagnose_if(condition, reason, "error")))
#define KUDZU_CONSTANT_ORDER(orders)                                                               \
    KUDZU_REFUSE(!__builtin_constant_p(order), "the order must be a constant")                     \
    KUDZU_REFUSE(!KUDZU_ORDER_IN(order, orders), "the operation cannot have this order")           \
    KUDZU_CONSTANT_SCOPE
#define KUDZU_CONSTANT_SCOPE                                                                       \
    KUDZU_REFUSE(!__builtin_constant_p(scope), "the scope must be a constant")                     \
    KUDZU_REFUSE(scope < 0 || scope > 4, "the scope is one of __NV_THREAD_SCOPE_")
#define KUDZU_ANY_ORDER KUDZU_CONSTANT_ORDER(0x3f)
#define KUDZU_LOAD_ORDER KUDZU_CONSTANT_ORDER(0x27)
#define KUDZU_STORE_ORDER KUDZU_CONSTANT_ORDER(0x29)
#define KUDZU_CAS_ORDER                                                                            \
    KUDZU_REFUSE(!__builtin_constant_p(success + failure), "the orders must be constants")         \
    KUDZU_REFUSE(!KUDZU_ORDER_IN(success, 0x3f), "the operation cannot have this order")           \
    KUDZU_REFUSE(!KUDZU_ORDER_IN(failure, 0x27), "the order of a failure is that of a load")       \
    KUDZU_CONSTANT_SCOPE
#define KUDZU_ATOMIC static __inline__ __attribute__((device, always_inline))
#define KUDZU_SCOPE int scope = __NV_THREAD_SCOPE_SYSTEM
#define KUDZU_SIZE(sizes, what)                                                                    \
    _Static_assert((sizes) >> sizeof(T) & 1, what " bytes are the sizes of this operation")
#define KUDZU_INTEGER(T) _Static_assert(__is_integral(T), "an integral type is needed")

template <typename T>
KUDZU_ATOMIC void __nv_atomic_load(const volatile T *ptr, T *ret, int order,
                                   KUDZU_SCOPE) KUDZU_LOAD_ORDER {
    KUDZU_SIZE(0x10116, "1, 2, 4, 8 or 16");
    *ret = kudzu::atomic_load(ptr, order, scope);
}
template <typename T>
KUDZU_ATOMIC typename kudzu::plain<T>::type __nv_atomic_load_n(T *ptr, int order,
                                                               KUDZU_SCOPE) KUDZU_LOAD_ORDER {
    KUDZU_SIZE(0x10116, "1, 2, 4, 8 or 16");
    KUDZU_INTEGER(T);
    return kudzu::atomic_load((typename kudzu::plain<T>::type *)ptr, order, scope);
}
template <typename T>
KUDZU_ATOMIC void __nv_atomic_store(volatile T *ptr, T *val, int order,
                                    KUDZU_SCOPE) KUDZU_STORE_ORDER {
    KUDZU_SIZE(0x10116, "1, 2, 4, 8 or 16");
    kudzu::atomic_store(ptr, *val, order, scope);
}
template <typename T>
KUDZU_ATOMIC void __nv_atomic_store_n(T *ptr, typename kudzu::plain<T>::type val, int order,
                                      KUDZU_SCOPE) KUDZU_STORE_ORDER {
    KUDZU_SIZE(0x10116, "1, 2, 4, 8 or 16");
    KUDZU_INTEGER(T);
    kudzu::atomic_store((typename kudzu::plain<T>::type *)ptr, val, order, scope);
}
template <typename T>
KUDZU_ATOMIC void __nv_atomic_exchange(volatile T *ptr, T *val, T *ret, int order,
                                       KUDZU_SCOPE) KUDZU_ANY_ORDER {
    KUDZU_SIZE(0x10110, "4, 8 or 16");
    *ret = kudzu::atomic_exchange(ptr, *val, order, scope);
}
template <typename T>
KUDZU_ATOMIC typename kudzu::plain<T>::type
__nv_atomic_exchange_n(T *ptr, typename kudzu::plain<T>::type val, int order,
                       KUDZU_SCOPE) KUDZU_ANY_ORDER {
    KUDZU_SIZE(0x10110, "4, 8 or 16");
    KUDZU_INTEGER(T);
    return kudzu::atomic_exchange((typename kudzu::plain<T>::type *)ptr, val, order, scope);
}
// `weak` means nothing: what is done is always the strong form.
template <typename T>
KUDZU_ATOMIC bool __nv_atomic_compare_exchange(volatile T *ptr, T *expected, T *desired, bool weak,
                                               int success, int failure,
                                               KUDZU_SCOPE) KUDZU_CAS_ORDER {
    KUDZU_SIZE(0x10114, "2, 4, 8 or 16");
    (void)weak;
    return kudzu::atomic_compare_exchange(ptr, expected, *desired, success, failure, scope);
}
template <typename T>
KUDZU_ATOMIC bool __nv_atomic_compare_exchange_n(T *ptr, typename kudzu::plain<T>::type *expected,
                                                 typename kudzu::plain<T>::type desired, bool weak,
                                                 int success, int failure,
                                                 KUDZU_SCOPE) KUDZU_CAS_ORDER {
    KUDZU_SIZE(0x10114, "2, 4, 8 or 16");
    KUDZU_INTEGER(T);
    (void)weak;
    return kudzu::atomic_compare_exchange((typename kudzu::plain<T>::type *)ptr, expected, desired,
                                          success, failure, scope);
}

// fetch_`op` and `op`, on values of type T that are W for the operation.
#define KUDZU_FETCH(op, T, W, word, argument)                                                      \
    KUDZU_ATOMIC T __nv_atomic_fetch_##op(volatile T *ptr, T val, int order, KUDZU_SCOPE)          \
        KUDZU_ANY_ORDER {                                                                          \
        return (T)kudzu::word((volatile W *)ptr, (W)(argument), order, scope);                     \
    }                                                                                              \
    KUDZU_ATOMIC void __nv_atomic_##op(volatile T *ptr, T val, int order, KUDZU_SCOPE)             \
        KUDZU_ANY_ORDER {                                                                          \
        (void)kudzu::word((volatile W *)ptr, (W)(argument), order, scope);                         \
    }
#define KUDZU_FETCH_ADD(T, W)                                                                      \
    KUDZU_FETCH(add, T, W, word_add, val)                                                          \
    KUDZU_FETCH(sub, T, W, word_add, 0 - (W)val)
#define KUDZU_FETCH_ORDERED(T, W)                                                                  \
    KUDZU_FETCH(min, T, W, word_min, val) KUDZU_FETCH(max, T, W, word_max, val)
#define KUDZU_FETCH_BITS(T, W)                                                                     \
    KUDZU_FETCH(and, T, W, word_and, val)                                                          \
    KUDZU_FETCH(or, T, W, word_or, val)                                                            \
    KUDZU_FETCH(xor, T, W, word_xor, val)
KUDZU_FETCH_ADD(int, unsigned int)
KUDZU_FETCH_ADD(unsigned int, unsigned int)
KUDZU_FETCH_ADD(unsigned long long, unsigned long long)
KUDZU_FETCH_ADD(unsigned long, unsigned long long)
KUDZU_FETCH(add, float, float, word_add, val)
KUDZU_FETCH(sub, float, float, word_add, -val)
KUDZU_FETCH(add, double, double, word_add, val)
KUDZU_FETCH(sub, double, double, word_add, -val)
KUDZU_FETCH_ORDERED(int, int)
KUDZU_FETCH_ORDERED(unsigned int, unsigned int)
KUDZU_FETCH_ORDERED(long long, long long)
KUDZU_FETCH_ORDERED(unsigned long long, unsigned long long)
KUDZU_FETCH_ORDERED(long, long long)
KUDZU_FETCH_ORDERED(unsigned long, unsigned long long)
KUDZU_FETCH_BITS(int, unsigned int)
KUDZU_FETCH_BITS(unsigned int, unsigned int)
KUDZU_FETCH_BITS(long long, unsigned long long)
KUDZU_FETCH_BITS(unsigned long long, unsigned long long)
KUDZU_FETCH_BITS(long, unsigned long long)
KUDZU_FETCH_BITS(unsigned long, unsigned long long)

KUDZU_ATOMIC void __nv_atomic_thread_fence(int order, KUDZU_SCOPE) KUDZU_ANY_ORDER {
    kudzu::atomic_fence(order, scope);
}

#undef KUDZU_FETCH_BITS
#undef KUDZU_FETCH_ORDERED
#undef KUDZU_FETCH_ADD
#undef KUDZU_FETCH
#undef KUDZU_INTEGER
#undef KUDZU_SIZE
#undef KUDZU_SCOPE
#undef KUDZU_ATOMIC
#undef KUDZU_CAS_ORDER
#undef KUDZU_STORE_ORDER
#undef KUDZU_LOAD_ORDER
#undef KUDZU_ANY_ORDER
#undef KUDZU_CONSTANT_ORDER
#undef KUDZU_CONSTANT_SCOPE
#undef KUDZU_REFUSE
#undef KUDZU_ORDER_IN

#endif
