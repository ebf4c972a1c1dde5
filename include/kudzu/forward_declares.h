// The device's math functions before the C++ library's <cmath> is seen (clang's header says why),
// but for powers of integers: there a float's power would be a float, where the C++ library and
// nvcc give a double.
#ifndef KUDZU_FORWARD_DECLARES_H
#define KUDZU_FORWARD_DECLARES_H

#define pow __kudzu_undefined_pow
#include <__clang_cuda_math_forward_declares.h>
#undef pow

static __inline__ __attribute__((device, always_inline)) double pow(double, double);
static __inline__ __attribute__((device, always_inline)) float pow(float, float);

namespace std {
#ifdef _GLIBCXX_BEGIN_NAMESPACE_VERSION
_GLIBCXX_BEGIN_NAMESPACE_VERSION
#endif
using ::pow;
#ifdef _GLIBCXX_END_NAMESPACE_VERSION
_GLIBCXX_END_NAMESPACE_VERSION
#endif
} // namespace std

#endif
