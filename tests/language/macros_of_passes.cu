// Functions whose specifiers only the device's pass sees: for the host's pass they are the host's,
// and kernels call them all the same.
#include "check.h"

#ifdef __CUDA_ARCH__
#define BOTH __host__ __device__
#else
#define BOTH
#endif

inline BOTH int on_level(int level) {
    return 1 << level;
}
template <class T> BOTH T partner(T n, int bit) {
    return n ^ (T)on_level(bit);
}

#ifdef __CUDA_ARCH__
class number {
  public:
    __device__ number(int n, int scale) : n(n * scale) {
    }
    __device__ int value() const {
        return n;
    }

  private:
    int n;
};
#else
class number {
  public:
    __host__ number(int n, int scale);
    __host__ int value() const;
};
#endif

__global__ void compute(int *out) {
    number n(5, 3);
    out[0] = on_level(4) + partner(6, 1);
    out[1] = n.value();
}

int main() {
    int *out = shared_array<int>(2);
    compute<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 20 && out[1] == 15);
    CHECK(partner(6L, 0) == 7);
    return failures != 0;
}
