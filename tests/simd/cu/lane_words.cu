// Words that each lane finds side by side at its own place: rows of tiles, and threads' own rows.
// run: dots grid=1 block=16,16 args=buf:2048:float,buf:1024:zero
// run: dots grid=2 block=16,4 args=buf:2048:float,buf:1024:zero
// run: dots_in_loop grid=1 block=16,16 args=buf:4096:float,buf:1024:zero,u32:3
// run: rows_of_33 grid=1 block=32,8 args=buf:8192:rand,buf:8192:zero
// run: rows_of_33 grid=1 block=256 args=buf:8192:rand,buf:8192:zero
// run: counts grid=1 block=64 args=buf:8192:rand,buf:8192:zero
// run: counts grid=2 block=48 args=buf:8192:rand,buf:8192:zero
// run: some grid=1 block=64 args=buf:8192:rand,buf:1024:zero,u32:37
// run: some grid=1 block=64 args=buf:8192:rand,buf:1024:zero,u32:64
// run: some_shared grid=1 block=64 args=buf:8192:rand,buf:1024:zero,u32:41
// run: anywhere grid=1 block=64 args=buf:4096:rand,buf:1024:zero
// run: changed grid=1 block=64 args=buf:4096:rand,buf:1024:zero
// run: behind_barrier grid=1 block=64 args=buf:4096:rand,buf:1024:zero
// run: again_and_again grid=1 block=8,8 args=buf:8192:float,buf:1024:zero
// run: eights grid=1 block=64 args=buf:4096:float,buf:4096:zero
// run: two_types grid=1 block=64 args=buf:4096:float,buf:1024:zero
// run: wraps grid=1 block=64 args=buf:4096:rand,buf:1024:zero,u32:4294967280
// run: in_branch grid=1 block=96 args=buf:8192:rand,buf:1024:zero,u32:32
// The second tile is stored transposed, and read along its rows.
extern "C" __global__ void dots(const float *in, float *out) {
    __shared__ float left[16][17], right[16][17];
    unsigned x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
    for (unsigned i = y; i < 16; i += blockDim.y) {
        left[i][x] = in[i * 16 + x];
        right[x][i] = in[256 + i * 16 + x];
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += left[y][k] * right[x][k];
    out[blockIdx.x * 256 + t] = sum;
}

extern "C" __global__ void dots_in_loop(const float *in, float *out, int turns) {
    __shared__ float left[16][17], right[16][17];
    unsigned x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int n = 0; n < turns; n++) {
        left[y][x] = in[n * 512 + y * 16 + x];
        right[x][y] = in[n * 512 + 256 + y * 16 + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += left[y][k] * right[x][k];
        __syncthreads();
    }
    out[y * 16 + x] = sum;
}

extern "C" __global__ void rows_of_33(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32 * 33];
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x, sum = 0;
    for (unsigned i = t; i < 1024; i += blockDim.x * blockDim.y)
        tile[i / 32 * 33 + i % 32] = in[i];
    __syncthreads();
    const unsigned *row = tile + t % 32 * 33;
#pragma unroll
    for (int k = 0; k < 32; k++)
        sum = sum * 5 + row[k];
    out[t] = sum;
}

template <int N> __device__ unsigned few(const unsigned *row) {
    unsigned sum = 1;
#pragma unroll
    for (int k = N - 1; k >= 0; k--)
        sum = sum * 3 + row[k];
    return sum;
}

// As many as a row has, and parts of it.
extern "C" __global__ void counts(const unsigned *in, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, *to = out + t;
    to[0] = few<2>(in + t * 19);
    to[128] = few<3>(in + t * 19 + 1);
    to[256] = few<4>(in + t * 21);
    to[384] = few<5>(in + t * 13);
    to[512] = few<6>(in + t * 17);
    to[640] = few<7>(in + t * 17 + 3);
    to[768] = few<8>(in + t * 40);
    to[896] = few<11>(in + t * 30);
    to[1024] = few<13>(in + t * 31);
    to[1152] = few<15>(in + t * 15);
    to[1280] = few<16>(in + t * 16);
    to[1408] = few<20>(in + t * 33);
    to[1536] = few<27>(in + t * 33);
    to[1664] = few<16>(in + t % 8 * 33);
    to[1792] = few<4>(in + t % 4 * 9);
}

extern "C" __global__ void some(const unsigned *in, unsigned *out, unsigned n) {
    unsigned t = threadIdx.x;
    if (t < n)
        out[t] = few<8>(in + t * 17) + few<3>(in + t * 18);
}

extern "C" __global__ void some_shared(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned tile[64 * 9];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 64 * 9; i += 64)
        tile[i] = in[i];
    __syncthreads();
    if (t < n && in[t] % 3)
        out[t] = few<9>(tile + t * 9);
}

extern "C" __global__ void anywhere(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    out[t] = few<6>(in + in[t] % 4000);
}

// What lies between changes memory.
extern "C" __global__ void changed(unsigned *in, unsigned *out) {
    unsigned *row = in + threadIdx.x * 17;
    unsigned a = row[0] + row[1];
    row[1] = a * 3;
    unsigned b = row[0] * 7 + row[1] + row[2];
    row[0] = b;
    out[threadIdx.x] = row[0] + row[1] * 5 + row[2] * 9;
}

extern "C" __global__ void behind_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[64][5];
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned n = 0; n < 3; n++) {
        for (unsigned k = 0; k < 5; k++)
            tile[(t + n) % 64][k] = in[t * 5 + k] + n;
        __syncthreads();
        sum = sum * 7 + few<5>(tile[t]);
        __syncthreads();
    }
    out[t] = sum;
}

// Two lanes of a row each, in a loop that is not unrolled.
extern "C" __global__ void again_and_again(const float *in, float *out) {
    __shared__ float tile[32 * 36];
    unsigned x = threadIdx.x, y = threadIdx.y, t = y * 8 + x;
    for (unsigned i = t; i < 32 * 36; i += 64)
        tile[i] = in[i];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 32; k += 4) {
        const float *p = tile + x * 36 + k, *q = tile + (y + 8) * 36 + k;
        sum += p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    }
    out[t] = sum;
}

// Eight words a lane in two accesses; lanes of other rows read the same.
extern "C" __global__ void eights(const float4 *in, float4 *out) {
    __shared__ float4 tile[2 * 8 * 8];
    unsigned t = threadIdx.x, x = t % 8;
    tile[t] = in[t];
    tile[t + 64] = in[t + 64];
    __syncthreads();
    float4 sum = make_float4(0, 0, 0, 0);
    for (unsigned k = 0; k < 8; k++) {
        float4 a = tile[k * 16 + 2 * x], b = tile[k * 16 + 2 * x + 1];
        sum.x += a.x * b.w;
        sum.y += a.y * b.z;
        sum.z += a.z * b.y;
        sum.w += a.w * b.x;
    }
    out[t] = sum;
}

extern "C" __global__ void two_types(const float *in, float *out) {
    const float *row = in + threadIdx.x * 9;
    const int *same = (const int *)row;
    out[threadIdx.x] = row[0] * row[1] + (float)(same[2] & 0xff) + row[3];
}

// The index wraps between two threads.
extern "C" __global__ void wraps(const unsigned *in, unsigned *out, unsigned from) {
    unsigned i = (threadIdx.x + from) * 16;
    out[threadIdx.x] = i < 2048 ? in[i] + in[i + 1] * 3 + in[i + 2] * 5 : 1;
}

extern "C" __global__ void in_branch(const unsigned *in, unsigned *out, unsigned n) {
    unsigned t = threadIdx.x, x = 0;
    if (t < n)
        x = few<4>(in + t * 11);
    else if (t < 2 * n)
        x = few<4>(in + t * 11) * 3;
    out[t] = x + few<4>(in + t * 11);
}
