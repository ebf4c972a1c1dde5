// Kernels compiled by kudzu beside native code and pocl, in one process and on the same number
// of threads. Each figure is the best of several runs; the table's columns are ratios.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "bench.h"

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_));                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// ---- kernels --------------------------------------------------------------------------------

__global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void nbody(const float4 *pos, float4 *acc, int n) {
    __shared__ float4 s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    float4 me = pos[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        s[l] = pos[t + l];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z;
            float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float inv = 1.0f / sqrtf(d2), k = s[j].w * inv * inv * inv;
            ax += dx * k;
            ay += dy * k;
            az += dz * k;
        }
        __syncthreads();
    }
    acc[i] = make_float4(ax, ay, az, 0);
}

__global__ void reduce(const float *x, float *out, int n) {
    __shared__ float s[256];
    int l = threadIdx.x;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + l; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    s[l] = v;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        __syncthreads();
    }
    if (l == 0)
        out[blockIdx.x] = s[0];
}

__global__ void block_reduce(const float *x, float *out) {
    __shared__ float s[256];
    int l = threadIdx.x;
    s[l] = x[blockIdx.x * blockDim.x + l];
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        __syncthreads();
    }
    if (l == 0)
        out[blockIdx.x] = s[0];
}

__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        s[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = s[threadIdx.x][threadIdx.y + k];
}

__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[16][16], sb[16][16];
    int lx = threadIdx.x, ly = threadIdx.y, x = blockIdx.x * 16 + lx, y = blockIdx.y * 16 + ly;
    float acc = 0;
    for (int k = 0; k < n; k += 16) {
        sa[ly][lx] = a[y * n + k + lx];
        sb[ly][lx] = b[(k + ly) * n + x];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            acc += sa[ly][j] * sb[j][lx];
        __syncthreads();
    }
    c[y * n + x] = acc;
}

__global__ void stencil(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[y * w + x] = 0.25f * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] +
                                  in[(y + 1) * w + x]);
}

__global__ void mandelbrot(int *out, int w, int h, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y, n = 0;
    float cr = px * (3.0f / w) - 2.0f, ci = py * (2.0f / h) - 1.0f, zr = 0, zi = 0;
    while (n < limit && zr * zr + zi * zi <= 4.0f) {
        float r = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = r;
        n++;
    }
    out[py * w + px] = n;
}

__global__ void histogram(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned s[256];
    int l = threadIdx.x;
    s[l] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + l; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[l], s[l]);
}

__device__ float cnd(float d) {
    return 0.5f * erfcf(-d * 0.70710678f);
}
__global__ void black_scholes(const float *s, const float *k, const float *t, float *call,
                              float *put) {
    const float r = 0.02f, v = 0.3f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sq = sqrtf(t[i]);
    float d1 = (logf(s[i] / k[i]) + (r + 0.5f * v * v) * t[i]) / (v * sq), d2 = d1 - v * sq;
    float e = k[i] * expf(-r * t[i]);
    call[i] = s[i] * cnd(d1) - e * cnd(d2);
    put[i] = e * cnd(-d2) - s[i] * cnd(-d1);
}

__global__ void nothing() {
}

// ---- measuring ------------------------------------------------------------------------------

static double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// The best time of one of several rounds of the three sides, taken in turn so that a busy moment
// of the machine hits them alike.
struct Row {
    const char *name;
    double work; // bytes or operations of one run, for the last column
    const char *unit;
    std::function<void()> kudzu, native, pocl;
    std::function<double()> error; // largest difference between the sides' results
    double goal_native, goal_pocl; // speed ratios asked for; 0: none
};

static bool have_pocl;

static double once(const std::function<void()> &f) {
    double t = now();
    f();
    return now() - t;
}

static void measure(const Row &r) {
    double best[3] = {1e9, 1e9, 1e9}, spent = 0;
    const std::function<void()> *sides[3] = {&r.kudzu, &r.native, &r.pocl};
    for (int round = 0; round < 40 && (round < 5 || spent < 2.0); round++)
        for (int k = 0; k < 3; k++) {
            if (!*sides[k] || (k == 2 && !have_pocl))
                continue;
            double t = once(*sides[k]);
            spent += t;
            if (round > 0 && t < best[k])
                best[k] = t;
        }
    printf("%-22s %10.3f ms", r.name, best[0] * 1e3);
    printf(r.native ? " %8.2f" : "        -", best[1] / best[0]);
    printf(have_pocl && r.pocl ? " %8.2f" : "        -", best[2] / best[0]);
    printf("  %8.2f %-8s", r.work / best[0] / 1e9, r.unit);
    if (r.error)
        printf(" %9.1e", r.error());
    if (r.goal_native && best[1] / best[0] < r.goal_native)
        printf("  native: below %.2f", r.goal_native);
    if (r.goal_pocl && have_pocl && best[2] / best[0] < r.goal_pocl)
        printf("  pocl: below %.2f", r.goal_pocl);
    printf("\n");
    fflush(stdout);
}

template <typename T> struct Buffer { // the same data on all sides
    std::vector<T> host;
    T *dev = nullptr;
    void *cl = nullptr;
    explicit Buffer(size_t n) : host(n) {
        CHECK(cudaMalloc(&dev, n * sizeof(T)));
        if (have_pocl)
            cl = opencl_alloc(n * sizeof(T));
    }
    ~Buffer() {
        cudaFree(dev);
    }
    void upload() {
        CHECK(cudaMemcpy(dev, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
        if (have_pocl)
            opencl_write(cl, host.data(), host.size() * sizeof(T));
    }
    void random(float low, float high) {
        unsigned s = 12345;
        for (auto &v : host) {
            s = s * 1664525u + 1013904223u;
            v = (T)(low + (high - low) * (s >> 8) / 16777216.0f);
        }
        upload();
    }
    double difference() { // of the device's result from host
        std::vector<T> got(host.size());
        CHECK(cudaMemcpy(got.data(), dev, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
        double worst = 0;
        for (size_t i = 0; i < got.size(); i++) {
            double d =
                std::fabs((double)got[i] - (double)host[i]) / (1.0 + std::fabs((double)host[i]));
            worst = d > worst ? d : worst;
        }
        return worst;
    }
};

static size_t local1[2] = {256, 1}, local32x8[2] = {32, 8}, local16[2] = {16, 16};

#define ARG(x) sizeof(x), &(x)
#define END (size_t)0

static void bench_saxpy() {
    int n = 1 << 24;
    float a = 2.5f;
    Buffer<float> x(n), y(n);
    x.random(-1, 1);
    y.random(-1, 1);
    size_t global[2] = {(size_t)n, 1};
    measure(
        {"saxpy", 12.0 * n, "GB/s",
         [&] {
             saxpy<<<n / 256, 256>>>(a, x.dev, y.dev, n);
             CHECK(cudaDeviceSynchronize());
         },
         [&] { native_saxpy(a, x.host.data(), y.host.data(), n); },
         [&] { opencl_run("saxpy", global, local1, ARG(a), ARG(x.cl), ARG(y.cl), ARG(n), END); },
         nullptr, 0.9, 1});
}

static void bench_nbody() {
    int n = 4096;
    Buffer<float> p(4 * n), acc(4 * n);
    p.random(-1, 1);
    size_t global[2] = {(size_t)n, 1};
    measure({"nbody 4096", 20.0 * n * n, "GFLOP/s",
             [&] {
                 nbody<<<n / 256, 256>>>((float4 *)p.dev, (float4 *)acc.dev, n);
                 CHECK(cudaDeviceSynchronize());
             },
             [&] { native_nbody(p.host.data(), acc.host.data(), n); },
             [&] { opencl_run("nbody", global, local1, ARG(p.cl), ARG(acc.cl), ARG(n), END); },
             [&] { return acc.difference(); }, 1 / 1.5, 1});
}

static void bench_reduce() {
    int n = 1 << 24, blocks = 64;
    Buffer<float> x(n), out(blocks);
    x.random(0, 1);
    static volatile float sink;
    size_t global[2] = {(size_t)blocks * 256, 1};
    measure({"reduction", 4.0 * n, "GB/s",
             [&] {
                 reduce<<<blocks, 256>>>(x.dev, out.dev, n);
                 CHECK(cudaDeviceSynchronize());
             },
             [&] { sink = native_sum(x.host.data(), n); },
             [&] { opencl_run("reduce", global, local1, ARG(x.cl), ARG(out.cl), ARG(n), END); },
             nullptr, 0, 1});
}

static void bench_block_reduce() {
    int n = 1 << 22;
    Buffer<float> x(n), out(n / 256);
    x.random(0, 1);
    size_t global[2] = {(size_t)n, 1};
    measure({"block reduction", 4.0 * n, "GB/s",
             [&] {
                 block_reduce<<<n / 256, 256>>>(x.dev, out.dev);
                 CHECK(cudaDeviceSynchronize());
             },
             nullptr,
             [&] { opencl_run("block_reduce", global, local1, ARG(x.cl), ARG(out.cl), END); },
             nullptr, 0, 5});
}

static void bench_transpose() {
    int n = 2048;
    Buffer<float> in((size_t)n * n), out((size_t)n * n);
    in.random(0, 1);
    size_t global[2] = {(size_t)n, (size_t)n / 4};
    measure(
        {"transpose", 8.0 * n * n, "GB/s",
         [&] {
             transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in.dev, out.dev, n);
             CHECK(cudaDeviceSynchronize());
         },
         [&] { native_transpose(in.host.data(), out.host.data(), n); },
         [&] { opencl_run("transpose", global, local32x8, ARG(in.cl), ARG(out.cl), ARG(n), END); },
         [&] { return out.difference(); }, 0, 1});
}

static void bench_matmul() {
    int n = 512;
    size_t nn = (size_t)n * n, global[2] = {(size_t)n, (size_t)n};
    Buffer<float> a(nn), b(nn), c(nn);
    a.random(-1, 1);
    b.random(-1, 1);
    measure({"matmul 16x16 tiles", 2.0 * n * nn, "GFLOP/s",
             [&] {
                 matmul<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a.dev, b.dev, c.dev, n);
                 CHECK(cudaDeviceSynchronize());
             },
             [&] { native_matmul(a.host.data(), b.host.data(), c.host.data(), n); },
             [&] {
                 opencl_run("matmul", global, local16, ARG(a.cl), ARG(b.cl), ARG(c.cl), ARG(n),
                            END);
             },
             [&] { return c.difference(); }, 0, 1});
}

static void bench_stencil() {
    int w = 2048, h = 2048;
    size_t n = (size_t)w * h, global[2] = {(size_t)w, (size_t)h};
    Buffer<float> in(n), out(n);
    in.random(0, 1);
    out.random(0, 0);
    measure({"stencil", 8.0 * n, "GB/s",
             [&] {
                 stencil<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(in.dev, out.dev, w, h);
                 CHECK(cudaDeviceSynchronize());
             },
             [&] { native_stencil(in.host.data(), out.host.data(), w, h); },
             [&] {
                 opencl_run("stencil", global, local32x8, ARG(in.cl), ARG(out.cl), ARG(w), ARG(h),
                            END);
             },
             [&] { return out.difference(); }, 0, 1});
}

static void bench_mandelbrot() {
    int w = 1024, h = 512, limit = 256;
    size_t n = (size_t)w * h, global[2] = {(size_t)w, (size_t)h};
    Buffer<int> out(n);
    measure({"mandelbrot", (double)n, "Gpixel/s",
             [&] {
                 mandelbrot<<<dim3(w / 256, h), 256>>>(out.dev, w, h, limit);
                 CHECK(cudaDeviceSynchronize());
             },
             [&] { native_mandelbrot(out.host.data(), w, h, limit); },
             [&] {
                 opencl_run("mandelbrot", global, local1, ARG(out.cl), ARG(w), ARG(h), ARG(limit),
                            END);
             },
             nullptr, 0, 1});
}

static void bench_histogram() {
    int n = 1 << 23, blocks = 64;
    Buffer<unsigned char> in(n);
    Buffer<unsigned> bins(256);
    in.random(0, 255.99f);
    size_t global[2] = {(size_t)blocks * 256, 1};
    measure(
        {"histogram", 1.0 * n, "GB/s",
         [&] {
             CHECK(cudaMemset(bins.dev, 0, 1024));
             histogram<<<blocks, 256>>>(in.dev, bins.dev, n);
             CHECK(cudaDeviceSynchronize());
         },
         [&] { native_histogram(in.host.data(), bins.host.data(), n); },
         [&] { opencl_run("histogram", global, local1, ARG(in.cl), ARG(bins.cl), ARG(n), END); },
         [&] { return bins.difference(); }, 0, 1});
}

static void bench_black_scholes() {
    int n = 1 << 20;
    Buffer<float> s(n), k(n), t(n), call(n), put(n);
    s.random(5, 30);
    k.random(1, 100);
    t.random(0.25f, 10);
    size_t global[2] = {(size_t)n, 1};
    measure({"Black-Scholes", (double)n, "Goption/s",
             [&] {
                 black_scholes<<<n / 256, 256>>>(s.dev, k.dev, t.dev, call.dev, put.dev);
                 CHECK(cudaDeviceSynchronize());
             },
             [&] {
                 native_black_scholes(s.host.data(), k.host.data(), t.host.data(), call.host.data(),
                                      put.host.data(), n);
             },
             [&] {
                 opencl_run("black_scholes", global, local1, ARG(s.cl), ARG(k.cl), ARG(t.cl),
                            ARG(call.cl), ARG(put.cl), END);
             },
             [&] { return call.difference(); }, 0, 1});
}

static void bench_latency() {
    nothing<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    double best = 1e9, best_async = 1e9;
    for (int round = 0; round < 50; round++) {
        double t = now();
        for (int i = 0; i < 100; i++) {
            nothing<<<1, 1>>>();
            cudaDeviceSynchronize();
        }
        best = fmin(best, (now() - t) / 100);
        t = now();
        for (int i = 0; i < 100; i++)
            nothing<<<1, 1>>>();
        best_async = fmin(best_async, (now() - t) / 100);
        CHECK(cudaDeviceSynchronize());
    }
    printf("empty launch, then synchronise: %.2f us (asked for: under 8); launch alone: %.2f us\n",
           best * 1e6, best_async * 1e6);
}

int main(int argc, char **argv) {
    have_pocl = opencl_open();
    printf("reference: native C with OpenMP; OpenCL: %s\n",
           have_pocl ? opencl_device() : "no CPU device found");
    printf("%-22s %13s %8s %8s  %17s %9s\n", "kernel", "kudzu", "/native", "/pocl", "throughput",
           "error");
    struct {
        const char *name;
        void (*run)();
    } all[] = {{"saxpy", bench_saxpy},         {"nbody", bench_nbody},
               {"reduce", bench_reduce},       {"block_reduce", bench_block_reduce},
               {"transpose", bench_transpose}, {"matmul", bench_matmul},
               {"stencil", bench_stencil},     {"mandelbrot", bench_mandelbrot},
               {"histogram", bench_histogram}, {"black_scholes", bench_black_scholes}};
    for (auto &b : all)
        if (argc < 2 || !strcmp(argv[1], b.name))
            b.run();
    bench_latency();
    printf("/native, /pocl: how many times as fast as they; error: largest relative difference "
           "from native\n");
    return 0;
}
