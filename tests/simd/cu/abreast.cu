// What a warp has once, three times and more, by the same steps: factors of several rows, and
// chains of arithmetic. And where they cannot be computed together: each one needs the one before,
// or a load stands behind a store of one of them; steps, constants and comparisons that differ.
// run: rows grid=2 block=32,2 args=buf:2048:float,buf:1024:zero,u32:2
// run: rows grid=2 block=32,2 args=buf:2048:special,buf:1024:zero,u32:2
// run: three grid=2 block=32 args=buf:8:float,buf:256:zero
// run: three grid=2 block=32 args=buf:8:special,buf:256:zero
// run: five grid=2 block=32 args=buf:16:float,buf:640:zero
// run: chained grid=2 block=32 args=buf:8:float,buf:320:zero
// run: stored grid=2 block=32 args=buf:16:float,buf:8:rand,buf:320:zero
// run: differing grid=2 block=32 args=buf:8:float,buf:576:zero
// run: chosen grid=2 block=32 args=buf:8:float,buf:8:rand,buf:768:zero
// run: chosen grid=2 block=32 args=buf:8:special,buf:8:rand,buf:768:zero
// run: looped grid=2 block=32 args=buf:8:float,buf:256:zero,u32:5
#define FULL 0xffffffffu
__device__ float warp_max(float v) {
    for (int d = 16; d > 0; d >>= 1)
        v = fmaxf(v, __shfl_xor_sync(FULL, v, d));
    return v;
}

__device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(FULL, v, d);
    return v;
}

// A softmax in one pass: what four rows have so far is scaled to their new maxima.
extern "C" __global__ void rows(const float *in, float *out, int turns) {
    __shared__ float p[2][4][32];
    int x = threadIdx.x, y = threadIdx.y;
    const float *q = in + blockIdx.x * 1024 + y * 512;
    float most[4], sum[4] = {0, 0, 0, 0}, o[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++)
        most[i] = -1e30f;
    for (int t = 0; t < turns; t++) {
        for (int i = 0; i < 4; i++) {
            float s = q[t * 128 + i * 32 + x];
            float largest = fmaxf(warp_max(s), most[i]);
            float keep = __expf(most[i] - largest), e = __expf(s - largest);
            sum[i] = sum[i] * keep + warp_sum(e);
            most[i] = largest;
            o[i] *= keep;
            p[y][i][x] = e;
        }
        __syncwarp();
        for (int j = 0; j < 32; j++)
            for (int i = 0; i < 4; i++)
                o[i] += p[y][i][j] * q[t * 128 + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        out[((blockIdx.x * 2 + y) * 4 + i) * 32 + x] = o[i] / sum[i];
        out[512 + ((blockIdx.x * 2 + y) * 4 + i) * 32 + x] = sum[i];
    }
}

__device__ float chain(float x, float c) {
    float y = x * 1.5f + c;
    y = y * x - 0.25f;
    y = y / (x * x + 2.0f);
    y = sqrtf(y * y + 0.5f);
    return y * (x - 3.0f) - x;
}

// What each thread has put aside, to global memory, which is read, too: stores past the caches would
// part the blocks that are meant.
__device__ void put_out(float (*kept)[32], float *out, int n) {
    __syncthreads();
    for (int i = 0; i < n; i++)
        out[blockIdx.x * n * 32 + i * 32 + threadIdx.x] += kept[i][threadIdx.x];
}

extern "C" __global__ void three(const float *in, float *out) {
    __shared__ float kept[4][32];
    int x = threadIdx.x;
    float a = chain(in[blockIdx.x], 1), b = chain(in[blockIdx.x + 2], 1);
    float c = chain(in[blockIdx.x + 4], 1);
    kept[0][x] = a * x;
    kept[1][x] = b + x;
    kept[2][x] = c;
    kept[3][x] = a - b;
    put_out(kept, out, 4);
}

// One more than the lanes that there are, and steps before the last that are used elsewhere.
extern "C" __global__ void five(const float *in, float *out) {
    __shared__ float kept[10][32];
    float y[5], z[5];
    for (int i = 0; i < 5; i++) {
        float x = in[blockIdx.x + 2 * i];
        z[i] = x * x + 1.0f;
        y[i] = chain(z[i] * 0.5f - x, 2);
    }
    for (int i = 0; i < 5; i++) {
        kept[i][threadIdx.x] = y[i] * threadIdx.x;
        kept[5 + i][threadIdx.x] = z[i] - y[i];
    }
    put_out(kept, out, 10);
}

extern "C" __global__ void chained(const float *in, float *out) {
    __shared__ float kept[5][32];
    float before = 1;
    for (int i = 0; i < 4; i++) {
        before = chain(in[blockIdx.x + 2 * i] + before, 1);
        kept[i][threadIdx.x] = before * threadIdx.x;
    }
    kept[4][threadIdx.x] = before;
    put_out(kept, out, 5);
}

// Each load stands behind a store of what the one before it led to.
extern "C" __global__ void stored(const float *in, const unsigned *at, float *out) {
    __shared__ float kept[5][32], passed[16];
    float y = 0;
    passed[threadIdx.x % 16] = 0.5f;
    __syncwarp();
    for (int i = 0; i < 4; i++) {
        float x = in[blockIdx.x + 2 * i] + passed[at[i] & 15];
        y = chain(x, 1);
        passed[at[i + 1] & 15] = y;
        kept[i][threadIdx.x] = y * threadIdx.x;
    }
    kept[4][threadIdx.x] = y;
    put_out(kept, out, 5);
}

// Other constants, another step in the middle, operands in another order, one value for two.
extern "C" __global__ void differing(const float *in, float *out) {
    __shared__ float kept[9][32];
    for (int i = 0; i < 4; i++)
        kept[i][threadIdx.x] = chain(in[blockIdx.x + 2 * i], i + 0.5f) * threadIdx.x;
    for (int i = 0; i < 4; i++) {
        float x = in[blockIdx.x + 2 * i];
        float y = (i & 1 ? x * x + 1 : x - 1) * 3 + x;
        kept[4 + i][threadIdx.x] = chain(y, 1) + threadIdx.x;
    }
    float x = in[blockIdx.x], y = in[blockIdx.x + 2], z = in[blockIdx.x + 4];
    kept[8][threadIdx.x] = chain(x - y, z) + chain(y - x, z) + chain(x - y, z) * chain(z - x, x);
    put_out(kept, out, 9);
}

// Choices, by comparisons of one kind and of two, and by bits from memory.
extern "C" __global__ void chosen(const float *in, const unsigned *bits, float *out) {
    __shared__ float kept[12][32];
    for (int i = 0; i < 4; i++) {
        float x = in[blockIdx.x + 2 * i], y = x < 0.5f ? x * 3 - 1 : x / 3;
        kept[i][threadIdx.x] = chain(y > 0.25f ? y + x : y * x, 1) * threadIdx.x;
        float z = (i & 1 ? x < 0.5f : x > 0.5f) ? x * 3 - 1 : x / 3;
        kept[4 + i][threadIdx.x] = chain(z, 1) * threadIdx.x;
        float w = chain(x, 1), v = bits[blockIdx.x + 2 * i] & 1 ? w * w : w - x;
        kept[8 + i][threadIdx.x] = chain(v, 1);
    }
    put_out(kept, out, 12);
}

// Carried from turn to turn.
extern "C" __global__ void looped(const float *in, float *out, int turns) {
    __shared__ float kept[4][32];
    float y[4];
    for (int i = 0; i < 4; i++)
        y[i] = in[blockIdx.x + 2 * i];
    for (int k = 0; k < turns; k++)
        for (int i = 0; i < 4; i++)
            y[i] = chain(y[i], 1) * 0.125f;
    for (int i = 0; i < 4; i++)
        kept[i][threadIdx.x] = y[i] * threadIdx.x;
    put_out(kept, out, 4);
}
