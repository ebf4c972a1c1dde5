// For kudzu check: without an argument lines 6 and 9 race, there is no barrier between them.
#include <cstdio>

__global__ void reverse(int *data, bool barrier) {
    __shared__ int copy[128];
    copy[threadIdx.x] = data[threadIdx.x];
    if (barrier)
        __syncthreads();
    data[threadIdx.x] = copy[127 - threadIdx.x];
}

int main(int argc, char **) {
    int host[128], *data;
    for (int i = 0; i < 128; i++)
        host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, 128>>>(data, argc > 1);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d %d: %s\n", host[0], host[127], cudaGetErrorString(cudaGetLastError()));
    return cudaFree(data) != cudaSuccess;
}
