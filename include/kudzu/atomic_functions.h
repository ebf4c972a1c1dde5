// The atomic functions of the guide's section 10.14: device scope (plain name), block scope
// (_block) and system scope (_system). Each is relaxed and returns the old value.
#ifndef KUDZU_ATOMIC_FUNCTIONS_H
#define KUDZU_ATOMIC_FUNCTIONS_H

#include "atomic_operations.h"

namespace kudzu {
template <bool Condition, typename T> struct only_if {};
template <typename T> struct only_if<true, T> {
    typedef T type;
};
} // namespace kudzu

#define KUDZU_ATOMIC static __inline__ __attribute__((device, always_inline))

// X(scope infix of clang's builtins, suffix of the function)
#define KUDZU_ATOMIC_RMW(name, T, op, B, suffix)                                                   \
    KUDZU_ATOMIC T name(T *p, T v) {                                                               \
        return __builtin_bit_cast(                                                                 \
            T, __nvvm_atom_##op##_gen_##suffix((B *)p, __builtin_bit_cast(B, v)));                 \
    }
#define KUDZU_ATOMIC_CAS(name, T, op, B, suffix)                                                   \
    KUDZU_ATOMIC T name(T *p, T compare, T v) {                                                    \
        return __builtin_bit_cast(                                                                 \
            T, __nvvm_atom_##op##_gen_##suffix((B *)p, __builtin_bit_cast(B, compare),             \
                                               __builtin_bit_cast(B, v)));                         \
    }

#define KUDZU_ATOMIC_FAMILY(scope_, _scope)                                                        \
    KUDZU_ATOMIC_RMW(atomicAdd##_scope, int, scope_##add, int, i)                                  \
    KUDZU_ATOMIC_RMW(atomicAdd##_scope, unsigned int, scope_##add, int, i)                         \
    KUDZU_ATOMIC_RMW(atomicAdd##_scope, unsigned long long, scope_##add, long long, ll)            \
    KUDZU_ATOMIC_RMW(atomicAdd##_scope, float, scope_##add, float, f)                              \
    KUDZU_ATOMIC_RMW(atomicExch##_scope, int, scope_##xchg, int, i)                                \
    KUDZU_ATOMIC_RMW(atomicExch##_scope, unsigned int, scope_##xchg, int, i)                       \
    KUDZU_ATOMIC_RMW(atomicExch##_scope, unsigned long long, scope_##xchg, long long, ll)          \
    KUDZU_ATOMIC_RMW(atomicExch##_scope, float, scope_##xchg, int, i)                              \
    KUDZU_ATOMIC_RMW(atomicMin##_scope, int, scope_##min, int, i)                                  \
    KUDZU_ATOMIC_RMW(atomicMin##_scope, unsigned int, scope_##min, unsigned int, ui)               \
    KUDZU_ATOMIC_RMW(atomicMin##_scope, long long, scope_##min, long long, ll)                     \
    KUDZU_ATOMIC_RMW(atomicMin##_scope, unsigned long long, scope_##min, unsigned long long, ull)  \
    KUDZU_ATOMIC_RMW(atomicMax##_scope, int, scope_##max, int, i)                                  \
    KUDZU_ATOMIC_RMW(atomicMax##_scope, unsigned int, scope_##max, unsigned int, ui)               \
    KUDZU_ATOMIC_RMW(atomicMax##_scope, long long, scope_##max, long long, ll)                     \
    KUDZU_ATOMIC_RMW(atomicMax##_scope, unsigned long long, scope_##max, unsigned long long, ull)  \
    KUDZU_ATOMIC_RMW(atomicInc##_scope, unsigned int, scope_##inc, unsigned int, ui)               \
    KUDZU_ATOMIC_RMW(atomicDec##_scope, unsigned int, scope_##dec, unsigned int, ui)               \
    KUDZU_ATOMIC_BITS(atomicAnd##_scope, scope_##and)                                              \
    KUDZU_ATOMIC_BITS(atomicOr##_scope, scope_## or)                                               \
    KUDZU_ATOMIC_BITS(atomicXor##_scope, scope_## xor)                                             \
    KUDZU_ATOMIC_CAS(atomicCAS##_scope, int, scope_##cas, int, i)                                  \
    KUDZU_ATOMIC_CAS(atomicCAS##_scope, unsigned int, scope_##cas, int, i)                         \
    KUDZU_ATOMIC_CAS(atomicCAS##_scope, unsigned long long, scope_##cas, long long, ll)            \
    KUDZU_ATOMIC int atomicSub##_scope(int *p, int v) {                                            \
        return atomicAdd##_scope(p, (int)(0u - (unsigned int)v));                                  \
    }                                                                                              \
    KUDZU_ATOMIC unsigned int atomicSub##_scope(unsigned int *p, unsigned int v) {                 \
        return atomicAdd##_scope(p, 0u - v);                                                       \
    }
#define KUDZU_ATOMIC_BITS(name, op)                                                                \
    KUDZU_ATOMIC_RMW(name, int, op, int, i)                                                        \
    KUDZU_ATOMIC_RMW(name, unsigned int, op, int, i)                                               \
    KUDZU_ATOMIC_RMW(name, long long, op, long long, ll)                                           \
    KUDZU_ATOMIC_RMW(name, unsigned long long, op, long long, ll)

KUDZU_ATOMIC_FAMILY(, )
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
KUDZU_ATOMIC_FAMILY(cta_, _block)
KUDZU_ATOMIC_FAMILY(sys_, _system)
#ifdef __CUDA_ARCH__
KUDZU_ATOMIC_RMW(atomicAdd, double, add, double, d)
#else
// For the host another function than one of these parameters that a program defines below
// `#if __CUDA_ARCH__ < 600`, as the guide does: there the macro is no number at all.
__attribute__((enable_if(1, ""))) KUDZU_ATOMIC_RMW(atomicAdd, double, add, double, d)
#endif
KUDZU_ATOMIC_RMW(atomicAdd_block, double, cta_add, double, d)
KUDZU_ATOMIC_RMW(atomicAdd_system, double, sys_add, double, d)
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define KUDZU_ATOMIC_CAS_16(name, scope)                                                           \
    KUDZU_ATOMIC unsigned short name(unsigned short *p, unsigned short compare,                    \
                                     unsigned short v) {                                           \
        unsigned short old;                                                                        \
        asm volatile("atom" scope ".cas.b16 %0, [%1], %2, %3;"                                     \
                     : "=h"(old)                                                                   \
                     : "l"(p), "h"(compare), "h"(v)                                                \
                     : "memory");                                                                  \
        return old;                                                                                \
    }
KUDZU_ATOMIC_CAS_16(atomicCAS, "")
KUDZU_ATOMIC_CAS_16(atomicCAS_block, ".cta")
KUDZU_ATOMIC_CAS_16(atomicCAS_system, ".sys")
#undef KUDZU_ATOMIC_CAS_16
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// Vectors in global memory: each element is added by itself.
#define KUDZU_ATOMIC_VECTOR(name, scope)                                                           \
    KUDZU_ATOMIC float2 name(float2 *p, float2 v) {                                                \
        float2 old;                                                                                \
        asm volatile("atom" scope ".global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"                   \
                     : "=f"(old.x), "=f"(old.y)                                                    \
                     : "l"(__cvta_generic_to_global(p)), "f"(v.x), "f"(v.y)                        \
                     : "memory");                                                                  \
        return old;                                                                                \
    }                                                                                              \
    KUDZU_ATOMIC float4 name(float4 *p, float4 v) {                                                \
        float4 old;                                                                                \
        asm volatile("atom" scope ".global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"   \
                     : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                          \
                     : "l"(__cvta_generic_to_global(p)), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)    \
                     : "memory");                                                                  \
        return old;                                                                                \
    }
KUDZU_ATOMIC_VECTOR(atomicAdd, ".relaxed.gpu")
KUDZU_ATOMIC_VECTOR(atomicAdd_block, ".relaxed.cta")
KUDZU_ATOMIC_VECTOR(atomicAdd_system, ".relaxed.sys")
#undef KUDZU_ATOMIC_VECTOR

// Any trivially copyable type of 16 bytes, aligned to as many.
namespace kudzu {
template <typename T>
struct quad : only_if<sizeof(T) == 16 && _Alignof(T) >= 16 && __is_trivially_copyable(T), T> {};
} // namespace kudzu
#define KUDZU_ATOMIC_QUAD(_scope, scope)                                                           \
    template <typename T>                                                                          \
    KUDZU_ATOMIC typename kudzu::quad<T>::type atomicExch##_scope(T *p, T v) {                     \
        return kudzu::atomic_exchange(p, v, __NV_ATOMIC_RELAXED, scope);                           \
    }                                                                                              \
    template <typename T>                                                                          \
    KUDZU_ATOMIC typename kudzu::quad<T>::type atomicCAS##_scope(T *p, T compare, T v) {           \
        return __builtin_bit_cast(T,                                                               \
                                  kudzu::word_cas(kudzu::as_word(p), kudzu::to_word(compare),      \
                                                  kudzu::to_word(v), __NV_ATOMIC_RELAXED, scope)); \
    }
KUDZU_ATOMIC_QUAD(, __NV_THREAD_SCOPE_DEVICE)
KUDZU_ATOMIC_QUAD(_block, __NV_THREAD_SCOPE_BLOCK)
KUDZU_ATOMIC_QUAD(_system, __NV_THREAD_SCOPE_SYSTEM)
#undef KUDZU_ATOMIC_QUAD
#endif

#undef KUDZU_ATOMIC_BITS
#undef KUDZU_ATOMIC_FAMILY
#undef KUDZU_ATOMIC_CAS
#undef KUDZU_ATOMIC_RMW
#undef KUDZU_ATOMIC

#endif
