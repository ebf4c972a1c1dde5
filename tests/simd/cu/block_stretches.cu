// Blocks of several rows, next to each other along x: whole ones, such at the edges of what is worked
// on, tests that only some rows pass, more blocks in a row of the grid than are looked at together.

// run: cross grid=5,4,1 block=16,16,1 shared=0 args=buf:32768:float,buf:32768:zero,u32:70
// run: cross grid=4,4,1 block=16,16,1 shared=0 args=buf:32768:float,buf:32768:zero,u32:64
// run: cross grid=5,9,1 block=32,4,1 shared=0 args=buf:32768:float,buf:32768:zero,u32:33
// run: cross grid=9,5,1 block=8,8,1 shared=0 args=buf:32768:float,buf:32768:zero,u32:71
// run: cross grid=3,3,1 block=16,16,1 shared=0 args=buf:32768:float,buf:32768:zero,u32:1
extern "C" __global__ void cross(const float *a, float *b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        b[y * n + x] =
            0.25f * (a[y * n + x - 1] + a[y * n + x + 1] + a[y * n + x - n] + a[y * n + x + n]);
}

// run: seven grid=3,3,6 block=8,8,1 shared=0 args=buf:16384:float,buf:16384:zero,u32:20
// run: seven grid=2,2,5 block=16,4,1 shared=0 args=buf:16384:float,buf:16384:zero,u32:17
extern "C" __global__ void seven(const float *a, float *b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= 5)
        return;
    int i = (z * n + y) * n + x;
    b[i] = a[i] * -6 + a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n];
}

// 2,100 blocks in a row, of which the last ones have nothing to do.
// run: long_row grid=2100,1,1 block=8,2,1 shared=0 args=buf:65536:rand,buf:65536:zero,u32:16600,u32:2
// run: long_row grid=2100,1,1 block=8,2,1 shared=0 args=buf:65536:rand,buf:65536:zero,u32:8199,u32:1
extern "C" __global__ void long_row(const unsigned *a, unsigned *b, unsigned w, unsigned h) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
    if (x >= w || y >= h)
        return;
    b[y * w + x] = a[(y * w + x) % 65536] * 3 + x;
}

// Whole blocks in the middle alone, and a sum that wraps for what lies outside.
// run: middle grid=6,2,1 block=16,4,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:20,u32:70
// run: middle grid=6,2,1 block=16,4,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:0,u32:96
// run: middle grid=6,2,1 block=16,4,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:90,u32:20
extern "C" __global__ void middle(const unsigned *a, unsigned *b, unsigned from, unsigned to) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= from && x < to)
        b[y * 96 + x - from] = a[y * 96 + x] + a[(x - from) % 96];
}

// A grid-stride loop along x of blocks with rows.
// run: strides grid=3,1,1 block=16,4,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:700
// run: strides grid=2,1,1 block=8,8,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:100
extern "C" __global__ void strides(const unsigned *a, unsigned *b, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        b[threadIdx.y * 700 % 3300 + i] = a[i] * 7 + threadIdx.y;
}
