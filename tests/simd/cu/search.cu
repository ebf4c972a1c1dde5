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
