// What device code calls in the system: printf (guide 10.35), assert (10.32), the heap (10.36).
// The driver knows these functions by name.
#ifndef KUDZU_SYSTEM_FUNCTIONS_H
#define KUDZU_SYSTEM_FUNCTIONS_H

#include <stddef.h>

extern "C" {
__attribute__((device)) int vprintf(const char *format, const char *args);
// clang packs the arguments and calls vprintf.
__attribute__((device)) int printf(const char *format, ...);
__attribute__((device)) void *malloc(size_t size) __attribute__((nothrow, malloc));
// `size` bytes at a multiple of `align`, a power of two; NULL where there is no room. free() takes
// it.
__attribute__((device)) void *
__nv_aligned_device_malloc(size_t size, size_t align) __asm__("__cuda_syscall_aligned_malloc")
    __attribute__((nothrow, malloc));
__attribute__((device)) void free(void *p) __attribute__((nothrow));
__attribute__((device)) void __assertfail(const char *expression, const char *file,
                                          unsigned int line, const char *function,
                                          size_t char_size);

// What the C library's assert macro calls, for both sides: libcu++ declares it so where NDEBUG is
// defined, and kudzu/std/assert.h makes the C library's declaration agree. The host has the
// library's.
#if __cplusplus >= 201103L
#define KUDZU_NOEXCEPT noexcept
#else
#define KUDZU_NOEXCEPT throw()
#endif
#ifdef __CUDA_ARCH__
__attribute__((host, device, noreturn)) static inline void
__assert_fail(const char *expression, const char *file, unsigned int line,
              const char *function) KUDZU_NOEXCEPT {
    __assertfail(expression, file, line, function, sizeof(char));
    __builtin_unreachable();
}
#else
__attribute__((host, device, noreturn)) void __assert_fail(const char *expression, const char *file,
                                                           unsigned int line,
                                                           const char *function) KUDZU_NOEXCEPT;
#endif
#undef KUDZU_NOEXCEPT
}

namespace std {
#if defined(__CUDACC_RTC__)
using ::free;
using ::malloc;
#else
__attribute__((device)) static inline void *malloc(size_t size) {
    return ::malloc(size);
}
__attribute__((device)) static inline void free(void *p) {
    ::free(p);
}
#endif
} // namespace std

__attribute__((device)) static inline void __nanosleep(unsigned int ns) {
    asm volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory");
}
// A value of its own for every launch; blocks of one grid see the same one.
__attribute__((device)) static inline unsigned long long __kudzu_grid_id() {
    unsigned long long id;
    asm("mov.u64 %0, %%gridid;" : "=l"(id));
    return id;
}
__attribute__((device)) static inline unsigned long long __globaltimer() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

#endif
