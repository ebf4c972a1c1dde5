// A program whose launches `kudzu explain` is to find.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void twice(float *x) {
    x[threadIdx.x] *= 2;
}

__global__ void tile(float *x, int pitch) {
    x[threadIdx.y * pitch + threadIdx.x] += 1;
}

__global__ void never(float *x) {
    x[threadIdx.x] = 0;
}

int main(int argc, char **argv) {
    float *x;
    cudaMalloc(&x, 1 << 20);
    if (!strcmp(argv[1], "nothing"))
        return 0;
    twice<<<1, 128>>>(x);
    twice<<<1, 64>>>(x);
    cudaDeviceSynchronize();
    if (!strcmp(argv[1], "fault"))
        abort();
    if (!strcmp(argv[1], "endless"))
        for (;;)
            ;
    tile<<<1, dim3(atoi(argv[1]), 16)>>>(x, 64);
    cudaDeviceSynchronize();
    printf("%s wide\n", argv[1]);
    return argc > 2 ? atoi(argv[2]) : 0;
}
