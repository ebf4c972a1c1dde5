// A kernel prints a string of the host's. Guide, 10.35: %s takes a pointer that the device can
// read.
#include "../suite.h"

__global__ void tell(const char *text) {
    printf("%s\n", text); // bug: memory.access
}

int main() {
    static char words[] = "words";
    char *text;
    OK(cudaMalloc(&text, sizeof words));
    OK(cudaMemcpy(text, words, sizeof words, cudaMemcpyHostToDevice));
#ifdef BUG
    tell<<<1, 1>>>(words);
    cudaDeviceSynchronize();
#else
    tell<<<1, 1>>>(text);
    OK(cudaDeviceSynchronize());
#endif
    cudaFree(text);
    return verdict(true);
}
