// The forms of cuRAND's device functions that give two or four numbers, doubles, and log-normal
// ones: the numbers of a generator from which the same is worked out in plain double, and their
// moments.
#include <cmath>
#include <curand_kernel.h>

#include "check.h"

constexpr int threads = 256, each = 400, kinds = 16;

struct moments {
    double sum[kinds], square[kinds];
    unsigned long long count[kinds];
};

__device__ void note(moments *m, int kind, double x) {
    atomicAdd(&m->sum[kind], x);
    atomicAdd(&m->square[kind], x * x);
    atomicAdd(&m->count[kind], 1ull);
}

__device__ void note2(moments *m, int kind, double x, double y) {
    note(m, kind, x);
    note(m, kind, y);
}

template <class Four> __device__ void note4(moments *m, int kind, Four v) {
    note2(m, kind, v.x, v.y);
    note2(m, kind, v.z, v.w);
}

__global__ void draw(moments *m) {
    curandStateXORWOW_t x;
    curandStatePhilox4_32_10_t p;
    curandStateMRG32k3a_t g;
    curand_init(77, threadIdx.x, 0, &x);
    curand_init(78, threadIdx.x, 0, &p);
    curand_init(79, threadIdx.x, 0, &g);
    for (int i = 0; i < each; i++) {
        float2 a = curand_normal2(&x);
        note2(m, 0, a.x, a.y);
        double2 b = curand_normal2_double(&g);
        note2(m, 1, b.x, b.y);
        note4(m, 2, curand_normal4(&p));
        note4(m, 3, curand_normal4_double(&p));
        a = curand_log_normal2(&g, 0.25f, 0.5f);
        note2(m, 4, a.x, a.y);
        b = curand_log_normal2_double(&x, 0.25, 0.5);
        note2(m, 5, b.x, b.y);
        note4(m, 6, curand_log_normal4(&p, 0.25f, 0.5f));
        note4(m, 7, curand_log_normal4_double(&p, 0.25, 0.5));
        note(m, 8, curand_log_normal_double(&x, 0.25, 0.5));
        note(m, 9, curand_log_normal(&p, 0.25f, 0.5f));
        b = curand_uniform2_double(&p);
        note2(m, 10, b.x, b.y);
        note4(m, 11, curand_uniform4_double(&p));
        note4(m, 12, curand_uniform4(&p));
        note4(m, 13, curand_poisson4(&p, 7.5));
        note4(m, 14, curand_poisson4(&p, 300));
        note(m, 15, curand_poisson(&g, 7.5));
    }
}

static void check_moments() {
    static const struct {
        double mean, variance;
    } normal = {0, 1}, uniform = {0.5, 1.0 / 12}, few = {7.5, 7.5}, many = {300, 300};
    const double size = exp(0.25 + 0.125), spread = (exp(0.25) - 1) * size * size;
    moments *m = shared_array<moments>(1);
    draw<<<1, threads>>>(m);
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < kinds; k++) {
        double n = (double)m->count[k], mean = m->sum[k] / n,
               variance = m->square[k] / n - mean * mean;
        auto e = k < 4     ? normal
                 : k < 10  ? decltype(normal){size, spread}
                 : k < 13  ? uniform
                 : k == 14 ? many
                           : few;
        bool good = fabs(mean - e.mean) < 6 * sqrt(e.variance / n) &&
                    fabs(variance / e.variance - 1) < 60 / sqrt(n);
        if (!good && failures++ < 20)
            printf("kind %d: mean %g, variance %g\n", k, mean, variance);
    }
}

struct pairs {
    float2 normal, log_normal;
    double2 normal_double, log_normal_double;
    unsigned int words[2];
    double uniforms[4];
};

__global__ void twice(pairs *out) {
    curandStateXORWOW_t state, copy;
    pairs *p = out + threadIdx.x;
    curand_init(5, threadIdx.x, 0, &state);
    copy = state;
    p->normal = curand_normal2(&state);
    p->words[0] = curand(&copy);
    p->words[1] = curand(&copy);
    p->normal_double = curand_normal2_double(&state);
    p->uniforms[0] = curand_uniform_double(&copy);
    p->uniforms[1] = curand_uniform_double(&copy);
    p->log_normal = curand_log_normal2(&state, 1.5f, 0.25f);
    p->log_normal_double = curand_log_normal2_double(&state, -1, 2);
    float2 n = curand_normal2(&copy);
    double2 d = curand_normal2_double(&copy);
    p->uniforms[2] = n.y;
    p->uniforms[3] = d.x;
}

static bool near(double a, double b, double bound) {
    return fabs(a - b) <= bound * (fabs(b) + 1e-3);
}

static void check_pairs() {
    const double pi = acos(-1.0);
    pairs *p = shared_array<pairs>(threads);
    twice<<<1, threads>>>(p);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < threads; i++) {
        double u = p[i].words[0] * 0x1p-32 + 0x1p-33,
               v = (p[i].words[1] * 0x1p-32 + 0x1p-33) * 2 * pi;
        double s = sqrt(-2 * log(u));
        CHECK(near(p[i].normal.x, s * sin(v), 1e-3) && near(p[i].normal.y, s * cos(v), 1e-3));
        s = sqrt(-2 * log(p[i].uniforms[0]));
        v = p[i].uniforms[1] * 2 * pi;
        CHECK(near(p[i].normal_double.x, s * sin(v), 1e-12) &&
              near(p[i].normal_double.y, s * cos(v), 1e-12));
        CHECK(near(p[i].log_normal.y, exp(1.5 + 0.25 * p[i].uniforms[2]), 1e-5));
        CHECK(near(p[i].log_normal_double.x, exp(-1 + 2 * p[i].uniforms[3]), 1e-12));
    }
}

int main() {
    check_moments();
    check_pairs();
    return failures != 0;
}
