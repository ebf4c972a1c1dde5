// Grid-stride loops, of which one iteration is left in the code of a run of blocks, and loops that
// only look like them.
// run: scale grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:2000
// run: scale grid=1,1,1 block=32,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:1
// run: scale grid=5,1,1 block=96,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:0
// run: scale grid=40,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:2047
// run: scale grid=2,1,1 block=40,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:1999
// run: scale grid=2,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:4294967295
extern "C" __global__ void scale(const float *in, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] * 3 + out[i];
}

// With other types of the index and the limit.
// run: wide grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u64:2000
// run: wide grid=7,1,1 block=32,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u64:1
extern "C" __global__ void wide(const int *in, int *out, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        out[i] += in[i];
}
// run: wide_signed grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:2001
// run: wide_signed grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:4294967000
extern "C" __global__ void wide_signed(const int *in, int *out, int n) {
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        out[i] ^= in[i];
}
// run: without_sign grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:1777
extern "C" __global__ void without_sign(const unsigned *in, unsigned *out, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        out[i] = in[i] / 3;
}

// Each iteration of a thread reads what its last one wrote.
// run: chain grid=2,1,1 block=64,1,1 shared=0 args=buf:8192:rand,u32:2000
// run: chain grid=9,1,1 block=32,1,1 shared=0 args=buf:8192:rand,u32:2048
extern "C" __global__ void chain(int *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (i >= gridDim.x * blockDim.x)
            a[i] = a[i - gridDim.x * blockDim.x] * 5 + a[i];
}

// Rows of threads, and branches in the body.
// run: rows grid=2,3,1 block=32,4,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:150
// run: rows grid=1,2,2 block=16,2,3 shared=0 args=buf:8192:rand,buf:8192:zero,u32:80
extern "C" __global__ void rows(const int *in, int *out, int n) {
    int row = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y * blockDim.z +
              threadIdx.z * blockDim.y + threadIdx.y;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        if (v & 1)
            v = v * row;
        else if (v & 2)
            v = v - i;
        out[row * n + i] = v;
    }
}

// What a thread knows beside its index: sums, the block that it is in, where it ends.
// run: sums grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:1024:zero,u32:2000
extern "C" __global__ void sums(const int *in, int *out, int n) {
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// run: blocks grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:2000
extern "C" __global__ void blocks(const int *in, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + blockIdx.x * 1000;
}
// run: counts grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:2000
extern "C" __global__ void counts(const int *in, int *out, int n) {
    int k = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + k++;
}
// run: limits grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:zero,buf:64:zero
extern "C" __global__ void limits(const int *in, int *out, const int *n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n[0] + 1000; i += gridDim.x * blockDim.x)
        out[i] = in[i] + 1;
}
// run: steps grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:2000
extern "C" __global__ void steps(const int *in, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 2 * gridDim.x * blockDim.x)
        out[i] = in[i] + 1;
}
