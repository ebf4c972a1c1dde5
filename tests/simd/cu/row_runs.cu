// Neighbouring threads of short rows at neighbouring addresses, where the distance of rows is known
// to the launch alone: pieces of a vector, each at an address of its own.
// run: tile grid=2,2 block=8,8 args=buf:4096:rand,buf:4096:zero,u32:40,u32:40
// run: tile grid=2,3 block=4,16 args=buf:4096:rand,buf:4096:zero,u32:33,u32:50
// run: tile grid=1,1 block=16,4 args=buf:4096:rand,buf:4096:zero,u32:21,u32:3
// run: tile grid=1,2 block=2,32 args=buf:4096:rand,buf:4096:zero,u32:19,u32:64
// run: fours grid=2 block=64 args=buf:8192:rand,buf:8192:zero,u64:72
// run: fours grid=1 block=40 args=buf:8192:rand,buf:8192:zero,u64:36
// run: same grid=1 block=64 args=buf:4096:rand,buf:256:zero,u64:37
// run: some grid=1 block=64 args=buf:4096:rand,buf:4096:rand,u64:100
// run: leaves grid=1 block=64 args=buf:4096:rand,buf:4096:zero,u64:44
// run: own_arrays grid=2 block=64 args=buf:512:rand,buf:512:zero,u32:3
// run: wraps grid=1 block=64 args=buf:256:rand,buf:256:zero,u32:4294967290,u32:1

extern "C" __global__ void tile(const unsigned *in, unsigned *out, int pitch, int rows) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < pitch && y < rows)
        out[y * pitch + x] = in[y * pitch + x] * 3 + x;
}

// 16 and 8 bytes a thread.
extern "C" __global__ void fours(const uint4 *in, uint4 *out, unsigned long long pitch) {
    unsigned t = threadIdx.x, row = blockIdx.x * 8 + t / 8;
    uint4 v = *(const uint4 *)((const char *)in + row * pitch * 4 + t % 8 * 16);
    v.x += t;
    v.w ^= row;
    *(uint4 *)((char *)out + row * pitch * 4 + t % 8 * 16) = v;
    uint2 *pairs = (uint2 *)((char *)out + 16384 + row * pitch * 2 + t % 8 * 8);
    *pairs = make_uint2(v.y, t);
}

// Threads of a row that read one word; rows that lie over each other, the last one's words stay.
extern "C" __global__ void same(const unsigned *in, unsigned *out, unsigned long long pitch) {
    unsigned t = threadIdx.x;
    unsigned x = in[t / 8 * pitch];
    out[64 + t / 8 * (pitch - 36) + t % 8] = x + t;
    out[t] = x * 5;
}

// Not all threads act, and two accesses with constant distances from one address.
extern "C" __global__ void some(const unsigned *in, unsigned *out, unsigned long long pitch) {
    unsigned t = threadIdx.x;
    const unsigned *p = in + t / 4 * pitch + t % 4;
    unsigned *q = out + t / 4 * pitch + t % 4;
    if (p[0] % 3) {
        q[8] = p[16] + 1;
        if (p[4] & 1)
            q[20] = p[40] - t;
    }
}

// What threads take out of a loop that they leave one by one is of different turns.
extern "C" __global__ void leaves(const unsigned *in, unsigned *out, unsigned long long pitch) {
    unsigned t = threadIdx.x;
    unsigned long long row = 0, at = 0;
    do {
        at = row * pitch;
        row++;
    } while (row < in[t] % 7 + 1);
    out[t] = in[at + t % 8];
    out[1024 + at + t] = t;
}

// Indices that wrap within a row.
extern "C" __global__ void wraps(const unsigned *in, unsigned *out, unsigned from, unsigned by) {
    unsigned t = threadIdx.x, i = from + t % 16, j = from + 6 + t;
    out[t] = in[(unsigned long long)i * by & 255] + in[(i + 6) & 127];
    out[64 + t] = in[j + (t / 16 * by) * 4];
}

// Each thread's own array, at one place of it, through a pointer.
__device__ __noinline__ void add(unsigned *p, unsigned k) {
    *p += k;
}

extern "C" __global__ void own_arrays(const unsigned *in, unsigned *out, unsigned n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, own[8];
    for (int k = 0; k < 8; k++)
        own[k] = in[t + k];
    add(own + (blockIdx.x * 4 + n) % 8, in[t] | t);
    unsigned *p = own + (n * 5 + 1) % 8;
    asm volatile("st.u32 [%0], %1;" ::"l"(p), "r"(t * 3) : "memory");
    out[t] = own[3] + own[0] * 5 + own[7] + own[in[t] & 7];
}
