// Every atomic function of the guide's 10.14.1 and 10.14.2, in its three scopes.
// CHECK: atom.global.add.s32|atom.global.add.u32
// CHECK: atom.global.add.u64
// CHECK: atom.global.add.f32
// CHECK: atom.global.add.f64
// CHECK: atom.global.exch.b32
// CHECK: atom.global.exch.b64
// CHECK: atom.global.min.s32
// CHECK: atom.global.min.u32
// CHECK: atom.global.min.s64
// CHECK: atom.global.max.u64
// CHECK: atom.(global.)?inc.u32
// CHECK: atom.(global.)?dec.u32
// CHECK: atom.global.cas.b32
// CHECK: atom.global.cas.b64
// CHECK: atom.cas.b16
// CHECK: atom.global.and.b32
// CHECK: atom.global.or.b64
// CHECK: atom.global.xor.b32
// CHECK: atom.(global.)?cta.(global.)?add
// CHECK: atom.(global.)?sys.(global.)?add
// CHECK: atom.shared.add.u32
typedef unsigned long long ull;
#define ALL(f) f() f(_block) f(_system)
#define BODY(s)                                                                                    \
    r += atomicAdd##s(i, 1) + atomicAdd##s(u, 1u) + atomicAdd##s(l, 1ull);                         \
    r += atomicAdd##s(f, 1.0f) + atomicAdd##s(d, 1.0);                                             \
    r += atomicSub##s(i, 2) + atomicSub##s(u, 2u);                                                 \
    r += atomicExch##s(i, 3) + atomicExch##s(u, 3u) + atomicExch##s(l, 3ull);                      \
    r += atomicExch##s(f, 3.0f);                                                                   \
    r += atomicMin##s(i, 4) + atomicMin##s(u, 4u) + atomicMin##s(l, 4ull) + atomicMin##s(s64, 4);  \
    r += atomicMax##s(i, 5) + atomicMax##s(u, 5u) + atomicMax##s(l, 5ull) + atomicMax##s(s64, 5);  \
    r += atomicInc##s(u, 6u) + atomicDec##s(u, 6u);                                                \
    r += atomicCAS##s(i, 7, 8) + atomicCAS##s(u, 7u, 8u) + atomicCAS##s(l, 7ull, 8ull);            \
    r += atomicCAS##s(h, (unsigned short)7, (unsigned short)8);                                    \
    r += atomicAnd##s(i, 9) + atomicAnd##s(u, 9u) + atomicAnd##s(l, 9ull);                         \
    r += atomicOr##s(i, 9) + atomicOr##s(u, 9u) + atomicOr##s(l, 9ull);                            \
    r += atomicXor##s(i, 9) + atomicXor##s(u, 9u) + atomicXor##s(l, 9ull);
__global__ void all(int *i, unsigned *u, ull *l, long long *s64, float *f, double *d,
                    unsigned short *h, double *out) {
    double r = 0;
    ALL(BODY)
    *out = r;
}
__global__ void in_shared(unsigned *out) {
    __shared__ unsigned n;
    out[threadIdx.x] = atomicAdd(&n, 1u);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
}
