// Instructions whose results were recorded on an H200: approximate f64 functions, which look at the
// high word alone and make one NaN; products with halves that a tensor copy filled in; .ftz on the
// way to bfloat16.
#include "check.h"

typedef unsigned long long u64;
typedef unsigned short u16;

#define APPROXIMATE(name)                                                                          \
    __global__ void name##_kernel(const u64 *a, u64 *r) {                                          \
        asm("{ .reg .f64 x, y; mov.b64 x, %1; " #name ".approx.ftz.f64 y, x; mov.b64 %0, y; }"     \
            : "=l"(r[threadIdx.x])                                                                 \
            : "l"(a[threadIdx.x]));                                                                \
    }
APPROXIMATE(rcp)
APPROXIMATE(rsqrt)

static const u64 arguments[] = {
    0x7ff8000000000000, 0x7ff0000000000001, 0xfff8123456789abc, 0x7ff4000500000000,
    0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x0000000000000000,
    0x8000000000000000, 0xbff0000000000000, 0x7ff00000ffffffff, 0xfff0000000000001,
    0x7fffffffffffffff, 0x000fffffffffffff, 0x8000000000000001, 0xfff7ffff12345678,
    0x7ff0000100000000, 0x3ff00000ffffffff, 0x0010000000000000, 0x7fefffffffffffff};
static const u64 reciprocals[] = {
    0x7fffffff00000000, 0x0000000000000000, 0x7fffffff00000000, 0x7fffffff00000000,
    0x3ff0000000000000, 0x0000000000000000, 0x8000000000000000, 0x7ff0000000000000,
    0xfff0000000000000, 0xbff0000000000000, 0x0000000000000000, 0x8000000000000000,
    0x7fffffff00000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7fffffff00000000,
    0x7fffffff00000000, 0x3ff0000000000000, 0x7fd0000000000000, 0x0000000000000000};
static const u64 inverse_roots[] = {
    0x7fffffff00000000, 0x0000000000000000, 0x7fffffff00000000, 0x7fffffff00000000,
    0x3ff0000000000000, 0x0000000000000000, 0x7fffffff00000000, 0x7ff0000000000000,
    0xfff0000000000000, 0x7fffffff00000000, 0x0000000000000000, 0x7fffffff00000000,
    0x7fffffff00000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7fffffff00000000,
    0x7fffffff00000000, 0x3ff0000000000000, 0x5fe0000000000000, 0x1ff0000000000000};
enum { COUNT = sizeof arguments / sizeof *arguments };

// All 65,536 values of one operand, the others 1, 2 and 0.5: what differs from the plain form.
#define PRODUCTS(name, type, relu, one, two, half)                                                 \
    __global__ void name(int operand, unsigned *differ) {                                          \
        u16 i = (u16)(blockIdx.x * blockDim.x + threadIdx.x), plain, r;                            \
        u16 a = operand == 0 ? i : one, b = operand == 1 ? i : two, c = operand == 2 ? i : half;   \
        asm("fma.rn" relu "." type " %0, %1, %2, %3;" : "=h"(plain) : "h"(a), "h"(b), "h"(c));     \
        asm("fma.rn.oob" relu "." type " %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(b), "h"(c));     \
        if (r != plain)                                                                            \
            atomicAdd(differ, (i & 0x7fff) == 0x7ff7 && r == 0 ? 1u : 1000u);                      \
    }
PRODUCTS(half_products, "f16", "", 0x3c00, 0x4000, 0x3800)
PRODUCTS(half_relu_products, "f16", ".relu", 0x3c00, 0x4000, 0x3800)
PRODUCTS(bfloat_products, "bf16", "", 0x3f80, 0x4000, 0x3f00)
PRODUCTS(bfloat_relu_products, "bf16", ".relu", 0x3f80, 0x4000, 0x3f00)

__global__ void pairs(unsigned *r) {
    unsigned a = 0x7ff73c00, b = 0x40004000, c = 0x38003800;
    asm("fma.rn.oob.f16x2 %0, %1, %2, %3;" : "=r"(r[0]) : "r"(a), "r"(b), "r"(c)); // 0 and 2.5
    a = 0x3f80fff7, b = 0x40004000, c = 0x3f003f00;
    asm("fma.rn.oob.bf16x2 %0, %1, %2, %3;" : "=r"(r[1]) : "r"(a), "r"(b), "r"(c)); // 2.5 and 0
}

__global__ void flushed(u16 *r) {
    const float subnormal = __int_as_float(0x80400000), normal = __int_as_float(0x00808000);
    asm("cvt.rn.ftz.bf16.f32 %0, %1;" : "=h"(r[0]) : "f"(subnormal));
    asm("cvt.rp.ftz.bf16.f32 %0, %1;" : "=h"(r[1]) : "f"(-subnormal));
    asm("cvt.rz.ftz.bf16.f32 %0, %1;" : "=h"(r[2]) : "f"(normal));
    asm("cvt.rm.ftz.bf16.f32 %0, %1;" : "=h"(r[3]) : "f"(-normal));
}

int main() {
    u64 *a = shared_array<u64>(COUNT), *r = shared_array<u64>(COUNT);
    unsigned *differ = shared_array<unsigned>(2);
    u16 *small = shared_array<u16>(4);
    for (int i = 0; i < COUNT; i++)
        a[i] = arguments[i];
    rcp_kernel<<<1, COUNT>>>(a, r);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++)
        CHECK(r[i] == reciprocals[i]);
    rsqrt_kernel<<<1, COUNT>>>(a, r);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++)
        CHECK(r[i] == inverse_roots[i]);

    void (*const products[])(int, unsigned *) = {half_products, half_relu_products, bfloat_products,
                                                 bfloat_relu_products};
    for (auto kernel : products)
        for (int operand = 0; operand < 3; operand++) {
            *differ = 0;
            kernel<<<256, 256>>>(operand, differ);
            CUDA(cudaDeviceSynchronize());
            CHECK(*differ == (operand < 2 ? 2 : 0));
        }
    pairs<<<1, 1>>>(differ);
    flushed<<<1, 1>>>(small);
    CUDA(cudaDeviceSynchronize());
    CHECK(differ[0] == 0x00004100 && differ[1] == 0x40200000);
    CHECK(small[0] == 0x8000 && small[1] == 0 && small[2] == 0x0080 && small[3] == 0x8081);
    return failures != 0;
}
