// A texture reads a CUDA array of which a row was not copied. Guide, 6.2.14.3.
#include "../suite.h"

__global__ void count(cudaTextureObject_t t, int *out) {
    for (int y = 0; y < 4; ++y)
        if (tex2D<int>(t, threadIdx.x, y) == 3) // bug: init.texture
            atomicAdd(out, 1);
}

int main() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    int h[4][32], *out;
    for (auto &row : h)
        for (int &v : row)
            v = 3;
    OK(cudaMallocArray(&array, &format, 32, 4));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
#ifdef BUG
    OK(cudaMemcpy2DToArray(array, 0, 0, h, sizeof h[0], sizeof h[0], 3, cudaMemcpyHostToDevice));
#else
    OK(cudaMemcpy2DToArray(array, 0, 0, h, sizeof h[0], sizeof h[0], 4, cudaMemcpyHostToDevice));
#endif
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
    count<<<1, 32>>>(t, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h[0][0], out, sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(array));
    OK(cudaFree(out));
    return verdict(h[0][0] == 128);
}
