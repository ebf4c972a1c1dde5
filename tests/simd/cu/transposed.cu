// Threads of neighbouring rows touch neighbouring words: columns of a matrix, read or written by rows of
// threads.
// run: store grid=2,2,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:32
// run: store grid=1,1,1 block=32,8,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:32
// run: store grid=1,1,1 block=32,32,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:32
// run: store grid=4,2,1 block=8,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:32
// run: store grid=1,1,1 block=16,4,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:16
// run: store grid=1,1,1 block=16,6,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:16
extern "C" __global__ void store(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x] + 1;
}

// run: load grid=2,2,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:32
// run: load grid=1,1,1 block=32,8,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:32
// run: load grid=1,1,1 block=32,32,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:32
// run: load grid=4,2,1 block=8,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:32
extern "C" __global__ void load(const unsigned *in, unsigned *out, unsigned n) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * n + x] = in[x * n + y] * 3 + in[y * n + x];
}

// Sides that are no multiple of the block's.
// run: guarded grid=3,2,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:37,u32:21
// run: guarded grid=2,4,1 block=32,8,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:37,u32:21
extern "C" __global__ void guarded(const unsigned *in, unsigned *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = in[y * w + x] ^ in[x * h + y];
}

// Lines that overlap: rows of the result lie closer together than a team has rows of threads; the last
// thread's value stays.
// run: overlapping grid=1,1,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:0
// run: overlapping grid=1,1,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:3
// run: overlapping grid=1,1,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:15
// run: overlapping grid=1,1,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:16
// run: overlapping grid=1,1,1 block=32,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:7
extern "C" __global__ void overlapping(const unsigned *in, unsigned *out, int n) {
    int x = threadIdx.x, y = threadIdx.y;
    out[x * n + y] = in[y * 32 + x];
}

// Sums that wrap between the rows of a team, and rows in descending order.
// run: wraps grid=1,1,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:32,u32:4294967288
// run: wraps grid=1,1,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:32,u32:0
extern "C" __global__ void wraps(const unsigned *in, unsigned *out, unsigned n, unsigned from) {
    unsigned x = threadIdx.x, y = threadIdx.y + from;
    out[((15 - x) * n + y) & 1023] = in[threadIdx.y * 32 + x];
    out[1024 + ((15 - x) * n + threadIdx.y)] = in[(x * n + threadIdx.y + from) & 1023];
}

// run: parted grid=1,1,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:32
extern "C" __global__ void parted(const unsigned *in, unsigned *out, unsigned n) {
    unsigned x = threadIdx.x, y = threadIdx.y, v = 1;
    if (in[y * n + x] & 1)
        v = in[x * n + y];
    if (in[x * n + y] & 2)
        out[x * n + y] = v;
}
