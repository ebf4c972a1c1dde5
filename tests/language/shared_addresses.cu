// Local arrays and structures that begin with addresses of shared variables (10.2.3): PTX has no
// initialisers for such addresses.
#include "check.h"

__shared__ int whole[8];

struct slice {
    float *from;
    int scale;
};

__global__ void chosen_array(int *out, int i) {
    __shared__ int a[32], b[32];
    int *table[3] = {a, b + 4, whole};
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 2;
    if (threadIdx.x < 8)
        whole[threadIdx.x] = 3;
    __syncthreads();
    out[threadIdx.x] = table[(i + threadIdx.x) % 3][threadIdx.x & 7];
}

__global__ void chosen_structure(int *out, int n) {
    __shared__ float a[33];
    slice slices[2] = {{a, 3}, {a + 1, 5}};
    a[threadIdx.x] = (float)threadIdx.x;
    __syncthreads();
    for (int j = 0; j < n; j++)
        out[j * 32 + threadIdx.x] = (int)slices[j & 1].from[threadIdx.x & 15] * slices[j & 1].scale;
}

__global__ void chosen_case(int *out, int i) {
    __shared__ int a[32], b[32], c[32], d[32], e[32], *p;
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 2;
    c[threadIdx.x] = 3;
    d[threadIdx.x] = 4;
    e[threadIdx.x] = 5;
    __syncthreads();
    int *mine;
    switch ((i + threadIdx.x) % 8) {
    case 0:
        mine = a;
        break;
    case 1:
        mine = b;
        break;
    case 2:
        mine = c;
        break;
    case 3:
        mine = d;
        break;
    case 4:
        mine = e;
        break;
    case 5:
        mine = a + 1;
        break;
    case 6:
        mine = b + 2;
        break;
    default:
        mine = c + 3;
    }
    if (threadIdx.x == 0)
        p = c;
    __syncthreads();
    out[threadIdx.x] = mine[threadIdx.x & 15] * 10 + (mine == p);
}

int main() {
    int *out = shared_array<int>(128);
    chosen_array<<<1, 32>>>(out, 1);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++)
        CHECK(out[t] == (t + 1) % 3 + 1);
    chosen_structure<<<1, 32>>>(out, 4);
    CUDA(cudaDeviceSynchronize());
    for (int j = 0; j < 4; j++)
        for (int t = 0; t < 32; t++)
            CHECK(out[j * 32 + t] == (j & 1 ? ((t & 15) + 1) * 5 : (t & 15) * 3));
    chosen_case<<<1, 32>>>(out, 1);
    CUDA(cudaDeviceSynchronize());
    const int value[8] = {10, 20, 31, 40, 50, 10, 20, 30};
    for (int t = 0; t < 32; t++)
        CHECK(out[t] == value[(t + 1) % 8]);
    return failures != 0;
}
