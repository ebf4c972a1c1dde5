// Threads one after the other, whose loops begin at the end of a chain of loads: each goes along a
// later one's chain first, and may only load what that one will.
// run: rows grid=3 block=50 args=buf:400:rand,buf:256:rand,buf:150:zero,u32:120
// run: rows grid=1 block=7 args=buf:400:rand,buf:256:rand,buf:150:zero,u32:120
// run: some grid=2 block=64 args=buf:128:rand,buf:256:rand,buf:128:zero,u32:100
// run: indirect grid=2 block=40 args=buf:80:rand,buf:256:rand,buf:80:zero,u32:70
// run: longer grid=2 block=40 args=buf:80:rand,buf:256:rand,buf:80:zero,u32:70
// run: square grid=2 block=8,8 args=buf:128:rand,buf:256:rand,buf:128:zero,u32:120
// run: behind_atomic grid=2 block=40 args=buf:80:rand,buf:256:rand,buf:81:zero,u32:70
// run: barrier grid=2 block=50 args=buf:100:rand,buf:256:rand,buf:100:zero,u32:100
// run: writes grid=1 block=1 args=buf:80:rand,buf:256:rand,buf:80:zero,u32:70

__device__ unsigned walk(const unsigned *data, unsigned first, unsigned end) {
    unsigned sum = 0;
    for (unsigned e = first; e < end; e++)
        sum = sum * 5 + data[data[e % 256] % 256];
    return sum;
}

extern "C" __global__ void rows(const unsigned *list, const unsigned *data, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned u = list[i] % 250, first = data[u] % 200, end = first + data[u + 1] % 50;
    unsigned sum = 0;
    for (unsigned e = first; e < end; e++)
        sum = sum * 5 + data[data[e] % 256];
    out[i] = sum;
}

// Where the second load must not be made: far outside of all memory.
extern "C" __global__ void some(const unsigned *list, const unsigned *data, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned v = list[i];
    long long at = v % 3 ? v % 250 : 1LL << 60;
    if (at > 1000)
        return;
    unsigned first = data[at] % 200, sum = 0;
    for (unsigned e = first; e < first + v % 40; e++)
        sum = sum * 5 + data[data[e] % 256];
    out[i] = sum;
}

// Pointers that most threads do not have.
extern "C" __global__ void indirect(const unsigned *list, const unsigned *data, unsigned *out,
                                    int n) {
    __shared__ const unsigned *from[40];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    from[t] = list[i] & 1 ? data + list[i] % 200 : nullptr;
    __syncthreads();
    if (i >= n)
        return;
    const unsigned *p = from[t];
    unsigned sum = 0;
    if (p)
        sum = walk(data, *p % 256, *p % 256 + list[i] % 30);
    out[i] = sum;
}

extern "C" __global__ void longer(const unsigned *list, const unsigned *data, unsigned *out,
                                  int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned u = data[data[list[i] % 256] % 256] % 256;
    out[i] = walk(data, data[u] % 256, data[u] % 256 + list[i] % 30);
}

extern "C" __global__ void square(const unsigned *list, const unsigned *data, unsigned *out,
                                  int n) {
    int i = blockIdx.x * 64 + threadIdx.y * blockDim.x + threadIdx.x;
    if (i < n && threadIdx.y != 3)
        out[i] = walk(data, data[list[i] % 256] % 256, data[list[i] % 256] % 256 + list[i] % 30);
}

extern "C" __global__ void behind_atomic(const unsigned *list, const unsigned *data, unsigned *out,
                                         int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[80], 1);
    if (i < n)
        out[i] = walk(data, data[list[i] % 256] % 256, data[list[i] % 256] % 256 + list[i] % 30);
}

// What the chain reads is written by the thread itself, before.
extern "C" __global__ void writes(unsigned *list, const unsigned *data, unsigned *out, int n) {
    int i = threadIdx.x;
    for (int k = 0; k < n; k++) {
        list[i] = k;
        unsigned u = data[list[i] % 256];
        out[k] = walk(data, u % 256, u % 256 + k % 7);
    }
}

// Without loops, at a step that only the launch knows: threads ask for what others behind them
// touch.
// run: apart grid=4 block=64 args=buf:4096:rand,buf:8192:zero,u32:2,u32:4096
// run: apart grid=3 block=256 args=buf:4096:rand,buf:8192:zero,u32:5,u32:4000
// run: apart grid=2 block=32 args=buf:4096:rand,buf:8192:zero,u32:0,u32:64
// run: apart grid=1 block=5 args=buf:4096:rand,buf:8192:zero,u32:1000,u32:4096
// run: backwards grid=4 block=64 args=buf:4096:rand,buf:8192:zero,u32:3
extern "C" __global__ void apart(const unsigned *in, unsigned *out, int step, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = t * step;
    if (i < n) {
        unsigned v = in[i];
        if (step)
            out[i] = v + 1;
        out[4096 + t] = v;
    }
}

extern "C" __global__ void backwards(const unsigned *in, unsigned *out, int step) {
    int i = 4095 - (int)(blockIdx.x * blockDim.x + threadIdx.x) * step;
    out[i] = in[i] ^ in[in[i] & 4095];
}

// Lanes that add at places which follow from what they have loaded, and leave when they have come
// to one that ends: each group asks for the next one's first places, if all its lanes have one.
// run: hashed grid=2 block=128 args=buf:256:rand,u32:256,buf:64:zero,u32:63
// run: hashed grid=2 block=128 args=buf:201:rand,u32:201,buf:64:zero,u32:63
// run: hashed grid=1 block=40 args=buf:40:rand,u32:40,buf:64:zero,u32:63
// run: hashed grid=1 block=32,4 args=buf:32:rand,u32:32,buf:64:zero,u32:63
extern "C" __global__ void hashed(const unsigned *keys, unsigned n, unsigned *table,
                                  unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i], at = (key ^ key >> 16) * 0x85ebca6bu;
    do {
        at = at >> 3 ^ at * 5;
        atomicAdd(&table[at & mask], key & 15);
    } while (at & 3);
}

// The same through a list of places, of which some lanes have none.
// run: listed grid=2 block=64 args=buf:128:small,buf:1024:rand,buf:64:zero,u32:60
// run: listed grid=2 block=64 args=buf:128:small,buf:1024:rand,buf:64:zero,u32:0
extern "C" __global__ void listed(const unsigned *first, const unsigned *places, unsigned *sums,
                                  unsigned least) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, begin = first[i] & 127;
    if (begin < least)
        return;
    unsigned at = places[begin];
    for (unsigned k = 0; k <= (at & 7); k++) {
        atomicMax(&sums[at & 63], i + k);
        at = at * 9 >> 2;
    }
}

// Where a thread stores is made at the beginning, and again behind the barrier: that is its own place, not
// that of the thread whose chain it went along.
extern "C" __global__ void barrier(const unsigned *list, const unsigned *data, unsigned *out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) % n;
    unsigned first = data[list[i] % 200] % 200, times = data[first] % 9, sum = 0;
    for (unsigned e = 0; e < times; e++)
        sum = sum * 5 + data[(first + e) % 256];
    __syncthreads();
    out[i] = sum;
}
