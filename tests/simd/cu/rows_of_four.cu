// Threads that take rows of four floats, apart from their neighbours' rows, run one after the other
// where a row's words are treated alike: they are a vector then.
// run: products grid=2 block=64 args=buf:2048:float,buf:2048:float,buf:2048:zero,u32:128
// run: products grid=2 block=64 args=buf:2048:float,buf:2048:float,buf:2048:zero,u32:101
// run: scaled grid=1 block=64 args=buf:1024:float,buf:1024:float
// run: in_place grid=1 block=64 args=buf:1024:float,buf:1024:float
// run: crossed grid=1 block=64 args=buf:1024:float,buf:1024:zero
// run: mixed grid=1 block=64 args=buf:1024:float,buf:1024:zero
// run: nans grid=1 block=64 args=buf:1024:rand,buf:1024:zero
// run: copies grid=1 block=64 args=buf:1024:rand,buf:1024:zero
// run: guarded grid=1 block=64 args=buf:1024:float,buf:1024:zero
extern "C" __global__ void products(const float4 *a, const float4 *b, float4 *c, int count) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count)
        return;
    float4 b0 = b[4 * m], b1 = b[4 * m + 1], b2 = b[4 * m + 2], b3 = b[4 * m + 3];
    for (int y = 0; y < 4; y++) {
        float4 v = a[4 * m + y], r;
        r.x = v.x * b0.x + v.y * b1.x + v.z * b2.x + v.w * b3.x;
        r.y = v.x * b0.y + v.y * b1.y + v.z * b2.y + v.w * b3.y;
        r.z = v.x * b0.z + v.y * b1.z + v.z * b2.z + v.w * b3.z;
        r.w = v.x * b0.w + v.y * b1.w + v.z * b2.w + v.w * b3.w;
        c[4 * m + y] = r;
    }
}

extern "C" __global__ void scaled(const float4 *in, float4 *out) {
    int i = 4 * threadIdx.x;
    float4 v = in[i], w = in[i + 2];
    out[i] = make_float4(v.x * 2 + w.x, v.y * 2 + w.y, v.z * 2 + w.z, v.w * 2 + w.w);
    out[i + 1] = make_float4(v.x, v.x, v.x, v.x);
    out[i + 3] = make_float4(w.x - v.y, w.y - v.y, w.z - v.y, w.w - v.y);
}

// What is loaded behind a store may be what was stored.
extern "C" __global__ void in_place(float4 *x, const float4 *y) {
    int i = 4 * threadIdx.x;
    float4 v = x[i], w = y[i];
    x[i + 1] = make_float4(v.x + w.x, v.y + w.y, v.z + w.z, v.w + w.w);
    float4 u = x[i + 1];
    x[i + 2] = make_float4(u.x * w.w, u.y * w.w, u.z * w.w, u.w * w.w);
    u = y[i + 2];
    x[i + 3] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
}

// Words in another order, or other operations on some of them.
extern "C" __global__ void crossed(const float4 *in, float4 *out) {
    int i = 4 * threadIdx.x;
    float4 v = in[i], w = in[i + 1];
    out[i] = make_float4(v.w + w.x, v.z + w.y, v.y + w.z, v.x + w.w);
    out[i + 1] = make_float4(v.x, v.y, w.z, w.w);
}

extern "C" __global__ void mixed(const float4 *in, float4 *out) {
    int i = 4 * threadIdx.x;
    float4 v = in[i], w = in[i + 1];
    out[i] = make_float4(v.x + w.x, v.y - w.y, v.z * w.z, v.w);
}

// Arithmetic's NaN is one, a copied one keeps its bits.
extern "C" __global__ void nans(const float4 *in, float4 *out) {
    int i = 4 * threadIdx.x;
    float4 v = in[i], w = in[i + 1];
    float x = v.x * __int_as_float(0x7f800000);
    out[i] = make_float4(v.x * x, v.y * x, v.z * x, v.w * x);
    out[i + 1] = v;
    out[i + 2] = make_float4(__fmul_rz(w.x, v.x), __fmul_rz(w.y, v.x), __fmul_rz(w.z, v.x),
                             __fmul_rz(w.w, v.x));
}

extern "C" __global__ void copies(const float4 *in, float4 *out) {
    int i = 4 * threadIdx.x;
    float4 a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3];
    out[i] = d;
    out[i + 1] = c;
    out[i + 2] = b;
    out[i + 3] = a;
}

extern "C" __global__ void guarded(const float4 *in, float4 *out) {
    int i = 4 * threadIdx.x;
    float4 a = in[i];
    if (a.x > 0)
        out[i] = make_float4(a.x + a.y, a.y + a.y, a.z + a.y, a.w + a.y);
    else
        out[i + 3] = make_float4(a.x * a.w, a.y * a.w, a.z * a.w, a.w * a.w);
}
