// What lives through barriers: sums that one region of a loop changes and another passes on, values
// that trade places, that some threads alone change, and what follows from the thread's index,
// which is made again behind each barrier.

// run: sums grid=2,2,1 block=32,32,1 shared=0 args=buf:8192:float,buf:8192:float,buf:4096:zero,u32:64,u32:64
// run: sums grid=2,2,1 block=32,32,1 shared=0 args=buf:8192:float,buf:8192:float,buf:4096:zero,u32:64,u32:0
// run: sums grid=1,1,1 block=32,16,1 shared=0 args=buf:8192:float,buf:8192:float,buf:4096:zero,u32:33,u32:96
extern "C" __global__ void sums(const float *a, const float *b, float *c, unsigned n, unsigned k1) {
    __shared__ float sa[32][32], sb[32][32];
    int lx = threadIdx.x, ly = threadIdx.y, x = blockIdx.x * 32 + lx, y = blockIdx.y * 32 + ly;
    float acc = 0;
    for (int k = 0; k < (int)k1; k += 32) {
        sa[ly][lx] = a[y * n + k + lx];
        sb[ly][lx] = b[(k + ly) * n + x];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            acc += sa[ly][j] * sb[j][lx];
        __syncthreads();
    }
    c[y * n + x] = acc;
}

// Sums trade places at one of two barriers; one is begun anew when a number says so.
// run: trade grid=2,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:5
// run: trade grid=1,1,1 block=96,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:7
// run: trade grid=1,1,1 block=50,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:4
// run: trade grid=1,1,1 block=1024,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:3
extern "C" __global__ void trade(const unsigned *x, unsigned *out, unsigned turns) {
    __shared__ unsigned s[1024];
    unsigned t = threadIdx.x, n = blockDim.x, p = t * t, q = x[t % 64], r = x[t] % 100;
    for (unsigned k = 0; k < turns; k++) {
        s[t] = p + k;
        __syncthreads();
        unsigned o = s[(t * 7 + 3) % n];
        if (x[k] % 3 == 0)
            r = o;
        if (x[k + 1] % 2) {
            unsigned h = p;
            p = q;
            q = h;
        }
        unsigned next = s[(t + 1) % n];
        __syncthreads();
        q += next ^ r;
        if (t % 5 == 2)
            r = r * 3 + k;
    }
    out[blockIdx.x * n + t] = p ^ q * 31 ^ r * 977;
}

// A loop in a loop, each with barriers; what the inner one has not changed stays where it is.
// run: nested grid=1,1,1 block=256,1,1 shared=0 args=buf:4096:float,buf:1024:zero,u32:3,u32:2
// run: nested grid=1,1,1 block=33,3,1 shared=0 args=buf:4096:float,buf:1024:zero,u32:2,u32:3
// run: nested grid=1,1,1 block=512,1,1 shared=0 args=buf:4096:float,buf:1024:zero,u32:2,u32:0
extern "C" __global__ void nested(const float *x, float *out, unsigned rows, unsigned turns) {
    __shared__ float s[512];
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x, n = blockDim.x * blockDim.y;
    float a = x[t], b = x[t + 512], c = 0;
    double d = a;
    for (unsigned r = 0; r < rows; r++) {
        float row = x[r * 64 + t % 64];
        for (unsigned k = 0; k < turns; k++) {
            s[t] = a + row;
            __syncthreads();
            b += s[(t + k + 1) % n];
            __syncthreads();
        }
        if (r % 2)
            a = b * 0.5f;
        s[t] = b;
        __syncthreads();
        c = c + s[n - 1 - t] * row;
        d = d * 0.5 + s[t / 2];
        __syncthreads();
    }
    out[t] = a + b + c + (float)d;
}

// Threads leave; the rest goes on to barriers for all that are left. Counts at barriers.
// run: leave grid=1,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:512:zero,u32:100
// run: leave grid=1,1,1 block=128,2,1 shared=0 args=buf:4096:rand,buf:512:zero,u32:256
extern "C" __global__ void leave(const unsigned *x, unsigned *out, unsigned last) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x, sum = x[t], odd = 0;
    s[t] = 0;
    if (t >= last)
        return;
    for (unsigned k = 0; k < 4; k++) {
        s[t] = sum + k;
        odd += __syncthreads_count(sum & 1);
        unsigned o = s[(t + k) % last];
        if (__syncthreads_or(o % 64 == 1))
            sum += o;
    }
    out[t] = sum + odd * 1000;
}

// Addresses of rows that wrap in 32 bits, and are made again behind each barrier.
// run: wraps grid=1,1,1 block=32,8,1 shared=0 args=buf:4096:rand,buf:512:zero,u32:4294967290,u32:3
// run: wraps grid=1,1,1 block=16,16,1 shared=0 args=buf:4096:rand,buf:512:zero,u32:4294967280,u32:2
extern "C" __global__ void wraps(const unsigned *x, unsigned *out, unsigned n, unsigned turns) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x, sum = 0;
    for (unsigned k = 0; k < turns; k++) {
        unsigned at = threadIdx.y * n + threadIdx.x + k * 3;
        s[t] = x[(at + 100) % 4096] + x[at + threadIdx.y * (0 - n) + 5];
        __syncthreads();
        sum = sum * 5 + s[255 - t];
        __syncthreads();
    }
    out[(threadIdx.y * n + threadIdx.x + threadIdx.y * (0 - n) + threadIdx.y * blockDim.x) % 512] = sum;
}
