// Arrays that each thread has for itself: those whose address stays in the kernel, of which a
// vector's lanes lie word by word beside each other, and some whose address goes elsewhere.

// A history of words, of which all threads read the same places; a loop whose count only the launch
// knows keeps it in memory.
// run: history grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:24
// run: history grid=2,1,1 block=33,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:17
// run: history grid=1,1,1 block=100,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:9
// run: history grid=1,1,1 block=16,3,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:30
extern "C" __global__ void history(const unsigned *in, unsigned *out, unsigned n) {
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x * blockDim.y + t, w[32];
    for (unsigned k = 0; k < 32; k++)
        w[k] = in[i * 4 + (k & 7)] + k;
    for (unsigned k = 2; k < n; k++)
        w[k & 31] += (w[(k - 2) & 31] << 5 | w[(k + 7) & 31] >> 27) ^ w[(k - 1) & 31];
    unsigned sum = 0;
    for (unsigned k = 0; k < n; k++)
        sum = sum * 31 + w[(k * 5) & 31];
    out[i] = sum;
}

// Each thread at places of its own.
// run: apart grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:40
// run: apart grid=1,1,1 block=77,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:12
extern "C" __global__ void apart(const unsigned *in, unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, bins[16];
    unsigned long long wide[8];
    unsigned char small[24];
    short halves[10];
    for (unsigned k = 0; k < 16; k++)
        bins[k] = 0;
    for (unsigned k = 0; k < 8; k++)
        wide[k] = k * 0x100000001ull;
    for (unsigned k = 0; k < 24; k++)
        small[k] = (unsigned char)(k * 11);
    for (unsigned k = 0; k < 10; k++)
        halves[k] = (short)(k * -301);
    for (unsigned k = 0; k < n; k++) {
        unsigned x = in[i * 8 + (k & 63)];
        bins[x & 15] += k;
        wide[x >> 4 & 7] += (unsigned long long)x << 13;
        small[(x >> 8) % 24] ^= (unsigned char)(x >> 12);
        halves[(x >> 16) % 10] += (short)x;
        if (x & 1)
            small[k % 24] += 3;
        else
            halves[k % 10] = (short)(halves[(k + 3) % 10] - 7);
    }
    unsigned sum = 0;
    for (unsigned k = 0; k < n; k++)
        sum = sum * 7 + bins[k & 15] + (unsigned)(wide[k & 7] >> 9) + small[k % 24] +
              (unsigned)halves[k % 10];
    out[i] = sum;
}

// Bytes and halves at one place in all threads, words and numbers of 64 bits over them.
// run: parts grid=2,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:4096:zero,u32:64
// run: parts grid=1,1,1 block=45,1,1 shared=0 args=buf:8192:rand,buf:4096:zero,u32:37
extern "C" __global__ void parts(const unsigned char *in, unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __align__(16) unsigned char data[64];
    unsigned filled = 0, state = 7;
    for (unsigned k = 0; k < 64; k++)
        data[k] = (unsigned char)k;
    for (unsigned k = 0; k < n; k++) {
        data[filled++] = in[i * 32 + k];
        if (filled == 48 || k + 1 == n) {
            for (unsigned j = 0; j < 16; j++)
                state = state * 33 + ((unsigned *)data)[(j * n) & 15];
            for (unsigned j = 0; j < 8; j++)
                state ^= (unsigned)(((unsigned long long *)data)[(j + n) & 7] >> (j + 3));
            ((unsigned short *)data)[n & 31] = (unsigned short)state;
            ((uint4 *)data)[n & 3] = make_uint4(state, state + 1, n, 5);
            state += ((uint2 *)data)[(n + 3) & 7].y;
            filled = 0;
        }
    }
    out[i] = state;
}

// Doubles, floats and what some threads alone store; loops that threads leave apart.
// run: stack grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:20
// run: stack grid=1,1,1 block=50,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:31
extern "C" __global__ void stack(const unsigned *in, float *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double values[20];
    float last[20];
    int top = 0;
    values[0] = i;
    last[0] = 1;
    for (unsigned k = 0; k < n; k++) {
        unsigned x = in[i + k];
        if (x % 3 && top < 19) {
            top++;
            values[top] = x % 1000;
            last[top] = (float)(x % 77);
        } else if (top > 0) {
            values[top - 1] += values[top] * 0.5;
            last[top - 1] = last[top] - 1;
            top--;
        }
        if (x % 11 == 0)
            values[n % 20 & (unsigned)top] = k;
    }
    while (top > 0 && values[top] > 3) {
        values[top - 1] = values[top - 1] * 0.25 + values[top];
        top--;
    }
    out[i] = (float)values[top] + last[top];
}

// What lives across barriers, and in blocks that are one team.
// run: across grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:12
// run: across grid=2,1,1 block=256,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:5
// run: across grid=1,1,1 block=90,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:7
extern "C" __global__ void across(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, own[12];
    for (unsigned k = 0; k < 12; k++)
        own[k] = in[i + k * 3];
    for (unsigned k = 0; k < n; k++) {
        s[t] = own[k % 12];
        __syncthreads();
        unsigned other = s[(t + k + 1) % blockDim.x];
        if (other & 4)
            own[(k + 5) % 12] ^= other;
        __syncthreads();
    }
    unsigned sum = 0;
    for (unsigned k = 0; k < 12; k++)
        sum = sum * 5 + own[(k + n) % 12];
    out[i] = sum;
}

// A pointer that is one of two arrays, and one that walks.
// run: chosen grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:12
// run: chosen grid=1,1,1 block=39,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:19
extern "C" __global__ void chosen(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a[20], b[20];
    for (int k = 0; k < 20; k++) {
        a[k] = in[i + k];
        b[k] = in[i + k + 20];
    }
    int *p = n & 1 ? a : b, *q = in[i] & 1 ? a : b;
    for (int k = 0; k < n; k++) {
        p[k] += q[n - k];
        q[k]--;
    }
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * 3 + a[k] - b[n - 1 - k];
    out[i] = sum;
}

// ---- whose address goes elsewhere ---------------------------------------------------------------

__device__ __noinline__ int total(const int *p, int n) {
    return n > 2 ? total(p, n / 2) * 3 - total(p + n / 2, n - n / 2) : p[0] + p[n - 1];
}

// run: passed grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:12
extern "C" __global__ void passed(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a[20];
    for (int k = 0; k < n; k++)
        a[k] = in[i + k];
    out[i] = total(a, n);
}

// run: kept grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:12
extern "C" __global__ void kept(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a[20], b[20];
    int *which[4] = {a, b, a + 8, b + 4};
    for (int k = 0; k < n; k++)
        a[k] = b[n - 1 - k] = in[i + k];
    for (int k = 0; k < n; k++)
        which[(in[i] + k) & 3][k & 7] += k;
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * 3 + a[k] - b[n - 1 - k];
    out[i] = sum;
}

// Added to as one, compared, and looked at by volatile accesses.
// run: looked_at grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:12
extern "C" __global__ void looked_at(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int a[20];
    for (int k = 0; k < 20; k++)
        a[k] = in[i + k];
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * 3 + a[(k * 3) % 20];
    out[i] = sum;
}

// A local address beside one of other memory, by one choice.
// run: mixed grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:12
// run: mixed grid=1,1,1 block=41,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:7
extern "C" __global__ void mixed(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a[20];
    for (int k = 0; k < 20; k++)
        a[k] = in[i + k];
    const int *p = in[i] & 1 ? a : in + i;
    int sum = 0;
    for (int k = 0; k < n; k++) {
        sum = sum * 3 + p[k];
        a[n - k] = sum;
    }
    out[i] = sum;
}
