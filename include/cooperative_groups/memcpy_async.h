// Copies by all threads of a group (guide, 11.7.2). The copy is complete, for the thread that made
// its part of it, when the call returns; wait() makes all parts visible to the group.
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_

#if defined(__cplusplus) && defined(__CUDA__)

#include <cooperative_groups.h>

namespace cooperative_groups {
namespace __v1 {

#define KUDZU_CG __attribute__((device, always_inline)) inline

namespace details {

template <typename Word, typename Group>
KUDZU_CG void copy_words(const Group &group, void *dst, const void *src, size_t bytes) {
    size_t step = group.num_threads();
    for (size_t i = group.thread_rank(); i < bytes / sizeof(Word); i += step)
        ((Word *)dst)[i] = ((const Word *)src)[i];
}

template <typename Group>
KUDZU_CG void copy_bytes(const Group &group, void *dst, const void *src, size_t bytes) {
    size_t alignment = (size_t)dst | (size_t)src | bytes;
    if (alignment % 16 == 0)
        copy_words<int4>(group, dst, src, bytes);
    else if (alignment % 4 == 0)
        copy_words<int>(group, dst, src, bytes);
    else
        copy_words<char>(group, dst, src, bytes);
}

} // namespace details

// Copies `shape` bytes.
template <typename Group, typename T, typename Shape>
KUDZU_CG void memcpy_async(const Group &group, T *__restrict__ dst, const T *__restrict__ src,
                           const Shape &shape) {
    details::copy_bytes(group, dst, src, (size_t)shape);
}

// Copies as many elements as both layouts have.
template <typename Group, typename T, typename DstLayout, typename SrcLayout>
KUDZU_CG void memcpy_async(const Group &group, T *__restrict__ dst, const DstLayout &dst_layout,
                           const T *__restrict__ src, const SrcLayout &src_layout) {
    size_t to = (size_t)dst_layout, from = (size_t)src_layout;
    details::copy_bytes(group, dst, src, (to < from ? to : from) * sizeof(T));
}

// All copies of the group are done.
template <typename Group> KUDZU_CG void wait(const Group &group) {
    group.sync();
}

// All but the latest `Stages` copies are done.
template <unsigned int Stages, typename Group> KUDZU_CG void wait_prior(const Group &group) {
    group.sync();
}

#undef KUDZU_CG

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#endif
#endif
