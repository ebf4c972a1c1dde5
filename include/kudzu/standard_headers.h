// The standard headers that the device language builds on, in the order that clang's CUDA
// support asks for: the math functions are declared for the device before <cmath> is seen, or
// constexpr functions of the library would become the device's versions.
#ifndef KUDZU_STANDARD_HEADERS_H
#define KUDZU_STANDARD_HEADERS_H

#include <__clang_cuda_math_forward_declares.h>

#include <climits>
#include <cmath>
#include <cstdlib>
#include <stdlib.h>
#include <string.h>

#endif
