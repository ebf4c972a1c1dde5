// Device functions: by value, by pointer, aggregates, recursion, function pointers, virtual.
// run: direct grid=1 block=64 args=buf:64:small,buf:64:zero
// run: recursive grid=1 block=40 args=buf:40:small,buf:40:zero
// run: pointers grid=1 block=64 args=buf:64:small,buf:64:zero
// run: virtuals grid=1 block=64 args=buf:64:small,buf:64:zero
// run: structs grid=1 block=64 args=buf:64:small,buf:64:zero
// run: leave_directly grid=1 block=64 args=buf:64:small,buf:64:zero
// run: leave_through_pointers grid=1 block=96 args=buf:96:small,buf:96:zero
// run: leave_before_barrier grid=1 block=96 args=buf:96:small,buf:96:zero
// run: divergent_call grid=1 block=64 args=buf:64:small,buf:64:zero
__device__ __noinline__ unsigned mix(unsigned a, unsigned b) {
    return a * 2654435761u ^ b >> 3;
}
extern "C" __global__ void direct(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = mix(in[threadIdx.x], mix(threadIdx.x, 5));
}

__device__ __noinline__ unsigned fib(unsigned n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
extern "C" __global__ void recursive(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = fib(in[threadIdx.x] % 12);
}

typedef unsigned (*op_t)(unsigned, unsigned);
__device__ unsigned add(unsigned a, unsigned b) { return a + b; }
__device__ unsigned mul(unsigned a, unsigned b) { return a * b; }
__device__ unsigned sub(unsigned a, unsigned b) { return a - b; }
__device__ op_t ops[3] = {add, mul, sub};
extern "C" __global__ void pointers(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    out[t] = ops[in[t] % 3](in[t], t) + ops[blockIdx.x](t, 3);
}

struct Shape {
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float a;
    __device__ Square(float a) : a(a) {}
    __device__ float area() const override { return a * a; }
};
struct Circle : Shape {
    float r;
    __device__ Circle(float r) : r(r) {}
    __device__ float area() const override { return 3.0f * r * r; }
};
extern "C" __global__ void virtuals(const unsigned *in, float *out) {
    unsigned t = threadIdx.x;
    Square q((float)in[t]);
    Circle c((float)t);
    Shape *s = in[t] & 1 ? (Shape *)&q : (Shape *)&c;
    out[t] = s->area();
}

struct Big {
    unsigned a[5];
    double d;
    unsigned char c;
};
__device__ __noinline__ Big turn(Big b, unsigned k) {
    Big r;
    for (int i = 0; i < 5; i++)
        r.a[i] = b.a[(i + k) % 5];
    r.d = b.d * 2;
    r.c = (unsigned char)(b.c + 1);
    return r;
}
extern "C" __global__ void structs(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    Big b;
    for (int i = 0; i < 5; i++)
        b.a[i] = in[(t + i) % 64];
    b.d = t;
    b.c = (unsigned char)in[t];
    Big r = turn(turn(b, t), 2);
    out[t] = r.a[0] + r.a[t % 5] * 3 + (unsigned)r.d + r.c;
}

__device__ __noinline__ void store_if(unsigned *p, unsigned v) {
    if (v & 1)
        *p = v;
    else
        *p += 1000;
}
extern "C" __global__ void divergent_call(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    if (in[t] > 50)
        store_if(&out[t], in[t] + t);
    for (unsigned k = 0; k < in[t] % 5; k++)
        out[t] = mix(out[t], k);
}

// Threads that end in a function do not come back from it.
__device__ __noinline__ unsigned leave_if(unsigned v, unsigned bit) {
    if (v & bit)
        asm volatile("exit;");
    return v + bit;
}
__device__ __noinline__ unsigned stay(unsigned v, unsigned bit) {
    return v * bit;
}
extern "C" __global__ void leave_directly(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x;
    unsigned v = leave_if(in[t], 1);
    out[t] = v;
    if (t > 20)
        v += leave_if(in[t], 4);
    out[t] = v;
}

__device__ op_t leavers[2] = {leave_if, stay};
extern "C" __global__ void leave_through_pointers(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, v = 0;
    v = leavers[in[t] >> 3 & 1](in[t], 1);
    out[t] = v;
    for (unsigned i = 0; i < 3; i++) {
        v += leavers[blockIdx.x](in[t], 2 << i);
        out[t] = v + i;
    }
}
extern "C" __global__ void leave_before_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[96];
    unsigned t = threadIdx.x;
    s[t] = 0;
    s[t] = leavers[blockIdx.x](t, 32);
    __syncthreads();
    out[t] = s[(t + 32) % 96] + s[(t + 64) % 96];
}
