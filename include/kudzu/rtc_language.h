// What a program that is compiled at run time sees without including anything: the built-in types,
// variables and functions of device code, and nothing of the C and C++ libraries, whose names such
// programs often define themselves. libnvrtc includes this header before the program.
#ifndef KUDZU_RTC_LANGUAGE_H
#define KUDZU_RTC_LANGUAGE_H
#pragma clang system_header // no warnings about what the program did not write

#include "host_defines.h"

#include <stdarg.h>
#include <stddef.h>

typedef long clock_t;

// ---- What clang's headers take from the C library -------------------------------------------

#define KUDZU_RTC_LANGUAGE_BEGINS
#pragma push_macro("INT_MAX")
#pragma push_macro("INT_MIN")
#pragma push_macro("HUGE_VAL")
#pragma push_macro("HUGE_VALF")
#pragma push_macro("FP_NAN")
#pragma push_macro("FP_INFINITE")
#pragma push_macro("FP_ZERO")
#pragma push_macro("FP_SUBNORMAL")
#pragma push_macro("FP_NORMAL")
#undef INT_MAX
#undef INT_MIN
#undef HUGE_VAL
#undef HUGE_VALF
#undef FP_NAN
#undef FP_INFINITE
#undef FP_ZERO
#undef FP_SUBNORMAL
#undef FP_NORMAL
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4

#include "kudzu/forward_declares.h"

namespace std {
// Under a name that the program's own std::numeric_limits cannot meet.
template <class T> struct __kudzu_numeric_limits {
    static constexpr bool is_integer = __is_integral(T), is_specialized = __is_arithmetic(T);
};
} // namespace std
#pragma push_macro("numeric_limits")
#undef numeric_limits
#define numeric_limits __kudzu_numeric_limits

#include "vector_types.h"

#include "vector_functions.h"

#include "kudzu/device_language.h"

#pragma pop_macro("numeric_limits")
#pragma pop_macro("INT_MAX")
#pragma pop_macro("INT_MIN")
#pragma pop_macro("HUGE_VAL")
#pragma pop_macro("HUGE_VALF")
#pragma pop_macro("FP_NAN")
#pragma pop_macro("FP_INFINITE")
#pragma pop_macro("FP_ZERO")
#pragma pop_macro("FP_SUBNORMAL")
#pragma pop_macro("FP_NORMAL")
#undef KUDZU_RTC_LANGUAGE_BEGINS

#include "texture_types.h"

#include "surface_types.h"

#include "surface_indirect_functions.h"
#include "texture_indirect_functions.h"

// ---- The device runtime (guide 13.3.1.8) ----------------------------------------------------

#pragma push_macro("UINT_MAX")
#undef UINT_MAX
#define UINT_MAX (__INT_MAX__ * 2U + 1U)

#include "cuda_runtime_api.h"

#pragma pop_macro("UINT_MAX")

// ---- Memory, assertions ---------------------------------------------------------------------

#define KUDZU_RTC_DEVICE __attribute__((device))
extern "C" {
KUDZU_RTC_DEVICE void *memcpy(void *to, const void *from, size_t size);
KUDZU_RTC_DEVICE void *memset(void *to, int byte, size_t size);
}
KUDZU_RTC_DEVICE inline void *operator new(size_t size) {
    return malloc(size ? size : 1);
}
KUDZU_RTC_DEVICE inline void *operator new[](size_t size) {
    return malloc(size ? size : 1);
}
KUDZU_RTC_DEVICE inline void operator delete(void *p) noexcept {
    free(p);
}
KUDZU_RTC_DEVICE inline void operator delete[](void *p) noexcept {
    free(p);
}
KUDZU_RTC_DEVICE inline void operator delete(void *p, size_t) noexcept {
    free(p);
}
KUDZU_RTC_DEVICE inline void operator delete[](void *p, size_t) noexcept {
    free(p);
}
__attribute__((host, device)) inline void *operator new(size_t, void *p) noexcept {
    return p;
}
__attribute__((host, device)) inline void *operator new[](size_t, void *p) noexcept {
    return p;
}
#undef KUDZU_RTC_DEVICE

#ifndef assert
#ifdef NDEBUG
#define assert(expression) ((void)0)
#else
#define assert(expression)                                                                         \
    ((expression) ? (void)0 : __assert_fail(#expression, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
#endif

// ---- What is there without a header of the C++ library --------------------------------------

namespace std {
#ifndef KUDZU_RTC_NO_MOVE_FORWARD
#define __NV_BUILTIN_MOVE_FORWARD 1
template <class T>
__attribute__((host, device)) constexpr __remove_reference_t(T) &&move(T &&value) noexcept {
    return static_cast<__remove_reference_t(T) &&>(value);
}
template <class T>
__attribute__((host, device)) constexpr T &&forward(__remove_reference_t(T) &value) noexcept {
    return static_cast<T &&>(value);
}
template <class T>
__attribute__((host, device)) constexpr T &&forward(__remove_reference_t(T) &&value) noexcept {
    return static_cast<T &&>(value);
}
#endif
#ifndef KUDZU_RTC_NO_INITIALIZER_LIST
#define __NV_BUILTIN_INITIALIZER_LIST 1
template <class E> class initializer_list {
    const E *first;
    size_t count;
    __attribute__((host, device)) constexpr initializer_list(const E *array, size_t length)
        : first(array), count(length) {
    }

  public:
    typedef E value_type;
    typedef const E &reference;
    typedef const E &const_reference;
    typedef size_t size_type;
    typedef const E *iterator;
    typedef const E *const_iterator;
    __attribute__((host, device)) constexpr initializer_list() noexcept : first(nullptr), count(0) {
    }
    __attribute__((host, device)) constexpr size_t size() const noexcept {
        return count;
    }
    __attribute__((host, device)) constexpr const E *begin() const noexcept {
        return first;
    }
    __attribute__((host, device)) constexpr const E *end() const noexcept {
        return first + count;
    }
};
#endif
} // namespace std

#endif
