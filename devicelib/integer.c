// Integer intrinsics: minimum, maximum, bit counting, byte selection, averages, high products.
#include "device.h"
#include "libdevice.h"

int __nv_abs(int a) {
    return a < 0 ? (int)(0u - (u32)a) : a;
}

i64 __nv_llabs(i64 a) {
    return a < 0 ? (i64)(0ull - (u64)a) : a;
}

int __nv_min(int a, int b) {
    return a < b ? a : b;
}

int __nv_max(int a, int b) {
    return a > b ? a : b;
}

u32 __nv_umin(u32 a, u32 b) {
    return a < b ? a : b;
}

u32 __nv_umax(u32 a, u32 b) {
    return a > b ? a : b;
}

i64 __nv_llmin(i64 a, i64 b) {
    return a < b ? a : b;
}

i64 __nv_llmax(i64 a, i64 b) {
    return a > b ? a : b;
}

u64 __nv_ullmin(u64 a, u64 b) {
    return a < b ? a : b;
}

u64 __nv_ullmax(u64 a, u64 b) {
    return a > b ? a : b;
}

int __nv_brev(int a) {
    return (int)bitreverse32((u32)a);
}

i64 __nv_brevll(i64 a) {
    return (i64)bitreverse64((u64)a);
}

int __nv_clz(int a) {
    return a ? __builtin_clz((u32)a) : 32;
}

int __nv_clzll(i64 a) {
    return a ? __builtin_clzll((u64)a) : 64;
}

int __nv_ffs(int a) {
    return a ? __builtin_ctz((u32)a) + 1 : 0;
}

int __nv_ffsll(i64 a) {
    return a ? __builtin_ctzll((u64)a) + 1 : 0;
}

int __nv_popc(u32 a) {
    return __builtin_popcount(a);
}

int __nv_popcll(u64 a) {
    return __builtin_popcountll(a);
}

int __nv_byte_perm(int a, int b, int selector) {
    // Only the three low bits of each selector nibble count; prmt itself would take the fourth as
    // "replicate the sign".
    return (int)__nvvm_prmt((u32)a, (u32)b, (u32)selector & 0x7777u);
}

int __nv_mul24(int a, int b) {
    return __nvvm_mul24_i(a, b);
}

u32 __nv_umul24(u32 a, u32 b) {
    return __nvvm_mul24_ui(a, b);
}

int __nv_mulhi(int a, int b) {
    return __nvvm_mulhi_i(a, b);
}

u32 __nv_umulhi(u32 a, u32 b) {
    return __nvvm_mulhi_ui(a, b);
}

i64 __nv_mul64hi(i64 a, i64 b) {
    return __nvvm_mulhi_ll(a, b);
}

u64 __nv_umul64hi(u64 a, u64 b) {
    return __nvvm_mulhi_ull(a, b);
}

int __nv_sad(int a, int b, int c) {
    u32 difference = a > b ? (u32)a - (u32)b : (u32)b - (u32)a;
    return (int)(difference + (u32)c);
}

u32 __nv_usad(u32 a, u32 b, u32 c) {
    return (a > b ? a - b : b - a) + c;
}

// Averages without overflow: the common bits plus half of the differing ones, rounded down (hadd)
// or up (rhadd).
int __nv_hadd(int a, int b) {
    return (a & b) + ((a ^ b) >> 1);
}

int __nv_rhadd(int a, int b) {
    return (a | b) - ((a ^ b) >> 1);
}

int __nv_uhadd(u32 a, u32 b) {
    return (int)((a & b) + ((a ^ b) >> 1));
}

u32 __nv_urhadd(u32 a, u32 b) {
    return (a | b) - ((a ^ b) >> 1);
}
