// Loops with barriers that are not written out, in blocks of so many groups that registers do not hold
// a value of each.
// also: KUDZU_WIDTH=0
// run: planes grid=2 block=32,8 args=buf:4096:float,buf:4096:zero,u32:7
// run: planes grid=1 block=16,16 args=buf:4096:float,buf:4096:zero,u32:5
// run: shifted grid=2 block=256 args=buf:4096:rand,buf:1024:zero,u32:9
// run: shifted grid=1 block=200 args=buf:4096:rand,buf:1024:zero,u32:9
// run: until grid=2 block=256 args=buf:1024:rand,buf:1024:zero,u32:20
// run: sums grid=2 block=256 args=buf:4096:rand,buf:1024:zero,u32:6
// run: uneven grid=2 block=256 args=buf:1024:rand,buf:1024:zero,u32:13

// Neighbours in a plane by shared memory, along the march in registers; edges by some threads alone.
extern "C" __global__ void planes(const float *in, float *out, unsigned depth) {
    __shared__ float s[18][34];
    unsigned x = threadIdx.x + 1, y = threadIdx.y + 1, plane = blockDim.x * blockDim.y;
    unsigned i = threadIdx.y * blockDim.x + threadIdx.x;
    float below, here = in[i], above = in[i + plane];
    for (unsigned z = 1; z < depth; z++) {
        i += plane;
        below = here;
        here = above;
        above = in[i + plane];
        __syncthreads();
        s[y][x] = here;
        if (threadIdx.x == 0)
            s[y][0] = below;
        if (threadIdx.x == blockDim.x - 1)
            s[y][x + 1] = above;
        if (threadIdx.y == 0)
            s[0][x] = here * 2;
        if (threadIdx.y == blockDim.y - 1)
            s[y + 1][x] = here + 1;
        __syncthreads();
        out[i + blockIdx.x * 2048] = below + above + s[y][x - 1] + s[y][x + 1] + s[y - 1][x] + s[y + 1][x];
    }
}

// Several values a thread that go from iteration to iteration.
extern "C" __global__ void shifted(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, a = in[t], b = a ^ t, c = 0;
    for (unsigned k = 1; k < n; k++) {
        s[t] = a + c;
        __syncthreads();
        unsigned next = s[(t + k) % blockDim.x];
        c = b * 3 + in[k * blockDim.x + t];
        b = a;
        a = (next & 1) ? next + c : next - c;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = a + b * 5 + c * 7;
}

// How often is a number that all threads load.
extern "C" __global__ void until(const unsigned *in, unsigned *out, unsigned most) {
    __shared__ unsigned s[256], left;
    unsigned t = threadIdx.x, x = in[t];
    if (t == 0)
        left = most;
    do {
        s[t] = x;
        __syncthreads();
        x += s[t ^ 5] >> 3;
        if (t == 17)
            left = left > 3 ? left - 3 : 0;
        __syncthreads();
    } while (left);
    out[blockIdx.x * 256 + t] = x;
}

// Beside it a loop without barriers that keeps a sum.
extern "C" __global__ void sums(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned k = 0; k < n; k++) {
        s[t] = in[k * 256 + t];
        __syncthreads();
        for (unsigned m = 0; m < n * 4; m++)
            sum += s[(t + m * k) & 255];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = sum;
}

// Threads that do more in an iteration than others, by what they have loaded.
extern "C" __global__ void uneven(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, x = in[t], y = 0;
    for (unsigned k = 0; k < n; k++) {
        if (x & 1)
            s[t] = x + k;
        else if (t > 40)
            s[t] = y;
        else
            s[t] = t;
        __syncthreads();
        if (s[255 - t] > x)
            y += s[255 - t];
        x = x * 5 + 1;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = x ^ y;
}
