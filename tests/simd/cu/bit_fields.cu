// Fields of bits of a thread's number, as what is stored and as where: of lanes, of the group, of
// both, beyond the end, of no bits, with a sign.
// run: fields grid=2 block=96 args=buf:8192:zero,u32:5
// run: fields grid=1 block=77 args=buf:8192:zero,u32:40
// run: fields3 grid=1 block=16,4,2 args=buf:8192:zero
__device__ static unsigned *put(unsigned *to, unsigned x) {
    to[threadIdx.x] = x;
    return to + 96;
}

extern "C" __global__ void fields(unsigned *out, unsigned base) {
    unsigned t = threadIdx.x, b = blockIdx.x * blockDim.x + t, *to = out + blockIdx.x * 4096;
    unsigned u;
    asm("bfe.u32 %0, %1, 2, 3;" : "=r"(u) : "r"(t));
    to = put(to, u);
    asm("bfe.u32 %0, %1, 0, 2;" : "=r"(u) : "r"(t));
    to = put(to, u);
    asm("bfe.u32 %0, %1, 3, 20;" : "=r"(u) : "r"(b));
    to = put(to, u);
    asm("bfe.u32 %0, %1, 5, 2;" : "=r"(u) : "r"(t));
    to = put(to, u);
    asm("bfe.u32 %0, %1, 4, 32;" : "=r"(u) : "r"(t));
    to = put(to, u);
    asm("bfe.u32 %0, %1, 30, 9;" : "=r"(u) : "r"(t << 28));
    to = put(to, u);
    asm("bfe.u32 %0, %1, 33, 3;" : "=r"(u) : "r"(t));
    to = put(to, u);
    asm("bfe.u32 %0, %1, 2, 0;" : "=r"(u) : "r"(t));
    to = put(to, u);
    asm("bfe.u32 %0, %1, 1, 4;" : "=r"(u) : "r"(t + base));
    to = put(to, u);
    asm("bfe.u32 %0, %1, 1, 4;" : "=r"(u) : "r"(t - 40));
    to = put(to, u);
    asm("bfe.s32 %0, %1, 2, 3;" : "=r"(u) : "r"(t));
    to = put(to, u);
    asm("bfe.u32 %0, %1, 2, %2;" : "=r"(u) : "r"(t), "r"(base));
    to = put(to, u);
    unsigned long long w;
    asm("bfe.u64 %0, %1, 2, 40;" : "=l"(w) : "l"((unsigned long long)t << 33 | t));
    to = put(to, (unsigned)w);
    to = put(to, (unsigned)(w >> 32));
    unsigned row, column;
    asm("bfe.u32 %0, %1, 2, 3;" : "=r"(row) : "r"(t));
    asm("bfe.u32 %0, %1, 0, 2;" : "=r"(column) : "r"(t));
    to[row * 8 + column + t / 32 * 64] = t;
    to[1024 + (row | column << 3)] = row ^ column;
}

extern "C" __global__ void fields3(unsigned *out) {
    unsigned t = threadIdx.x + threadIdx.y * 16 + threadIdx.z * 64, x, y;
    asm("bfe.u32 %0, %1, 1, 3;" : "=r"(x) : "r"(threadIdx.x));
    asm("bfe.u32 %0, %1, 1, 1;" : "=r"(y) : "r"(threadIdx.y));
    out[t] = x;
    out[128 + t] = y;
    out[256 + x + y * 8 + t / 64 * 16] = 1;
}
