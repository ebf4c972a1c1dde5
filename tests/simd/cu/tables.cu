// Small tables in shared memory: an index that cannot leave the table, and ones that can.

// run: digits grid=2 block=64 args=buf:128:rand,buf:640:zero,u32:0
// run: digits grid=2 block=40 args=buf:128:rand,buf:640:zero,u32:29
// run: digits grid=1 block=256 args=buf:256:rand,buf:1280:zero,u32:40
extern "C" __global__ void digits(const unsigned *in, unsigned *out, unsigned shift) {
    __shared__ unsigned before[5], four[16], five[32];
    __shared__ float reals[16];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, n = gridDim.x * blockDim.x;
    if (t < 5)
        before[t] = t + 100;
    if (t < 16) {
        four[t] = in[t] ^ t;
        reals[t] = 1.5f * t;
    }
    if (t < 32)
        five[t] = in[n - 1 - t];
    __syncthreads();
    unsigned k = in[i] >> shift;
    out[i] = four[k & 15];
    out[n + i] = five[k & 31];
    out[2 * n + i] = four[k >> 28] + five[(k >> 3 & 7) * 4];
    out[3 * n + i] = (unsigned)(reals[k & 15] * 2);
    // The last word is the next variable's, or behind all of them.
    out[4 * n + i] = four[(k & 7) + 8] + before[k & 3];
}

// Threads that are not there, and stores between loads of one table.
// run: changes grid=2 block=64 args=buf:128:rand,buf:128:zero,u32:5
// run: changes grid=1 block=48 args=buf:128:rand,buf:128:zero,u32:3
extern "C" __global__ void changes(const unsigned *in, unsigned *out, unsigned times) {
    __shared__ unsigned s[16];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, x = in[i];
    if (t < 16)
        s[t] = t;
    __syncthreads();
    for (unsigned k = 0; k < times; k++) {
        unsigned y = 0;
        if (x & 64)
            y = s[x & 15];
        __syncthreads();
        if (t == (x & 15))
            s[t & 15] += x;
        __syncthreads();
        x = x * 1664525 + y + s[x >> 4 & 15];
    }
    out[i] = x;
}

// The table ends where shared memory does, or a vector of it would go beyond.
// run: ends grid=1 block=64 args=buf:64:rand,buf:64:zero
extern "C" __global__ void ends(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[9];
    unsigned t = threadIdx.x;
    if (t < 9)
        s[t] = in[t];
    __syncthreads();
    out[t] = s[in[t] & 7] + s[(in[t] >> 8 & 7) + 1];
}
