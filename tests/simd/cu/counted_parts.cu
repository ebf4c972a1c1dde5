// Loops that count, with a part that the last turns leave out.
// run: pairs grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:1000
// run: pairs grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:1024
// run: pairs grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:70
// run: pairs grid=1,1,1 block=48,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:963
// run: pairs grid=1,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:1
extern "C" __global__ void pairs(const float *in, float *out, int n) {
    float v = 0;
    for (int i = blockIdx.x * blockDim.x * 2 + threadIdx.x; i < n; i += gridDim.x * blockDim.x * 2) {
        v += in[i];
        if (i + blockDim.x < n)
            v -= 2 * in[i + blockDim.x];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

// With stores in the part, a count of its turns, and what the last turn left.
// run: stores grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:rand,buf:2048:zero,u32:900
// run: stores grid=2,1,1 block=96,1,1 shared=0 args=buf:4096:rand,buf:4096:rand,buf:2048:zero,u32:1024
// run: stores grid=1,1,1 block=32,1,1 shared=0 args=buf:4096:rand,buf:4096:rand,buf:2048:zero,u32:40
extern "C" __global__ void stores(const int *in, int *out, int *left, unsigned n) {
    unsigned turns = 0, last = 77, step = gridDim.x * blockDim.x;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned i = t;
    for (; i <= n - 1; i += step) {
        int x = in[i];
        last = x;
        if (i < n - 100) {
            out[i] = x + in[i + 100];
            turns++;
            last = x * 3;
        }
        out[i] += last;
    }
    left[3 * t] = turns;
    left[3 * t + 1] = last;
    left[3 * t + 2] = i;
}

// The counter comes near the largest number: what is added to it wraps.
// run: wraps grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:2147483647
// run: wraps grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:2147483600
extern "C" __global__ void wraps(const int *in, int *out, int n) {
    unsigned sum = 0;
    int t = threadIdx.x, i = 2147483647 - 700 + t, turns = 0;
    do {
        sum += in[i & 1023];
        if ((int)((unsigned)i + 200) < n)
            sum = sum * 5 + in[(i >> 3) & 1023];
        i = (int)((unsigned)i + 64);
    } while (i < n && ++turns < 40);
    out[2 * t] = sum;
    out[2 * t + 1] = turns;
}

// 64 bits, the part on the other side of the branch, in a loop of its own.
// run: far grid=1,1,1 block=128,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u64:1000
// run: far grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u64:513
extern "C" __global__ void far(const int *in, int *out, unsigned long long n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < 3; k++) {
        for (unsigned long long i = threadIdx.x; i < n; i += blockDim.x) {
            sum ^= in[i];
            if (!(i + 64 >= n))
                sum += in[i + 64] >> k;
        }
        sum *= 7;
    }
    out[t] = sum;
}

// In shared memory, between barriers, as a block that is one team.
// run: staged grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:256
// run: staged grid=1,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:200
extern "C" __global__ void staged(const int *in, int *out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += blockDim.x)
        s[i] = in[i + blockIdx.x];
    __syncthreads();
    int v = 0;
    for (int i = t; i < n; i += blockDim.x) {
        v += s[i];
        if (i + 32 < n)
            s[i] = v;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = v + s[255 - t] + s[t];
}
