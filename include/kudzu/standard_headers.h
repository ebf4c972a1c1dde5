// The standard headers that the device language builds on, in the order that clang's CUDA
// support asks for: the math functions are declared for the device before <cmath> is seen, or
// constexpr functions of the library would become the device's versions. kudzu/std, which is searched
// first, has what libstdc++ leaves to the host before C++20.
#ifndef KUDZU_STANDARD_HEADERS_H
#define KUDZU_STANDARD_HEADERS_H

#include "kudzu/forward_declares.h"

// C++17's special functions come behind <cmath> (kudzu/std/cmath).
#include <climits>
#if defined(__GLIBCXX__) && _GLIBCXX_USE_STD_SPEC_FUNCS
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define KUDZU_SPECIAL_FUNCTIONS_LEFT_OUT
#endif

#include <cmath>
#include <cstdlib>
#include <math.h> // isfinite and its kind without std::, as under nvcc
#include <stdio.h> // printf in programs that do not include it, as under nvcc
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utility> // under nvcc, too: it brings std::initializer_list

#endif
