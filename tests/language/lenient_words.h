// In a header, too.
#ifndef LENIENT_WORDS_H
#define LENIENT_WORDS_H

// clang-format off
template <class T> struct room {
    __device__ [[nodiscard]] static unsigned char *bytes() {
        __shared__ alignas(32) unsigned char bytes[sizeof(T)];
        return bytes;
    }
};
__constant__ alignas(16) int aligned_table[2] = {4, 5};
// clang-format on

#endif
