// options: --no-host-device-initializer-list --no-host-device-move-forward --expt-extended-lambda
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <algorithm>
__device__ int sum(std::initializer_list<int> l) { int s = 0; for (int x : l) s += x; return s; } // error: initializer_list
__device__ int first(std::initializer_list<int> l) { return *l.begin(); } // error: initializer_list
__device__ int moved(int x) { return std::move(x); } // error: std::move
template <class T> __device__ int passed(T &&x) { return std::forward<T>(x); } // error: std::forward
__global__ void kernel(int *p) { *p = passed(3) + sum({1, 2}); }
__host__ __device__ int both(int x) { return std::move(x); } // warning: std::move
int host(std::initializer_list<int> l) { int x = 1; return std::move(x) + (int)l.size(); }
__device__ int other(int *p) { int x = 1; return p[0] + std::max(x, 2); }
