// A texture object is never destroyed. Guide, 6.2.14.1.1.
// check: --leak-check full
#include "../suite.h"

int main() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &format, 16, 16));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &resource, &description, nullptr)); // bug: api.leak
    OK(cudaDeviceSynchronize());
#ifndef BUG
    OK(cudaDestroyTextureObject(t));
#endif
    OK(cudaFreeArray(array));
    return verdict(true);
}
