// An index goes behind a parameter that is a structure, into the next one. Guide, 10.1.1 and
// 10.2.4.
#include "../suite.h"

struct Four {
    int v[4];
};

__global__ void read(const __grid_constant__ Four f, const __grid_constant__ Four g, int n,
                     int *out) {
    int s = g.v[0];
    for (int i = 0; i < n; ++i)
        s += f.v[i]; // bug: memory.parameter
    *out = s;
}

int main() {
    Four f = {{1, 2, 3, 4}}, g = {{5, 6, 7, 8}};
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
#ifdef BUG
    read<<<1, 1>>>(f, g, 5, out);
#else
    read<<<1, 1>>>(f, g, 4, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 15);
}
