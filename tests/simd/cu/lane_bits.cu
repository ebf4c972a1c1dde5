// Bit operations of numbers that follow from the thread's index alone: swizzled places in tiles,
// pairs of lanes, numbers whose base is known to be 0.
// run: swizzle grid=2 block=64 args=buf:2048:zero
// run: swizzle grid=2 block=128 args=buf:2048:zero
// run: swizzle grid=1 block=32,4 args=buf:2048:zero
// run: swizzle grid=1 block=8,8 args=buf:2048:zero
// run: swizzle grid=1 block=50 args=buf:2048:zero
// run: bits grid=1 block=128 args=buf:16384:zero
// run: bits grid=1 block=70 args=buf:16384:zero
// run: bits grid=1 block=16,8 args=buf:16384:zero
// run: in_loop grid=1 block=256 args=buf:4096:zero,u32:5
// run: in_loop grid=1 block=48 args=buf:4096:zero,u32:3

// Rows of eight pieces; in row r piece p stands at p ^ r % 8.
extern "C" __global__ void swizzle(unsigned *out) {
    __shared__ unsigned s[1024];
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned n = blockDim.x * blockDim.y;
    for (unsigned k = t; k < 1024; k += n)
        s[k] = k * 2654435761u;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned step = 0; step < 4; step++) {
        unsigned row = warp * 16 + lane % 16, piece = step * 2 + lane / 16;
        unsigned at = row * 8 + (piece ^ (row & 7));
        sum = sum * 31 + s[at & 1023];
        unsigned other = (lane / 16 * 8 + lane % 8) * 8 + ((step * 2 + lane / 8 % 2) ^ (lane & 7));
        sum += s[other] ^ s[(other | warp * 256) & 1023];
    }
    out[blockIdx.x * n + t] = sum;
}

extern "C" __global__ void bits(unsigned *out) {
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned low = t & 15, pair = t >> 1 & 7, high = t >> 4, all = t & 0x1f, x[16];
    x[0] = low ^ pair;
    x[1] = low | pair;
    x[2] = low & pair;
    x[3] = (t ^ low) + high;
    x[4] = (t & 0xfffffff0) | (low ^ 5);
    x[5] = (low << 4) ^ (pair << 4) ^ 0x80;
    x[6] = ((t << 3) ^ (t >> 3)) & 0x70;
    x[7] = (all ^ 0x80000000u) >> 3;
    x[8] = (all | 0xffffff00u) + pair;
    x[9] = ((unsigned long long)(all ^ pair) | 0x7fff00000000ull) >> 29;
    x[10] = (all | 0x20) ^ (low | 0x40);
    x[11] = ((t + 64) & 31) ^ (pair + 8);
    x[12] = (unsigned)(unsigned short)((t & 31) ^ 0x8000) << 1;
    x[13] = ((t * 8) & 0xf8) & ((t * 4) & 0x7c);
    x[14] = (t & 31) == (low | (t & 16));
    x[15] = ((t & 31) >> 5) + ((t & 16) << 28);
#pragma unroll
    for (int k = 0; k < 16; k++)
        out[t * 16 + k] = x[k];
}

extern "C" __global__ void in_loop(unsigned *out, unsigned n) {
    __shared__ unsigned s[512];
    unsigned t = threadIdx.x, lane = t & 31, at = (lane & 7) ^ (lane >> 3), sum = 0;
    for (unsigned k = 0; k < n; k++) {
        __syncthreads();
        s[t] = sum + t * k;
        s[t + 256] = sum ^ k;
        __syncthreads();
        sum += s[at | k << 3 & 31] + s[256 + (((t >> 5) << 5 | at) & 255)] * (at ^ k);
    }
    out[t] = sum;
}
