// Kernels that begin with tests of an index: a version for blocks in which all threads pass.
// run: bound grid=5,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:300
// run: bound grid=5,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:320
// run: bound grid=5,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:1
// run: bound grid=5,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:4294967295
extern "C" __global__ void bound(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] > 0 ? in[i] * 3 : out[i] + 1;
}

// run: box grid=3,4,1 block=16,8,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:45
// run: box grid=2,2,1 block=32,16,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:32
extern "C" __global__ void box(const int *in, int *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n || y * n + x >= 2048)
        return;
    out[y * n + x] = in[y * n + x] + x;
}

// run: inside grid=3,6,1 block=16,8,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:44
// run: inside grid=6,11,1 block=8,4,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:40
extern "C" __global__ void inside(const int *in, int *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        int sum = 0;
        for (int k = -1; k <= 1; k++)
            sum += in[y * n + x + k] + in[(y + k) * n + x];
        out[y * n + x] = sum;
    }
}

// Below zero there is no index: it is a large one, as a number without sign.
// run: wraps grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:150
extern "C" __global__ void wraps(const int *in, int *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i - 3 < n)
        out[i] = in[i - 3] + 1;
}
// run: wide grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u64:150
extern "C" __global__ void wide(const int *in, int *out, unsigned long long n) {
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] - 1;
}

// Neither of the sides: odd threads, equality, a limit from memory.
// run: others grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:150
extern "C" __global__ void others(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 0 && i != n && i < in[0] % 100 + 150)
        out[i] = in[i] - 1;
}
// run: equal grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:0
// run: equal grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:70
extern "C" __global__ void equal(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i != n)
        out[i] = in[i] - 1;
}
