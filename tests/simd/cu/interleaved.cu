// Structures in arrays: members of several sizes and distances, in whole blocks and others, in loops,
// with stores in between, and members that only some threads load.

struct rgb {
    unsigned char r, g, b;
};

// run: gray grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:256:zero,u32:192
// run: gray grid=3,1,1 block=64,1,1 shared=0 args=buf:2048:rand,buf:256:zero,u32:150
// run: gray grid=2,1,1 block=100,1,1 shared=0 args=buf:2048:rand,buf:256:zero,u32:200
extern "C" __global__ void gray(const rgb *in, unsigned char *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (77 * in[i].r + 150 * in[i].g + 29 * in[i].b) >> 8;
}

struct particle {
    float x, y, z, vx, vy, vz, mass;
};

// run: move grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:float,u32:128
// run: move grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:float,u32:101
// run: move grid=1,1,1 block=33,1,1 shared=0 args=buf:4096:float,u32:33
extern "C" __global__ void move(particle *p, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    particle q = p[i];
    q.x += q.vx * 0.5f;
    q.y += q.vy * q.mass;
    q.z -= q.vz;
    p[i] = q;
}

struct mixed {
    unsigned char a;
    unsigned short b;
    unsigned c;
    unsigned long long d;
    unsigned short e[4];
};

// run: sum_mixed grid=2,1,1 block=32,1,1 shared=0 args=buf:4096:rand,buf:1024:zero,u32:64
// run: sum_mixed grid=2,1,1 block=32,1,1 shared=0 args=buf:4096:rand,buf:1024:zero,u32:50
extern "C" __global__ void sum_mixed(const mixed *in, unsigned long long *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i].a + in[i].b * 3 + in[i].c + in[i].d * 5 + in[i].e[1] + in[i].e[3];
}

struct wide {
    double x, y, z;
};

// Between the loads of members stands a store that may change them.
// run: pass_on grid=2,1,1 block=32,1,1 shared=0 args=buf:4096:double,u32:64
// run: pass_on grid=1,1,1 block=48,1,1 shared=0 args=buf:4096:double,u32:47
extern "C" __global__ void pass_on(wide *p, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = p[i].x;
    p[i].z = x * 2;
    p[i].y = p[i].z + p[i].x;
}

// A loop along structures, and members that depend on the thread.
// run: walk grid=1,1,1 block=64,1,1 shared=0 args=buf:8192:rand,buf:512:zero,u32:5,u32:4
// run: walk grid=1,1,1 block=40,1,1 shared=0 args=buf:8192:rand,buf:512:zero,u32:3,u32:9
extern "C" __global__ void walk(const uint3 *in, unsigned *out, unsigned steps, unsigned odd) {
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned k = 0; k < steps; k++) {
        uint3 v = in[k * blockDim.x + t];
        sum = sum * 31 + v.x + (v.y ^ v.z);
        if (t % 8 < odd)
            sum += in[k * blockDim.x + t].z;
    }
    out[t] = sum;
}

// Every second and every fifth element, of bytes to doubles.
// run: every grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:1024:zero
// run: every grid=1,1,1 block=24,1,1 shared=0 args=buf:4096:rand,buf:1024:zero
extern "C" __global__ void every(const unsigned char *in, unsigned long long *out) {
    unsigned t = threadIdx.x;
    const unsigned short *s = (const unsigned short *)in;
    const unsigned *w = (const unsigned *)in;
    const unsigned long long *d = (const unsigned long long *)in;
    out[t] = in[2 * t] + in[5 * t + 1] * 3ull + s[2 * t + 1] * 5ull + s[5 * t] * 7ull +
             w[2 * t] * 11ull + w[5 * t + 3] * 13ull + d[2 * t + 1] + d[5 * t + 2] * 17;
}

// All members are stored: bytes of words, in any order; with a gap; one twice; a load in between.
// run: words grid=2,1,1 block=64,1,1 shared=0 args=buf:512:rand,buf:2048:zero,u32:128
// run: words grid=2,1,1 block=64,1,1 shared=0 args=buf:512:rand,buf:2048:zero,u32:101
extern "C" __global__ void words(const unsigned char *in, unsigned char *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned char *p = out + 4 * i + 1, *q = out + 1024 + 4 * i, *r = out + 2048 + 4 * i,
                  *s = out + 3072 + 4 * i;
    unsigned char a = in[4 * i], b = in[4 * i + 1], c = in[4 * i + 2], d = in[4 * i + 3];
    p[2] = c;
    p[0] = a;
    p[3] = d ^ 1;
    p[1] = b;
    q[0] = d;
    q[1] = c;
    q[3] = a;
    volatile unsigned char *v = r;
    r[0] = a;
    r[1] = b;
    r[2] = c + v[1];
    r[3] = d;
    s[0] = 1;
    s[1] = b;
    s[0] = c;
    s[2] = a;
    s[3] = d;
}

// Halves and pairs of words, at places that are multiples of their own size alone.
// run: pairs grid=1,1,1 block=64,1,1 shared=0 args=buf:512:rand,buf:2048:zero,u32:1
// run: pairs grid=1,1,1 block=24,1,1 shared=0 args=buf:512:rand,buf:2048:zero,u32:0
extern "C" __global__ void pairs(const unsigned short *in, unsigned short *out, unsigned from) {
    unsigned t = threadIdx.x;
    unsigned short *h = out + from + 2 * t;
    h[1] = in[t];
    h[0] = in[t + 64];
    unsigned *w = (unsigned *)out + 256 + from + 4 * t;
    w[0] = in[t] * 3;
    w[1] = in[t] * 5;
    w[2] = in[t] * 7;
    w[3] = in[t + 1] * 9;
    unsigned long long *d = (unsigned long long *)out + 300 + 2 * t;
    d[0] = in[t] * 11ull;
    d[1] = in[t + 2] * 13ull;
}

// Rows of a cache line a group in blocks of several rows, whose next block is prefetched.
// found: rows_of_bytes x86-64-v4 8
// run: rows_of_bytes grid=5,2,1 block=8,8,1 shared=0 args=buf:16384:rand,buf:65536:zero,u32:39,u32:15
extern "C" __global__ void rows_of_bytes(const unsigned *in, unsigned char *out, unsigned width,
                                         unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned sum = x + y;
    unsigned char *o = out + (y * 40 + x) * 8;
    o[3] = sum + 51;
    o[7] = sum + 58;
    o[6] = sum ^ 88;
    o[4] = sum ^ 2;
    o[0] = sum ^ 16;
    o[2] = sum + 10;
    o[1] = sum ^ 65;
    o[5] = sum + 25;
}
