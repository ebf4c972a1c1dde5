// Loops with barriers that fill tiles in shared memory: addresses that grow from turn to turn by
// constants, by parameters, by products, in each lane alike or not.

// run: product grid=2,2,1 block=16,16,1 shared=0 args=buf:1024:float,buf:1024:float,buf:1024:zero,u32:32
// run: product grid=2,2,1 block=16,16,1 shared=0 args=buf:1024:float,buf:1024:float,buf:1024:zero,u32:0
extern "C" __global__ void product(const float *a, const float *b, float *c, unsigned n) {
    __shared__ float sa[16][16], sb[16][16];
    int lx = threadIdx.x, ly = threadIdx.y, x = blockIdx.x * 16 + lx, y = blockIdx.y * 16 + ly;
    float acc = 0;
    for (int k = 0; k < (int)n; k += 16) {
        sa[ly][lx] = a[y * n + k + lx];
        sb[ly][lx] = b[(k + ly) * n + x];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            acc += sa[ly][j] * sb[j][lx];
        __syncthreads();
    }
    c[y * 32 + x] = acc;
}

// Four elements a thread; a lies transposed in shared memory.
// run: registers grid=1,1,1 block=8,8,1 shared=0 args=buf:2048:float,buf:2048:float,buf:1024:zero,u32:32
extern "C" __global__ void registers(const float *a, const float *b, float *c, unsigned n) {
    __shared__ float sa[8][32 + 4], sb[8][32];
    int t = threadIdx.y * 8 + threadIdx.x, ay = t / 2, ak = t % 2 * 4, bk = t / 8, bx = t % 8 * 4;
    float acc[4][4] = {};
    for (int k = 0; k < (int)n; k += 8) {
        float4 va = *(const float4 *)&a[ay * n + k + ak];
        sa[ak][ay] = va.x;
        sa[ak + 1][ay] = va.y;
        sa[ak + 2][ay] = va.z;
        sa[ak + 3][ay] = va.w;
        *(float4 *)&sb[bk][bx] = *(const float4 *)&b[(k + bk) * n + bx];
        __syncthreads();
        for (int j = 0; j < 8; j++) {
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
        *(float4 *)&c[(threadIdx.y * 4 + y) * 32 + threadIdx.x * 4] =
            make_float4(acc[y][0], acc[y][1], acc[y][2], acc[y][3]);
}

// Backwards, by a step in memory, of shorts and of doubles; some threads of a block load nothing.
// run: walks grid=2,1,1 block=48,1,1 shared=0 args=buf:4096:rand,buf:128:zero,u32:9
// run: walks grid=1,1,1 block=128,1,1 shared=0 args=buf:4096:rand,buf:128:zero,u32:3
extern "C" __global__ void walks(const unsigned *x, unsigned *out, unsigned turns) {
    __shared__ unsigned s[128];
    __shared__ unsigned long long d[128];
    unsigned t = threadIdx.x, sum = 0, step = x[0] % 64, wide = 0;
    const unsigned *back = x + 4000 - t;
    for (unsigned k = 0; k < turns; k++) {
        if (t % 5 < 3)
            s[t] = *back + ((const unsigned short *)x)[(step * k + t) % 8192];
        d[t] = ((const unsigned long long *)x)[t + wide];
        __syncthreads();
        sum = sum * 3 + (t % 5 < 3 ? s[t] : 0) + (unsigned)(d[(t + 1) % blockDim.x] >> 7);
        __syncthreads();
        back -= 32 + step;
        wide += step * 2;
    }
    out[blockIdx.x * blockDim.x + t] = sum;
}

// Stores of a tile transposed: lanes that lie side by side in another order than theirs; several
// lanes at one place, of which the last one stays; bytes, halves and doubles.
// run: transposed_stores grid=2,1,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:3
// run: transposed_stores grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:1
extern "C" __global__ void transposed_stores(const unsigned *x, unsigned *out, unsigned turns) {
    __shared__ unsigned s[16][68];
    __shared__ unsigned char b[4][80];
    __shared__ unsigned short h[8][40];
    __shared__ double d[4][66];
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x, n = blockDim.x * blockDim.y, sum = 0;
    for (unsigned k = 0; k < turns; k++) {
        s[t % 4 * 4 + k][t / 4] = x[t + k];
        b[t % 4][t / 4] = x[t];
        h[t % 8][31 - t / 8] = x[t + 1];
        d[3 - t % 4][t / 4] = x[t + k];
        out[2048 + blockIdx.x * 512 + t % 2 * 256 + t / 2] = x[t] + k;
        __syncthreads();
        sum = sum * 3 + s[(t + 1) % 4 * 4 + k][(n - 1 - t) / 4] + b[t * 7 % 4][t / 4] +
              h[t % 8][31 - (n - 1 - t) / 8] + (unsigned)d[t % 4][t / 4];
        __syncthreads();
    }
    out[blockIdx.x * n + t] = sum;
}

// run: last_stays grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:64:zero
// also: KUDZU_TILES=off
extern "C" __global__ void last_stays(const unsigned *x, unsigned *out) {
    out[threadIdx.x / 32 * 32 + threadIdx.x % 32 / 4] = threadIdx.x / 32 * 8 + threadIdx.x % 32 / 4;
    out[threadIdx.x / 32 * 32 + 31 - threadIdx.x % 16] = x[threadIdx.x / 32 * 16 + threadIdx.x % 16];
}
