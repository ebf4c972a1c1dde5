// Loads from shared memory that all warps or rows of a block have alike, which the first one makes,
// and such that only look alike: by warps that part, by loops that end at turns of their own, by
// what was stored in between.

// Rows as four words a thread.
// run: product grid=1,1,1 block=16,16,1 shared=0 args=buf:2048:float,buf:2048:float,buf:4096:zero,u32:32
// run: product grid=1,1,1 block=16,16,1 shared=0 args=buf:2048:float,buf:2048:float,buf:4096:zero,u32:0
extern "C" __global__ void product(const float *a, const float *b, float *c, unsigned n) {
    __shared__ float sa[16][64 + 4], sb[16][64];
    int t = threadIdx.y * 16 + threadIdx.x;
    float acc[4][4] = {};
    for (int k = 0; k < (int)n; k += 16) {
        for (int i = t; i < 1024; i += 256) {
            sa[i / 64][i % 64] = a[k * 64 + i];
            sb[i / 64][i % 64] = b[k * 64 + i];
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; j++) {
            float4 u = *(const float4 *)&sa[j][threadIdx.y * 4];
            float4 v = *(const float4 *)&sb[j][threadIdx.x * 4];
            float ru[4] = {u.x, u.y, u.z, u.w}, rv[4] = {v.x, v.y, v.z, v.w};
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 4; x++)
                    acc[y][x] += ru[y] * rv[x];
        }
        __syncthreads();
    }
    for (int y = 0; y < 4; y++)
        *(float4 *)&c[(threadIdx.y * 4 + y) * 64 + threadIdx.x * 4] =
            make_float4(acc[y][0], acc[y][1], acc[y][2], acc[y][3]);
}

// Columns: more of them than are kept; in between each warp stores what it reads again itself.
// run: columns grid=2,1,1 block=32,8,1 shared=0 args=buf:8192:float,buf:1024:zero,u32:2,u32:24
// run: columns grid=1,1,1 block=32,4,1 shared=0 args=buf:8192:float,buf:1024:zero,u32:3,u32:5
// run: columns grid=1,1,1 block=16,4,1 shared=0 args=buf:8192:float,buf:1024:zero,u32:1,u32:24
// run: columns grid=1,1,1 block=8,4,1 shared=0 args=buf:8192:float,buf:1024:zero,u32:2,u32:7
extern "C" __global__ void columns(const float *in, float *out, unsigned tiles, unsigned depth) {
    __shared__ __align__(16) float tile[32][100];
    __shared__ float own[8][32];
    unsigned x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    float sum = 0, other = y;
    for (unsigned k = 0; k < tiles; k++) {
        for (unsigned i = t; i < 3200; i += blockDim.x * blockDim.y)
            tile[i / 100][i % 100] = in[(k * 1000 + i) % 8192];
        __syncthreads();
        for (unsigned d = 0; d < depth; d++) {
            float4 b = *(const float4 *)&tile[x][4 * d];
            sum += b.x * other + b.y + b.z * (y + d) + b.w;
        }
        own[y][x] = sum;
        __syncwarp();
        other = own[y][(x + 1) % blockDim.x] + tile[x][k] + tile[x][k + 5];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = sum + other;
}

// Warps of a row of threads; an index that is made bit by bit.
// run: lanes grid=1,1,1 block=256,1,1 shared=0 args=buf:1024:rand,buf:256:zero,u32:9
// run: lanes grid=1,1,1 block=100,1,1 shared=0 args=buf:1024:rand,buf:256:zero,u32:9
extern "C" __global__ void lanes(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[1024];
    unsigned t = threadIdx.x, lane = t & 31, sum = t;
    for (unsigned i = t; i < 1024; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    for (unsigned k = 0; k < n; k++)
        sum = sum * 31 + s[(lane * 32 + k) & 1023] + s[(lane ^ k) * 7];
    __syncthreads();
    s[t] = sum; // what the next loads see is new
    __syncthreads();
    for (unsigned k = 0; k < n; k++)
        sum = sum * 31 + s[(lane * 5 + k) % 97];
    out[t] = sum;
}

// Warps that part: the load runs in some of them, or in all of them at turns of their own.
// run: parted grid=1,1,1 block=256,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:9
// run: parted grid=1,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:0
extern "C" __global__ void parted(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[1024];
    unsigned t = threadIdx.x, lane = t & 31, warp = t / 32, sum = t, k = 0;
    for (unsigned i = t; i < 1024; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    if (warp != 0)
        sum += s[lane * 9];
    for (; k < n + warp; k++) // each warp its number of turns
        sum = sum * 31 + s[lane * 3 + k];
    sum += s[lane * 11 + k];
    unsigned from = warp & 1 ? lane * 13 : lane * 17;
    sum ^= s[from];
    for (unsigned j = 0; j < 12; j++) {
        sum += s[lane * 7 + j]; // the second load is left out now and then
        if ((j & warp) == 0)
            sum = sum * 5 + s[lane * 19 + j];
    }
    __syncthreads();
    unsigned more = s[lane * 23];
    out[t] = sum;
    out[512 + t] = more;
}

// Some warps leave, the others meet without them.
// run: left grid=2,1,1 block=256,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:3
extern "C" __global__ void left(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[1024];
    unsigned t = threadIdx.x, lane = t & 31, warp = t / 32;
    for (unsigned i = t; i < 1024; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    unsigned sum = s[lane * 9];
    if (warp % n == 0)
        return;
    for (unsigned k = 0; k < 4; k++) {
        __syncthreads();
        sum = sum * 3 + s[lane * 21 + k];
    }
    out[blockIdx.x * 256 + t] = sum;
}
