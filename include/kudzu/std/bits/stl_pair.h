// libstdc++'s pairs, with what assigns and swaps them on the device. Between C++11 and C++20 the library has
// another text for the assignment.
#if defined(__CUDA__) && __cplusplus >= 201103L && __cplusplus < 202002L
#include <bits/move.h>
#include <type_traits>
#endif
#if defined(__CUDA__) && __cplusplus >= 201103L && __cplusplus < 202002L && _GLIBCXX_RELEASE >= 10
#pragma clang force_cuda_host_device begin
#include_next <bits/stl_pair.h>
#pragma clang force_cuda_host_device end
#else // earlier releases define a constructor in <tuple>
#include_next <bits/stl_pair.h>
#endif
