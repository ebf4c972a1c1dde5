// Arithmetic modulo numbers of 32 and 64 bits, on products of 64 and 128 bits.
#include "gpu.h"

typedef unsigned __int128 uint128;

// ---- Remainders of products ------------------------------------------------------------------

__device__ uint32_t power32(uint32_t base, uint32_t exponent, uint32_t m) {
    uint64_t result = 1, b = base % m;
    while (exponent) {
        if (exponent & 1)
            result = result * b % m;
        b = b * b % m;
        exponent >>= 1;
    }
    return (uint32_t)result;
}

__global__ void powers32(const uint32_t *base, const uint32_t *exponent, const uint32_t *m,
                         uint32_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = power32(base[i], exponent[i], m[i] | 1);
}

// A modulus that the compiler knows.
__global__ void powers_prime(const uint32_t *base, uint32_t *out, int n) {
    const uint64_t p = 1000000007;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint64_t result = 1, b = base[i] % p;
    for (uint64_t e = p - 2; e > 0; e >>= 1) {
        if (e & 1)
            result = result * b % p;
        b = b * b % p;
    }
    out[i] = (uint32_t)result;
}

// A 64-bit modulus, products by doubling where they do not fit.
__device__ uint64_t multiply_slowly(uint64_t a, uint64_t b, uint64_t m) {
    uint64_t sum = 0;
    while (b) {
        if (b & 1)
            sum = sum >= m - a ? sum - (m - a) : sum + a;
        a = a >= m - a ? a - (m - a) : a + a;
        b >>= 1;
    }
    return sum;
}

__global__ void products_slowly(const uint64_t *a, const uint64_t *b, uint64_t m, uint64_t *out,
                                int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = multiply_slowly(a[i] % m, b[i] % m, m);
}

__global__ void products128(const uint64_t *a, const uint64_t *b, uint64_t m, uint64_t *out,
                            int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (uint64_t)((uint128)a[i] * b[i] % m);
}

// A hash of a sequence, with a 64-bit remainder in each step.
__global__ void hashes(const uint32_t *x, uint64_t *out, int n, uint64_t base, uint64_t m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint64_t h = 0;
    for (int k = 0; k < 64; k++)
        h = (h * base + x[(i + k) % n]) % m;
    out[i] = h;
}

// A product of matrices over a prime field.
__global__ void matrices(const uint32_t *a, const uint32_t *b, uint32_t *c, int n, uint32_t p) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    uint64_t sum = 0;
    for (int k = 0; k < n; k++)
        sum = (sum + (uint64_t)(a[y * n + k] & 0xffff) * (b[k * n + x] & 0xffff)) % p;
    c[y * n + x] = (uint32_t)sum;
}

// ---- Montgomery's and Barrett's ways ---------------------------------------------------------

struct montgomery64 {
    uint64_t n, inverse; // n * inverse == -1 modulo 2^64
    __device__ uint64_t product(uint64_t a, uint64_t b) const {
        uint64_t low = a * b, high = __umul64hi(a, b);
        uint64_t m = low * inverse;
        uint64_t carry = __umul64hi(m, n);
        uint64_t t = high + carry + (low != 0);
        return t >= n ? t - n : t;
    }
};

struct montgomery128 {
    uint64_t n, inverse;
    __device__ uint64_t product(uint64_t a, uint64_t b) const {
        uint128 t = (uint128)a * b;
        uint64_t m = (uint64_t)t * inverse;
        uint64_t r = (uint64_t)((t + (uint128)m * n) >> 64);
        return r >= n ? r - n : r;
    }
};

struct montgomery32 {
    uint32_t n, inverse;
    __device__ uint32_t product(uint32_t a, uint32_t b) const {
        uint64_t t = (uint64_t)a * b;
        uint32_t m = (uint32_t)t * inverse;
        uint32_t r = (uint32_t)((t + (uint64_t)m * n) >> 32);
        return r >= n ? r - n : r;
    }
};

struct barrett64 {
    uint64_t n, mu; // mu = 2^126 / n for n of 63 bits
    __device__ uint64_t product(uint64_t a, uint64_t b) const {
        uint128 t = (uint128)a * b;
        uint64_t q = __umul64hi((uint64_t)(t >> 62), mu);
        uint64_t r = (uint64_t)t - q * n;
        while (r >= n)
            r -= n;
        return r;
    }
};

template <class Field, class T>
__global__ void powers(const T *base, T *out, int n, Field f, T one, T exponent) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T result = one, b = base[i] % f.n;
    for (T e = exponent; e; e >>= 1) {
        if (e & 1)
            result = f.product(result, b);
        b = f.product(b, b);
    }
    out[i] = result;
}

template <class Field, class T> __global__ void chain(const T *x, T *out, int n, Field f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T a = x[i] % f.n, b = a;
    for (int k = 0; k < 256; k++)
        b = f.product(b, a + k) ^ 1;
    out[i] = b;
}

// ---- Number-theoretic transforms -------------------------------------------------------------

const uint64_t goldilocks = 0xffffffff00000001;

__device__ uint64_t reduced128(uint128 x) {
    uint64_t low = (uint64_t)x, high = (uint64_t)(x >> 64);
    uint64_t top = high >> 32, middle = high & 0xffffffff;
    uint64_t t = low - top;
    if (low < top)
        t -= 0xffffffff;
    uint64_t add = (middle << 32) - middle, r = t + add;
    if (r < add)
        r += 0xffffffff;
    return r >= goldilocks ? r - goldilocks : r;
}

__device__ uint64_t product_goldilocks(uint64_t a, uint64_t b) {
    return reduced128((uint128)a * b);
}

__device__ uint64_t sum_goldilocks(uint64_t a, uint64_t b) {
    uint64_t s = a + b;
    return s < a || s >= goldilocks ? s - goldilocks : s;
}

__device__ uint64_t difference_goldilocks(uint64_t a, uint64_t b) {
    return a >= b ? a - b : a + goldilocks - b;
}

// 1024 values a block, in shared memory.
__global__ void transform64(uint64_t *x, const uint64_t *roots) {
    __shared__ uint64_t s[1024];
    uint64_t *p = x + blockIdx.x * 1024;
    int t = threadIdx.x;
    s[t] = p[t] % goldilocks, s[t + 512] = p[t + 512] % goldilocks;
    for (int half = 512; half >= 1; half /= 2) {
        __syncthreads();
        int k = t & (half - 1), i = 2 * (t - k) + k;
        uint64_t a = s[i], b = s[i + half];
        s[i] = sum_goldilocks(a, b);
        s[i + half] = product_goldilocks(difference_goldilocks(a, b), roots[half + k]);
    }
    __syncthreads();
    p[t] = s[t], p[t + 512] = s[t + 512];
}

// One stage over global memory, 32 bits, % of a known prime.
__global__ void stage32(uint32_t *x, const uint32_t *roots, int half) {
    const uint32_t p = 998244353;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int k = t & (half - 1), i = 2 * (t - k) + k;
    uint32_t a = x[i] % p, b = (uint32_t)((uint64_t)x[i + half] * roots[half + k] % p);
    uint32_t s = a + b;
    x[i] = s >= p ? s - p : s;
    x[i + half] = a >= b ? a - b : a + p - b;
}

// The same with the prime known only when it runs.
__global__ void stage32_runtime(uint32_t *x, const uint32_t *roots, int half, uint32_t p) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int k = t & (half - 1), i = 2 * (t - k) + k;
    uint64_t a = x[i] % p, b = (uint64_t)x[i + half] * roots[half + k] % p;
    x[i] = (uint32_t)((a + b) % p);
    x[i + half] = (uint32_t)((a + p - b) % p);
}

// Shoup's way: the root's quotient is known.
__global__ void butterflies(uint64_t *x, const uint64_t *roots, const uint64_t *quotients,
                            uint64_t p) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t v[8];
    for (int i = 0; i < 8; i++)
        v[i] = x[t + i * gridDim.x * blockDim.x] >> 2;
    for (int half = 4; half >= 1; half /= 2)
        for (int i = 0; i < 8; i++)
            if (!(i & half)) {
                uint64_t w = roots[half + (i & (half - 1))], q = quotients[half + (i & (half - 1))];
                uint64_t b = v[i + half], high = __umul64hi(b, q);
                uint64_t product = b * w - high * p;
                if (product >= p)
                    product -= p;
                v[i + half] = v[i] + 2 * p - product;
                v[i] += product;
                if (v[i] >= 2 * p)
                    v[i] -= 2 * p;
            }
    for (int i = 0; i < 8; i++)
        x[t + i * gridDim.x * blockDim.x] = v[i];
}

// ---- Primes and long numbers -----------------------------------------------------------------

__device__ bool is_probable_prime(uint32_t n) {
    if (n < 4 || n % 2 == 0)
        return n == 2 || n == 3;
    uint32_t d = n - 1;
    int s = 0;
    while (d % 2 == 0)
        d /= 2, s++;
    const uint32_t bases[3] = {2, 7, 61};
    for (int i = 0; i < 3; i++) {
        uint64_t x = power32(bases[i], d, n);
        if (bases[i] % n == 0 || x == 1 || x == n - 1)
            continue;
        bool composite = true;
        for (int r = 1; r < s && composite; r++) {
            x = x * x % n;
            composite = x != n - 1;
        }
        if (composite)
            return false;
    }
    return true;
}

__global__ void primes(const uint32_t *x, uint32_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = is_probable_prime(x[i] | 1);
}

const uint64_t mersenne61 = ((uint64_t)1 << 61) - 1;

__global__ void mersenne(const uint64_t *x, uint64_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint64_t a = x[i] & mersenne61, h = 1;
    for (int k = 0; k < 256; k++) {
        uint128 t = (uint128)h * a + k;
        h = (uint64_t)(t & mersenne61) + (uint64_t)(t >> 61);
        if (h >= mersenne61)
            h -= mersenne61;
    }
    out[i] = h;
}

// 256 bits times 256 bits, the low half, some times over.
__global__ void limbs(const uint64_t *x, uint64_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint64_t a[4], b[4];
    for (int k = 0; k < 4; k++)
        a[k] = x[4 * i + k], b[k] = a[k] | 1;
    for (int times = 0; times < 16; times++) {
        uint64_t c[8] = {};
        for (int j = 0; j < 4; j++) {
            uint64_t carry = 0;
            for (int k = 0; k < 4; k++) {
                uint128 t = (uint128)a[j] * b[k] + c[j + k] + carry;
                c[j + k] = (uint64_t)t;
                carry = (uint64_t)(t >> 64);
            }
            c[j + 4] = carry;
        }
        for (int k = 0; k < 4; k++)
            b[k] = c[k] ^ c[k + 4];
    }
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = b[k];
}

// Eight limbs of 32 bits, products by Montgomery modulo a 256-bit number.
__global__ void limbs32(const uint32_t *x, const uint32_t *modulus, uint32_t inverse, uint32_t *out,
                        int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t a[8], b[8], m[8];
    for (int k = 0; k < 8; k++)
        a[k] = b[k] = x[i + k * n], m[k] = modulus[k];
    for (int times = 0; times < 16; times++) {
        uint32_t t[10] = {};
        for (int j = 0; j < 8; j++) {
            uint64_t carry = 0;
            for (int k = 0; k < 8; k++) {
                uint64_t v = (uint64_t)a[k] * b[j] + t[k] + carry;
                t[k] = (uint32_t)v;
                carry = v >> 32;
            }
            uint64_t v = (uint64_t)t[8] + carry;
            t[8] = (uint32_t)v;
            t[9] = (uint32_t)(v >> 32);
            uint32_t q = t[0] * inverse;
            carry = ((uint64_t)q * m[0] + t[0]) >> 32;
            for (int k = 1; k < 8; k++) {
                uint64_t u = (uint64_t)q * m[k] + t[k] + carry;
                t[k - 1] = (uint32_t)u;
                carry = u >> 32;
            }
            v = (uint64_t)t[8] + carry;
            t[7] = (uint32_t)v;
            t[8] = t[9] + (uint32_t)(v >> 32);
        }
        for (int k = 0; k < 8; k++)
            b[k] = t[k];
    }
    for (int k = 0; k < 8; k++)
        out[i + k * n] = b[k];
}

static uint64_t inverse_of(uint64_t n) { // -1/n modulo 2^64
    uint64_t x = 1;
    for (int i = 0; i < 6; i++)
        x *= 2 - n * x;
    return -x;
}

int main() {
    int n = 1 << 20, blocks = n / 256;
    Buffer<uint32_t> a(n), b(n), c(n), out(n);
    Buffer<uint64_t> x(n), y(n), z(n), out64(n);
    const uint64_t p64 = 0x7fffffffffffffe7, q64 = 0xffffffffffffffc5;
    montgomery64 m64 = {p64, inverse_of(p64)};
    montgomery128 m128 = {p64, inverse_of(p64)};
    montgomery32 m32 = {998244353, (uint32_t)inverse_of(998244353)};
    barrett64 barrett = {p64, (uint64_t)(((uint128)1 << 126) / p64)};
    measure("modular, powers of 32 bits", out,
            [&] { powers32<<<blocks, 256>>>(a.dev, b.dev, c.dev, out.dev, n); });
    measure("modular, powers, known prime", out,
            [&] { powers_prime<<<blocks, 256>>>(a.dev, out.dev, n); });
    measure("modular, products by doubling", out64,
            [&] { products_slowly<<<blocks, 256>>>(x.dev, y.dev, p64, out64.dev, n); });
    measure("modular, remainders of 128 bits", out64,
            [&] { products128<<<blocks, 256>>>(x.dev, y.dev, q64, out64.dev, n); });
    measure("modular, hashes", out64,
            [&] { hashes<<<blocks, 256>>>(a.dev, out64.dev, n, 131, 1000000000039); });
    measure("modular, matrices", out, [&] {
        matrices<<<dim3(512 / 32, 512 / 8), dim3(32, 8)>>>(a.dev, b.dev, out.dev, 512, 998244353);
    });
    measure("modular, Montgomery 64, powers", out64,
            [&] { powers<<<blocks, 256>>>(x.dev, out64.dev, n, m64, (uint64_t)50, p64 - 2); });
    measure("modular, Montgomery 64, chain", out64,
            [&] { chain<<<blocks, 256>>>(x.dev, out64.dev, n, m64); });
    measure("modular, Montgomery int128, powers", out64,
            [&] { powers<<<blocks, 256>>>(x.dev, out64.dev, n, m128, (uint64_t)50, p64 - 2); });
    measure("modular, Montgomery int128, chain", out64,
            [&] { chain<<<blocks, 256>>>(x.dev, out64.dev, n, m128); });
    measure("modular, Montgomery 32, powers", out, [&] {
        powers<<<blocks, 256>>>(a.dev, out.dev, n, m32, (uint32_t)50, (uint32_t)998244351);
    });
    measure("modular, Montgomery 32, chain", out,
            [&] { chain<<<blocks, 256>>>(a.dev, out.dev, n, m32); });
    measure("modular, Barrett, powers", out64,
            [&] { powers<<<blocks, 256>>>(x.dev, out64.dev, n, barrett, (uint64_t)50, p64 - 2); });
    measure("modular, transform of 64 bits", out64,
            [&] { transform64<<<n / 1024, 512>>>(out64.dev, y.dev); });
    measure("modular, stage, known prime", out,
            [&] { stage32<<<n / 512, 256>>>(out.dev, a.dev, 1 << 12); });
    measure("modular, stage, prime at run time", out,
            [&] { stage32_runtime<<<n / 512, 256>>>(out.dev, a.dev, 1 << 12, 998244353); });
    measure("modular, butterflies", out64,
            [&] { butterflies<<<n / 8 / 128, 128>>>(out64.dev, x.dev, y.dev, 0x1ffffffffe00001); });
    measure("modular, primes", out, [&] { primes<<<blocks, 256>>>(a.dev, out.dev, n); });
    measure("modular, Mersenne prime", out64,
            [&] { mersenne<<<blocks, 256>>>(x.dev, out64.dev, n); });
    measure("modular, limbs of 64 bits", out64,
            [&] { limbs<<<n / 4 / 128, 128>>>(x.dev, out64.dev, n / 4); });
    measure("modular, limbs of 32 bits", out, [&] {
        limbs32<<<n / 8 / 128, 128>>>(a.dev, b.dev, (uint32_t)inverse_of(b.host[0] | 1), out.dev,
                                      n / 8);
    });
}
