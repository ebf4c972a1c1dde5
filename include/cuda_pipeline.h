// Pipelines as primitives (guide 10.28.4), and the class of earlier versions, which programs and
// libcu++'s tests still name.
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#include "cuda_pipeline_primitives.h"

#if defined(__cplusplus) && defined(__CUDA__)

namespace nvcuda {
namespace experimental {

// The asynchronous copies of one thread, in batches counted from 0.
class pipeline {
  public:
    KUDZU_ASYNC pipeline() : batches(0) {
    }
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;

    // Ends the batch of the copies since the last commit; its number.
    KUDZU_ASYNC size_t commit() {
        __pipeline_commit();
        return batches++;
    }
    KUDZU_ASYNC void commit_and_wait() {
        wait(commit());
    }
    // Waits for a batch that commit() has numbered and all before it.
    KUDZU_ASYNC void wait(size_t batch) {
        __pipeline_wait_prior(batch < batches ? batches - batch - 1 : 0);
    }
    // Waits for all but the last N batches.
    template <unsigned int N> KUDZU_ASYNC void wait_prior() {
        __pipeline_wait_prior(N);
    }
    // The barrier's phase waits for this thread's copies up to here. Barrier: cuda::barrier of a
    // block, in shared memory, which begins with its word.
    template <typename Barrier> KUDZU_ASYNC void arrive_on(Barrier &barrier) {
        __pipeline_arrive_on(reinterpret_cast<__mbarrier_t *>(&barrier));
    }

  private:
    size_t batches;
};

// Copies one object from global to shared memory, asynchronously where its size and alignment
// allow.
template <typename T> KUDZU_ASYNC void memcpy_async(T &dst, const T &src, pipeline &) {
    kudzu::copy_share(&dst, &src, sizeof(T), _Alignof(T), 0, 1);
}
// The same for arrays of different lengths; what the source lacks is zero.
template <typename T, size_t DstN, size_t SrcN>
KUDZU_ASYNC void memcpy_async(T (&dst)[DstN], const T (&src)[SrcN], pipeline &pipe,
                              char (*)[DstN != SrcN ? 1 : -1] = 0) {
    for (size_t i = 0; i < DstN; i++)
        if (i < SrcN)
            memcpy_async(dst[i], src[i], pipe);
        else
            dst[i] = T();
}

} // namespace experimental
} // namespace nvcuda

#endif
#endif
