// A row below the surface with the boundary mode that traps. Guide, 10.9: out-of-range accesses
// make the kernel fail.
#include "../suite.h"

__global__ void write(cudaSurfaceObject_t s, int rows) {
    int x = threadIdx.x * sizeof(int);
    for (int y = 0; y < rows; ++y)
        surf2Dwrite<int>(y, s, x, y, cudaBoundaryModeTrap); // bug: memory.surface
}

int main() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    int h[4][16];
    OK(cudaMallocArray(&array, &format, 16, 4, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t s;
    OK(cudaCreateSurfaceObject(&s, &resource));
#ifdef BUG
    write<<<1, 16>>>(s, 5);
#else
    write<<<1, 16>>>(s, 4);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy2DFromArray(h, sizeof h[0], array, 0, 0, sizeof h[0], 4, cudaMemcpyDeviceToHost));
    OK(cudaDestroySurfaceObject(s));
    OK(cudaFreeArray(array));
    return verdict(h[3][15] == 3);
}
