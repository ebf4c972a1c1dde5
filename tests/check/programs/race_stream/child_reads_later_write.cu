// The parent writes behind the launch what its child reads. Guide, 13.2.2.1.1: a child sees what
// was written before its launch.
// options: -rdc=true -lcudadevrt
#include "../suite.h"

__global__ void child(const int *a, int *out) {
    *out = *a; // bug: race.child
}
__global__ void parent(int *a, int *out) {
#ifdef BUG
    child<<<1, 1>>>(a, out);
    *a = 6; // with
#else
    *a = 6;
    child<<<1, 1>>>(a, out);
#endif
}

int main() {
    int *a, *out, h;
    OK(cudaMalloc(&a, sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(a, 0, sizeof(int)));
    parent<<<1, 1>>>(a, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h == 6);
}
