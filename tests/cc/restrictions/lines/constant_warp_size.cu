// warpSize is no constant (5.4.4.2), nor is what is made of it; a member of that name is.
template <int N> struct Width { static constexpr int n = N; };
__device__ int bound() { const int n = warpSize * 2; int a[n]; a[0] = 1; return a[0]; } // error: warpSize is no constant
__device__ int argument() { return Width<warpSize>::n; } // error: warpSize is no constant
__device__ int label(int x) { switch (x) { case warpSize: return 1; } return 0; } // error: warpSize is no constant
__device__ int variable() { constexpr int w = warpSize; return w; } // error: warpSize is no constant
__device__ int assertion() { static_assert(warpSize == 32, "lanes"); return 1; } // error: warpSize is no constant
__device__ int enumerator() { enum { e = warpSize }; return e; } // error: warpSize is no constant
template <class T> __device__ int element() { T a[warpSize]; a[0] = 1; return a[0]; } // error: warpSize is no constant
__global__ void instance(int *p) { *p = element<int>(); }
struct Properties { int warpSize; };
constexpr __host__ __device__ int lanes(Properties p) { return p.warpSize; }
__device__ int member() { constexpr Properties p{32}; constexpr int n = lanes(p) + p.warpSize; return n; }
__device__ int plain(int x) { const int n = warpSize; int sum = 0; for (int i = n / 2; i > 0; i /= 2) sum += x % warpSize; return sum; }
__device__ int constant() { const int w = 32; __shared__ int s[w * 2]; s[0] = 1; return s[0]; }
