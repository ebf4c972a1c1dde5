// Before a header of libstdc++ (kudzu/std): what the library makes constexpr from C++20 on (the
// assignment of tuples, swap, ...) is for both sides in earlier standards, too.
// kudzu/std_both_end.h comes behind it.
#if defined(__CUDA__) && __cplusplus < 202002L
#include <cstddef> // says which library it is
#if defined(__GLIBCXX__)
#pragma push_macro("_GLIBCXX20_CONSTEXPR")
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR __attribute__((host)) __attribute__((device))
#endif
#endif
