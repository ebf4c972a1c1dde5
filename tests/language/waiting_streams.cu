// A kernel waits for one in another stream while the host waits for its own stream (7, 20.6.2): whoever
// runs the first has to let the second begin, with one worker as well.
#include "check.h"

__global__ void wait_for(volatile int *flag) {
    while (*flag == 0) {
    }
}
__global__ void set(volatile int *flag) {
    *flag = 1;
}

int main() {
    const int rounds = 200;
    int *flags = shared_array<int>(rounds);
    cudaStream_t first, second;
    CUDA(cudaStreamCreate(&first));
    CUDA(cudaStreamCreate(&second));
    for (int round = 0; round < rounds; round++) {
        wait_for<<<1, 1, 0, first>>>(flags + round);
        set<<<1, 1, 0, second>>>(flags + round);
        CUDA(cudaStreamSynchronize(first));
    }
    CUDA(cudaDeviceSynchronize());
    for (int round = 0; round < rounds; round++)
        CHECK(flags[round] == 1);
    return failures != 0;
}
