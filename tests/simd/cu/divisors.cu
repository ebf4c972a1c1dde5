// Divisions by what all threads have, and 64-bit ones: numbers on both sides of multiples of the
// divisor, next to the ends of their type, and any; zero divides, too.
// run: words grid=30 block=64 args=buf:1920:rand,buf:30720:zero
// run: words grid=2 block=20 args=buf:40:special,buf:30720:zero
// run: longs grid=30 block=64 args=buf:3840:rand,buf:30720:zero
// run: longs grid=2 block=20 args=buf:80:special,buf:30720:zero
// run: own grid=2 block=64 args=buf:512:rand,buf:1024:zero
// run: in_loop grid=2 block=64 args=buf:128:rand,buf:512:zero,u32:1000,u64:12345678901
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * blockDim.x)

// In PTX, as C++ leaves divisions by zero undefined.
#define DIVIDE(name, type, suffix, constraint)                                                     \
    __device__ type divide_##name(type n, type d) {                                                \
        type q;                                                                                    \
        asm volatile("div." suffix " %0, %1, %2;"                                                  \
                     : "=" constraint(q)                                                           \
                     : constraint(n), constraint(d));                                              \
        return q;                                                                                  \
    }                                                                                              \
    __device__ type rest_##name(type n, type d) {                                                  \
        type q;                                                                                    \
        asm volatile("rem." suffix " %0, %1, %2;"                                                  \
                     : "=" constraint(q)                                                           \
                     : constraint(n), constraint(d));                                              \
        return q;                                                                                  \
    }
DIVIDE(u32, unsigned, "u32", "r")
DIVIDE(s32, int, "s32", "r")
DIVIDE(u64, unsigned long long, "u64", "l")
DIVIDE(s64, long long, "s64", "l")

__device__ const unsigned divisors32[15] = {
    0,     1,          2,          3,          7,          49,         641,    65535,
    65536, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 1000003};
__device__ const unsigned long long divisors64[15] = {
    0,           1,           3,           10,         0xffffffff,
    0x100000000, 0x100000001, 12345678901, 1ull << 53, (1ull << 53) + 1,
    1ull << 62,  ~0ull >> 1,  1ull << 63,  ~0ull - 1,  ~0ull};

// Eight numbers for each divisor. (49 times the number next to 1/49 is less than 1.)
template <class T> __device__ T number(int which, T d, T x) {
    T near = x / (d ? d : 1) * d, end = (T)0 - 1;
    return which == 0   ? x
           : which == 1 ? near
           : which == 2 ? near - 1
           : which == 3 ? near + d - 1
           : which == 4 ? end - (T)threadIdx.x
           : which == 5 ? (end >> 1) + 1 - (T)threadIdx.x
           : which == 6 ? d * (T)threadIdx.x
                        : d - 8 + (T)threadIdx.x;
}

extern "C" __global__ void words(const unsigned *in, unsigned *out) {
    unsigned x = in[THREAD], d = divisors32[blockIdx.x % 15];
    for (int which = 0; which < 4; which++) {
        unsigned n = number<unsigned>(which + blockIdx.x / 15 * 4 % 8, d, x);
        unsigned *o = out + (THREAD * 4 + which) * 4;
        o[0] = divide_u32(n, d);
        o[1] = rest_u32(n, d);
        o[2] = (unsigned)divide_s32((int)n, (int)d);
        o[3] = (unsigned)rest_s32((int)n, (int)d);
    }
}

extern "C" __global__ void longs(const unsigned long long *in, unsigned *out) {
    unsigned long long x = in[THREAD], d = divisors64[blockIdx.x % 15];
    for (int which = 0; which < 4; which++) {
        unsigned long long n = number<unsigned long long>(which + blockIdx.x / 15 * 4 % 8, d, x);
        unsigned *o = out + (THREAD * 4 + which) * 4;
        unsigned long long q = divide_u64(n, d), r = rest_u64(n, d);
        long long sq = divide_s64((long long)n, (long long)d);
        long long sr = rest_s64((long long)n, (long long)d);
        o[0] = (unsigned)(q ^ q >> 32) * 3 + (unsigned)q;
        o[1] = (unsigned)(r ^ r >> 32) * 3 + (unsigned)r;
        o[2] = (unsigned)(sq ^ sq >> 32) * 3 + (unsigned)sq;
        o[3] = (unsigned)(sr ^ sr >> 32) * 3 + (unsigned)sr;
    }
}

// A divisor a thread.
extern "C" __global__ void own(const unsigned long long *in, unsigned long long *out) {
    unsigned long long n = in[THREAD], d = in[THREAD + THREADS] >> (threadIdx.x % 64);
    out[4 * THREAD] = divide_u64(n, d);
    out[4 * THREAD + 1] = rest_u64(n, d);
    out[4 * THREAD + 2] = (unsigned long long)divide_s64((long long)n, (long long)d);
    out[4 * THREAD + 3] = (unsigned long long)rest_s64((long long)n, -(long long)d);
}

// Indices of a tensor, as programs take them apart.
extern "C" __global__ void in_loop(const unsigned *in, unsigned *out, unsigned width,
                                   unsigned long long size) {
    unsigned sum = 0;
    unsigned long long rests = 0;
    for (unsigned k = 0; k < 5; k++) {
        unsigned i = in[THREAD] + k * 99991;
        sum += i / width * 7 + i % width + i / (width * (k + 1));
        rests += ((unsigned long long)i << k * 6) % size + ((unsigned long long)i << k * 6) / size;
    }
    out[4 * THREAD] = sum;
    out[4 * THREAD + 1] = (unsigned)rests;
    out[4 * THREAD + 2] = (unsigned)(rests >> 32);
    out[4 * THREAD + 3] = (unsigned)((int)(in[THREAD] - 5) / (int)width);
}
