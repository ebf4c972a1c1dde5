// assert, which comes with cooperative groups and with libcu++'s headers. Included as often as they are, before their
// guards: what NDEBUG says there counts, as for <assert.h>. A precompiled header leaves it to the source (`kudzu cc`
// defines the list of architectures for that alone).
#if !defined(__CUDACC_RTC__) && (!defined(__CUDA__) || defined(__CUDA_ARCH_LIST__))
#include <assert.h>
#endif
