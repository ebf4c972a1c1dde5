// A copy of one stream fills an array that a texture of a kernel in another stream reads.
// Guide, 6.2.8.5.
#include "../suite.h"

__global__ void fetch(cudaTextureObject_t t, float *out) {
    out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 0.5f); // bug: race.stream
}

int main() {
    float a[64], h[64], *out;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaTextureObject_t t;
    cudaStream_t s[2];
    for (int i = 0; i < 64; i++)
        a[i] = (float)i;
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMallocArray(&array, &d, 64, 0, 0));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureDesc td = {};
    OK(cudaCreateTextureObject(&t, &r, &td, nullptr));
    OK(cudaMemcpy2DToArray(array, 0, 0, a, sizeof a, sizeof a, 1, cudaMemcpyHostToDevice));
    for (int k = 0; k < 2; k++)
        OK(cudaStreamCreateWithFlags(&s[k], cudaStreamNonBlocking));
    OK(cudaMemcpy2DToArrayAsync(array, 0, 0, a, sizeof a, sizeof a, 1, cudaMemcpyHostToDevice,
                                s[0])); // with
#ifndef BUG
    OK(cudaStreamSynchronize(s[0]));
#endif
    fetch<<<1, 64, 0, s[1]>>>(t, out);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(array));
    for (int k = 0; k < 2; k++)
        OK(cudaStreamDestroy(s[k]));
    OK(cudaFree(out));
    return verdict(h[9] == 9);
}
