// Loops that lanes leave by what they load: neighbouring lanes' words are loaded whether the lanes
// act or not, as long as all of them lie on a page of one that acts.
// run: bytes grid=16 block=256 args=buf:1024:small,buf:16:small,u32:4096,u32:3,buf:1024:zero
// run: bytes grid=3 block=100 args=buf:1024:small,buf:16:small,u32:299,u32:2,buf:1024:zero
// run: votes grid=16 block=256 args=buf:1024:small,u32:4096,u32:6,buf:128:zero
// run: words grid=8 block=128 args=buf:1024:small,u32:1024,buf:1024:zero
// run: at_end grid=4 block=256 args=buf:262144:small,u32:1048576,u32:1023,buf:1024:zero
// run: backwards grid=4 block=256 args=buf:1024:small,u32:1024,buf:1024:zero
// run: wrapped grid=2 block=64 args=buf:512:small,u32:4294967264,buf:128:zero
// run: strides grid=2 block=64 args=buf:8192:small,u32:37,buf:128:zero
// run: parts grid=2 block=128 args=buf:1024:small,buf:1024:iota,buf:256:zero

// Four letters only, so that lanes stay for different numbers of turns.
__device__ bool same(unsigned a, unsigned b) {
    return ((a ^ b) & 3) == 0;
}

extern "C" __global__ void bytes(const unsigned char *text, const unsigned char *pattern, int n,
                                 int m, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i + m <= n)
        while (k < m && same(text[i + k], pattern[k]))
            k++;
    if (i < 1024)
        out[i] = k;
}

extern "C" __global__ void votes(const unsigned char *text, int n, int m, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i + m <= n)
        while (k < m && same(text[i + k], k))
            k++;
    unsigned bits = __ballot_sync(~0u, k > 1);
    if (threadIdx.x % 32 == 0)
        out[i / 32] = bits;
}

extern "C" __global__ void words(const unsigned *x, int n, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i;
    unsigned sum = 0;
    while (k < n && x[k] % 5) {
        sum += x[k];
        k++;
    }
    out[i] = sum * 64 + k - i;
}

// What lies behind the text may not be read: from `first` lanes before its end on.
extern "C" __global__ void at_end(const unsigned char *text, int n, int first, unsigned *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = n - first + t, k = 0;
    while (i + k < n && text[i + k] % 7)
        k++;
    out[t] = k;
}

extern "C" __global__ void backwards(const unsigned *x, int n, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = n - 1 - i;
    unsigned sum = 0;
    for (; k >= 0 && x[k] % 6; k--)
        sum = sum * 3 + x[k];
    out[i] = sum + k;
}

// Indices that wrap in 32 bits.
extern "C" __global__ void wrapped(const unsigned char *text, unsigned below, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    while (k < 64 && text[i + below + k + 32] % 5)
        k++;
    out[i] = k;
}

extern "C" __global__ void strides(const unsigned short *x, int pitch, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    while (k < 100 && x[(size_t)k * pitch * 2 + i] % 4 != 3)
        k++;
    out[i] = k;
}

// Loads in parts of the loop that only some lanes come to.
extern "C" __global__ void parts(const unsigned *x, const unsigned *y, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int k = 0; x[i + k] % 9; k++) {
        sum += x[i + k];
        if (sum & 2)
            sum ^= y[i + 2 * k];
        if (k == 600)
            break;
    }
    out[i] = sum;
}
