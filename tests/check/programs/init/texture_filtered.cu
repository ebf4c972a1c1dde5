// A filtered texture mixes the last row that was copied with the one behind it. Guide, 6.2.14:
// linear filtering takes the texels around the place, weighed by how near they are.
#include "../suite.h"

__global__ void count(cudaTextureObject_t t, float y, int *out) {
    if (tex2D<float>(t, threadIdx.x + 0.5f, y) == 3) // bug: init.texture
        atomicAdd(out, 1);
}

int main() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    float h[3][32];
    int *out, n;
    for (auto &row : h)
        for (float &v : row)
            v = 3;
    OK(cudaMallocArray(&array, &format, 32, 4));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
    OK(cudaMemcpy2DToArray(array, 0, 0, h, sizeof h[0], sizeof h[0], 3, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
    count<<<1, 32>>>(t, 1.75f, out);
#ifdef BUG
    count<<<1, 32>>>(t, 2.75f, out);
#else
    count<<<1, 32>>>(t, 2.5f, out); // the row alone
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(&n, out, sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(array));
    OK(cudaFree(out));
#ifdef BUG
    return verdict(true);
#else
    return verdict(n == 64);
#endif
}
