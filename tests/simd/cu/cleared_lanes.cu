// Steps of sorting networks, whose masks have lanes that are cleared: more masks than there are
// registers for them.
// run: step grid=1 block=128 args=buf:128:iota,buf:128:zero,u32:3
// run: step grid=1 block=128 args=buf:128:rand,buf:128:zero,u32:3
// run: step grid=1 block=256 args=buf:256:iota,buf:256:zero,u32:3
// run: sorted grid=1 block=256 args=buf:64:rand,buf:64:zero
// run: halves grid=2 block=128 args=buf:64:rand,buf:256:zero

// The words of two threads change places when they are in the wrong order.
extern "C" __global__ void step(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, o = t ^ 8;
    if (n == 12345678)
        return;
    s[t] = in[t];
    __syncthreads();
    if (o > t) {
        unsigned x = s[t], y = s[o];
        if ((x > y) == ((t & 16) == 0)) {
            s[t] = y;
            s[o] = x;
        }
    }
    __syncthreads();
    out[t] = s[t];
}

// Bytes.
extern "C" __global__ void sorted(const unsigned char *in, unsigned char *out) {
    __shared__ unsigned char s[256];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
#pragma unroll 2
    for (unsigned k = 2; k <= 256; k *= 2)
        for (unsigned d = k / 2; d > 0; d /= 2) {
            unsigned o = t ^ d;
            if (o > t) {
                unsigned char x = s[t], y = s[o];
                if ((x >= y) == ((t & k) == 0)) {
                    s[t] = y;
                    s[o] = x;
                }
            }
            __syncthreads();
        }
    out[t] = s[t];
}

// Short words, and tests of which either half of a vector's lanes is cleared.
extern "C" __global__ void halves(const unsigned short *in, unsigned short *out) {
    __shared__ unsigned short s[128], r[128];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    r[t] = t;
    __syncthreads();
    if (t & 16 && s[t] > s[t ^ 16] && s[t] > s[127 - t])
        r[t] = s[t ^ 16];
    __syncthreads();
    if (!(t & 8) && r[t] < r[t ^ 8])
        s[t] = r[t ^ 8] + blockIdx.x;
    __syncthreads();
    out[blockIdx.x * 128 + t] = s[t] + r[127 - t];
}
