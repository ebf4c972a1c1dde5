// Blocks that take the number of their tile from a counter, and ask for what the next ones will
// touch: whole lines and words, numbers that are combined with others, and what only looks so.
// run: tiles grid=5 block=128 args=buf:1:zero,buf:5120:rand,buf:5120:zero
// run: tiles grid=3 block=64 args=buf:1:zero,buf:3072:rand,buf:3072:zero
// run: words grid=4 block=256 args=buf:1:zero,buf:2048:rand,buf:2048:zero,u32:512
// run: words grid=4 block=96 args=buf:1:zero,buf:2048:rand,buf:2048:zero,u32:512
// run: queue grid=3 block=64 args=buf:1:zero,buf:640:rand,buf:640:zero,u32:10
// run: not_counted grid=1 block=128 args=buf:4:zero,buf:1024:rand,buf:1024:zero
// run: folded grid=4 block=64 args=buf:1:zero,buf:1024:rand,buf:1024:zero
// run: back grid=4 block=64 args=buf:1:zero,buf:1024:rand,buf:1024:zero
// also: KUDZU_TILES=off

extern "C" __global__ void tiles(unsigned *next, const uint4 *in, uint4 *out) {
    __shared__ unsigned taken, s[128];
    unsigned t = threadIdx.x;
    if (t == 0)
        taken = atomicAdd(next, 1);
    __syncthreads();
    unsigned at = (taken * 128 + t) * 2;
    uint4 a = in[at], b = in[at + 1];
    s[t] = a.x + b.w;
    __syncthreads();
    a.x ^= s[t ^ 1];
    b.w += s[(t + 5) % blockDim.x];
    out[at] = b;
    out[at + 1] = a;
}

extern "C" __global__ void words(unsigned *next, const unsigned *in, unsigned *out,
                                 unsigned pitch) {
    __shared__ unsigned taken;
    unsigned t = threadIdx.x;
    if (t == 0)
        taken = atomicAdd(next, 1);
    __syncthreads();
    unsigned tile = taken;
    out[tile * 512 + t] = in[tile * 512 + t] * 3 + in[tile * pitch + 256 + t];
    out[tile * 512 + 256 + t] = in[(tile << 9) + t] ^ tile;
}

// Blocks that go on until no tile is left.
extern "C" __global__ void queue(unsigned *next, const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned taken;
    unsigned t = threadIdx.x;
    while (true) {
        if (t == 0)
            taken = atomicAdd(next, 1);
        __syncthreads();
        unsigned tile = taken;
        if (tile >= n)
            return;
        out[tile * 64 + t] = in[tile * 64 + t] + tile;
        __syncthreads();
    }
}

// Counters that go on by two, and what is only stored like a number.
extern "C" __global__ void not_counted(unsigned *next, const unsigned *in, unsigned *out) {
    __shared__ unsigned twice, old;
    unsigned t = threadIdx.x;
    if (t == 0) {
        twice = atomicAdd(next, 2);
        old = next[1];
    }
    __syncthreads();
    out[(twice & 3) * 128 + t] = in[(twice & 3) * 128 + t];
    out[(old % 4 + 4) * 128 + t] = in[(old % 4 + 4) * 128 + t];
}

// Numbers of which only a part tells the tile.
extern "C" __global__ void folded(unsigned *next, const unsigned *in, unsigned *out) {
    __shared__ unsigned taken;
    unsigned t = threadIdx.x;
    if (t == 0)
        taken = atomicAdd(next, 1);
    __syncthreads();
    unsigned tile = (taken ^ 1) & 3, row = taken * taken % 7;
    out[tile * 256 + t] = in[tile * 256 + t] + in[row * 64 + t];
}

// Tiles from the last to the first.
extern "C" __global__ void back(unsigned *next, const unsigned *in, unsigned *out) {
    __shared__ unsigned taken;
    unsigned t = threadIdx.x;
    if (t == 0)
        taken = atomicAdd(next, 1);
    __syncthreads();
    unsigned at = 768 - taken * 256 + t;
    out[at] = in[at] * 5;
}
