// Pipeline primitives (guide 10.28.4).
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_awbarrier_primitives.h"

#if defined(__cplusplus) && defined(__CUDA__)

// Copies 4, 8 or 16 bytes, aligned to as many, to shared memory; the last zfill are zero and are not
// read.
KUDZU_ASYNC void __pipeline_memcpy_async(void *__restrict__ dst_shared,
                                         const void *__restrict__ src_global, size_t size_and_align,
                                         size_t zfill = 0) {
    if (size_and_align == 16)
        kudzu::copy_to_shared<16>(dst_shared, src_global, (unsigned int)zfill);
    else if (size_and_align == 8)
        kudzu::copy_to_shared<8>(dst_shared, src_global, (unsigned int)zfill);
    else
        kudzu::copy_to_shared<4>(dst_shared, src_global, (unsigned int)zfill);
}
KUDZU_ASYNC void __pipeline_commit() {
    kudzu::copy_commit();
}
KUDZU_ASYNC void __pipeline_wait_prior(size_t N) {
    kudzu::copy_wait(N);
}
KUDZU_ASYNC void __pipeline_arrive_on(__mbarrier_t *bar) {
    kudzu::copy_tell(bar);
}

#endif
#endif
