#ifndef KUDZU_ALIGNED_SIZE_H
#define KUDZU_ALIGNED_SIZE_H

#include <cstddef>

namespace cuda {

// A size in bytes, a multiple of Alignment, of objects that are aligned to it.
template <::std::size_t Alignment> struct aligned_size_t {
    static constexpr ::std::size_t align = Alignment;
    ::std::size_t value;
    __host__ __device__ constexpr explicit aligned_size_t(::std::size_t size) : value(size) {
    }
    __host__ __device__ constexpr operator ::std::size_t() const {
        return value;
    }
};

} // namespace cuda

#endif
