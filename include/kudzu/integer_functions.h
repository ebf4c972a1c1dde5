// Integer intrinsics beyond clang's headers: funnel shifts and dot products (guide chapter 17.2).
#ifndef KUDZU_INTEGER_FUNCTIONS_H
#define KUDZU_INTEGER_FUNCTIONS_H

#define KUDZU_INTEGER static __inline__ __attribute__((device, always_inline, const))

KUDZU_INTEGER unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned int r;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));
    return r;
}
KUDZU_INTEGER unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned int r;
    asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));
    return r;
}
KUDZU_INTEGER unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned int r;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));
    return r;
}
KUDZU_INTEGER unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned int r;
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));
    return r;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
#define KUDZU_DOT(name, T, instruction)                                                            \
    KUDZU_INTEGER T name(T a, T b, T c) {                                                          \
        T r;                                                                                       \
        asm(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                    \
        return r;                                                                                  \
    }
KUDZU_DOT(__dp4a, int, "dp4a.s32.s32")
KUDZU_DOT(__dp4a, unsigned int, "dp4a.u32.u32")
KUDZU_DOT(__dp2a_lo, int, "dp2a.lo.s32.s32")
KUDZU_DOT(__dp2a_lo, unsigned int, "dp2a.lo.u32.u32")
KUDZU_DOT(__dp2a_hi, int, "dp2a.hi.s32.s32")
KUDZU_DOT(__dp2a_hi, unsigned int, "dp2a.hi.u32.u32")
#undef KUDZU_DOT
#define KUDZU_DOT_VECTORS(name, T, A, B)                                                           \
    KUDZU_INTEGER T name(A a, B b, T c) {                                                          \
        return name(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), c);                        \
    }
KUDZU_DOT_VECTORS(__dp4a, int, char4, char4)
KUDZU_DOT_VECTORS(__dp4a, unsigned int, uchar4, uchar4)
KUDZU_DOT_VECTORS(__dp2a_lo, int, short2, char4)
KUDZU_DOT_VECTORS(__dp2a_lo, unsigned int, ushort2, uchar4)
KUDZU_DOT_VECTORS(__dp2a_hi, int, short2, char4)
KUDZU_DOT_VECTORS(__dp2a_hi, unsigned int, ushort2, uchar4)
#undef KUDZU_DOT_VECTORS
#endif

#undef KUDZU_INTEGER

#endif
