// Kernels timed on a GPU, one executable a compiler: beside.sh compiles them with two and compares.
//
// A program's main is a list of lines as
//     measure("name", out, [&] { kernel<<<grid, block>>>(in, out); });
// and each prints a name, the microseconds of one launch and a sum over the result, by which the
// compilers' results are compared.
#ifndef KUDZU_BENCH_GPU_H
#define KUDZU_BENCH_GPU_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_));                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// A fixed sequence of numbers below 2^32.
inline uint32_t next_random() {
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    uint32_t x = state;
    x = (x ^ x >> 16) * 0x7feb352du;
    return (x ^ x >> 15) * 0x846ca68bu ^ x >> 16;
}

template <class T> T random_value() {
    if constexpr (sizeof(T) == 8)
        return (T)((uint64_t)next_random() << 32 | next_random());
    else
        return (T)next_random();
}
template <> inline float random_value<float>() {
    return (float)(next_random() >> 8) / 16777216.0f - 0.5f;
}
template <> inline float4 random_value<float4>() {
    float x = random_value<float>(), y = random_value<float>(), z = random_value<float>();
    return make_float4(x, y, z, random_value<float>());
}
template <> inline uchar4 random_value<uchar4>() {
    uint32_t v = next_random();
    return make_uchar4(v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24);
}

// Device memory with a host's copy of what it held at first.
template <class T> struct Buffer {
    size_t size;
    T *dev = nullptr;
    std::vector<T> host;

    explicit Buffer(size_t n) : size(n), host(n) {
        for (T &v : host)
            v = random_value<T>();
        CHECK(cudaMalloc(&dev, n * sizeof(T)));
        upload();
    }
    ~Buffer() {
        cudaFree(dev);
    }
    Buffer(const Buffer &) = delete;
    void upload() {
        CHECK(cudaMemcpy(dev, host.data(), size * sizeof(T), cudaMemcpyHostToDevice));
    }
};

inline double number(float v) {
    return v;
}
inline double number(float4 v) {
    return v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}
inline double number(uchar4 v) {
    return v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}
inline double number(uint32_t v) {
    return v;
}
inline double number(int v) {
    return v;
}
inline double number(uint64_t v) {
    return (double)(v >> 32) + (double)(v & 0xffffffff) / 3;
}

template <class T> double sum_of(const Buffer<T> &b) {
    std::vector<T> got(b.size);
    CHECK(cudaMemcpy(got.data(), b.dev, b.size * sizeof(T), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (size_t i = 0; i < b.size; i++)
        sum += std::fabs(number(got[i])) * (double)(i % 17 + 1);
    return sum;
}

// The best of several stretches, each of so many launches that it lasts some milliseconds.
template <class T, class F> void measure(const char *name, Buffer<T> &out, F launch) {
    out.upload();
    launch();
    CHECK(cudaDeviceSynchronize());
    double sum = sum_of(out);
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    float best = 1e30f, ms = 0;
    int times = 1;
    for (int k = 0; k < 9; k++) {
        CHECK(cudaEventRecord(start));
        for (int i = 0; i < times; i++)
            launch();
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        ms /= times;
        if (ms < best)
            best = ms;
        if (k == 0)
            times = ms > 4 ? 1 : (int)(4 / ms) + 1;
    }
    CHECK(cudaGetLastError());
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    printf("%s\t%.3f\t%.9g\n", name, best * 1000, sum);
    fflush(stdout);
}

#endif
