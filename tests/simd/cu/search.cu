// Short loops that leave at a difference: two groups turn together.
// run: compare grid=2,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:1024:zero,u32:3000,u32:9
// run: compare grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:1024:zero,u32:100,u32:1
// run: compare grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:zero,buf:1024:zero,u32:4000,u32:40
// run: compare grid=1,1,1 block=96,1,1 shared=0 args=buf:4096:zero,buf:1024:zero,u32:60,u32:0
extern "C" __global__ void compare(const unsigned char *text, unsigned *found, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i + m <= n)
        while (k < m && (text[i + k] & 1) == (text[k + 3] & 1))
            k++;
    unsigned bits = __ballot_sync(~0u, k == m);
    if (threadIdx.x % 32 == 0)
        found[i / 32] = bits;
    found[64 + i] = k;
}

// Groups leave at turns of their own; what follows sees each thread's count.
// run: ends grid=2,1,1 block=128,1,1 shared=0 args=buf:4096:rand,buf:1024:zero,u32:30
// run: ends grid=2,1,1 block=128,1,1 shared=0 args=buf:4096:zero,buf:1024:zero,u32:30
extern "C" __global__ void ends(const unsigned short *x, unsigned *y, unsigned m) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k;
    for (k = 0; k < m + threadIdx.x / 16; k++)
        if (x[i + k] % 4 == 1)
            break;
    y[i] = k * 2 + (k < m ? x[i + k] : 7);
    if (k > 3)
        y[512 + i] = k;
}

// Nothing but a comparison sees how far the counter came: it is made in the loop. Counters that end
// in several places, begin at the thread's index, or are wanted elsewhere; loops in loops.
// run: found grid=2,1,1 block=128,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:9,u32:2
// run: found grid=2,1,1 block=96,1,1 shared=0 args=buf:4096:zero,buf:2048:zero,u32:9,u32:12
// run: found grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:2048:zero,u32:0,u32:0
extern "C" __global__ void found(const unsigned char *x, unsigned *out, int m, int few) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0, j = 0, l = i % 32;
    while (k < m && (x[i + k] & 1) == (x[k + 3] & 1))
        k++;
    unsigned bits = k >= m ? 1 : 0;
    for (j = 5; j < 17; j++)
        if (x[i + j] % 16 == 3)
            break;
    bits |= j < 17 ? 2 : 0;
    for (; l < m; l++) // begins where the thread lies
        if (x[i + l] % 4 == 1)
            break;
    bits |= l == m ? 4 : 0;
    long long w = -2;
    for (; w < few; w++)
        if (x[i + w + 2] % 8 == 1)
            break;
    bits |= w == few ? 8 : 0;
    unsigned hits = 0;
    for (int a = 0; a < 5; a++) {
        int b = 0;
        while (b < few && x[i + 7 * a + b] % 4 != 2)
            b++;
        if (b != few)
            hits++;
        if (hits == 3)
            break;
    }
    int e = 0; // two ways out
    for (e = 0; e < m; e++) {
        if (x[i + e] % 32 == 1) {
            bits |= 16;
            break;
        }
        if (x[i + e] % 32 == 7)
            break;
    }
    out[i] = bits | (e > few ? 32 : 0) | hits << 8;
    int s = 0;
    while (s < m && x[i + s] % 2)
        s++;
    out[256 + i] = s == m ? 1000 : s; // wanted itself
}
