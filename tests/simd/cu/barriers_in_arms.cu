// Warps come to barriers in different arms of a branch, or in different loops: each is passed when all
// threads of the block stand at one. Vectors of several warps that run together as a team would come to
// them one after the other, and read what the others have not stored yet.
// run: arms grid=2 block=64 args=buf:512:iota,buf:128:zero
// run: arms grid=2 block=256 args=buf:2048:iota,buf:512:zero
// run: loops grid=2 block=64 args=buf:512:iota,buf:128:zero
// run: loops grid=1 block=128 args=buf:1024:iota,buf:128:zero
// run: one_arm grid=2 block=64 args=buf:512:iota,buf:128:zero

extern "C" __global__ void arms(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, n = blockDim.x, x = in[t] * 7 + blockIdx.x;
    s[t] = t;
    __syncthreads();
    if (t / 32 % 2 == 1) {
        s[t] = x;
        __syncthreads();
        x = x * 3 + s[(t + 28) % n];
        x += __shfl_sync(~0u, x, (t + 9) & 31);
    } else {
        x = x * 88 + in[n - 1 - t];
        s[t] = x;
        __syncthreads();
        x = x * 3 + s[(t + 16) % n];
        x ^= __shfl_sync(~0u, x, (t + 22) & 31);
    }
    out[blockIdx.x * n + t] = x;
}

// Each warp is in one of the loops once.
extern "C" __global__ void loops(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2][128];
    unsigned t = threadIdx.x, n = blockDim.x, x = in[t] + blockIdx.x, at = 0, first = t / 32 % 2;
    for (unsigned k = 0; k < first; k++) {
        s[at & 1][t] = x;
        __syncthreads();
        x = x * 3 + s[at++ & 1][(t + 27) % n];
    }
    for (unsigned k = first; k < 1; k++) {
        s[at & 1][t] = x;
        __syncthreads();
        x = x * 3 + s[at++ & 1][(t + 13) % n];
    }
    s[at & 1][t] = x;
    __syncthreads();
    out[blockIdx.x * n + t] = x * 3 + s[at & 1][(t + 18) % n];
}

// All warps come to one barrier, and to what parts them behind it.
extern "C" __global__ void one_arm(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, x = in[t] * 5 + blockIdx.x;
    s[t] = x;
    __syncthreads();
    if (t / 32 == 1)
        x += s[(t + 40) % 64] + __shfl_sync(~0u, x, (t + 3) & 31);
    out[blockIdx.x * 64 + t] = x;
}
