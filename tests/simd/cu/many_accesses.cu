// Many accesses under masks at addresses of each lane's own: more than any target runs in line.
// run: accesses grid=1 block=70 args=buf:512:rand,buf:2240:zero,u32:3
// run: accesses grid=2 block=32 args=buf:512:rand,buf:2048:zero,u32:9
#define FOUR(m, k) m(k) m(k + 1) m(k + 2) m(k + 3)
#define SIXTEEN(m, k) FOUR(m, k) FOUR(m, k + 4) FOUR(m, k + 8) FOUR(m, k + 12)

extern "C" __global__ void accesses(const unsigned *in, unsigned *out, unsigned n) {
    unsigned g = blockIdx.x * blockDim.x + threadIdx.x, at = g * n + 1, sum = 0;
    const unsigned char *bytes = (const unsigned char *)in;
    const unsigned short *halves = (const unsigned short *)in;
    const unsigned long long *longs = (const unsigned long long *)in;
    const float *floats = (const float *)in;
    unsigned *own = out + g * 32;
#define STEP(k)                                                                                    \
    at = at * 5 + bytes[at % 2048] + k;                                                            \
    if (at & 2)                                                                                    \
        sum += halves[at % 1024] + (unsigned)longs[at % 256];                                      \
    if (at & 4)                                                                                    \
        own[at / 8 % 16] += sum + __float_as_uint(floats[at / 2 % 512]);                           \
    else                                                                                           \
        ((unsigned char *)own)[64 + at % 64] = (unsigned char)sum;                                 \
    if (at & 16)                                                                                   \
        ((unsigned short *)own)[at / 32 % 64] ^= (unsigned short)at;
    SIXTEEN(STEP, 0)
    own[31] += sum;
}
