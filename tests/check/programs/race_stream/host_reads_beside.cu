// The host reads words of a page that the kernel only reads as well, which it may, and then the one
// that the kernel writes. Guide, 24.1.2.2 and 6.2.8.1: a launch returns before the kernel has ended.
#include "../suite.h"

struct Sum {
    int values[31];
    int sum;
};

__global__ void add(Sum *s) {
    int sum = 0;
    for (int i = 0; i < 31; ++i)
        sum += s->values[i];
    s->sum = sum; // bug: race.host
}

int main() {
    Sum *s;
    OK(cudaMallocManaged((void **)&s, sizeof *s));
    for (int i = 0; i < 31; ++i)
        s->values[i] = i;
    s->sum = 0;
    add<<<1, 1>>>(s);
    OK(cudaGetLastError());
    int sum = 0;
    for (int i = 0; i < 31; ++i)
        sum += *(volatile int *)&s->values[i];
#ifndef BUG
    OK(cudaDeviceSynchronize());
#endif
    int last = s->sum; // with
    OK(cudaDeviceSynchronize());
    OK(cudaFree(s));
    return verdict(last == sum);
}
