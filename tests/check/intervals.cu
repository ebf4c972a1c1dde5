// Shared memory between two barriers: what threads cannot race in is not followed, and what they
// can is told of. Each kernel is run with its bug and without.
#include <cstdio>
#include <cstdlib>
#include <cstring>

// More threads than half add what others still read.
__global__ void halves(int more, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = s[t + blockDim.x] = t;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k + more)
            s[t] += s[t + k]; // bug: halves
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = s[0];
}

// Each step reads what others wrote in the last one: one buffer is not enough.
__global__ void ring(int steps, bool two, int *out) {
    __shared__ int s[2][64];
    int t = threadIdx.x;
    s[0][t] = s[1][t] = t;
    __syncthreads();
    for (int i = 0; i < steps; i++) {
        s[two && i % 2 == 0][t] = s[two && i % 2][(t + 33) % 64] + i; // bug: ring
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = s[0][t];
}

// Warps come to barriers of their own, which count as the same ones.
__global__ void sides(bool wait, int *out) {
    __shared__ int s[1];
    int t = threadIdx.x;
    if (t < 32) {
        __syncthreads();
        if (t == 0)
            s[0] = 5; // bug: sides
        __syncthreads();
    } else {
        __syncthreads();
        if (wait)
            __syncthreads();
        out[t] = s[0];
        if (!wait)
            __syncthreads();
    }
}

// Threads leave a loop without barriers, each in an iteration of its own, for a barrier or for
// good.
__global__ void leaves(int by, bool ends, int *out) {
    __shared__ int s[130];
    int t = threadIdx.x;
    s[t] = s[t + 64] = t;
    __syncthreads();
    for (int i = 0; i < 64; i++)
        if (t == i) {
            s[i + by] = s[i] + 1; // bug: leaves stays
            if (ends)
                return;
            break;
        }
    __syncthreads();
    out[t] = s[t];
}

// Columns of a tile: as wide as a row, or one too few.
__global__ void columns(int width, int *out) {
    extern __shared__ int s[];
    int x = threadIdx.x, y = threadIdx.y;
    for (int k = 0; k < 2; k++) {
        s[y * width + x] = k + x; // bug: columns
        __syncthreads();
        out[(blockIdx.x * blockDim.y + y) * blockDim.x + x] = s[x * width + y];
        __syncthreads();
    }
}

// Where the block's number says: the same for all of its threads.
__global__ void sections(int by, int *out) {
    __shared__ int s[4 * 64 + 8];
    int t = threadIdx.x, from = blockIdx.x % 4 * 64;
    s[from + t] = t;
    if (t < 63)
        s[from + t + by] += 1; // bug: sections
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = s[from + 63 - t];
}

// Numbers within a warp and of warps; one more of them than each warp has.
__global__ void warps(int more, int *out) {
    __shared__ int s[4];
    int t = threadIdx.x;
    if (t % 32 == 0 || (more && t == 33))
        s[t / 32] = t; // bug: warps
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = s[t / 32] + s[0];
}

// Counts that are atomic, or for one block's threads only, in memory of all.
__global__ void counts(bool plain, int *n) {
    if (plain)
        n[threadIdx.x % 2] += 1; // bug: counts
    else
        atomicAdd(&n[threadIdx.x % 2], 1);
}

int main(int argc, char **argv) {
    bool bug = argc > 2;
    const char *name = argv[1];
    int *out = nullptr;
    auto is = [&](const char *n) { return !strcmp(name, n); };
    cudaMalloc(&out, 1024 * sizeof *out);
    cudaMemset(out, 0, 1024 * sizeof *out);
    if (is("halves"))
        halves<<<2, 64>>>(bug, out);
    else if (is("ring"))
        ring<<<2, 64>>>(5, !bug, out);
    else if (is("sides"))
        sides<<<1, 64>>>(!bug, out);
    else if (is("leaves"))
        leaves<<<1, 64>>>(bug, true, out);
    else if (is("stays"))
        leaves<<<1, 64>>>(bug, false, out);
    else if (is("columns"))
        columns<<<2, dim3(16, 16), 2048>>>(bug ? 15 : 16, out);
    else if (is("sections"))
        sections<<<4, 64>>>(bug, out);
    else if (is("warps"))
        warps<<<2, 64>>>(bug, out);
    else if (is("counts"))
        counts<<<2, 64>>>(bug, out);
    else
        exit(3);
    cudaDeviceSynchronize();
    cudaFree(out);
    puts(cudaGetLastError() ? "an error" : "done");
}
