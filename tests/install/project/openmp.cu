// Host threads of OpenMP, each of which launches a kernel.
#include <cstdio>
#include <omp.h>

__global__ void add(int *sum, int value) { atomicAdd(sum, value); }

int main() {
    int *sum, threads = 0;
    cudaMallocManaged(&sum, sizeof *sum);
#pragma omp parallel num_threads(3) reduction(+ : threads)
    {
        threads = omp_get_num_threads() == 3;
        add<<<1, 10>>>(sum, omp_get_thread_num() + 1);
    }
    if (cudaDeviceSynchronize() || threads != 3 || *sum != 60) {
        printf("FAILED: %d threads, sum %d\n", threads, *sum);
        return 1;
    }
    puts("checked");
}
