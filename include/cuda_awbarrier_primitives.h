// Memory barrier primitives (guide 10.26.8).
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#if defined(__cplusplus) && defined(__CUDA__)

#include <cuda_runtime.h>

#include "kudzu/async_copy.h"

typedef kudzu::mbarrier_word __mbarrier_t;
typedef kudzu::mbarrier_word __mbarrier_token_t;

KUDZU_ASYNC unsigned int __mbarrier_maximum_count() {
    return kudzu::mbarrier_max;
}
KUDZU_ASYNC void __mbarrier_init(__mbarrier_t *bar, unsigned int expected_count) {
    kudzu::mbarrier_init(bar, expected_count);
}
KUDZU_ASYNC void __mbarrier_inval(__mbarrier_t *bar) {
    kudzu::mbarrier_inval(bar);
}
KUDZU_ASYNC __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *bar) {
    return kudzu::mbarrier_arrive(bar);
}
KUDZU_ASYNC __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *bar) {
    return kudzu::mbarrier_arrive_and_drop(bar);
}
KUDZU_ASYNC bool __mbarrier_test_wait(__mbarrier_t *bar, __mbarrier_token_t token) {
    return kudzu::mbarrier_test(bar, token);
}
KUDZU_ASYNC bool __mbarrier_test_wait_parity(__mbarrier_t *bar, bool parity) {
    return kudzu::mbarrier_test_parity(bar, parity);
}
// May answer before the limit of time, which is a hint.
KUDZU_ASYNC bool __mbarrier_try_wait(__mbarrier_t *bar, __mbarrier_token_t token,
                                     unsigned int max_sleep_nanosec = 0) {
    return kudzu::mbarrier_test(bar, token);
}
KUDZU_ASYNC bool __mbarrier_try_wait_parity(__mbarrier_t *bar, bool parity,
                                            unsigned int max_sleep_nanosec = 0) {
    return kudzu::mbarrier_test_parity(bar, parity);
}
KUDZU_ASYNC unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token) {
    return kudzu::mbarrier_pending(token);
}
KUDZU_ASYNC unsigned int __mbarrier_pending_count(__mbarrier_token_t token) {
    return kudzu::mbarrier_pending(token);
}

#endif
#endif
