// Blocks that one lane alone can be in, whose accesses are scalars, and some that look like it.

// A tile's edges: the first and the last thread of a row, where a neighbour is.
// run: edges grid=3,2,1 block=32,4,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:96,u32:3
// run: edges grid=2,1,1 block=32,8,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:64,u32:5
// run: edges grid=2,1,1 block=16,8,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:32,u32:4
// run: edges grid=2,1,1 block=64,2,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:128,u32:2
// run: edges grid=2,1,1 block=33,3,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:66,u32:2
extern "C" __global__ void edges(const float *in, float *out, int w, int turns) {
    __shared__ float s[8][64 + 2];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = y * w + x;
    float sum = 0;
    for (int k = 0; k < turns; k++) {
        s[threadIdx.y][threadIdx.x + 1] = in[i + k];
        if (threadIdx.x == 0)
            s[threadIdx.y][0] = x > 0 ? in[i + k - 1] : -1.0f;
        if (threadIdx.x == blockDim.x - 1 && x < w - 1)
            s[threadIdx.y][blockDim.x + 1] = in[i + k + 1];
        if (threadIdx.x == blockDim.x - 1 && x >= w - 1)
            s[threadIdx.y][blockDim.x + 1] = 2;
        __syncthreads();
        sum += s[threadIdx.y][threadIdx.x] - s[threadIdx.y][threadIdx.x + 2];
        __syncthreads();
    }
    out[i] = sum;
}

// In blocks of one dimension the first thread of a block is the first of a vector, too; several
// words, and words of other sizes.
// run: firsts grid=3,1,1 block=128,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:40
// run: firsts grid=3,1,1 block=32,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:7
// run: firsts grid=2,1,1 block=40,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:40
extern "C" __global__ void firsts(const unsigned *in, unsigned *out, unsigned which) {
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    out[i] = t + 7;
    if (t == 0) {
        uint4 v = ((const uint4 *)in)[i];
        ((uint2 *)(out + 512))[i] = make_uint2(v.x ^ v.w, v.y + v.z);
        ((unsigned char *)(out + 1100))[i] = ((const unsigned char *)in)[i + 3];
        ((unsigned long long *)(out + 1200))[i] = ((const unsigned long long *)in)[i + 1];
        out[1900 + blockIdx.x] = in[in[i] % 512]; // where it lies is told by memory
    } else if (t == 31) {
        out[1800 + blockIdx.x] = in[i * 3];
    } else if (t == which) {
        out[i] = in[i + 1]; // any lane
    }
    if (t != 0)
        return;
    unsigned sum = 0;
    for (unsigned k = 0; k < 5; k++)
        sum += in[i + k * 16] ^ k;
    out[1950 + blockIdx.x] = sum;
}

// A lane of each warp, some of several vectors, and never all of what is asked for.
// run: lanes grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:1024:zero
extern "C" __global__ void lanes(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, lane = t & 31;
    if (lane == 5)
        out[i] = in[i + 2];
    if ((lane & 15) == 3)
        out[i] = in[i ^ 1] + 1;
    if (lane == 9 || lane == 11)
        out[i] = in[i + 1] * 3;
    if (!(lane != 20) && in[i] % 3)
        out[512 + i] = in[i - 1] + 2;
    if (lane == 7 && t == 40)
        out[900] = 1;
    if (lane == 8 && t == 40 + blockIdx.x * 32)
        out[901 + blockIdx.x] = in[i];
}

// The sum of 32 bits behind the address wraps for the last lane.
// run: wraps grid=1,1,1 block=64,1,1 shared=0
// args=buf:256:rand,buf:256:zero,u32:4294967276,u32:2147483628
extern "C" __global__ void wraps(const unsigned *in, unsigned *out, unsigned u, int s) {
    unsigned t = threadIdx.x;
    if (t == 31)
        out[u + t] = in[(unsigned)(t + u) & 63];
    if (t == 30)
        out[16 + (u + t)] = in[u + t];
    if (t == 3)
        out[64 + (unsigned)(s + (int)t) % 64] = 5;
}
