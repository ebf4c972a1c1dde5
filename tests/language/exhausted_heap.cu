// Allocations that the device's heap has no room for are NULL (10.36), also where the program looks at nothing else.
#include "check.h"

__global__ void too_much(int *null) {
    const size_t terabyte = (size_t)1 << 40;
    void *p = malloc(terabyte);
    null[0] = p == nullptr;
    free(p);
    char *array = new char[terabyte];
    null[1] = array == nullptr;
    delete[] array;
    void *raw = ::operator new(terabyte);
    null[2] = raw == nullptr;
    ::operator delete(raw);
    int count = 0;
    for (int i = 0; i < 100; i++) {
        void *each = malloc((size_t)1 << (60 - i % 20));
        count += !each;
        free(each);
    }
    null[3] = count;
}

int main() {
    int *null = shared_array<int>(4);
    too_much<<<1, 1>>>(null);
    CUDA(cudaDeviceSynchronize());
    CHECK(null[0] == 1 && null[1] == 1 && null[2] == 1 && null[3] == 100);
    return failures != 0;
}
