// Loops in which each thread begins at its own number and goes on by the size of the block, so that
// all groups of a block leave together; and loops that they do not leave together.
// run: tile_loops grid=2 block=256 args=buf:2048:rand,buf:2048:zero
// run: tile_loops grid=2 block=128 args=buf:2048:rand,buf:2048:zero
// run: tile_loops grid=1 block=96 args=buf:2048:rand,buf:2048:zero
// run: tile_loops grid=1 block=50 args=buf:2048:rand,buf:2048:zero
// run: tile_loops grid=1 block=64,4 args=buf:2048:rand,buf:2048:zero
// run: buckets grid=2 block=256 args=buf:2048:rand,buf:64:zero,u32:28
// run: buckets grid=2 block=128 args=buf:2048:rand,buf:64:zero,u32:28
// run: limits grid=1 block=256 args=buf:4096:rand,buf:4096:zero
// run: limits grid=1 block=64 args=buf:4096:rand,buf:4096:zero
// run: signs grid=1 block=256 args=buf:2048:rand,buf:2048:zero
// run: other_starts grid=1 block=256 args=buf:2048:rand,buf:2048:zero,u32:3
// run: other_starts grid=1 block=256 args=buf:2048:rand,buf:2048:zero,u32:256
// run: other_steps grid=1 block=256 args=buf:2048:rand,buf:2048:zero,u32:64
// run: other_steps grid=1 block=256 args=buf:2048:rand,buf:2048:zero,u32:256
// run: wraps grid=1 block=256 args=buf:2048:rand,buf:2048:zero

enum { TILE = 1024 };

extern "C" __global__ void tile_loops(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[TILE];
    const unsigned *from = in + blockIdx.x * TILE;
    for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x)
        s[i] = from[i];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x) {
        unsigned x = s[TILE - 1 - i];
        if (x & 4)
            x ^= s[(i * 7) % TILE];
        out[blockIdx.x * TILE + i] = x + i;
    }
}

// What a warp and a lane alone do between such loops.
extern "C" __global__ void buckets(const unsigned *in, unsigned *out, unsigned shift) {
    __shared__ unsigned s[TILE], first[16];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < TILE; i += blockDim.x)
        s[i] = (i >> 6 << shift) | (in[blockIdx.x * TILE + i] & 0xfff);
    if (t < 16)
        first[t] = TILE;
    __syncthreads();
    for (unsigned i = t; i < TILE; i += blockDim.x) {
        unsigned digit = s[i] >> shift & 15;
        if (i == 0 || (s[i - 1] >> shift & 15) != digit)
            first[digit] = i;
    }
    __syncthreads();
    if (t < 32)
        out[blockIdx.x * 32 + t] = t < 16 ? first[t] : s[first[t - 16]];
}

// Limits that are, and are not, multiples of the block.
extern "C" __global__ void limits(const unsigned *in, unsigned *out) {
    for (unsigned i = threadIdx.x; i <= 767; i += blockDim.x)
        out[i] = in[i] + 1;
    for (unsigned i = threadIdx.x; i <= 768; i += blockDim.x)
        out[1024 + i] = in[i] + 2;
    for (unsigned i = threadIdx.x; i < 700; i += blockDim.x)
        out[2048 + i] = in[i] + 3;
    for (unsigned i = threadIdx.x; i != 1024 + threadIdx.x; i += blockDim.x)
        out[3072 + i] = in[i] + 4;
}

extern "C" __global__ void signs(const unsigned *in, unsigned *out) {
    unsigned sum = 0;
    for (int i = (int)threadIdx.x - 512; i < 512; i += 256) {
        sum = sum * 3 + in[i + 512];
        out[i + 512] = sum;
    }
    for (int i = 768 + (int)threadIdx.x; i >= 0; i -= 256) {
        sum = sum * 5 + in[i];
        out[1024 + i] = sum;
    }
}

// Not at a multiple.
extern "C" __global__ void other_starts(const unsigned *in, unsigned *out, unsigned n) {
    unsigned sum = 0;
    for (unsigned i = threadIdx.x + 1; i < 1024; i += 256)
        out[i] = sum = sum * 3 + in[i];
    for (unsigned i = threadIdx.x + n; i < 1024; i += 256)
        out[1024 + i] = sum = sum * 3 + in[i];
    for (unsigned i = threadIdx.x * 2; i < 512; i += 256)
        out[threadIdx.x] += sum = sum * 3 + in[i];
}

// Not by a multiple.
extern "C" __global__ void other_steps(const unsigned *in, unsigned *out, unsigned step) {
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < 1024; i += 128)
        sum = sum * 3 + in[i];
    for (unsigned i = threadIdx.x; i < 1024; i += step)
        sum = sum * 3 + in[i];
    for (unsigned i = threadIdx.x; i < 1024; i += 256 + (i & 256))
        sum = sum * 3 + in[i];
    out[threadIdx.x] = sum;
}

// Past the end of what 32 bits count, and of what they count with a sign.
extern "C" __global__ void wraps(const unsigned *in, unsigned *out) {
    unsigned sum = 0;
    for (unsigned i = threadIdx.x + 4294966784u; i >= 1024; i += 256)
        sum = sum * 3 + in[i & 1023];
    for (unsigned i = threadIdx.x + 2147483136u; i < 2147484160u; i += 256)
        sum = sum * 3 + in[i & 1023];
    out[threadIdx.x] = sum;
}
