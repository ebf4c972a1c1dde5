// Four words a thread that are stored as they were loaded, and such that are not: words in another
// order, of two loads, one of them computed; behind a barrier, in loops with a rest, to rows of another
// pitch whose places are sums that could wrap, to two places, as words of another type.
// run: tile grid=2,1,1 block=32,4,1 args=buf:8192:rand,buf:8192:zero,u32:1024
// run: tile grid=2,1,1 block=16,8,1 args=buf:8192:rand,buf:8192:zero,u32:1000
// run: tile grid=2,1,1 block=64,2,1 args=buf:8192:special,buf:8192:zero,u32:1024
// run: changed grid=2,1,1 block=64,1,1 args=buf:4096:rand,buf:8192:zero,u32:128
// run: changed grid=2,1,1 block=64,1,1 args=buf:4096:special,buf:8192:zero,u32:77
// run: kept grid=2,1,1 block=128,1,1 args=buf:4096:rand,buf:8192:zero,u32:3
// run: types grid=2,1,1 block=64,1,1 args=buf:4096:special,buf:4096:zero
extern "C" __global__ void tile(const float *in, float *out, int n) {
    __shared__ __align__(16) float a[16][68], b[16][64];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    in += blockIdx.x * 1024;
    out += blockIdx.x * 4096;
    for (int i = t; i < 256; i += 128) {
        *(float4 *)&a[i / 16][i % 16 * 4] = make_float4(1, 2, 3, 4);
        *(float4 *)&b[i / 16][i % 16 * 4] = make_float4(5, 6, 7, 8);
    }
    __syncthreads();
    for (int i = t; i < n / 4; i += 128) {
        float4 v = *(const float4 *)&in[i * 4];
        *(float4 *)&a[i / 16][i % 16 * 4] = v;
        *(float4 *)&b[i / 16][i % 16 * 4] = v;
    }
    __syncthreads();
    for (int i = t; i < 1024; i += 128) {
        out[i] = a[i / 64][i % 64];
        out[1024 + i] = b[i % 16][i / 16];
    }
    __syncthreads();
    for (int i = t; i < 256; i += 128)
        *(float4 *)&out[2048 + i * 4] = *(const float4 *)&a[i % 16][i / 16 * 4];
}

extern "C" __global__ void changed(const uint4 *in, uint4 *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    uint4 v = in[t], w = in[t + 128];
    out[t] = make_uint4(v.y, v.x, v.z, v.w);
    out[t + 256] = make_uint4(v.x, v.y, w.z, w.w);
    out[t + 512] = make_uint4(v.x, v.y, v.z, v.w + 1);
    out[t + 768] = v;
    out[t + 1024] = w;
    out[t + 1280] = make_uint4(w.x ^ v.x, w.y ^ v.y, w.z ^ v.z, w.w ^ v.w);
}

extern "C" __global__ void kept(const uint4 *in, uint4 *out, int turns) {
    __shared__ uint4 s[128];
    int t = threadIdx.x;
    uint4 v = in[blockIdx.x * 128 + t];
    for (int k = 0; k < turns; k++) {
        s[t] = v;
        __syncthreads();
        uint4 w = s[127 - t];
        if (w.x & 1)
            out[(blockIdx.x * 4 + k) * 128 + t] = w;
        else
            out[(blockIdx.x * 4 + k) * 128 + t] = v;
        __syncthreads();
        v = in[512 + ((t + k) & 127)];
    }
    s[t] = v;
    out[1024 + blockIdx.x * 128 + t] = s[t];
}

extern "C" __global__ void types(const float4 *in, uint4 *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[t];
    out[t] = make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z),
                        __float_as_uint(v.w));
    float4 w = in[t + 128];
    ((float4 *)out)[t + 256] = w;
    ((float4 *)out)[t + 512] = make_float4(w.x + 1, w.y, w.z, w.w);
}
