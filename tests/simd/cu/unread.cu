// Stores to shared memory whose words stay in registers, or are loaded by nobody, and such that
// look the same but are read.
// run: product grid=4 block=16,16 args=buf:1024:float,buf:1024:float,buf:1024:zero
// run: tree grid=3 block=64 args=buf:192:rand,buf:16:zero
// run: nobody grid=2 block=64 args=buf:128:rand,buf:128:zero
// run: by_index grid=2 block=64 args=buf:128:rand,buf:128:zero
// run: some grid=2 block=64 args=buf:128:rand,buf:128:zero,u32:37
// run: two_arrays grid=2 block=64 args=buf:128:rand,buf:128:zero
// run: by_address grid=2 block=64 args=buf:128:rand,buf:128:zero
// run: counted grid=2 block=64 args=buf:128:rand,buf:128:zero
// run: dynamic grid=2 block=64 shared=256 args=buf:128:rand,buf:128:zero
extern "C" __global__ void product(const float *a, const float *b, float *c) {
    __shared__ float sa[16][16], sb[16][16];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 256 + y * 16 + x;
    sa[y][x] = a[i];
    sb[y][x] = b[i];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += sa[y][k] * sb[k][x];
    c[i] = sum;
}

extern "C" __global__ void tree(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (unsigned d = 32; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

extern "C" __global__ void nobody(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    __syncthreads();
    out[i] = in[i] * 3;
    if (t % 2)
        s[t] = 7;
}

// A place that only the words tell.
extern "C" __global__ void by_index(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i] + t;
    __syncthreads();
    out[i] = s[in[i] % 64];
}

extern "C" __global__ void some(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    __syncthreads();
    if (t < n)
        s[t] = in[i] + 1;
    __syncthreads();
    out[i] = s[63 - t];
}

// One is read at places that are known, one is not.
extern "C" __global__ void two_arrays(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64], u[64];
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    u[t] = in[i] ^ t;
    __syncthreads();
    out[i] = s[63 - t] + u[s[t] % 64];
}

extern "C" __global__ void by_address(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    __shared__ unsigned *p[64];
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    p[t] = s + in[i] % 64;
    __syncthreads();
    out[i] = *p[63 - t];
}

extern "C" __global__ void counted(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[4];
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (t < 4)
        s[t] = 0;
    __syncthreads();
    atomicAdd(&s[in[i] % 4], 1);
    __syncthreads();
    out[i] = s[t % 4];
}

extern "C" __global__ void dynamic(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned d[];
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    d[t] = in[i];
    __syncthreads();
    out[i] = d[63 - t] - d[t];
}
