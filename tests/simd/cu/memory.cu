// Shapes of addresses: contiguous, strided, broadcast, two-dimensional blocks, gathers, vectors,
// narrow types, wrap-around of 32-bit indices, local arrays, constant memory.
// run: shapes2d grid=2,3 block=8,4 args=buf:512:rand,buf:512:zero,u32:16
// run: shapes2d grid=1,2 block=32,4 args=buf:512:rand,buf:512:zero,u32:32
// run: shapes2d grid=2,2 block=5,3 args=buf:512:rand,buf:512:zero,u32:10
// run: wrap grid=1 block=64 args=buf:512:rand,buf:128:zero,u32:4294967280
// run: wrap grid=1 block=64 args=buf:512:rand,buf:128:zero,u32:100
// run: vectors grid=1 block=64 args=buf:1024:rand,buf:1024:zero
// run: narrow grid=1 block=96 args=buf:256:rand,buf:256:zero
// run: local_array grid=1 block=64 args=buf:64:small,buf:64:zero
// run: constants grid=1 block=64 args=buf:64:small,buf:64:zero
// run: strided grid=1 block=64 args=buf:512:rand,buf:512:zero
// run: doubles grid=1 block=64 args=buf:256:double,buf:128:zero
// run: same_address grid=1 block=64 args=buf:4:zero
// run: generic grid=1 block=64 args=buf:64:small,buf:64:zero
// run: int64 grid=1 block=64 args=buf:256:rand,buf:256:zero
extern "C" __global__ void shapes2d(const unsigned *in, unsigned *out, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned v = in[y * pitch + x] + in[y] * 3 + in[x * 7 % 512];
    out[y * pitch + x] = v + in[(y * pitch + x) ^ 1];
}

extern "C" __global__ void wrap(const unsigned *in, unsigned *out, unsigned start) {
    unsigned t = threadIdx.x, i = t + start;
    out[t] = in[i % 512] + (unsigned)((unsigned long long)i >> 4);
    unsigned j = i < 512 ? i : t;
    out[64 + t] = in[j];
}

extern "C" __global__ void vectors(const float4 *in, float4 *out) {
    unsigned t = threadIdx.x;
    float4 v = in[t], w = in[(t * 5) % 64];
    uint2 u = ((const uint2 *)in)[t];
    out[t] = make_float4(v.w, w.x, __uint_as_float(u.x), v.y);
    ((uint4 *)out)[64 + t] = make_uint4(t, u.y, u.x, __float_as_uint(w.z));
    ((uchar4 *)out)[512 + t] = make_uchar4(t, t + 1, u.x, u.y);
}

extern "C" __global__ void narrow(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    const signed char *c = (const signed char *)in;
    const unsigned char *uc = (const unsigned char *)in;
    const short *s = (const short *)in;
    out[t] = (unsigned)(c[t] + uc[t] * 3 + s[t] - s[2 * t]);
    ((unsigned char *)(out + 96))[t] = (unsigned char)(uc[t + 7] + t);
    ((short *)(out + 128))[t] = (short)(s[t] * c[t]);
}

extern "C" __global__ void local_array(const unsigned *in, unsigned *out) {
    unsigned a[16], t = threadIdx.x;
    for (unsigned k = 0; k < 16; k++)
        a[k] = in[(t + k) % 64] * k;
    unsigned r = 0;
    for (unsigned k = 0; k < in[t] % 40; k++) {
        r += a[(in[t] + k * r) % 16];
        a[r % 16] ^= k;
    }
    out[t] = r + a[t % 16];
}

__constant__ unsigned table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ unsigned counter = 5;
extern "C" __global__ void constants(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    out[t] = table[t % 8] * 100 + table[in[t] & 7] * 10 + table[3] + counter;
}

extern "C" __global__ void strided(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    out[511 - t] = in[2 * t] + in[3 * t + 1];
    out[4 * t] = in[8 * t % 512];
    out[t * 2 + 257] = in[63 - t];
}

extern "C" __global__ void doubles(const double *in, double *out) {
    unsigned t = threadIdx.x;
    out[t] = in[t] * in[127 - t] + in[t * 2 % 128];
}

extern "C" __global__ void same_address(unsigned *out) {
    out[0] = threadIdx.x;
    if (threadIdx.x & 1)
        out[1] = threadIdx.x * 2;
    if (threadIdx.x == 40)
        out[2] = 40;
    out[3] = blockDim.x;
}

__device__ unsigned pick(const unsigned *p, unsigned k) {
    return p[k];
}
extern "C" __global__ void generic(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    unsigned l[4] = {1, 2, 3, 4}, t = threadIdx.x;
    s[t] = in[t] + 1;
    l[t & 3] = in[t];
    __syncthreads();
    const unsigned *p = in[t] & 1 ? s : in[t] & 2 ? l : in;
    out[t] = pick(p, t & 3);
}

extern "C" __global__ void int64(const unsigned long long *in, unsigned long long *out) {
    unsigned t = threadIdx.x;
    unsigned long long a = in[t], b = in[t ^ 1] | 1;
    out[t] = a / b + a % b * 3 + __umul64hi(a, b) + (a << (b & 63));
    out[64 + t] = (long long)a / (long long)b - (long long)a % (long long)(b >> 40 | 1);
}
