// Structures of three, five, six and seven members whose threads are active here and there: loads
// and stores of whole structures, of their first members, at every second place, in shared memory.

template <typename T, int N> struct members { T m[N]; };

template <typename T, int N>
__device__ void some(const members<T, N> *in, members<T, N> *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 3 != 1)
        out[i] = in[i];
    if (i % 5 == 2 && i < n)
        out[i].m[0] = in[i].m[1];
}

template <typename T, int N>
__device__ void every_second(const members<T, N> *in, members<T, N> *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i < n)
        out[2 * i] = in[i];
}

template <typename T, int N>
__device__ void first_two(const members<T, N> *in, members<T, N> *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (i & 6) != 2) {
        T a = in[i].m[0], b = in[i].m[1];
        out[i].m[0] = b;
        out[i].m[1] = a + b;
    }
}

template <typename T, int N>
__device__ void through_shared(const members<T, N> *in, members<T, N> *out, unsigned n) {
    __shared__ members<T, N> s[64];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < N; k++)
        s[threadIdx.x].m[k] = k;
    if (i < n)
        s[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n && i != 7)
        out[i] = s[blockDim.x - 1 - threadIdx.x];
}

#define FORMS(name, T, N)                                                                          \
    extern "C" __global__ void name##_some(const members<T, N> *in, members<T, N> *out,            \
                                           unsigned n) {                                           \
        some(in, out, n);                                                                          \
    }                                                                                              \
    extern "C" __global__ void name##_second(const members<T, N> *in, members<T, N> *out,          \
                                             unsigned n) {                                         \
        every_second(in, out, n);                                                                  \
    }                                                                                              \
    extern "C" __global__ void name##_two(const members<T, N> *in, members<T, N> *out,             \
                                          unsigned n) {                                            \
        first_two(in, out, n);                                                                     \
    }                                                                                              \
    extern "C" __global__ void name##_shared(const members<T, N> *in, members<T, N> *out,          \
                                             unsigned n) {                                         \
        through_shared(in, out, n);                                                                \
    }

// run: three_some grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:150
// run: three_second grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:101
// run: three_two grid=3,1,1 block=40,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:119
// run: three_shared grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:150
FORMS(three, unsigned, 3)

// run: short_three_some grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:150
// run: short_three_second grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:101
// run: short_three_two grid=3,1,1 block=40,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:119
// run: short_three_shared grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:150
FORMS(short_three, unsigned short, 3)

// run: five_some grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:150
// run: five_second grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:101
// run: five_two grid=3,1,1 block=40,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:119
// run: five_shared grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:150
FORMS(five, unsigned, 5)

// run: six_some grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:150
// run: six_two grid=3,1,1 block=40,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:119
FORMS(six, unsigned, 6)

// run: seven_bytes_some grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:ones,u32:150
// run: seven_bytes_second grid=2,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:ones,u32:101
// run: seven_bytes_two grid=3,1,1 block=40,1,1 shared=0 args=buf:2048:rand,buf:2048:ones,u32:119
// run: seven_bytes_shared grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:ones,u32:150
FORMS(seven_bytes, unsigned char, 7)

// run: three_wide_some grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:150
// run: three_wide_second grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:101
// run: three_wide_shared grid=3,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:ones,u32:150
FORMS(three_wide, unsigned long long, 3)
