// Structures in an array: each thread's place lies at the same, large distance behind the one before.
struct record {
    float4 a, b;
    float2 c;
    float d[6];
    int next[4];
};

// run: records grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:128
// run: records grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:107
// run: records grid=1,1,1 block=48,1,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:1
// run: records grid=1,1,1 block=48,1,1 shared=0 args=buf:4096:float,buf:4096:zero,u32:0
extern "C" __global__ void records(const record *in, record *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    record r = in[i];
    out[i].a = make_float4(r.b.w, r.a.z, r.b.x, r.a.y);
    out[i].c = make_float2(r.c.y + 1, r.d[3]);
    out[i].d[5] = r.d[0] * r.a.x;
    out[i].next[2] = r.next[1] ^ r.next[3];
}

// Some threads act; their places are as they were.
// run: some grid=2,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero
extern "C" __global__ void some(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] & 3) {
        unsigned v = in[i * 31 + 2];
        if (v & 1)
            out[i * 31 + 7] = v;
    }
}

// The index wraps between two threads.
// run: wraps grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:4294967040
// run: wraps grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:4096:zero,u32:64
extern "C" __global__ void wraps(const unsigned *in, unsigned *out, unsigned from) {
    unsigned i = threadIdx.x * 16 + from;
    unsigned v = in[i < 2048 ? i : 5], w = 0;
    if (i < 2048)
        w = in[i + 1];
    if (i + 512 < 2048)
        out[i + 512] = v + w;
    out[2048 + threadIdx.x] = v;
}
