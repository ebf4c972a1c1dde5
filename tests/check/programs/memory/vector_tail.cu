// Four elements are loaded at once though their number is no multiple of four. Guide, 6.2.3.
#include "../suite.h"

__global__ void twice(const float4 *a, float4 *b, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        float4 x = a[i];                                        // bug: memory.global
        b[i] = make_float4(2 * x.x, 2 * x.y, 2 * x.z, 2 * x.w); // or
    }
}

int main() {
    enum { N = 102 };
    float *a, *b, h[N];
    for (int i = 0; i < N; i++)
        h[i] = (float)i;
#ifdef BUG
    size_t room = N * sizeof(float);
#else
    size_t room = (N + 3) / 4 * sizeof(float4);
#endif
    OK(cudaMalloc(&a, room));
    OK(cudaMalloc(&b, room));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    twice<<<1, 32>>>((const float4 *)a, (float4 *)b, (N + 3) / 4);
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[101] == 202);
}
