// Values of the host's constants in lists of device code, where they are converted, too
// (guide 18.5.14, 18.5.22.5).
#include "check.h"

static constexpr double half_of = 0.5;
static const int three = 3;

// More than constant memory holds, which other files of the host may see.
extern const int host_table[30000];
const int host_table[30000] = {1, 2};
namespace tables {
extern "C" {
extern const int other_table[30000];
const int other_table[30000] = {3};
}
struct holder {
    static const int table[30000];
    static constexpr int width = 4;
};
const int holder::table[30000] = {4};
} // namespace tables
extern const int host_table[30000];

struct pair {
    float a;
    short b;
};

__constant__ float table[] = {1, half_of, -half_of, three};
__device__ const pair pairs[2] = {{half_of, three}, {three, three}};

template <class T> __device__ T sum(int i) {
    T own[] = {half_of, three};
    const pair p = {half_of, three};
    return own[i] + p.a + p.b;
}

__global__ void add(float *out, int i) {
    out[0] = table[i] + tables::holder::width - 4;
    out[1] = pairs[i].a + pairs[i].b;
    out[2] = sum<float>(i);
}

int main() {
    float *m;
    CHECK(cudaMallocManaged(&m, 12) == cudaSuccess);
    add<<<1, 1>>>(m, 1);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(m[0] == 0.5f && m[1] == 6 && m[2] == 6.5f);
    CHECK(host_table[1] + tables::other_table[0] + tables::holder::table[0] == 9);
    return failures != 0;
}
