// NaNs in shared memory: sums pass from step to step as they are, and are canonical wherever their bits are
// seen. Random bits are NaNs and infinities often enough once exponents are made large.
__device__ float large(unsigned v) {
    return __uint_as_float(v | (v & 0x300 ? 0x7f000000 : 0) | (v & 0x400 ? 0x7f800000 : 0));
}

// run: tree grid=2,1,1 block=128,1,1 shared=512 args=buf:2048:rand,buf:2048:zero
// run: tree grid=2,1,1 block=64,1,1 shared=256 args=buf:2048:rand,buf:2048:zero
extern "C" __global__ void tree(const unsigned *in, float *out) {
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = large(in[i]);
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        if (t % (2 * d) == 0)
            s[t] += s[t + d];
        __syncthreads();
    }
    out[i] = s[t];
}

// The same words as numbers and as bits.
// run: bits grid=2,1,1 block=128,1,1 shared=0 args=buf:2048:rand,buf:2048:zero
extern "C" __global__ void bits(const unsigned *in, unsigned *out) {
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    float v = large(in[i]);
    s[t] = v - v * 3;
    __syncthreads();
    float x = s[t ^ 1] * 2, y = s[t ^ 5];
    __syncthreads();
    s[t ^ 1] = x + y;
    __syncthreads();
    unsigned b = __float_as_uint(s[127 - t]);
    float z = s[t ^ 64];
    if (z != z)
        z = s[t ^ 3];
    out[i] = b ^ __float_as_uint(z) ^ ((unsigned *)s)[t ^ 9];
    out[256 + i] = __float_as_uint(fabsf(s[t ^ 2])) + __float_as_uint(-s[t ^ 7]);
}

// Masks and places that nobody knows.
// run: parted grid=2,1,1 block=128,1,1 shared=0 args=buf:2048:rand,buf:2048:zero
extern "C" __global__ void parted(const unsigned *in, float *out) {
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    float v = large(in[i]);
    s[t] = v * v - v;
    __syncthreads();
    if (in[i] & 1)
        s[t] = s[t] - s[t] * 2;
    if (in[i] & 2)
        s[t] += 1;
    __syncthreads();
    float sum = s[t ^ 1] + s[127 - t];
    __syncthreads();
    s[t] = sum;
    __syncthreads();
    out[i] = s[in[i] & 127];
    out[256 + i] = s[t ^ 6];
    __syncthreads();
    if (t < 64)
        s[t] = s[t + 64] + sum;
    __syncthreads();
    out[512 + i] = fminf(s[t], s[t ^ 1]);
    out[768 + i] = copysignf(2.f, s[t ^ 8]);
}

// Words of several components, and one for all threads.
// run: several grid=1,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:zero
extern "C" __global__ void several(const unsigned *in, float *out) {
    __shared__ float4 s[64];
    int t = threadIdx.x;
    float v = large(in[t]);
    s[t] = make_float4(v + v, v * 0.f, v, v - v);
    __syncthreads();
    float4 x = s[t ^ 1];
    float one = s[5].w + s[6].x;
    __syncthreads();
    s[t ^ 2] = make_float4(x.x + x.y, x.z * 2, one, x.w);
    __syncthreads();
    __syncthreads();
    ((float4 *)out)[t] = s[63 - t];
    out[256 + t] = s[t].x + s[7].z;
}
