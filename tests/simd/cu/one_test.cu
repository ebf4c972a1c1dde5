// One way through a block with many tests on it, of sums that could wrap and of lines that are stored
// past the caches, which are all made where the block begins. Where they hold, where sums wrap in
// some blocks, where lines do not begin at lines; numbers that come from memory, ways that part and
// meet, and loops on the way.
// also: KUDZU_STREAM=1
// run: tile grid=2,2 block=32,8 args=buf:4096:float,buf:4096:zero,u32:64
// run: masked grid=2,2 block=32,8 args=buf:4096:float,buf:4096:zero,u32:64,u32:0,u32:0
// run: masked grid=2,2 block=32,8 args=buf:4096:float,buf:4096:zero,u32:64,u32:16,u32:8
// run: masked grid=2,2 block=32,8 args=buf:4096:float,buf:4096:zero,u32:64,u32:4294967280,u32:4294967288
// run: masked grid=2,2 block=32,8 args=buf:4096:float,buf:4096:zero,u32:64,u32:0,u32:1
// run: loaded grid=2,2 block=32,8 args=buf:4096:float,buf:16:small,buf:4096:zero,u32:64
// run: ways grid=2,2 block=32,8 args=buf:4096:float,buf:4096:zero,u32:64,u32:0
// run: ways grid=2,2 block=32,8 args=buf:4096:float,buf:4096:zero,u32:64,u32:3
// run: element grid=4,4 block=16,16 args=buf:4096:rand,buf:4096:zero,u32:64
// run: looped grid=2,2 block=32,8 args=buf:4096:float,buf:4096:zero,u32:64,u32:3
// run: rows grid=3 block=256 args=buf:6144:rand,buf:6144:zero,u32:0
// run: rows grid=3 block=256 args=buf:6144:rand,buf:6144:zero,u32:7
extern "C" __global__ void tile(const float *in, float *out, int n) {
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        s[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = s[threadIdx.x][threadIdx.y + k];
}

// Some threads' sums wrap, to places where there is something.
extern "C" __global__ void masked(const float *in, float *out, unsigned n, unsigned from,
                                  unsigned to) {
    __shared__ float s[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        unsigned at = (y + k) * n + x + from;
        s[threadIdx.y + k][threadIdx.x] = at < 4096 ? in[at] : 1.0f;
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        unsigned at = (y + k) * n + x + to;
        if (at < 4096)
            out[at] = s[threadIdx.x][threadIdx.y + k];
    }
}

// Where rows are is known only when it has been loaded.
extern "C" __global__ void loaded(const float *in, const int *rows, float *out, int n) {
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        s[threadIdx.y + k][threadIdx.x] = in[((y + k) * n + x + rows[k / 8]) & 4095];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = s[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void ways(const float *in, float *out, int n, int part) {
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    float more = 1;
    for (int k = 0; k < 32; k += 8)
        s[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    if (part > (int)blockIdx.x) {
        more = in[y * n + x] * 2;
        for (int k = 0; k < 32; k += 8)
            s[threadIdx.y + k][threadIdx.x] += in[(y ^ 1) * n + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (part + k < 20)
            out[(y + k) * n + x] = s[threadIdx.x][threadIdx.y + k] + more;
        else
            out[(y + k) * n + x] = more;
}

extern "C" __global__ void element(const unsigned *in, unsigned *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

extern "C" __global__ void looped(const float *in, float *out, int n, int turns) {
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        s[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    for (int t = 0; t < turns; t++) {
        __syncthreads();
        float v = s[(threadIdx.y + t) % 32][threadIdx.x];
        __syncthreads();
        s[threadIdx.y][threadIdx.x] += v;
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = s[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void rows(const unsigned *in, unsigned *out, int by) {
    __shared__ unsigned s[256];
    int i = blockIdx.x * 2048 + threadIdx.x;
    unsigned sum = 0;
    for (int k = 0; k < 8; k++) {
        s[threadIdx.x] = in[i + k * 256];
        __syncthreads();
        sum += s[threadIdx.x ^ 1];
        __syncthreads();
        if (i + k * 256 + by < 6144)
            out[i + k * 256 + by] = sum;
    }
}
