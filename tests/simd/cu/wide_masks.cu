// Masks that are combined, chosen, carried through loops and used in other blocks than where they
// are made, of numbers of 32 bits; words a cache line apart. By widths that the compiler chooses
// too.
// also: KUDZU_WIDTH=0
// run: ways grid=2 block=64 args=buf:160:small,buf:128:zero,u32:117
// run: ways grid=1 block=96 args=buf:160:special,buf:128:zero,u32:96
// run: carried grid=2 block=64 args=buf:128:small,buf:128:zero,u32:120
// run: carried grid=2 block=64 args=buf:128:iota,buf:128:zero,u32:128
// run: divisors grid=2 block=64 args=buf:160:small,buf:128:zero,u32:117
// run: far grid=2 block=64 args=buf:2304:small,buf:128:zero,u32:120
// run: turned grid=2 block=64 args=buf:160:rand,buf:128:zero,u32:117
// run: turned grid=2 block=64 args=buf:160:small,buf:128:zero,u32:128
// run: turned_floats grid=2 block=64 args=buf:160:special,buf:128:zero,u32:128
// run: turned_bytes grid=2 block=64 args=buf:160:rand,buf:128:zero,u32:117
extern "C" __global__ void ways(const int *in, int *out, unsigned n) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    int x = in[k], y = in[k + 7], r;
    bool odd = y & 1, far = x > 500, both = far && !odd;
    if (far) {
        if (y > 500)
            r = x + y;
        else if (y > 250 || both)
            r = x * y;
        else
            r = x - y;
    } else {
        r = odd ? x | y : x & y;
    }
    if (both != (x < y))
        r ^= 0x55;
    out[k] = r;
}

extern "C" __global__ void carried(const unsigned *in, unsigned *out, unsigned n) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    unsigned x = in[k], r = 0;
    bool last = x & 4, now = false;
    for (unsigned i = 0; i < x % 19; i++) {
        now = (x >> (i & 7) & 1) != last;
        if (now && r > 40)
            break;
        r += now ? 3 * i + 1 : last ? 7 : 2;
        last = now || (r & 8);
    }
    out[k] = r * 4 + now * 2 + last;
}

extern "C" __global__ void divisors(const int *in, int *out, unsigned n) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    int x = (in[k] & 1023) + 1, y = (in[k + 9] & 1023) + 1;
    while (y) {
        int t = x % y;
        x = y;
        y = t;
    }
    out[k] = x;
}

extern "C" __global__ void far(const unsigned *in, unsigned *out, unsigned n) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x, r = 0;
    for (unsigned i = 0; i < 16; i++)
        r = 3 * r + in[16 * k + i];
    if (k < n)
        out[k] = r;
}

// Comparisons turned around in every second lane, joined, and all used in one block.
extern "C" __global__ void turned(const unsigned *in, unsigned *out, unsigned n) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[k], y = in[k + 7], z = in[k + 20];
    bool other = threadIdx.x & 2, above = (x > y) == other, both = above && (y < z) != !other;
    unsigned low = above ? x : y, high = above ? y : x;
    low = both ? low + z : low;
    high = both || (int)z < 0 ? high ^ z : high;
    if (k < n)
        out[k] = low * 3 + high;
}

extern "C" __global__ void turned_floats(const float *in, float *out, unsigned n) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[k], y = in[k + 7];
    bool other = threadIdx.x & 4, above = (x > y) == other;
    if (k < n)
        out[k] = (above ? x : y) - ((above || y < 1) ? 2.0f : 1.0f);
}

// The same of bytes, whose masks are others.
extern "C" __global__ void turned_bytes(const unsigned char *in, unsigned *out, unsigned n) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char x = in[k], y = in[k + 7];
    bool other = threadIdx.x & 1, above = (x > y) == other;
    if (k < n)
        out[k] = (above ? x : y) * 256u + ((above != (y > 100)) ? k : x);
}
