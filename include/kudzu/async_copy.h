// The instructions below <cuda/barrier>, <cuda/pipeline> and the primitives: mbarrier objects and
// copies into shared memory (guide 10.26 to 10.29). What an older architecture lacks is done with
// ordinary instructions.
#ifndef KUDZU_ASYNC_COPY_H
#define KUDZU_ASYNC_COPY_H

#if defined(__cplusplus) && defined(__CUDA__)

#include <cuda_runtime.h>

namespace kudzu {

#define KUDZU_ASYNC __attribute__((device, always_inline)) inline

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define KUDZU_HAS_MBARRIER 1
#else
#define KUDZU_HAS_MBARRIER 0
#endif

// Asks until the answer is yes, or `ends` says that the time is over.
template <typename Ends, typename Ask> KUDZU_ASYNC bool ask_until(Ends &&ends, Ask &&ask) {
    while (!ask())
        if (ends())
            return ask();
    return true;
}

KUDZU_ASYNC long long nanoseconds_now() {
    long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

// For a duration of <chrono>, and until a time of a clock.
template <typename Duration, typename Ask>
KUDZU_ASYNC bool ask_for(const Duration &duration, Ask &&ask) {
    using period = typename Duration::period;
    long long end =
        nanoseconds_now() + (long long)((double)duration.count() * 1e9 * period::num / period::den);
    return ask_until([=] { return nanoseconds_now() >= end; }, ask);
}
template <typename Time, typename Ask>
KUDZU_ASYNC bool ask_until_time(const Time &time, Ask &&ask) {
    return ask_until([&] { return Time::clock::now() >= time; }, ask);
}

KUDZU_ASYNC unsigned int shared_address(const void *p) {
    return (unsigned int)__cvta_generic_to_shared(p);
}

// ---- mbarrier objects -------------------------------------------------------------------------
//
// The software form has the pending arrivals in bits 0 to 19, those expected in bits 20 to 39 and
// the phase's parity in bit 63.

typedef unsigned long long mbarrier_word;
const unsigned int mbarrier_max = (1u << 20) - 1;

KUDZU_ASYNC void software_init(mbarrier_word *bar, unsigned int count) {
    *(volatile mbarrier_word *)bar = (mbarrier_word)count << 20 | count;
}

// Counts arrivals; the last one runs `complete` before the next phase begins.
template <typename Complete>
KUDZU_ASYNC mbarrier_word software_arrive(mbarrier_word *bar, unsigned int count, bool drop,
                                          Complete &&complete) {
    mbarrier_word old = *(volatile mbarrier_word *)bar, seen;
    __threadfence();
    for (;; old = seen) {
        mbarrier_word next = old - count - (drop ? (mbarrier_word)count << 20 : 0);
        seen = atomicCAS(bar, old, next);
        if (seen != old)
            continue;
        if (!(next & mbarrier_max)) {
            __threadfence();
            complete();
            next = (next ^ 1ull << 63) | (next >> 20 & mbarrier_max);
            __threadfence();
            atomicExch(bar, next);
        }
        return old;
    }
}

KUDZU_ASYNC bool software_test(const mbarrier_word *bar, bool parity) {
    bool done = (*(const volatile mbarrier_word *)bar >> 63 & 1) != parity;
    __threadfence();
    return done;
}

#if KUDZU_HAS_MBARRIER
KUDZU_ASYNC void mbarrier_init(mbarrier_word *bar, unsigned int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count)
                 : "memory");
}
KUDZU_ASYNC void mbarrier_inval(mbarrier_word *bar) {
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(bar)) : "memory");
}
KUDZU_ASYNC mbarrier_word mbarrier_arrive(mbarrier_word *bar) {
    mbarrier_word state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(state)
                 : "r"(shared_address(bar))
                 : "memory");
    return state;
}
KUDZU_ASYNC mbarrier_word mbarrier_arrive(mbarrier_word *bar, unsigned int count) {
#if __CUDA_ARCH__ >= 900
    mbarrier_word state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
                 : "=l"(state)
                 : "r"(shared_address(bar)), "r"(count)
                 : "memory");
    return state;
#else
    mbarrier_word state = mbarrier_arrive(bar);
    while (--count)
        mbarrier_arrive(bar);
    return state;
#endif
}
KUDZU_ASYNC mbarrier_word mbarrier_arrive_and_drop(mbarrier_word *bar) {
    mbarrier_word state;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
                 : "=l"(state)
                 : "r"(shared_address(bar))
                 : "memory");
    return state;
}
// Whether the phase has ended: at once, or after the device has waited a while for it.
#define KUDZU_ASK(name, instruction, type, constraint)                                             \
    KUDZU_ASYNC bool name(const mbarrier_word *bar, type phase) {                                  \
        int done;                                                                                  \
        asm volatile("{ .reg .pred p; mbarrier." instruction                                       \
                     ".shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"                            \
                     : "=r"(done)                                                                  \
                     : "r"(shared_address(bar)), constraint(phase)                                 \
                     : "memory");                                                                  \
        return done;                                                                               \
    }
KUDZU_ASK(mbarrier_test, "test_wait", mbarrier_word, "l")
KUDZU_ASK(mbarrier_test_parity, "test_wait.parity", unsigned int, "r")
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
KUDZU_ASK(mbarrier_try, "try_wait", mbarrier_word, "l")
KUDZU_ASK(mbarrier_try_parity, "try_wait.parity", unsigned int, "r")
#else
KUDZU_ASK(mbarrier_try, "test_wait", mbarrier_word, "l")
KUDZU_ASK(mbarrier_try_parity, "test_wait.parity", unsigned int, "r")
#endif
#undef KUDZU_ASK
KUDZU_ASYNC unsigned int mbarrier_pending(mbarrier_word state) {
    unsigned int count;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
    return count;
}
#else
struct no_completion {
    KUDZU_ASYNC void operator()() const {
    }
};
KUDZU_ASYNC void mbarrier_init(mbarrier_word *bar, unsigned int count) {
    software_init(bar, count);
}
KUDZU_ASYNC void mbarrier_inval(mbarrier_word *) {
}
KUDZU_ASYNC mbarrier_word mbarrier_arrive(mbarrier_word *bar, unsigned int count = 1) {
    return software_arrive(bar, count, false, no_completion());
}
KUDZU_ASYNC mbarrier_word mbarrier_arrive_and_drop(mbarrier_word *bar) {
    return software_arrive(bar, 1, true, no_completion());
}
KUDZU_ASYNC bool mbarrier_test_parity(const mbarrier_word *bar, bool parity) {
    return software_test(bar, parity);
}
KUDZU_ASYNC bool mbarrier_test(const mbarrier_word *bar, mbarrier_word state) {
    return software_test(bar, state >> 63);
}
KUDZU_ASYNC bool mbarrier_try(const mbarrier_word *bar, mbarrier_word state) {
    return mbarrier_test(bar, state);
}
KUDZU_ASYNC bool mbarrier_try_parity(const mbarrier_word *bar, bool parity) {
    return mbarrier_test_parity(bar, parity);
}
KUDZU_ASYNC unsigned int mbarrier_pending(mbarrier_word state) {
    return state & mbarrier_max;
}
#endif

// ---- Copies -----------------------------------------------------------------------------------

// One piece of 4, 8 or 16 bytes, aligned, of which the last `zeros` bytes are not read but zero:
// from global memory to shared memory.
template <int Bytes>
KUDZU_ASYNC void copy_to_shared(void *dst, const void *src, unsigned int zeros = 0) {
#if KUDZU_HAS_MBARRIER
    unsigned int read = Bytes - zeros;
    size_t from = __cvta_generic_to_global(src);
    if (Bytes == 16 && zeros == 0)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(dst)),
                     "l"(from)
                     : "memory");
    else if (zeros == 0)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(dst)),
                     "l"(from), "n"(Bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(dst)),
                     "l"(from), "n"(Bytes), "r"(read)
                     : "memory");
#else
    for (unsigned int i = 0; i < Bytes; i++)
        ((char *)dst)[i] = i < Bytes - zeros ? ((const char *)src)[i] : 0;
#endif
}

// The same between any two places.
template <int Bytes> KUDZU_ASYNC void copy_piece(void *dst, const void *src) {
#if KUDZU_HAS_MBARRIER
    if (__isShared(dst) && __isGlobal(src)) {
        copy_to_shared<Bytes>(dst, src);
        return;
    }
#endif
    for (unsigned int i = 0; i < Bytes; i++)
        ((char *)dst)[i] = ((const char *)src)[i];
}

// Thread `rank` of `threads` copies its part of `bytes` bytes between places that are aligned to
// `alignment`, a power of two, at least.
KUDZU_ASYNC void copy_share(void *dst, const void *src, size_t bytes, size_t alignment, size_t rank,
                            size_t threads) {
    char *to = (char *)dst;
    const char *from = (const char *)src;
    // Lower bits of the addresses are known.
    size_t all = (((size_t)dst | (size_t)src) & (0 - alignment)) | bytes;
    if (all % 16 == 0)
        for (size_t i = rank * 16; i < bytes; i += threads * 16)
            copy_piece<16>(to + i, from + i);
    else if (all % 8 == 0)
        for (size_t i = rank * 8; i < bytes; i += threads * 8)
            copy_piece<8>(to + i, from + i);
    else if (all % 4 == 0)
        for (size_t i = rank * 4; i < bytes; i += threads * 4)
            copy_piece<4>(to + i, from + i);
    else
        for (size_t i = rank; i < bytes; i += threads)
            to[i] = from[i];
}

KUDZU_ASYNC void copy_commit() {
#if KUDZU_HAS_MBARRIER
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int N> KUDZU_ASYNC void copy_wait() {
#if KUDZU_HAS_MBARRIER
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

// All but the latest n groups are complete. Beyond eight, more than that may be waited for.
KUDZU_ASYNC void copy_wait(size_t n) {
    switch (n) {
    case 0:
        copy_wait<0>();
        break;
    case 1:
        copy_wait<1>();
        break;
    case 2:
        copy_wait<2>();
        break;
    case 3:
        copy_wait<3>();
        break;
    case 4:
        copy_wait<4>();
        break;
    case 5:
        copy_wait<5>();
        break;
    case 6:
        copy_wait<6>();
        break;
    case 7:
        copy_wait<7>();
        break;
    default:
        copy_wait<8>();
    }
}

// The object's phase does not end before the calling thread's copies are complete.
KUDZU_ASYNC void copy_tell(mbarrier_word *bar) {
#if KUDZU_HAS_MBARRIER
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(bar)) : "memory");
#endif
}

// The same as an arrival that the object's count has foreseen.
KUDZU_ASYNC void copy_arrive(mbarrier_word *bar) {
#if KUDZU_HAS_MBARRIER
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(bar))
                 : "memory");
#else
    mbarrier_arrive(bar);
#endif
}

} // namespace kudzu

#endif
#endif
