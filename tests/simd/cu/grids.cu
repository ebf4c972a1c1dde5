// Grids and blocks of two and three dimensions: neighbours in a row of blocks are run together.

// run: stencil grid=7,3,2 block=32,8,1 shared=0 args=buf:16384:float,buf:16384:zero,u32:224
// run: stencil grid=3,5,1 block=16,2,2 shared=0 args=buf:16384:float,buf:16384:zero,u32:48
// run: stencil grid=5,2,1 block=24,3,1 shared=0 args=buf:16384:float,buf:16384:zero,u32:120
extern "C" __global__ void stencil(const float *in, float *out, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y * blockDim.z +
            threadIdx.z * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1)
        out[y * w + x] = in[y * w + x - 1] - in[(y - 1) * w + x] + (float)blockIdx.x;
}

__device__ __noinline__ unsigned where(unsigned salt) {
    return blockIdx.x * 1000 + blockIdx.y * 10 + blockIdx.z + salt;
}

// run: named grid=6,2,2 block=16,4,1 shared=0 args=buf:2048:zero
extern "C" __global__ void named(unsigned *out) {
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    out[block * 64 + threadIdx.y * 16 + threadIdx.x] = where(threadIdx.y);
}

// Shared memory without a barrier: each thread its own place.
// run: own_place grid=5,3,1 block=32,4,1 shared=0 args=buf:2048:rand
extern "C" __global__ void own_place(unsigned *data) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.y * 32 + threadIdx.x;
    unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * 128 + t;
    s[t] = data[i] + blockIdx.x;
    for (unsigned k = 0; k < (t & 7); k++)
        s[t] = s[t] * 3 + k;
    data[i] = s[t];
}

// run: tiles grid=3,3,2 block=16,16,1 shared=0 args=buf:8192:rand,buf:8192:zero
extern "C" __global__ void tiles(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[16][17];
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    s[threadIdx.y][threadIdx.x] = in[block * 256 + threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    unsigned v = s[threadIdx.x][threadIdx.y];
    __syncthreads();
    s[threadIdx.x][threadIdx.y] = v + blockIdx.x;
    __syncthreads();
    out[block * 256 + threadIdx.y * 16 + threadIdx.x] = s[threadIdx.y][threadIdx.x] ^ v;
}

// A local array with an index of each lane's own, and lanes that leave early.
// run: local_rows grid=9,2,1 block=32,2,1 shared=0 args=buf:2048:rand,u32:1000
extern "C" __global__ void local_rows(unsigned *data, unsigned n) {
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned i = row * 288 + blockIdx.x * 32 + threadIdx.x, a[8];
    if (i >= n)
        return;
    for (unsigned k = 0; k < 8; k++)
        a[k] = data[i] + k * blockIdx.x;
    for (unsigned k = 0; k < (data[i] & 15); k++)
        a[(data[i] >> k) & 7] += a[(k + 3) & 7];
    data[i] = a[data[i] & 7];
}
