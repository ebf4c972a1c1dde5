// A texture reads what a surface function of the same launch writes. Guide, 6.2.14.4: undefined
// within one kernel call.
#include "../suite.h"

__global__ void write(cudaSurfaceObject_t s) {
    surf2Dwrite<int>(threadIdx.x, s, threadIdx.x * sizeof(int), 0);
}

__global__ void write_and_read(cudaSurfaceObject_t s, cudaTextureObject_t t, int *out) {
    surf2Dwrite<int>(threadIdx.x, s, threadIdx.x * sizeof(int), 0); // bug: race.texture
    __syncthreads();
    out[threadIdx.x] = tex2D<int>(t, 31 - threadIdx.x, 0); // with
}

__global__ void read(cudaTextureObject_t t, int *out) {
    out[threadIdx.x] = tex2D<int>(t, 31 - threadIdx.x, 0);
}

int main() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    int *out, h[32];
    OK(cudaMallocArray(&array, &format, 32, 1, cudaArraySurfaceLoadStore));
    OK(cudaMalloc(&out, sizeof h));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    OK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
    OK(cudaCreateSurfaceObject(&s, &resource));
#ifdef BUG
    write_and_read<<<1, 32>>>(s, t, out);
#else
    write<<<1, 32>>>(s);
    read<<<1, 32>>>(t, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaDestroyTextureObject(t));
    OK(cudaDestroySurfaceObject(s));
    OK(cudaFreeArray(array));
    OK(cudaFree(out));
    return verdict(h[0] == 31);
}
