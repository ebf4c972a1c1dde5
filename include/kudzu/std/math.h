// <math.h> never had C++17's special functions; the library's header includes <cmath>.
#define KUDZU_IN_MATH_H
#include_next <math.h>
#undef KUDZU_IN_MATH_H
