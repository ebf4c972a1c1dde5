// Launches of little work, and blocks of uneven work, beside the same loops in OpenMP: what threads
// cost that have to be told of work and to meet again. Microseconds; the least of several averages.
//
//   kudzu cc -O2 -Xcompiler -fopenmp small_launches.cu -o small_launches && ./small_launches
#include <chrono>
#include <cstdio>
#include <omp.h>
#include <thread>

__global__ void nothing() {
}

__global__ void axpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

__global__ void relax(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        to[i] = 0.25f * from[i - 1] + 0.5f * from[i] + 0.25f * from[i + 1];
}

// Blocks below `heavy` have as much work as a hundred others.
__global__ void uneven(float *out, int heavy, int work) {
    float x = threadIdx.x;
    int n = (int)blockIdx.x < heavy ? 100 * work : work;
    for (int k = 0; k < n; k++)
        x = x * 1.0001f + 0.5f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

static double now_us() {
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

template <typename Body> static double least(int n, Body body) {
    double best = 1e30;
    // Threads of the other side spin for some time behind their last loop.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    for (int round = 0; round < 20; round++) {
        double begin = now_us();
        for (int i = 0; i < n; i++)
            body();
        cudaDeviceSynchronize();
        double us = (now_us() - begin) / n;
        best = us < best ? us : best;
    }
    return best;
}

static void row(const char *name, double kudzu, double openmp) {
    std::printf("%-44s %9.2f us, OpenMP %9.2f us, ratio %.2f\n", name, kudzu, openmp,
                openmp / kudzu);
}

int main() {
    enum { SMALL = 4096, MEDIUM = 1 << 16, UNEVEN = 1024 };
    float *x, *y;
    cudaMallocManaged(&x, sizeof(float) * MEDIUM * 4);
    cudaMallocManaged(&y, sizeof(float) * MEDIUM * 4);
    for (int i = 0; i < MEDIUM * 4; i++)
        x[i] = y[i] = 1;
    cudaDeviceSynchronize();
    std::printf("threads: %d\n", omp_get_max_threads());

    row("empty, 16 blocks, one after the other", least(1000, [] { nothing<<<16, 256>>>(); }),
        least(1000, [] {
#pragma omp parallel for schedule(static)
            for (int b = 0; b < 16; b++)
                asm volatile("" : : "r"(b) : "memory");
        }));
    row("empty, 16 blocks, waited for",
        least(500,
              [] {
                  nothing<<<16, 256>>>();
                  cudaDeviceSynchronize();
              }),
        least(500, [] {
#pragma omp parallel for schedule(static)
            for (int b = 0; b < 16; b++)
                asm volatile("" : : "r"(b) : "memory");
        }));
    for (int n : {(int)SMALL, 4 * SMALL, (int)MEDIUM}) {
        char name[64];
        std::snprintf(name, sizeof name, "y += a x, %d elements", n);
        row(name, least(500, [=] { axpy<<<n / 256, 256>>>(1e-9f, x, y, n); }), least(500, [=] {
#pragma omp parallel for simd schedule(static)
                for (int i = 0; i < n; i++)
                    y[i] += 1e-9f * x[i];
            }));
    }
    for (int n : {(int)SMALL, (int)MEDIUM}) {
        char name[64];
        std::snprintf(name, sizeof name, "solver of 2 kernels a step, %d elements", n);
        row(name,
            least(300,
                  [=] {
                      relax<<<n / 256, 256>>>(x, y, n);
                      relax<<<n / 256, 256>>>(y, x, n);
                  }),
            least(300, [=] {
#pragma omp parallel for simd schedule(static)
                for (int i = 1; i < n - 1; i++)
                    y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
#pragma omp parallel for simd schedule(static)
                for (int i = 1; i < n - 1; i++)
                    x[i] = 0.25f * y[i - 1] + 0.5f * y[i] + 0.25f * y[i + 1];
            }));
    }
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    for (int k = 0; k < 20; k++)
        relax<<<SMALL / 256, 256, 0, s>>>(k % 2 ? y : x, k % 2 ? x : y, SMALL);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    row("graph of 20 such kernels, 4096 elements", least(50, [=] { cudaGraphLaunch(exec, s); }),
        least(50, [=] {
            for (int k = 0; k < 20; k++) {
                float *from = k % 2 ? y : x, *to = k % 2 ? x : y;
#pragma omp parallel for simd schedule(static)
                for (int i = 1; i < SMALL - 1; i++)
                    to[i] = 0.25f * from[i - 1] + 0.5f * from[i] + 0.25f * from[i + 1];
            }
        }));
    for (int heavy : {0, 16, 64}) {
        char name[64];
        std::snprintf(name, sizeof name, "1024 blocks, the first %d heavy", heavy);
        row(name, least(3, [=] { uneven<<<UNEVEN, 256>>>(y, heavy, 40); }), least(3, [=] {
#pragma omp parallel for schedule(dynamic)
                for (int b = 0; b < UNEVEN; b++) {
                    int n = b < heavy ? 4000 : 40;
                    for (int t = 0; t < 256; t += 16) {
                        float v[16];
                        for (int l = 0; l < 16; l++)
                            v[l] = t + l;
                        for (int k = 0; k < n; k++)
                            for (int l = 0; l < 16; l++)
                                v[l] = v[l] * 1.0001f + 0.5f;
                        for (int l = 0; l < 16; l++)
                            y[b * 256 + t + l] = v[l];
                    }
                }
            }));
    }
    return 0;
}
