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

// Indices of two dimensions, computed in 32 bits: in some launches they wrap, in others not.
// run: wrapping grid=2,3,1 block=16,4,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:60,u32:536870912
// run: wrapping grid=2,3,1 block=16,4,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:64,u32:3758096384
// run: wrapping grid=2,3,1 block=32,4,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:64,u32:0
// run: wrapping grid=2,3,1 block=8,4,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:64,u32:8
extern "C" __global__ void wrapping(const int *in, int *out, int n, int p) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < 12)
        out[y * 64 + x] += in[(y << 3) * p + y * 64 + x] - x;
}

// run: without_sign grid=2,3,1 block=16,4,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:60,u32:4294967232
// run: without_sign grid=2,3,1 block=16,4,1 shared=0 args=buf:8192:rand,buf:8192:zero,u32:64,u32:5
extern "C" __global__ void without_sign(const int *in, int *out, unsigned n, unsigned p) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < 12)
        out[y * 64 + x] = in[(y + 1) * 64 + x ] + in[64 * 13 + y * p + x];
}

// A multiple of neighbours of a pixel, held inside the image, of elements of several sizes.
// run: clamped grid=3,3,1 block=16,8,1 shared=0 args=buf:8192:rand,buf:8192:zero,buf:8192:rand,u32:40,u32:21
// run: clamped grid=2,2,1 block=8,8,1 shared=0 args=buf:8192:rand,buf:8192:zero,buf:8192:rand,u32:16,u32:16
extern "C" __global__ void clamped(const uchar4 *in, uchar4 *out, const short *s, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int up = max(y - 1, 0), down = min(y + 1, h - 1), left = max(x - 1, 0);
    uchar4 a = in[up * w + x], b = in[down * w + x], c = in[y * w + left];
    out[y * w + x] = make_uchar4(a.x + b.x, a.y + c.y, b.z - c.z, s[y * w + x] + s[(h - 1 - y) * w + x]);
}

// Three dimensions, and a row's length that the kernel computes.
// run: volume grid=2,2,4 block=8,4,2 shared=0 args=buf:16384:rand,buf:16384:zero,u32:16
// run: volume grid=2,2,4 block=8,4,2 shared=0 args=buf:16384:rand,buf:16384:zero,u32:13
extern "C" __global__ void volume(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z, row = n + 3, plane = row * n;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n / 2 - 1)
        return;
    int i = (z * n + y) * row + x;
    out[i] = in[i - 1] + in[i + 1] + in[i - row] + in[i + row] + in[i - plane] + in[i + plane];
}

// Tests of sums and products, which wrap around for some blocks.
// run: products grid=8,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:3,u32:700
// run: products grid=8,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:1,u32:512
// run: products grid=8,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:8388609,u32:900
// run: products grid=8,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:4294967295,u32:9
extern "C" __global__ void products(const unsigned *a, unsigned *b, unsigned by, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * by < n)
        b[i] = a[i * by] + i;
}

// run: sums grid=6,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:1200,u32:64
// run: sums grid=6,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:900,u32:64
// run: sums grid=6,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:900,u32:2147483000
extern "C" __global__ void sums(const unsigned *a, unsigned *b, int n, int far) {
    int i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    if ((int)(i + 3u * far) < n) {
        unsigned x = a[i % 2048];
        b[i] = x + (i + 3u * far < 2048 ? a[i + 3u * far] : 5);
    }
}

// run: unsigned_tests grid=6,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:5,u32:300
// run: unsigned_tests grid=6,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:70,u32:380
// run: unsigned_tests grid=6,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:2048:zero,u32:70,u32:4294967290
extern "C" __global__ void unsigned_tests(const unsigned *a, unsigned *b, unsigned low, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i - low < n && 2 * i + 1 > low)
        b[i] = a[i] * 3;
}
