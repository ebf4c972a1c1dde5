// Places to the left of a thread's own, behind tests that those who have none do not pass; and
// tests that leave some below zero.
// run: halo grid=3,2,1 block=32,8,1 shared=0 args=buf:16384:rand,buf:16384:zero,u32:50,u32:12
// run: halo grid=3,2,1 block=16,8,1 shared=0 args=buf:16384:rand,buf:16384:zero,u32:30,u32:12
extern "C" __global__ void halo(const int *in, int *out, int w, int h) {
    __shared__ int s[10][32];
    int tx = threadIdx.x, ty = threadIdx.y, n = blockDim.x - 2;
    int x = blockIdx.x * n + tx - 1, y = blockIdx.y * 6 + ty - 1;
    s[ty][tx] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : -1;
    __syncthreads();
    if (tx > 0 && tx < n + 1 && ty > 0 && ty < 7 && x < w && y < h)
        out[y * w + x] = s[ty - 1][tx - 1] + 3 * s[ty][tx - 1] + 5 * s[ty + 1][tx - 1] +
                         7 * s[ty][tx + 1];
}

// run: before grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:rand,u32:1
// run: before grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:rand,u32:5
// run: before grid=2,1,1 block=96,1,1 shared=0 args=buf:4096:rand,buf:4096:rand,u32:0
// run: before grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:rand,u32:70
extern "C" __global__ void before(const int *in, int *out, unsigned distance) {
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[i];
    __syncthreads();
    int v = s[t];
    if (t >= distance)
        v += 3 * s[t - distance];
    if (t >= 5)
        v -= s[t - 4];
    if (t != 0)
        v ^= s[t - 1];
    if (t - 7 < 20)
        v += s[t - 6] + s[t - 7];
    out[i] = v;
}

// run: sums grid=2,1,1 block=128,1,1 shared=0 args=buf:4096:rand,buf:4096:rand
// run: sums grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:rand
extern "C" __global__ void sums(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[i];
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
    }
    out[i] = s[t];
}

// run: diagonals grid=2,1,1 block=32,1,1 shared=0 args=buf:4096:rand,buf:4096:rand
// run: diagonals grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:rand
extern "C" __global__ void diagonals(const int *in, int *out) {
    __shared__ int s[65][65];
    int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
    for (int k = 0; k <= n; k++)
        s[k][t] = in[i] + k;
    s[t][n] = t;
    __syncthreads();
    for (int d = 0; d < 2 * n - 1; d++) {
        int j = d - t;
        if (j >= 0 && j < n)
            s[t + 1][j + 1] = max(s[t][j + 1], s[t + 1][j]) ^ s[t][j];
        __syncthreads();
    }
    out[i] = s[n][t] + s[t + 1][n];
}

// Numbers that are large without a sign: x - 3 of those who pass is not always below 2^31.
// run: large grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:rand,u32:4294967290
// run: large grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:rand,u32:2147483640
// run: large grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:rand,u32:2
extern "C" __global__ void large(const unsigned *in, unsigned long long *out, unsigned n) {
    unsigned x = n + threadIdx.x;
    unsigned long long v = 1;
    if (x > 2)
        v += (unsigned long long)(x - 3) * 5;
    if ((int)x > 2)
        v ^= (unsigned long long)(x - 3) << 3;
    if (threadIdx.x > n)
        v += (unsigned long long)(threadIdx.x - n - 1);
    out[threadIdx.x] = v + in[threadIdx.x];
}
