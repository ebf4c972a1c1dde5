// A kernel reads by a texture object that has been destroyed. Guide, 6.2.14.1.
#include "../suite.h"

__global__ void read(cudaTextureObject_t t, int *out) {
    out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x); // bug: memory.texture
}

int main() {
    int *a, *out, h[32];
    for (int i = 0; i < 32; ++i)
        h[i] = i;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = a;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = sizeof h;
    cudaTextureDesc description = {};
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
#ifdef BUG
    OK(cudaDestroyTextureObject(t));
    read<<<1, 32>>>(t, out);
    cudaDeviceSynchronize();
    return verdict(true);
#else
    read<<<1, 32>>>(t, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaDestroyTextureObject(t));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h[31] == 31);
#endif
}
