// cudaCreateChannelDesc<T>(): the channel format of an element type (guide 6.2.14.3).
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#if defined(__cplusplus) && !defined(__CUDACC_RTC__) // host functions

static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf() {
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf1() {
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
    return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
    return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

// Types that are no texel have no components.
template <class T> __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc() {
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define KUDZU_CHANNEL_DESC(T, x, y, z, w, kind)                                                    \
    template <> __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc<T>() {             \
        return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind);                     \
    }
#define KUDZU_CHANNEL_DESCS(scalar, vector, bits, kind)                                            \
    KUDZU_CHANNEL_DESC(scalar, bits, 0, 0, 0, kind)                                                \
    KUDZU_CHANNEL_DESC(vector##1, bits, 0, 0, 0, kind)                                             \
    KUDZU_CHANNEL_DESC(vector##2, bits, bits, 0, 0, kind)                                          \
    KUDZU_CHANNEL_DESC(vector##4, bits, bits, bits, bits, kind)

KUDZU_CHANNEL_DESC(char, 8, 0, 0, 0, Signed)
KUDZU_CHANNEL_DESCS(signed char, char, 8, Signed)
KUDZU_CHANNEL_DESCS(unsigned char, uchar, 8, Unsigned)
KUDZU_CHANNEL_DESCS(short, short, 16, Signed)
KUDZU_CHANNEL_DESCS(unsigned short, ushort, 16, Unsigned)
KUDZU_CHANNEL_DESCS(int, int, 32, Signed)
KUDZU_CHANNEL_DESCS(unsigned int, uint, 32, Unsigned)
KUDZU_CHANNEL_DESCS(float, float, 32, Float)

// Kinds that tell the whole format themselves.
template <enum cudaChannelFormatKind kind>
__inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc() {
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define KUDZU_KIND_DESC(kind, x, y, z, w)                                                          \
    template <>                                                                                    \
    __inline__ __host__ cudaChannelFormatDesc                                                      \
    cudaCreateChannelDesc<cudaChannelFormatKind##kind>() {                                         \
        return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind);                     \
    }
KUDZU_KIND_DESC(NV12, 8, 8, 8, 0)
KUDZU_KIND_DESC(UnsignedNormalized1010102, 10, 10, 10, 2)
KUDZU_KIND_DESC(SignedNormalized8X1, 8, 0, 0, 0)
KUDZU_KIND_DESC(SignedNormalized8X2, 8, 8, 0, 0)
KUDZU_KIND_DESC(SignedNormalized8X4, 8, 8, 8, 8)
KUDZU_KIND_DESC(UnsignedNormalized8X1, 8, 0, 0, 0)
KUDZU_KIND_DESC(UnsignedNormalized8X2, 8, 8, 0, 0)
KUDZU_KIND_DESC(UnsignedNormalized8X4, 8, 8, 8, 8)
KUDZU_KIND_DESC(SignedNormalized16X1, 16, 0, 0, 0)
KUDZU_KIND_DESC(SignedNormalized16X2, 16, 16, 0, 0)
KUDZU_KIND_DESC(SignedNormalized16X4, 16, 16, 16, 16)
KUDZU_KIND_DESC(UnsignedNormalized16X1, 16, 0, 0, 0)
KUDZU_KIND_DESC(UnsignedNormalized16X2, 16, 16, 0, 0)
KUDZU_KIND_DESC(UnsignedNormalized16X4, 16, 16, 16, 16)
KUDZU_KIND_DESC(UnsignedBlockCompressed1, 8, 8, 8, 8)
KUDZU_KIND_DESC(UnsignedBlockCompressed1SRGB, 8, 8, 8, 8)
KUDZU_KIND_DESC(UnsignedBlockCompressed2, 8, 8, 8, 8)
KUDZU_KIND_DESC(UnsignedBlockCompressed2SRGB, 8, 8, 8, 8)
KUDZU_KIND_DESC(UnsignedBlockCompressed3, 8, 8, 8, 8)
KUDZU_KIND_DESC(UnsignedBlockCompressed3SRGB, 8, 8, 8, 8)
KUDZU_KIND_DESC(UnsignedBlockCompressed4, 8, 0, 0, 0)
KUDZU_KIND_DESC(SignedBlockCompressed4, 8, 0, 0, 0)
KUDZU_KIND_DESC(UnsignedBlockCompressed5, 8, 8, 0, 0)
KUDZU_KIND_DESC(SignedBlockCompressed5, 8, 8, 0, 0)
KUDZU_KIND_DESC(UnsignedBlockCompressed6H, 16, 16, 16, 0)
KUDZU_KIND_DESC(SignedBlockCompressed6H, 16, 16, 16, 0)
KUDZU_KIND_DESC(UnsignedBlockCompressed7, 8, 8, 8, 8)
KUDZU_KIND_DESC(UnsignedBlockCompressed7SRGB, 8, 8, 8, 8)

#undef KUDZU_KIND_DESC
#undef KUDZU_CHANNEL_DESCS
#undef KUDZU_CHANNEL_DESC

#endif

#endif
