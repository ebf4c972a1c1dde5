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

#undef KUDZU_CHANNEL_DESCS
#undef KUDZU_CHANNEL_DESC

#endif

#endif
