// Constant functions of the other side (18.8, -expt-relaxed-constexpr): in constants, with
// arguments that only the run knows, as members, constructors, operators, conversions, templates,
// by address.
#include <limits>

#include "check.h"

#if !defined(__CUDACC_RELAXED_CONSTEXPR__)
#error "-expt-relaxed-constexpr defines it"
#endif

constexpr __host__ int after(int x) {
    return x + 1;
}
__host__ constexpr static inline int four() {
    return 4;
}
constexpr int plain(int x) {
    return x * 3;
}
constexpr __device__ int before(int x) {
    return x - 1;
}
#define FAST_CONSTANT constexpr __host__
FAST_CONSTANT int by_macro(int x) {
    return x ^ 21;
}
constexpr __host__ long factorial(int n); // defined below
__device__ long on_device(int n) {
    return factorial(n);
}
constexpr __host__ long factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}
template <class T> constexpr __host__ T twice(T x) {
    return x + x;
}

struct complex {
    constexpr __host__ complex(int re, int im = 0) : re(re), im(im) {
    }
    constexpr __host__ complex operator*(complex o) const {
        return {re * o.re - im * o.im, re * o.im + im * o.re};
    }
    constexpr __host__ operator int() const {
        return re;
    }
    constexpr __host__ int norm() const;
    static constexpr __host__ complex i() {
        return {0, 1};
    }
    int re, im;
};
constexpr __host__ int complex::norm() const {
    return re * re + im * im;
}

// The device's, used by the host.
struct fraction {
    constexpr __device__ fraction(int a, int b) : a(a), b(b) {
    }
    constexpr __device__ bool operator<(fraction o) const {
        return a * o.b < o.a * b;
    }
    int a, b;
};

// Called by neither side's kernel: variables of the host may stay in it.
int counter;
constexpr __host__ int *place(bool first) {
    return first ? &counter : nullptr;
}

__global__ void use(int *out, int n) {
    constexpr int six = after(5);
    static_assert(six == 6 && before(six) == 5 && twice(2.5) == 5, "");
    __shared__ int shared[four()];
    complex z(n, 1);
    int (*f)(int) = after;
    shared[threadIdx.x & 3] = plain(n);
    out[0] = six;
    out[1] = after(n);
    out[2] = shared[0];
    out[3] = by_macro(n);
    out[4] = (int)on_device(n);
    out[5] = twice(n);
    out[6] = (z * complex::i()).re;
    out[7] = z.norm();
    out[8] = z;
    out[9] = f(n + 10);
    out[10] = std::numeric_limits<short>::max() + sizeof shared;
    out[11] = before(n);
}

int main(int argc, char **argv) {
    int *out, n = 6 + (argc > 1);
    cudaMallocManaged(&out, 12 * sizeof *out);
    use<<<1, 1>>>(out, n);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    const int expected[] = {6, 7, 18, 19, 720, 12, -1, 37, 6, 17, 32767 + 16, 5};
    for (int i = 0; i < 12; i++)
        CHECK(out[i] == expected[i]);

    constexpr int three = before(4);
    static_assert(fraction(1, 3) < fraction(1, 2), "");
    CHECK(three == 3 && before(n) == 5 && place(true) == &counter);
    CHECK(fraction(n, 7) < fraction(7, n) && !(fraction(n, 3) < fraction(2, 1)));
    return failures != 0;
}
