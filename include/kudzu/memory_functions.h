// Loads and stores with cache hints (guide 10.10, 10.11), address space queries and conversions
// (10.12, 10.13), memcpy and memset in device code.
#ifndef KUDZU_MEMORY_FUNCTIONS_H
#define KUDZU_MEMORY_FUNCTIONS_H

#include "vector_types.h"

#define KUDZU_MEMORY static __inline__ __attribute__((device, always_inline))

// `out` and `in` are the constraint letter; R is the type of the register that the asm uses
// (8-bit types need a 16-bit register).
#define KUDZU_LOAD_1(name, op, T, ptx, c, R, clobber)                                              \
    KUDZU_MEMORY T name(const T *p) {                                                              \
        R v;                                                                                       \
        asm volatile(op "." ptx " %0, [%1];" : "=" c(v) : "l"(p)clobber);                          \
        return (T)v;                                                                               \
    }
#define KUDZU_LOAD_2(name, op, T, ptx, c, R, clobber)                                              \
    KUDZU_MEMORY T name(const T *p) {                                                              \
        R x, y;                                                                                    \
        asm volatile(op ".v2." ptx " {%0, %1}, [%2];" : "=" c(x), "=" c(y) : "l"(p)clobber);       \
        T v;                                                                                       \
        v.x = x, v.y = y;                                                                          \
        return v;                                                                                  \
    }
#define KUDZU_LOAD_4(name, op, T, ptx, c, R, clobber)                                              \
    KUDZU_MEMORY T name(const T *p) {                                                              \
        R x, y, z, w;                                                                              \
        asm volatile(op ".v4." ptx " {%0, %1, %2, %3}, [%4];"                                      \
                     : "=" c(x), "=" c(y), "=" c(z), "=" c(w)                                      \
                     : "l"(p)clobber);                                                             \
        T v;                                                                                       \
        v.x = x, v.y = y, v.z = z, v.w = w;                                                        \
        return v;                                                                                  \
    }
#define KUDZU_STORE_1(name, op, T, ptx, c, R)                                                      \
    KUDZU_MEMORY void name(T *p, T v) {                                                            \
        asm volatile(op "." ptx " [%0], %1;" ::"l"(p), c((R)v) : "memory");                        \
    }
#define KUDZU_STORE_2(name, op, T, ptx, c, R)                                                      \
    KUDZU_MEMORY void name(T *p, T v) {                                                            \
        asm volatile(op ".v2." ptx " [%0], {%1, %2};" ::"l"(p), c((R)v.x), c((R)v.y) : "memory");  \
    }
#define KUDZU_STORE_4(name, op, T, ptx, c, R)                                                      \
    KUDZU_MEMORY void name(T *p, T v) {                                                            \
        asm volatile(op ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(p), c((R)v.x), c((R)v.y),      \
                     c((R)v.z), c((R)v.w)                                                          \
                     : "memory");                                                                  \
    }

// X1, X2, X4 (name, op, type, PTX type, constraint, register type, extra) for every type.
#define KUDZU_MEMORY_TYPES(X1, X2, X4, name, op, ...)                                              \
    X1(name, op, char, "s8", "h", short, ##__VA_ARGS__)                                            \
    X1(name, op, signed char, "s8", "h", short, ##__VA_ARGS__)                                     \
    X1(name, op, short, "s16", "h", short, ##__VA_ARGS__)                                          \
    X1(name, op, int, "s32", "r", int, ##__VA_ARGS__)                                              \
    X1(name, op, long, "s64", "l", long, ##__VA_ARGS__)                                            \
    X1(name, op, long long, "s64", "l", long long, ##__VA_ARGS__)                                  \
    X1(name, op, unsigned char, "u8", "h", unsigned short, ##__VA_ARGS__)                          \
    X1(name, op, unsigned short, "u16", "h", unsigned short, ##__VA_ARGS__)                        \
    X1(name, op, unsigned int, "u32", "r", unsigned int, ##__VA_ARGS__)                            \
    X1(name, op, unsigned long, "u64", "l", unsigned long, ##__VA_ARGS__)                          \
    X1(name, op, unsigned long long, "u64", "l", unsigned long long, ##__VA_ARGS__)                \
    X1(name, op, float, "f32", "f", float, ##__VA_ARGS__)                                          \
    X1(name, op, double, "f64", "d", double, ##__VA_ARGS__)                                        \
    X2(name, op, char2, "s8", "h", short, ##__VA_ARGS__)                                           \
    X2(name, op, short2, "s16", "h", short, ##__VA_ARGS__)                                         \
    X2(name, op, int2, "s32", "r", int, ##__VA_ARGS__)                                             \
    X2(name, op, longlong2, "s64", "l", long long, ##__VA_ARGS__)                                  \
    X2(name, op, uchar2, "u8", "h", unsigned short, ##__VA_ARGS__)                                 \
    X2(name, op, ushort2, "u16", "h", unsigned short, ##__VA_ARGS__)                               \
    X2(name, op, uint2, "u32", "r", unsigned int, ##__VA_ARGS__)                                   \
    X2(name, op, ulonglong2, "u64", "l", unsigned long long, ##__VA_ARGS__)                        \
    X2(name, op, float2, "f32", "f", float, ##__VA_ARGS__)                                         \
    X2(name, op, double2, "f64", "d", double, ##__VA_ARGS__)                                       \
    X4(name, op, char4, "s8", "h", short, ##__VA_ARGS__)                                           \
    X4(name, op, short4, "s16", "h", short, ##__VA_ARGS__)                                         \
    X4(name, op, int4, "s32", "r", int, ##__VA_ARGS__)                                             \
    X4(name, op, uchar4, "u8", "h", unsigned short, ##__VA_ARGS__)                                 \
    X4(name, op, ushort4, "u16", "h", unsigned short, ##__VA_ARGS__)                               \
    X4(name, op, uint4, "u32", "r", unsigned int, ##__VA_ARGS__)                                   \
    X4(name, op, float4, "f32", "f", float, ##__VA_ARGS__)

#define KUDZU_LOADS(name, op, ...)                                                                 \
    KUDZU_MEMORY_TYPES(KUDZU_LOAD_1, KUDZU_LOAD_2, KUDZU_LOAD_4, name, op, __VA_ARGS__)
#define KUDZU_STORES(name, op)                                                                     \
    KUDZU_MEMORY_TYPES(KUDZU_STORE_1, KUDZU_STORE_2, KUDZU_STORE_4, name, op)

// Memory that can change while the kernel runs must be read again each time.
#define KUDZU_CLOBBER :"memory"
KUDZU_LOADS(__ldca, "ld.global.ca", KUDZU_CLOBBER)
KUDZU_LOADS(__ldcg, "ld.global.cg", KUDZU_CLOBBER)
KUDZU_LOADS(__ldcs, "ld.global.cs", KUDZU_CLOBBER)
KUDZU_LOADS(__ldlu, "ld.global.lu", KUDZU_CLOBBER)
KUDZU_LOADS(__ldcv, "ld.global.cv", KUDZU_CLOBBER)
#undef KUDZU_CLOBBER
KUDZU_STORES(__stwb, "st.global.wb")
KUDZU_STORES(__stcg, "st.global.cg")
KUDZU_STORES(__stcs, "st.global.cs")
KUDZU_STORES(__stwt, "st.global.wt")

// __ldg goes through clang's builtins: the optimiser sees through them.
#define KUDZU_LDG_1(T, suffix)                                                                     \
    KUDZU_MEMORY T __ldg(const T *p) {                                                             \
        return __nvvm_ldg_##suffix(p);                                                             \
    }
#define KUDZU_LDG_2(T, E, suffix)                                                                  \
    KUDZU_MEMORY T __ldg(const T *p) {                                                             \
        typedef E vector __attribute__((ext_vector_type(2)));                                      \
        vector e = __nvvm_ldg_##suffix((const vector *)p);                                         \
        T v;                                                                                       \
        v.x = e[0], v.y = e[1];                                                                    \
        return v;                                                                                  \
    }
#define KUDZU_LDG_4(T, E, suffix)                                                                  \
    KUDZU_MEMORY T __ldg(const T *p) {                                                             \
        typedef E vector __attribute__((ext_vector_type(4)));                                      \
        vector e = __nvvm_ldg_##suffix((const vector *)p);                                         \
        T v;                                                                                       \
        v.x = e[0], v.y = e[1], v.z = e[2], v.w = e[3];                                            \
        return v;                                                                                  \
    }
KUDZU_LDG_1(char, c)
KUDZU_LDG_1(short, s)
KUDZU_LDG_1(int, i)
KUDZU_LDG_1(long, l)
KUDZU_LDG_1(long long, ll)
KUDZU_LDG_1(unsigned char, uc)
KUDZU_LDG_1(unsigned short, us)
KUDZU_LDG_1(unsigned int, ui)
KUDZU_LDG_1(unsigned long, ul)
KUDZU_LDG_1(unsigned long long, ull)
KUDZU_LDG_1(float, f)
KUDZU_LDG_1(double, d)
KUDZU_MEMORY signed char __ldg(const signed char *p) {
    return (signed char)__nvvm_ldg_c((const char *)p);
}
KUDZU_LDG_2(char2, char, c2)
KUDZU_LDG_2(short2, short, s2)
KUDZU_LDG_2(int2, int, i2)
KUDZU_LDG_2(longlong2, long long, ll2)
KUDZU_LDG_2(uchar2, unsigned char, uc2)
KUDZU_LDG_2(ushort2, unsigned short, us2)
KUDZU_LDG_2(uint2, unsigned int, ui2)
KUDZU_LDG_2(ulonglong2, unsigned long long, ull2)
KUDZU_LDG_2(float2, float, f2)
KUDZU_LDG_2(double2, double, d2)
KUDZU_LDG_4(char4, char, c4)
KUDZU_LDG_4(short4, short, s4)
KUDZU_LDG_4(int4, int, i4)
KUDZU_LDG_4(uchar4, unsigned char, uc4)
KUDZU_LDG_4(ushort4, unsigned short, us4)
KUDZU_LDG_4(uint4, unsigned int, ui4)
KUDZU_LDG_4(float4, float, f4)

// ---- Address spaces -----------------------------------------------------------------------

KUDZU_MEMORY __attribute__((const)) unsigned int __isGlobal(const void *p) {
    return __nvvm_isspacep_global(p);
}
KUDZU_MEMORY __attribute__((const)) unsigned int __isShared(const void *p) {
    return __nvvm_isspacep_shared(p);
}
// Shared memory of any block of the cluster; before compute capability 9.0 that of the own block.
KUDZU_MEMORY __attribute__((const)) unsigned int __isClusterShared(const void *p) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned int is;
    asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }"
        : "=r"(is)
        : "l"(p));
    return is;
#else
    return __nvvm_isspacep_shared(p);
#endif
}
KUDZU_MEMORY __attribute__((const)) unsigned int __isConstant(const void *p) {
    return __nvvm_isspacep_const(p);
}
KUDZU_MEMORY __attribute__((const)) unsigned int __isLocal(const void *p) {
    return __nvvm_isspacep_local(p);
}
// What is no structure is a copy in local memory where its address is taken.
KUDZU_MEMORY __attribute__((const)) unsigned int __isGridConstant(const void *p) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    unsigned int is;
    asm("{ .reg .pred p; isspacep.param::entry p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(p));
    return is;
#else
    return 0;
#endif
}
// What libcu++ calls to note on a pointer how it will be accessed: a hint without effect.
KUDZU_MEMORY void *__nv_associate_access_property(const void *p, unsigned long long) {
    return const_cast<void *>(p);
}
KUDZU_MEMORY size_t __cvta_generic_to_global(const void *p) {
    return (size_t)(__attribute__((address_space(1))) void *)p;
}
KUDZU_MEMORY size_t __cvta_generic_to_shared(const void *p) {
    return (size_t)(__attribute__((address_space(3))) void *)p;
}
KUDZU_MEMORY size_t __cvta_generic_to_constant(const void *p) {
    return (size_t)(__attribute__((address_space(4))) void *)p;
}
KUDZU_MEMORY size_t __cvta_generic_to_local(const void *p) {
    return (size_t)(__attribute__((address_space(5))) void *)p;
}
KUDZU_MEMORY void *__cvta_global_to_generic(size_t p) {
    return (void *)(__attribute__((address_space(1))) void *)p;
}
KUDZU_MEMORY void *__cvta_shared_to_generic(size_t p) {
    return (void *)(__attribute__((address_space(3))) void *)p;
}
KUDZU_MEMORY void *__cvta_constant_to_generic(size_t p) {
    return (void *)(__attribute__((address_space(4))) void *)p;
}
KUDZU_MEMORY void *__cvta_local_to_generic(size_t p) {
    return (void *)(__attribute__((address_space(5))) void *)p;
}

#undef KUDZU_LDG_1
#undef KUDZU_LDG_2
#undef KUDZU_LDG_4
#undef KUDZU_STORES
#undef KUDZU_LOADS
#undef KUDZU_MEMORY_TYPES
#undef KUDZU_STORE_1
#undef KUDZU_STORE_2
#undef KUDZU_STORE_4
#undef KUDZU_LOAD_1
#undef KUDZU_LOAD_2
#undef KUDZU_LOAD_4
#undef KUDZU_MEMORY

#endif
