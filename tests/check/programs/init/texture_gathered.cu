// Of four texels that are gathered at once (tex2Dgather) two lie in the row behind the last one
// that was copied. Guide, 6.2.14 and 10.8.1.7: x and y are those below, z and w those above.
#include "../suite.h"

__global__ void count(cudaTextureObject_t t, int *out) {
    float4 four = tex2Dgather<float4>(t, threadIdx.x + 1.0f, 3, 1);
    if (four.z != 3 || four.w != 3)
        atomicAdd(out, 1);
#ifdef BUG
    if (four.y == 3) // bug: init.texture
        atomicAdd(out, 1);
#endif
}

int main() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
    cudaArray_t array;
    float h[3][64];
    int *out, n;
    for (auto &row : h)
        for (float &v : row)
            v = 3;
    OK(cudaMallocArray(&array, &format, 32, 4, cudaArrayTextureGather));
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
    count<<<1, 31>>>(t, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&n, out, sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(array));
    OK(cudaFree(out));
#ifdef BUG
    return verdict(true);
#else
    return verdict(n == 0);
#endif
}
