// cudaDeviceReset after kernels that failed: the device is as new, variables have their first values, and managed
// variables are reachable. Guide: 6.2.1 Initialization, 6.2.12 Error Checking, 10.32 Assertion
// NVIDIA's driver gives the process no context any more once a kernel has failed; what remains there is that the runtime
// says cudaErrorDevicesUnavailable, and that the reset itself is no error.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <thread>

#define TEST "reset_after_faults"
__device__ int variable = 5;
__constant__ int constant = 3;
__managed__ int managed = 7;
static int bad;
#define CHECK(c) do { if (!(c)) { bad++; fprintf(stderr, TEST ":%d: not true: %s\n", __LINE__, #c); } } while (0)
#define OK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { bad++; \
    fprintf(stderr, TEST ":%d: %s gave %s\n", __LINE__, #call, cudaGetErrorName(e_)); } } while (0)

__global__ void count(int *out) { out[0] = ++variable; out[1] = ++managed; out[2] = constant; }
__global__ void fails(int how, int *wild) {
    if (how == 1) assert(how != 1);
    if (how == 2) wild[threadIdx.x] = 1;
    if (how == 3) __trap();
}
static const cudaError_t answers[] = {cudaSuccess, cudaErrorAssert, cudaErrorIllegalAddress, cudaErrorLaunchFailure};

// Everything works and nothing is left of the rounds before. False: the device is not to be had any more.
static bool works() {
    int *d, h[3] = {0, 0, 0};
    cudaError_t e = cudaMalloc(&d, sizeof h);
    if (e == cudaErrorDevicesUnavailable) return false;
    OK(e);
    count<<<1, 1>>>(d);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 6 && h[1] == 8 && h[2] == 3);
    CHECK(managed == 8);
    size_t size = 0;
    OK(cudaGetSymbolSize(&size, managed));
    CHECK(size == sizeof managed);
    return true;
}

int main() {
    for (int round = 0; round < 8; ++round) {
        if (!works()) break;
        int how = round % 4;
        fails<<<1, 4>>>(how, nullptr);
        OK(cudaGetLastError());
        cudaError_t e = cudaDeviceSynchronize();
        CHECK(e == answers[how] || (how == 3 && e == cudaErrorIllegalInstruction));
        int *p;
        CHECK(cudaMalloc(&p, 4) == e);
        CHECK(cudaGetLastError() == e);
        if (how == 0) managed = 7; // NVIDIA's driver keeps what managed variables hold
        if (round >= 4) { // the other thread resets; this one finds the device as new
            std::thread([=] {
                int *q;
                CHECK(cudaMalloc(&q, 4) == e);
                (void)cudaGetLastError();
                OK(cudaDeviceReset());
                OK(cudaGetLastError());
            }).join();
        } else {
            OK(cudaDeviceReset());
        }
        OK(cudaGetLastError());
    }
    OK(cudaDeviceReset());
    OK(cudaDeviceReset());
    if (bad) printf("FAIL " TEST ": %d checks\n", bad);
    else printf("PASS " TEST "\n");
    return bad != 0;
}
