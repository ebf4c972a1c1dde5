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

// Limits that each launch computes, and one that threads come to behind a test.
// run: product grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:40,u32:51
// run: product grid=5,1,1 block=32,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:4294967295,u32:51
extern "C" __global__ void product(const int *in, int *out, int rows, int columns) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns;
         i += gridDim.x * blockDim.x)
        out[i] = in[i % columns * rows + i / columns] + 1;
}
// run: quarter grid=2,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:2047
// run: quarter grid=2,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:4294960000
extern "C" __global__ void quarter(const int *in, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x)
        out[i] = in[4 * i] - in[4 * i + 3];
}
// run: fixed grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand
extern "C" __global__ void fixed(const int *in, int *out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 2011; i += gridDim.x * blockDim.x)
        out[i] += in[i] * 7;
}
// run: planes grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:13,u32:11,u32:12
extern "C" __global__ void planes(const int *in, int *out, int w, int h, int d) {
    unsigned columns = w - 2, rows = h - 2, n = columns * rows * (d - 2);
    for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
        unsigned x = k % columns + 1, y = k / columns % rows + 1, z = k / (columns * rows) + 1;
        size_t at = ((size_t)z * h + y) * w + x;
        out[at] = in[at - 1] + in[at + 1] + in[at - w] + in[at + w];
    }
}
// found: early x86-64-v2 8
// run: early grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:2000,u32:1
// run: early grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:2000,u32:5
extern "C" __global__ void early(const float *in, float *out, int n, int flag) {
    if (flag > 3)
        return;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] * 3 + out[i];
}
// run: half_early grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:4000,u32:1
// run: half_early grid=3,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:8192:rand,u32:4000,u32:5
extern "C" __global__ void half_early(const float *in, float *out, unsigned n, int flag) {
    if (flag > 3)
        return;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += gridDim.x * blockDim.x)
        out[i] = in[i] * 3 + out[i];
}
