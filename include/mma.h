// Warp matrix functions (guide, section 10.24): fragments of matrices in the registers of a warp,
// loads, stores and products of them.
//
// The preprocessor lines below write one class and its functions for each combination of element
// types and sizes that section 10.24.6 lists, on the compiler's instructions of the same names.
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#if defined(__cplusplus) && defined(__CUDA__)

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace nvcuda {
namespace wmma {

#define KUDZU_WMMA __attribute__((device, always_inline)) inline

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

// What a fragment's element looks like in memory and in x[].
template <typename T> struct __element {
    typedef T memory_type, storage_type;
    enum { per_storage = 1 };
};
template <> struct __element<precision::tf32> {
    typedef float memory_type, storage_type;
    enum { per_storage = 1 };
};
template <> struct __element<experimental::precision::u4> {
    typedef void memory_type;
    typedef unsigned storage_type;
    enum { per_storage = 8 };
};
template <> struct __element<experimental::precision::s4> {
    typedef void memory_type;
    typedef int storage_type;
    enum { per_storage = 8 };
};
template <> struct __element<experimental::precision::b1> {
    typedef void memory_type;
    typedef unsigned storage_type;
    enum { per_storage = 32 };
};

template <typename T, int count> struct __fragment_base {
    typedef T element_type;
    typedef typename __element<T>::storage_type storage_element_type;
    enum {
        num_elements = count * __element<T>::per_storage,
        num_storage_elements = count
    };
    __attribute__((aligned(sizeof(storage_element_type) < 4 ? 4 : sizeof(storage_element_type))))
        storage_element_type x[count];
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment;

template <typename Layout> struct __is_col;
template <> struct __is_col<row_major> {
    enum { value = 0 };
};
template <> struct __is_col<col_major> {
    enum { value = 1 };
};

// Values are compared and filled as what is stored; tf32 takes a float.
template <typename Use, int m, int n, int k, typename T, typename Layout, typename V>
KUDZU_WMMA void fill_fragment(fragment<Use, m, n, k, T, Layout> &a, const V &v) {
    for (int i = 0; i < fragment<Use, m, n, k, T, Layout>::num_storage_elements; i++)
        a.x[i] = v;
}

// A float with the low 13 bits rounded away, as tf32 fragments hold it.
KUDZU_WMMA float __float_to_tf32(float in) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(in));
    return __uint_as_float(bits);
}

// ---- multiplicands: a class for each layout, and its load ----------------------------------

// use, sizes, element, count in x, the compiler's load, type of its registers and pointer, layouts
#define KUDZU_WMMA_FACTOR_OF(use, m, n, k, T, count, load, word, layout)                           \
    template <>                                                                                    \
    class fragment<use, m, n, k, T, layout> : public __fragment_base<T, count> {};                 \
    KUDZU_WMMA void load_matrix_sync(fragment<use, m, n, k, T, layout> &a,                         \
                                     const KUDZU_WMMA_MEMORY(T) * p, unsigned ldm) {               \
        load((word *)a.x, (const word *)p, ldm, __is_col<layout>::value);                          \
    }
#define KUDZU_WMMA_MEMORY(T) __element<T>::memory_type
#define KUDZU_WMMA_FACTOR(use, m, n, k, T, count, load, word)                                      \
    KUDZU_WMMA_FACTOR_OF(use, m, n, k, T, count, load, word, row_major)                            \
    KUDZU_WMMA_FACTOR_OF(use, m, n, k, T, count, load, word, col_major)

// ---- accumulators --------------------------------------------------------------------------

#define KUDZU_WMMA_SUM(m, n, k, T, count, load, store, word)                                       \
    template <>                                                                                    \
    class fragment<accumulator, m, n, k, T, void> : public __fragment_base<T, count> {};           \
    KUDZU_WMMA void load_matrix_sync(fragment<accumulator, m, n, k, T, void> &a, const T *p,       \
                                     unsigned ldm, layout_t layout) {                              \
        if (layout == mem_row_major)                                                               \
            load((word *)a.x, (const word *)p, ldm, 0);                                            \
        else                                                                                       \
            load((word *)a.x, (const word *)p, ldm, 1);                                            \
    }                                                                                              \
    KUDZU_WMMA void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T, void> &a,      \
                                      unsigned ldm, layout_t layout) {                             \
        if (layout == mem_row_major)                                                               \
            store((word *)p, (word *)a.x, ldm, 0);                                                 \
        else                                                                                       \
            store((word *)p, (word *)a.x, ldm, 1);                                                 \
    }

// ---- products ------------------------------------------------------------------------------

#define KUDZU_WMMA_PRODUCT_OF(m, n, k, D, T, C, mma, dword, word, cword, la, lb, sat, code)        \
    KUDZU_WMMA void mma_sync(fragment<accumulator, m, n, k, D, void> &d,                           \
                             const fragment<matrix_a, m, n, k, T, la> &a,                          \
                             const fragment<matrix_b, m, n, k, T, lb> &b,                          \
                             const fragment<accumulator, m, n, k, C, void> &c,                     \
                             bool satf = false) {                                                  \
        if (sat && satf)                                                                           \
            mma((dword *)d.x, (const word *)a.x, (const word *)b.x, (const cword *)c.x, code,      \
                sat);                                                                              \
        else                                                                                       \
            mma((dword *)d.x, (const word *)a.x, (const word *)b.x, (const cword *)c.x, code, 0);  \
    }
#define KUDZU_WMMA_PRODUCT(m, n, k, D, T, C, mma, dword, word, cword, sat)                         \
    KUDZU_WMMA_PRODUCT_OF(m, n, k, D, T, C, mma, dword, word, cword, row_major, row_major, sat, 0) \
    KUDZU_WMMA_PRODUCT_OF(m, n, k, D, T, C, mma, dword, word, cword, row_major, col_major, sat, 1) \
    KUDZU_WMMA_PRODUCT_OF(m, n, k, D, T, C, mma, dword, word, cword, col_major, row_major, sat, 2) \
    KUDZU_WMMA_PRODUCT_OF(m, n, k, D, T, C, mma, dword, word, cword, col_major, col_major, sat, 3)

// ---- half, integers, bfloat16: three shapes -------------------------------------------------

// in_a, in_b: elements of an 8-bit multiplicand in one thread
#define KUDZU_WMMA_TILE(m, n, k, shape, in_a, in_b)                                                \
    KUDZU_WMMA_FACTOR(matrix_a, m, n, k, __half, 16, __hmma_##shape##_ld_a, int)                   \
    KUDZU_WMMA_FACTOR(matrix_b, m, n, k, __half, 16, __hmma_##shape##_ld_b, int)                   \
    KUDZU_WMMA_SUM(m, n, k, __half, 8, __hmma_##shape##_ld_c_f16, __hmma_##shape##_st_c_f16, int)  \
    KUDZU_WMMA_SUM(m, n, k, float, 8, __hmma_##shape##_ld_c_f32, __hmma_##shape##_st_c_f32, float) \
    KUDZU_WMMA_PRODUCT(m, n, k, __half, __half, __half, __hmma_##shape##_mma_f16f16, int, int,     \
                       int, 1)                                                                     \
    KUDZU_WMMA_PRODUCT(m, n, k, float, __half, __half, __hmma_##shape##_mma_f32f16, float, int,    \
                       int, 1)                                                                     \
    KUDZU_WMMA_PRODUCT(m, n, k, __half, __half, float, __hmma_##shape##_mma_f16f32, int, int,      \
                       float, 1)                                                                   \
    KUDZU_WMMA_PRODUCT(m, n, k, float, __half, float, __hmma_##shape##_mma_f32f32, float, int,     \
                       float, 1)                                                                   \
    KUDZU_WMMA_FACTOR(matrix_a, m, n, k, signed char, in_a, __imma_##shape##_ld_a_s8, int)         \
    KUDZU_WMMA_FACTOR(matrix_b, m, n, k, signed char, in_b, __imma_##shape##_ld_b_s8, int)         \
    KUDZU_WMMA_FACTOR(matrix_a, m, n, k, unsigned char, in_a, __imma_##shape##_ld_a_u8, int)       \
    KUDZU_WMMA_FACTOR(matrix_b, m, n, k, unsigned char, in_b, __imma_##shape##_ld_b_u8, int)       \
    KUDZU_WMMA_SUM(m, n, k, int, 8, __imma_##shape##_ld_c, __imma_##shape##_st_c_i32, int)         \
    KUDZU_WMMA_PRODUCT(m, n, k, int, signed char, int, __imma_##shape##_mma_s8, int, int, int, 1)  \
    KUDZU_WMMA_PRODUCT(m, n, k, int, unsigned char, int, __imma_##shape##_mma_u8, int, int, int,   \
                       1)                                                                          \
    KUDZU_WMMA_FACTOR(matrix_a, m, n, k, __nv_bfloat16, in_a, __mma_bf16_##shape##_ld_a, int)      \
    KUDZU_WMMA_FACTOR(matrix_b, m, n, k, __nv_bfloat16, in_b, __mma_bf16_##shape##_ld_b, int)      \
    KUDZU_WMMA_PRODUCT(m, n, k, float, __nv_bfloat16, float, __mma_bf16_##shape##_mma_f32, float,  \
                       int, float, 0)
KUDZU_WMMA_TILE(16, 16, 16, m16n16k16, 8, 8)
KUDZU_WMMA_TILE(32, 8, 16, m32n8k16, 16, 4)
KUDZU_WMMA_TILE(8, 32, 16, m8n32k16, 4, 16)

// ---- tf32, double ----------------------------------------------------------------------------

KUDZU_WMMA_FACTOR(matrix_a, 16, 16, 8, precision::tf32, 4, __mma_tf32_m16n16k8_ld_a, int)
KUDZU_WMMA_FACTOR(matrix_b, 16, 16, 8, precision::tf32, 4, __mma_tf32_m16n16k8_ld_b, int)
KUDZU_WMMA_SUM(16, 16, 8, float, 8, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32, float)
KUDZU_WMMA_PRODUCT(16, 16, 8, float, precision::tf32, float, __mma_tf32_m16n16k8_mma_f32, float,
                   int, float, 0)
KUDZU_WMMA_FACTOR(matrix_a, 8, 8, 4, double, 1, __dmma_m8n8k4_ld_a, double)
KUDZU_WMMA_FACTOR(matrix_b, 8, 8, 4, double, 1, __dmma_m8n8k4_ld_b, double)
KUDZU_WMMA_SUM(8, 8, 4, double, 2, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64, double)
KUDZU_WMMA_PRODUCT(8, 8, 4, double, double, double, __dmma_m8n8k4_mma_f64, double, double, double,
                   0)

// ---- less than a byte ------------------------------------------------------------------------

#define KUDZU_WMMA_SMALL(use, k, T, load, layout)                                                  \
    KUDZU_WMMA_FACTOR_OF(use, 8, 8, k, experimental::precision::T, 1, load, int, layout)
KUDZU_WMMA_SMALL(matrix_a, 32, s4, __imma_m8n8k32_ld_a_s4, row_major)
KUDZU_WMMA_SMALL(matrix_b, 32, s4, __imma_m8n8k32_ld_b_s4, col_major)
KUDZU_WMMA_SMALL(matrix_a, 32, u4, __imma_m8n8k32_ld_a_u4, row_major)
KUDZU_WMMA_SMALL(matrix_b, 32, u4, __imma_m8n8k32_ld_b_u4, col_major)
KUDZU_WMMA_SMALL(matrix_a, 128, b1, __bmma_m8n8k128_ld_a_b1, row_major)
KUDZU_WMMA_SMALL(matrix_b, 128, b1, __bmma_m8n8k128_ld_b_b1, col_major)
KUDZU_WMMA_SUM(8, 8, 32, int, 2, __imma_m8n8k32_ld_c, __imma_m8n8k32_st_c_i32, int)
KUDZU_WMMA_SUM(8, 8, 128, int, 2, __bmma_m8n8k128_ld_c, __bmma_m8n8k128_st_c_i32, int)
KUDZU_WMMA_PRODUCT_OF(8, 8, 32, int, experimental::precision::s4, int, __imma_m8n8k32_mma_s4, int,
                      int, int, row_major, col_major, 1, 1)
KUDZU_WMMA_PRODUCT_OF(8, 8, 32, int, experimental::precision::u4, int, __imma_m8n8k32_mma_u4, int,
                      int, int, row_major, col_major, 1, 1)

KUDZU_WMMA void
bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
          const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
          const fragment<accumulator, 8, 8, 128, int> &c,
          experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
    if (op == experimental::bmmaBitOpAND)
        __bmma_m8n8k128_mma_and_popc_b1(d.x, (const int *)a.x, (const int *)b.x, c.x, 1);
    else
        __bmma_m8n8k128_mma_xor_popc_b1(d.x, (const int *)a.x, (const int *)b.x, c.x, 1);
}

#undef KUDZU_WMMA_SMALL
#undef KUDZU_WMMA_TILE
#undef KUDZU_WMMA_PRODUCT
#undef KUDZU_WMMA_PRODUCT_OF
#undef KUDZU_WMMA_SUM
#undef KUDZU_WMMA_FACTOR
#undef KUDZU_WMMA_MEMORY
#undef KUDZU_WMMA_FACTOR_OF
#undef KUDZU_WMMA

} // namespace wmma
} // namespace nvcuda

#endif
#endif
