// An allocation that cannot succeed is not looked at. Guide, 6.2.12.
#include "../suite.h"

int main() {
    void *a = nullptr;
#ifdef BUG
    cudaMalloc(&a, ~(size_t)0 / 4); // bug: api.ignored
#else
    if (cudaMalloc(&a, ~(size_t)0 / 4) != cudaSuccess)
        a = nullptr, cudaGetLastError();
#endif
    return verdict(a == nullptr);
}
