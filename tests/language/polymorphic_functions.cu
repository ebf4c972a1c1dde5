// nvstd::function (guide 18.5.9) on device and host: functions, lambdas with captures of any size,
// copies, assignments, empty objects.
#include <nvfunctional>

#include "check.h"

__host__ __device__ int twice(int x) {
    return 2 * x;
}

struct adder {
    int by;
    __host__ __device__ int operator()(int x) const {
        return x + by;
    }
};
struct large {
    int table[32];
    __host__ __device__ int operator()(int x) const {
        return table[x % 32];
    }
};

__host__ __device__ int apply(nvstd::function<int(int)> f, int x) {
    return f(x);
}

__host__ __device__ int everything(int t) {
    nvstd::function<int(int)> f, g;
    int bad = (bool)f || !(f == nullptr) || !(nullptr == f) || nullptr != f;
    f = twice;
    bad += apply(f, t) != 2 * t;
    g = adder{t};
    bad += g(5) != t + 5 || !(bool)g;
    swap(f, g);
    bad += f(1) != t + 1 || g(1) != 2;
    large many;
    for (int i = 0; i < 32; i++)
        many.table[i] = i * t;
    f = many;
    nvstd::function<int(int)> copy(f);
    many.table[3] = -1;
    bad += copy(3) != 3 * t || apply(copy, 35) != 3 * t;
    copy = nullptr;
    bad += (bool)copy || f(4) != 4 * t;
    int seen = 0;
    nvstd::function<void(int &)> by_reference = [t](int &x) { x += t; };
    by_reference(seen);
    bad += seen != t;
    return bad;
}

__global__ void kernel(int *bad) {
    nvstd::function<int(int)> mine;
    if (threadIdx.x % 2)
        mine = twice;
    else
        mine = adder{100};
    int t = (int)threadIdx.x;
    int wrong = everything(t) + (mine(t) != (t % 2 ? 2 * t : t + 100));
    if (wrong)
        atomicAdd(bad, wrong);
}

int main() {
    int *bad = shared_array<int>(1);
    kernel<<<2, 64>>>(bad);
    CUDA(cudaDeviceSynchronize());
    CHECK(*bad == 0);
    CHECK(everything(7) == 0);
    return failures != 0;
}
