// libstdc++'s pairs, with what assigns and swaps them on the device. Before C++20 the library has
// another text for the assignment.
#if defined(__CUDA__) && __cplusplus < 202002L
#include <bits/move.h>
#include <type_traits>
#endif
#if defined(__CUDA__) && __cplusplus < 202002L && _GLIBCXX_RELEASE >= 10
#pragma clang force_cuda_host_device begin
#include_next <bits/stl_pair.h>
#pragma clang force_cuda_host_device end
#else // earlier releases define a constructor in <tuple>
#include_next <bits/stl_pair.h>
#endif
