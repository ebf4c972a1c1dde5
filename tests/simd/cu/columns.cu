// Columns of tiles in shared memory, which groups of a team have side by side: the tile is
// transposed as it is stored, or as it is read.
// run: stored grid=2 block=16,16 args=buf:1024:rand,buf:1024:zero
// run: stored grid=1 block=32,16 args=buf:1024:rand,buf:1024:zero
// run: stored grid=1 block=8,32 args=buf:1024:rand,buf:1024:zero
// run: read grid=2 block=16,16 args=buf:2048:rand,buf:2048:zero
// run: read grid=1 block=32,32 args=buf:2048:rand,buf:2048:zero
// run: read grid=1 block=32,8 args=buf:2048:rand,buf:2048:zero
// run: in_turn grid=1 block=16,16 args=buf:4096:float,buf:256:zero,u32:5
// run: edges grid=2,2 block=16,16 args=buf:2048:float,buf:2048:zero,u32:29
// run: edges grid=2,2 block=16,16 args=buf:2048:float,buf:2048:zero,u32:32
// run: both_ways grid=1 block=16,16 args=buf:256:rand,buf:256:zero
// run: overlaps grid=1 block=16,16 args=buf:256:rand,buf:1024:zero
// run: beside_words grid=1 block=16,16 args=buf:512:rand,buf:512:zero
extern "C" __global__ void stored(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32 * 33];
    unsigned x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    unsigned at = blockIdx.x * blockDim.x * blockDim.y + t;
    tile[x * 33 + y] = in[at];
    __syncthreads();
    out[at] = tile[t / blockDim.y * 33 + t % blockDim.y];
}

extern "C" __global__ void read(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32][33];
    unsigned x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x, n = blockDim.x * blockDim.y;
    for (unsigned i = t; i < 1024; i += n)
        tile[i / 32][i % 32] = in[(blockIdx.x * 1024 + i) % 2048];
    __syncthreads();
    unsigned a = tile[x][y] * 3;
    __syncthreads();
    tile[x][y] = a + t;
    __syncthreads();
    out[blockIdx.x * 1024 + t] = tile[x][y] + a + tile[y][x];
}

extern "C" __global__ void in_turn(const float *in, float *out, int turns) {
    __shared__ float left[16][17], right[16][17];
    unsigned x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int n = 0; n < turns; n++) {
        left[y][x] = in[n * 512 + y * 16 + x];
        right[x][y] = in[n * 512 + 256 + y * 16 + x];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += left[y][k] * right[x][k] + left[k][y];
        __syncthreads();
    }
    out[y * 16 + x] = sum;
}

// Some threads store nothing, and others zeros.
extern "C" __global__ void edges(const float *in, float *out, unsigned n) {
    __shared__ float tile[16][17];
    unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = 5;
    __syncthreads();
    if (x < n && y < n)
        tile[threadIdx.x][threadIdx.y] = in[y * n + x];
    __syncthreads();
    unsigned tx = blockIdx.y * 16 + threadIdx.x, ty = blockIdx.x * 16 + threadIdx.y;
    if (tx < n && ty < n)
        out[ty * n + tx] = tile[threadIdx.y][threadIdx.x];
    if (tx < n && ty < n && (tx + ty) % 5 == 0)
        out[1024 + ty * n + tx] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void both_ways(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[16][20];
    unsigned x = threadIdx.x, y = threadIdx.y;
    tile[x][y + 1] = in[y * 16 + x];
    if (y == 0)
        tile[x][17] = x;
    __syncthreads();
    unsigned next = tile[x][y + 2] * 7;
    __syncthreads();
    tile[x][y + 3] = next * 3 + 1;
    __syncthreads();
    out[y * 16 + x] = tile[x][y + 3] + tile[y][x + 3];
}

// Lanes' lines overlap: the last thread's word stays.
extern "C" __global__ void overlaps(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[16 * 8 + 16];
    unsigned x = threadIdx.x, y = threadIdx.y;
    for (unsigned k = 0; k < 16; k++) {
        if (y == k)
            tile[x * 8 + y] = in[y * 16 + x];
        __syncthreads();
    }
    out[y * 16 + x] = tile[x * 8 + y];
}

// What was stored to other places before and behind a column is there.
extern "C" __global__ void beside_words(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[16][17], line[256];
    unsigned x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
    line[t] = in[t] * 5;
    tile[x][y] = in[256 + t];
    line[t] += 3;
    __syncthreads();
    unsigned a = line[255 - t] + tile[y][x];
    __syncthreads();
    tile[x][y] = line[t] ^ a;
    line[t] = tile[x][y] + 1;
    __syncthreads();
    out[t] = tile[y][x] * 3 + line[t ^ 16];
}
