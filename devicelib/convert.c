// Conversions between numbers with an explicit rounding mode, and casts of bits.
#include "libdevice.h"

// LLVM 19 takes conversions from integers that round toward zero for those that round to nearest,
// and those to integers for C's, of which nothing is said where the number is too large: what comes
// of them then may be anything, and an index made of it ends the kernel's other ways as well.
#ifdef __NVPTX__
#define BY_PTX(name, mode, to, to_ptx, to_sign, from, from_ptx, from_sign)                         \
    static inline to name(from a) {                                                                \
        to r;                                                                                      \
        __asm__("cvt." mode "." to_ptx "." from_ptx " %0, %1;" : "=" to_sign(r) : from_sign(a));   \
        return r;                                                                                  \
    }
BY_PTX(i2f_rz, "rz", float, "f32", "f", int, "s32", "r")
BY_PTX(ui2f_rz, "rz", float, "f32", "f", u32, "u32", "r")
BY_PTX(ll2f_rz, "rz", float, "f32", "f", i64, "s64", "l")
BY_PTX(ull2f_rz, "rz", float, "f32", "f", u64, "u64", "l")
BY_PTX(ll2d_rz, "rz", double, "f64", "d", i64, "s64", "l")
BY_PTX(ull2d_rz, "rz", double, "f64", "d", u64, "u64", "l")
BY_PTX(f2i_rz, "rzi", int, "s32", "r", float, "f32", "f")
BY_PTX(f2ui_rz, "rzi", u32, "u32", "r", float, "f32", "f")
BY_PTX(f2ll_rz, "rzi", i64, "s64", "l", float, "f32", "f")
BY_PTX(f2ull_rz, "rzi", u64, "u64", "l", float, "f32", "f")
BY_PTX(d2i_rz, "rzi", int, "s32", "r", double, "f64", "d")
BY_PTX(d2ui_rz, "rzi", u32, "u32", "r", double, "f64", "d")
BY_PTX(d2ll_rz, "rzi", i64, "s64", "l", double, "f64", "d")
BY_PTX(d2ull_rz, "rzi", u64, "u64", "l", double, "f64", "d")
#define __nvvm_i2f_rz i2f_rz
#define __nvvm_ui2f_rz ui2f_rz
#define __nvvm_ll2f_rz ll2f_rz
#define __nvvm_ull2f_rz ull2f_rz
#define __nvvm_ll2d_rz ll2d_rz
#define __nvvm_ull2d_rz ull2d_rz
#define __nvvm_f2i_rz f2i_rz
#define __nvvm_f2ui_rz f2ui_rz
#define __nvvm_f2ll_rz f2ll_rz
#define __nvvm_f2ull_rz f2ull_rz
#define __nvvm_d2i_rz d2i_rz
#define __nvvm_d2ui_rz d2ui_rz
#define __nvvm_d2ll_rz d2ll_rz
#define __nvvm_d2ull_rz d2ull_rz
#endif

#define CONVERSIONS(mode, nvvm)                                                                    \
    float __nv_double2float_##mode(double a) {                                                     \
        return FTZ ? __nvvm_d2f_##nvvm##_ftz(a) : __nvvm_d2f_##nvvm(a);                            \
    }                                                                                              \
    int __nv_double2int_##mode(double a) {                                                         \
        return __nvvm_d2i_##nvvm(a);                                                               \
    }                                                                                              \
    u32 __nv_double2uint_##mode(double a) {                                                        \
        return __nvvm_d2ui_##nvvm(a);                                                              \
    }                                                                                              \
    i64 __nv_double2ll_##mode(double a) {                                                          \
        return __nvvm_d2ll_##nvvm(a);                                                              \
    }                                                                                              \
    u64 __nv_double2ull_##mode(double a) {                                                         \
        return __nvvm_d2ull_##nvvm(a);                                                             \
    }                                                                                              \
    int __nv_float2int_##mode(float a) {                                                           \
        return FTZ ? __nvvm_f2i_##nvvm##_ftz(a) : __nvvm_f2i_##nvvm(a);                            \
    }                                                                                              \
    u32 __nv_float2uint_##mode(float a) {                                                          \
        return FTZ ? __nvvm_f2ui_##nvvm##_ftz(a) : __nvvm_f2ui_##nvvm(a);                          \
    }                                                                                              \
    i64 __nv_float2ll_##mode(float a) {                                                            \
        return FTZ ? __nvvm_f2ll_##nvvm##_ftz(a) : __nvvm_f2ll_##nvvm(a);                          \
    }                                                                                              \
    u64 __nv_float2ull_##mode(float a) {                                                           \
        return FTZ ? __nvvm_f2ull_##nvvm##_ftz(a) : __nvvm_f2ull_##nvvm(a);                        \
    }                                                                                              \
    float __nv_int2float_##mode(int a) {                                                           \
        return __nvvm_i2f_##nvvm(a);                                                               \
    }                                                                                              \
    float __nv_uint2float_##mode(u32 a) {                                                          \
        return __nvvm_ui2f_##nvvm(a);                                                              \
    }                                                                                              \
    float __nv_ll2float_##mode(i64 a) {                                                            \
        return __nvvm_ll2f_##nvvm(a);                                                              \
    }                                                                                              \
    float __nv_ull2float_##mode(u64 a) {                                                           \
        return __nvvm_ull2f_##nvvm(a);                                                             \
    }                                                                                              \
    double __nv_ll2double_##mode(i64 a) {                                                          \
        return __nvvm_ll2d_##nvvm(a);                                                              \
    }                                                                                              \
    double __nv_ull2double_##mode(u64 a) {                                                         \
        return __nvvm_ull2d_##nvvm(a);                                                             \
    }

CONVERSIONS(rn, rn)
CONVERSIONS(rz, rz)
CONVERSIONS(ru, rp)
CONVERSIONS(rd, rm)

double __nv_int2double_rn(int a) {
    return a;
}

double __nv_uint2double_rn(u32 a) {
    return a;
}

u64 __nv_double_as_longlong(double a) {
    return bits_d(a);
}

double __nv_longlong_as_double(i64 a) {
    return from_bits_d((u64)a);
}

int __nv_double2hiint(double a) {
    return (int)hi_word(a);
}

int __nv_double2loint(double a) {
    return (int)(u32)bits_d(a);
}

double __nv_hiloint2double(int hi, int lo) {
    return from_bits_d((u64)(u32)hi << 32 | (u32)lo);
}

int __nv_float_as_int(float a) {
    return (int)bits_f(a);
}

u32 __nv_float_as_uint(float a) {
    return bits_f(a);
}

float __nv_int_as_float(int a) {
    return from_bits_f((u32)a);
}

float __nv_uint_as_float(u32 a) {
    return from_bits_f(a);
}

u16 __nv_float2half_rn(float a) {
    _Float16 h = (_Float16)a;
    u16 u;
    __builtin_memcpy(&u, &h, 2);
    return u;
}

float __nv_half2float(u16 a) {
    _Float16 h;
    __builtin_memcpy(&h, &a, 2);
    return (float)h;
}
