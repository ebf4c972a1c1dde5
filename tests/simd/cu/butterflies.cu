// Sums, maxima and the like that each thread of a warp computes by exchanging with those at distances
// 16, 8, 4, 2 and 1, and such that are not alike in all of them: a distance is left out or two at once,
// what is exchanged is not what it is combined with, the order of operands counts, the warp's halves
// are apart.
// run: floats grid=2 block=64 args=buf:128:float,buf:512:zero
// run: floats grid=2 block=64 args=buf:128:special,buf:512:zero
// run: integers grid=2 block=64 args=buf:128:rand,buf:1024:zero
// run: apart grid=2 block=64 args=buf:128:rand,buf:1280:zero
// run: softmax grid=2 block=32,4 args=buf:4096:float,buf:4096:zero,u32:4
// run: softmax grid=2 block=32,4 args=buf:4096:special,buf:4096:zero,u32:4
// run: parted grid=2 block=96 args=buf:192:small,buf:384:zero
// run: halves grid=1 block=16 args=buf:16:float,buf:32:zero
// run: doubles grid=1 block=64 args=buf:128:double,buf:256:zero
#define FULL 0xffffffffu
template <typename T, typename F> __device__ T all(T v, F f) {
    for (int d = 16; d > 0; d >>= 1)
        v = f(v, __shfl_xor_sync(FULL, v, d));
    return v;
}

// Bits of sums are not asked for: other NaNs would do.
__device__ float shown(float x) {
    return x == x ? x : 1e30f;
}

extern "C" __global__ void floats(const float *in, float *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[t];
    float sum = all(v, [](float a, float b) { return a + b; });
    float most = all(v, [](float a, float b) { return fmaxf(a, b); });
    float least = all(v, [](float a, float b) { return fminf(b, a); });
    float product = all(v, [](float a, float b) { return b * a; });
    out[t] = shown(sum);
    out[128 + t] = most;
    out[256 + t] = shown(v - least);
    out[384 + t] = shown(product > most ? v : product);
}

extern "C" __global__ void integers(const unsigned *in, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t];
    unsigned sum = all(v, [](unsigned a, unsigned b) { return a + b; });
    int most = all((int)v, [](int a, int b) { return a > b ? a : b; });
    unsigned least = all(v, [](unsigned a, unsigned b) { return min(a, b); });
    unsigned ands = all(v | 0xff00ff, [](unsigned a, unsigned b) { return a & b; });
    unsigned ors = all(v & 0x12345, [](unsigned a, unsigned b) { return a | b; });
    unsigned xors = all(v, [](unsigned a, unsigned b) { return a ^ b; });
    unsigned product = all(v | 1, [](unsigned a, unsigned b) { return a * b; });
    // Upwards, and what lanes have alike before: their index above the last steps' distances.
    unsigned up = threadIdx.x / 8 * 3;
    for (int d = 8; d < 32; d *= 2)
        up += __shfl_xor_sync(FULL, up, d);
    // Steps between which something alike is added, and something is computed of each.
    unsigned mixed = v;
    for (int d = 1; d < 32; d *= 2) {
        mixed += __shfl_xor_sync(FULL, mixed, d);
        mixed = mixed * 5 + 7;
    }
    out[t] = sum;
    out[128 + t] = (unsigned)most;
    out[256 + t] = least;
    out[384 + t] = ands ^ xors;
    out[512 + t] = ors;
    out[640 + t] = product;
    out[768 + t] = up;
    out[896 + t] = mixed + in[sum & 127];
}

extern "C" __global__ void apart(const unsigned *in, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t], x;
    x = v;
    for (int d = 16; d > 1; d /= 2)
        x += __shfl_xor_sync(FULL, x, d);
    out[t] = x; // neighbours differ
    x = v;
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(FULL, v, d);
    out[128 + t] = x; // what came before the sum is exchanged
    x = v;
    for (int d = 16; d > 0; d /= 2)
        x -= __shfl_xor_sync(FULL, x, d);
    out[256 + t] = x;
    x = v;
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(FULL, x, d, 16);
    out[384 + t] = x;
    x = v;
    x += __shfl_xor_sync(FULL, x, 24);
    x += __shfl_xor_sync(FULL, x, 4);
    x += __shfl_xor_sync(FULL, x, 2);
    x += __shfl_xor_sync(FULL, x, 1);
    out[512 + t] = x; // sums of half the lanes
    x = v;
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_down_sync(FULL, x, d);
    out[640 + t] = threadIdx.x % 32 ? 0 : x;
    x = v;
    for (int d = 16; d > 0; d /= 2) {
        x += __shfl_xor_sync(FULL, x, d);
        x += threadIdx.x & 3; // lanes apart again
    }
    out[768 + t] = x;
    x = v;
    for (int d = 16; d > 0; d /= 2)
        x = __funnelshift_l(x, __shfl_xor_sync(FULL, x, d), 9);
    out[896 + t] = x;
    x = v;
    for (int d = 16; d > 0; d /= 2)
        x = max(x, __shfl_xor_sync(FULL, x, d)) - (x & 1);
    out[1024 + t] = x;
    x = v;
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(FULL, x ^ 1, d);
    out[1152 + t] = x;
}

// Rows of keys a warp, the maximum and the sum kept from turn to turn.
extern "C" __global__ void softmax(const float *in, float *out, int turns) {
    int row = (blockIdx.x * 4 + threadIdx.y) * 32 * turns, x = threadIdx.x;
    float most = -INFINITY, sum = 0;
    for (int k = 0; k < turns; k++) {
        float v = in[row + k * 32 + x];
        float largest = fmaxf(most, all(v, [](float a, float b) { return fmaxf(a, b); }));
        float keep = __expf(most - largest), e = __expf(v - largest);
        sum = sum * keep + all(e, [](float a, float b) { return a + b; });
        most = largest;
        out[row + k * 32 + x] = shown(e);
        __syncthreads();
    }
    if (sum > 3) // alike in the warp
        for (int k = 0; k < turns; k++)
            out[row + k * 32 + x] = shown(out[row + k * 32 + x] / sum + most);
}

// Some warps, and some threads among themselves.
extern "C" __global__ void parted(const unsigned *in, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t], x = v;
    if (threadIdx.x / 32 != 1)
        x = all(v, [](unsigned a, unsigned b) { return a + b; });
    out[t] = x;
    unsigned even = v;
    if (threadIdx.x % 2 == 0)
        for (int d = 16; d > 1; d /= 2)
            even += __shfl_xor_sync(0x55555555u, even, d);
    out[192 + t] = even;
}

extern "C" __global__ void halves(const float *in, float *out) {
    unsigned t = threadIdx.x;
    float v = in[t];
    for (int d = 8; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffu, v, d);
    out[t] = v;
    float w = in[t];
    for (int d = 8; d > 0; d /= 2)
        w = fmaxf(w, __shfl_xor_sync(0xffffu, w, d, 16));
    out[16 + t] = w;
}

extern "C" __global__ void doubles(const double *in, double *out) {
    unsigned t = threadIdx.x;
    out[t] = all(in[t], [](double a, double b) { return a + b; });
    out[64 + t] = all(in[t], [](double a, double b) { return fmax(a, b); });
}

// The last step's result is used by some threads only, where compilers put it.
// run: sunk grid=2 block=64 args=buf:128:float,buf:128:zero,u32:5
// run: sunk grid=2 block=64 args=buf:128:float,buf:128:zero,u32:40
extern "C" __global__ void sunk(const float *in, float *out, int n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    float most = all(in[t], [](float a, float b) { return fmaxf(a, b); });
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 7)
        sum += in[i] - most;
    out[t] = sum;
}
