// The parent reads what its child writes: nothing in a kernel waits for a child. Guide, 13.2.2.1.1
// and 13.3.1.2.3: a tail launch comes behind both.
// options: -rdc=true -lcudadevrt
#include "../suite.h"

__global__ void child(int *a) {
    *a = 5; // bug: race.child
}
__global__ void after(const int *a, int *out) {
    *out = *a;
}
__global__ void parent(int *a, int *out) {
    child<<<1, 1>>>(a);
#ifdef BUG
    *out = *(volatile int *)a; // with
#else
    after<<<1, 1, 0, cudaStreamTailLaunch>>>(a, out);
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
    return verdict(h == 5);
}
