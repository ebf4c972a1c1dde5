// Neighbours that are so most of the time: indices taken apart by widths that only the launch
// knows, cut off by masks, kept in bounds. Rows end within vectors, at every vector, and never.
// run: rows grid=3 block=96 args=buf:4096:rand,buf:1024:zero,u32:1000,u32:1024,u32:288
// run: rows grid=3 block=96 args=buf:4096:rand,buf:1024:zero,u32:17,u32:19,u32:280
// run: rows grid=3 block=96 args=buf:4096:rand,buf:1024:zero,u32:3,u32:5,u32:288
// run: rows grid=1 block=7 args=buf:4096:rand,buf:1024:zero,u32:40,u32:41,u32:7
// run: tensor grid=4 block=64 args=buf:256:float,buf:256:zero,buf:16:float,u32:4,u32:32
// run: tensor grid=4 block=64 args=buf:256:float,buf:256:zero,buf:16:float,u32:16,u32:5
// run: walsh grid=2 block=64 args=buf:512:rand,buf:512:zero,u32:64
// run: walsh grid=2 block=64 args=buf:512:rand,buf:512:zero,u32:16
// run: walsh grid=2 block=64 args=buf:512:rand,buf:512:zero,u32:4
// run: clamped grid=2 block=100 args=buf:256:rand,buf:800:zero,u32:170
// run: clamped grid=2 block=100 args=buf:256:rand,buf:800:zero,u32:9
// run: ring grid=2 block=100 args=buf:400:rand,buf:600:zero,u32:200
// run: ring grid=2 block=100 args=buf:400:rand,buf:600:zero,u32:13
// run: kept_in grid=2 block=64 args=buf:128:rand,buf:128:zero,u32:99
// run: wide grid=2 block=64 args=buf:2048:rand,buf:1024:zero,u32:50
// run: bytes grid=2 block=64 args=buf:256:rand,buf:256:zero,u32:50
// run: wraps grid=2 block=64 args=buf:256:rand,buf:128:zero,u32:4294967288,u32:33
// run: turns grid=2 block=64 args=buf:2048:rand,buf:128:zero,u32:37
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void rows(const unsigned *in, unsigned *out, int w, int pitch, int n) {
    int i = (int)THREAD;
    if (i < n) {
        int x = i % w, y = i / w;
        out[i] = in[y * pitch % 1024 + x] + in[(y & 31) * 32 + (x & 31)];
        out[512 + (y & 7) * 40 + x % 40 % (w < 40 ? w : 40)] = 7;
    }
}

extern "C" __global__ void tensor(const float *in, float *out, const float *scale, unsigned c,
                                  unsigned w) {
    unsigned i = THREAD, channel = i / w % c;
    out[i] = in[i] * scale[channel] + scale[i / w & 15];
}

extern "C" __global__ void walsh(const int *in, int *out, int stride) {
    int pos = (int)THREAD, lo = pos & (stride - 1), i0 = ((pos - lo) << 2) + lo;
    int a = in[i0], b = in[i0 + stride], c = in[i0 + 2 * stride], d = in[i0 + 3 * stride];
    out[i0] = a + b + c + d;
    out[i0 + stride] = a - b + c - d;
    out[i0 + 2 * stride] = a + b - c - d;
    out[i0 + 3 * stride] = a - b - c + d;
}

// A filter whose neighbours are kept in bounds.
extern "C" __global__ void clamped(const int *in, int *out, int n) {
    int i = (int)THREAD, left = max(i - 1, 0), right = min(i + 1, n - 1),
        far = min(max(i - 5, 3), n);
    out[i] = in[left] + 2 * in[min(i, n - 1)] + 3 * in[right];
    out[200 + i] = in[far];
    out[400 + min(i, n)] = 5;                     // several threads the same
    out[600 + max((int)threadIdx.x - 40, 0)] = 6; // and here
}

// Neighbours on a ring.
extern "C" __global__ void ring(const int *in, int *out, int n) {
    int i = (int)THREAD % n, right = i + 1, left = i - 1, far = i - 3;
    if (right >= n)
        right -= n;
    left = left < 0 ? n - 1 : left;
    if (far < 0)
        far += n;
    out[THREAD] = in[left] + 2 * in[i] + 3 * in[right];
    out[200 + THREAD] = in[far];
    out[400 + right] = in[right];
}

extern "C" __global__ void kept_in(const unsigned *in, unsigned *out, unsigned n) {
    unsigned i = THREAD;
    if (i % 3)
        out[i] = in[min(i + 2, n)] ^ in[max(i, 60u) - 60u];
}

extern "C" __global__ void wide(const float4 *in, float4 *out, int w) {
    int i = (int)THREAD, x = i % w, y = i / w;
    float4 v = in[y * 60 + x];
    const double *d = (const double *)in;
    double e = d[(y + 3) * 61 + x];
    out[i] = make_float4(v.y, v.x, v.w, (float)(e > 0));
    out[128 + y * w + x] = v;
}

extern "C" __global__ void bytes(const unsigned char *in, unsigned char *out, int w) {
    int i = (int)THREAD, x = i % w, y = i / w;
    const unsigned short *halves = (const unsigned short *)in;
    out[i] = in[y * 70 + x];
    ((unsigned short *)(out + 256))[i] = halves[y * 60 + x];
}

// Indices of 32 bits that pass their end among the lanes, where nobody is active.
extern "C" __global__ void wraps(const unsigned *in, unsigned *out, unsigned first, unsigned w) {
    unsigned i = THREAD, at = first - 32 + i % w;
    const unsigned *base = in - (4294967296ull - 256);
    if (at >= first - 64)
        out[i] = base[at];
}

extern "C" __global__ void turns(const unsigned *in, unsigned *out, unsigned w) {
    unsigned sum = 0;
    for (unsigned k = 0; k < threadIdx.x % 5 + 3; k++)
        sum = sum * 3 + in[(THREAD + k * 11) / w * 50 + (THREAD + k * 11) % w];
    out[THREAD] = sum;
}
