// Copies of 8 and 16 bytes a lane whose neighbours lie side by side, in rows a distance apart that
// only the launch knows; places in shared memory that are known, and those that are not.
// run: rows grid=2 block=128 args=buf:8192:rand,buf:8192:zero,u32:40,u32:128
// run: rows grid=1 block=96 args=buf:8192:rand,buf:8192:zero,u32:24,u32:70
// run: pairs grid=2 block=64 args=buf:8192:rand,buf:8192:zero,u32:20
// run: ordered grid=1 block=128 args=buf:8192:rand,buf:16384:zero,u32:40,u32:8
// run: ordered grid=2 block=64 args=buf:8192:rand,buf:16384:zero,u32:24,u32:9
// run: ordered grid=1 block=64 args=buf:8192:rand,buf:16384:zero,u32:9,u32:12
// run: mixed grid=1 block=64 args=buf:8192:rand,buf:8192:zero,u32:20,u32:3
// run: within grid=1 block=32 args=buf:8192:rand,buf:8192:zero,u32:3
// run: moved grid=1 block=32 args=buf:8192:rand,u32:5
// run: behind_base grid=1 block=64 args=buf:8192:rand,buf:8192:zero,u32:16,u32:64

__device__ static void put(unsigned *out, const unsigned *s, unsigned n) {
    for (unsigned k = threadIdx.x; k < n; k += blockDim.x)
        out[blockIdx.x * n + k] = s[k];
}

// Rows of 8 lanes; where pieces go depends on the lane, on the warp too, on neither; in part only.
extern "C" __global__ void rows(const uint4 *in, unsigned *out, unsigned stride, unsigned active) {
    __shared__ uint4 s[3 * 128];
    unsigned t = threadIdx.x, row = t / 8, piece = t % 8;
    for (unsigned k = t; k < 3 * 128; k += blockDim.x)
        s[k] = make_uint4(1, 2, 3, k);
    __syncthreads();
    const uint4 *from = in + (size_t)row * stride + piece + blockIdx.x;
    s[t ^ 3] = from[0];
    s[128 + row * 8 + (piece ^ (row & 7))] = from[8];
    if (t < active)
        s[256 + row * 8 + (piece ^ 3)] = from[16];
    __syncthreads();
    put(out, (unsigned *)s, 3 * 128 * 4);
}

extern "C" __global__ void pairs(const uint2 *in, unsigned *out, unsigned stride) {
    __shared__ uint2 s[4][64];
    unsigned t = threadIdx.x, row = t / 16, piece = t % 16;
#pragma unroll
    for (unsigned k = 0; k < 4; k++)
        s[k][row * 16 + (piece ^ (row + k))] =
            in[(size_t)(row + k) * stride + piece + blockIdx.x * 7];
    __syncthreads();
    put(out, (unsigned *)s, 512);
}

// Rows of whole lines whose pieces stand in other orders: exclusive-or a number of the row's or the
// thread's own, turned, in rows a distance apart that only the launch knows, one place for several.
extern "C" __global__ void ordered(const uint4 *in, unsigned *out, unsigned stride,
                                   unsigned pitch) {
    __shared__ uint4 s[5][12 * 16];
    unsigned t = threadIdx.x, row = t / 8, piece = t % 8;
    for (unsigned k = t; k < 5 * 12 * 16; k += blockDim.x)
        s[0][k] = make_uint4(7, 6, 5, k);
    __syncthreads();
    const uint4 *from = in + (size_t)row * stride + piece + blockIdx.x;
    s[0][row * 8 + (piece ^ (row & 7))] = from[0];
    s[1][row * pitch + (piece ^ (row % 3))] = from[8];
    s[2][row * 8 + (piece + row) % 8] = from[16];
    s[3][row * 8 + (piece ^ (piece * row / 16 & 2))] = from[24];
    s[4][row * pitch + piece] = from[32];
    __syncthreads();
    put(out, (unsigned *)s, 5 * 12 * 16 * 4);
}

// Rows shorter than are worth it, rows that end within a vector, and generic places.
extern "C" __global__ void mixed(const uint4 *in, uint4 *out, unsigned stride, unsigned width) {
    __shared__ uint4 s[64];
    unsigned t = threadIdx.x;
    uint4 *to = width == 3 ? s : out;
    to[t ^ 5] = in[t / 2 * stride + t % 2];
    __syncthreads();
    out[256 + t] = s[t];
    out[320 + (t * 7) % 64] = in[t / width * stride + t % width];
    out[512 + (t ^ width)] = in[(t & 3) * stride + t / 4];
}

// From shared memory to shared memory.
extern "C" __global__ void within(const uint4 *in, unsigned *out, unsigned turn) {
    __shared__ uint4 s[64];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = in[t + 64];
    __syncwarp();
    s[32 + (t + turn) % 32] = s[(t * 5 + turn) % 32];
    __syncwarp();
    put(out, (unsigned *)s, 256);
}

// From global memory to global memory.
extern "C" __global__ void moved(uint4 *data, unsigned turn) {
    unsigned t = threadIdx.x;
    data[128 + (t + turn) % 32] = data[(size_t)t / 8 * (turn + 3) + t % 8];
    data[192 + (t * 3 + turn) % 40] = data[(size_t)t / 8 * turn + t % 8];
}

// Addresses below what lanes are counted from, modulo 2^32.
extern "C" __global__ void behind_base(const uint4 *in, unsigned *out, unsigned stride,
                                       unsigned back) {
    extern __shared__ uint4 none[];
    __shared__ uint4 s[128];
    unsigned t = threadIdx.x, row = t / 8, piece = t % 8;
    for (unsigned k = t; k < 128; k += blockDim.x)
        s[k] = make_uint4(k, k, k, k);
    __syncthreads();
    unsigned first = back * 16 - 1024;
    asm volatile("{ .reg .b64 g; .reg .b32 a; cvta.to.global.u64 g, %1; add.u32 a, %0, %2;\n"
                 "cp.async.cg.shared.global [a], [g], 16; cp.async.wait_all; }" ::"r"(
                     (unsigned)__cvta_generic_to_shared(s) + first + (row * 8 + (piece ^ 1)) * 16),
                 "l"(in + row * stride + piece), "r"(0u)
                 : "memory");
    __syncthreads();
    put(out, (unsigned *)s, 512);
}
