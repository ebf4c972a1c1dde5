// Rows of threads that each look at several rows of a tile in shared memory: groups of a team run
// one behind the other, so that a row is loaded once for all of them.

// run: filter grid=2,2,1 block=32,16,1 shared=0 args=buf:8192:float,buf:4096:zero,buf:64:float,u32:64,u32:32
// run: filter grid=1,1,1 block=32,16,1 shared=0 args=buf:8192:special,buf:4096:zero,buf:64:float,u32:30,u32:17
// run: filter grid=3,2,1 block=16,8,1 shared=0 args=buf:8192:float,buf:4096:zero,buf:64:special,u32:48,u32:16
// run: filter grid=1,1,1 block=32,4,1 shared=0 args=buf:8192:float,buf:4096:zero,buf:64:float,u32:32,u32:4
// run: filter grid=1,2,1 block=24,6,1 shared=0 args=buf:8192:float,buf:4096:zero,buf:64:float,u32:24,u32:12
extern "C" __global__ void filter(const float *in, float *out, const float *f, int w, int h) {
    __shared__ float s[16 + 4][32 + 4];
    int x0 = blockIdx.x * blockDim.x, y0 = blockIdx.y * blockDim.y;
    for (int y = threadIdx.y; y < blockDim.y + 4; y += blockDim.y)
        for (int x = threadIdx.x; x < blockDim.x + 4; x += blockDim.x) {
            int gx = x0 + x - 2, gy = y0 + y - 2;
            s[y][x] = gx >= 0 && gy >= 0 && gx < w && gy < h ? in[gy * w + gx] : 0;
        }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int y = 0; y < 5; y++)
#pragma unroll
        for (int x = 0; x < 5; x++)
            sum += f[y * 5 + x] * s[threadIdx.y + y][threadIdx.x + x];
    if (x0 + threadIdx.x < w && y0 + threadIdx.y < h)
        out[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = sum;
}

// Whole numbers, several results, and rows the other way round; the loop's turns store between.
// run: turns grid=2,1,1 block=32,16,1 shared=0 args=buf:4096:rand,buf:8192:zero,u32:3
// run: turns grid=2,1,1 block=32,32,1 shared=0 args=buf:4096:rand,buf:8192:zero,u32:2
extern "C" __global__ void turns(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[32 + 16][64];
    unsigned x = threadIdx.x, y = threadIdx.y, at = y * blockDim.x + x, a = 1, b = 0;
    unsigned base = blockIdx.x * blockDim.x * blockDim.y;
    for (int k = 0; k < n; k++) {
        s[y][x] = in[(base + at + k * 37) % 4096];
        if (y < 16)
            s[blockDim.y + y][x] = in[(base + at + k * 41 + 5) % 4096] + a;
        __syncthreads();
#pragma unroll
        for (int d = 0; d < 16; d++) {
            a = a * 3 + s[y + d][x];
            b ^= s[y + 15 - d][x] + d;
        }
        out[base + at] = a + k;
        __syncthreads();
    }
    out[4096 + base + at] = b;
}

// What lies between the loads is stored, by each thread for itself.
// run: own grid=1,1,1 block=32,8,1 shared=0 args=buf:2048:float,buf:2048:zero,u32:9
extern "C" __global__ void own(const float *in, float *out, unsigned n) {
    __shared__ float s[32][32], t[8][32];
    unsigned x = threadIdx.x, y = threadIdx.y;
    for (unsigned k = y; k < 32; k += 8)
        s[k][x] = in[k * 32 + x];
    __syncthreads();
    float sum = 0, most = -1;
#pragma unroll
    for (int d = 0; d < 20; d++) {
        float v = s[y + d][x];
        sum += v * (float)d;
        most = fmaxf(most, v);
        t[y][x] = sum;
    }
    out[y * 32 + x] = sum + most;
    if (x < n)
        out[256 + y * 32 + x] = t[y][x];
}
