// Wrappers of tcgen05 (tensor memory of sm_100) for a block or a pair of them: part of <cuda/ptx>.
// Places in tensor memory have 32 bits, the lane in the upper half; descriptors are the PTX
// manual's.
#ifndef KUDZU_TENSOR_MEMORY_H
#define KUDZU_TENSOR_MEMORY_H

#include <cstdint>
#include <type_traits>

#include "async_copy.h"

#pragma push_macro("KUDZU_PTX")
#undef KUDZU_PTX
#define KUDZU_PTX __attribute__((device, always_inline)) inline

namespace cuda {
namespace ptx {

enum class dot_cta_group { cta_group_1, cta_group_2 };
template <dot_cta_group G> using cta_group_t = ::std::integral_constant<dot_cta_group, G>;
using cta_group_1_t = cta_group_t<dot_cta_group::cta_group_1>;
using cta_group_2_t = cta_group_t<dot_cta_group::cta_group_2>;
static constexpr cta_group_1_t cta_group_1{};
static constexpr cta_group_2_t cta_group_2{};
enum class dot_kind { f16, f8f6f4, i8, mxf4, mxf4nvf4, mxf8f6f4, tf32 };
template <dot_kind K> using kind_t = ::std::integral_constant<dot_kind, K>;
using kind_f16_t = kind_t<dot_kind::f16>;
static constexpr kind_f16_t kind_f16{};
using kind_f8f6f4_t = kind_t<dot_kind::f8f6f4>;
static constexpr kind_f8f6f4_t kind_f8f6f4{};
using kind_i8_t = kind_t<dot_kind::i8>;
static constexpr kind_i8_t kind_i8{};
using kind_mxf4_t = kind_t<dot_kind::mxf4>;
static constexpr kind_mxf4_t kind_mxf4{};
using kind_mxf4nvf4_t = kind_t<dot_kind::mxf4nvf4>;
static constexpr kind_mxf4nvf4_t kind_mxf4nvf4{};
using kind_mxf8f6f4_t = kind_t<dot_kind::mxf8f6f4>;
static constexpr kind_mxf8f6f4_t kind_mxf8f6f4{};
using kind_tf32_t = kind_t<dot_kind::tf32>;
static constexpr kind_tf32_t kind_tf32{};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 1000
// ---- allocation, by one warp; of a pair by one in each block
// ---------------------------------------------------------------------
#define KUDZU_GROUP(g)                                                                             \
    KUDZU_PTX void tcgen05_alloc(cta_group_##g##_t, ::std::uint32_t *dst,                          \
                                 const ::std::uint32_t &columns) {                                 \
        asm volatile(                                                                              \
            "tcgen05.alloc.cta_group::" #g                                                         \
            ".sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(::kudzu::shared_address(dst)),         \
            "r"(columns)                                                                           \
            : "memory");                                                                           \
    }                                                                                              \
    KUDZU_PTX void tcgen05_dealloc(cta_group_##g##_t, ::std::uint32_t place,                       \
                                   const ::std::uint32_t &columns) {                               \
        asm volatile("tcgen05.dealloc.cta_group::" #g ".sync.aligned.b32 %0, %1;" ::"r"(place),    \
                     "r"(columns)                                                                  \
                     : "memory");                                                                  \
    }                                                                                              \
    KUDZU_PTX void tcgen05_relinquish_alloc_permit(cta_group_##g##_t) {                            \
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::" #g ".sync.aligned;" ::          \
                         : "memory");                                                              \
    }
KUDZU_GROUP(1)
KUDZU_GROUP(2)
#undef KUDZU_GROUP

// ---- order
// ---------------------------------------------------------------------------------------
#define KUDZU_ORDER(name, text)                                                                    \
    template <typename = void> KUDZU_PTX void name() {                                             \
        asm volatile("tcgen05." text ";" ::: "memory");                                            \
    }
KUDZU_ORDER(tcgen05_wait_ld, "wait::ld.sync.aligned")
KUDZU_ORDER(tcgen05_wait_st, "wait::st.sync.aligned")
KUDZU_ORDER(tcgen05_fence_before_thread_sync, "fence::before_thread_sync")
KUDZU_ORDER(tcgen05_fence_after_thread_sync, "fence::after_thread_sync")
#undef KUDZU_ORDER
// Tells the object that what the thread has issued is done; _multicast: at the same place in the
// blocks of the mask.
#define KUDZU_GROUP(g)                                                                             \
    KUDZU_PTX void tcgen05_commit(cta_group_##g##_t, ::std::uint64_t *bar) {                       \
        asm volatile(                                                                              \
            "tcgen05.commit.cta_group::" #g                                                        \
            ".mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(::kudzu::shared_address(bar)) \
            : "memory");                                                                           \
    }                                                                                              \
    KUDZU_PTX void tcgen05_commit_multicast(cta_group_##g##_t, ::std::uint64_t *bar,               \
                                            ::std::uint16_t blocks) {                              \
        asm volatile("tcgen05.commit.cta_group::" #g ".mbarrier::arrive::one.shared::cluster"      \
                     ".multicast::cluster.b64 [%0], %1;" ::"r"(::kudzu::shared_address(bar)),      \
                     "h"(blocks)                                                                   \
                     : "memory");                                                                  \
    }
KUDZU_GROUP(1)
KUDZU_GROUP(2)
#undef KUDZU_GROUP

// ---- cp and shift, by one thread
// -----------------------------------------------------------------
#define KUDZU_COPY(g, name, text)                                                                  \
    KUDZU_PTX void tcgen05_cp_##name(cta_group_##g##_t, ::std::uint32_t place,                     \
                                     ::std::uint64_t descriptor) {                                 \
        asm volatile("tcgen05.cp.cta_group::" #g "." text " [%0], %1;" ::"r"(place),               \
                     "l"(descriptor)                                                               \
                     : "memory");                                                                  \
    }
#define KUDZU_FORMATS(g, name, text)                                                               \
    KUDZU_COPY(g, name, text)                                                                      \
    KUDZU_COPY(g, name##_b8x16_b6x16_p32, text ".b8x16.b6x16_p32")                                 \
    KUDZU_COPY(g, name##_b8x16_b4x16_p64, text ".b8x16.b4x16_p64")
#define KUDZU_COPIES(name, text)                                                                   \
    KUDZU_FORMATS(1, name, text)                                                                   \
    KUDZU_FORMATS(2, name, text)
KUDZU_COPIES(128x256b, "128x256b")
KUDZU_COPIES(4x256b, "4x256b")
KUDZU_COPIES(128x128b, "128x128b")
KUDZU_COPIES(64x128b_warpx2_02_13, "64x128b.warpx2::02_13")
KUDZU_COPIES(64x128b_warpx2_01_23, "64x128b.warpx2::01_23")
KUDZU_COPIES(32x128b_warpx4, "32x128b.warpx4")
#undef KUDZU_COPIES
#undef KUDZU_FORMATS
#undef KUDZU_COPY
KUDZU_PTX void tcgen05_shift_down(cta_group_1_t, ::std::uint32_t place) {
    asm volatile("tcgen05.shift.cta_group::1.down [%0];" ::"r"(place) : "memory");
}
KUDZU_PTX void tcgen05_shift_down(cta_group_2_t, ::std::uint32_t place) {
    asm volatile("tcgen05.shift.cta_group::2.down [%0];" ::"r"(place) : "memory");
}

// ---- ld and st, by a warp
// ------------------------------------------------------------------------ The registers of a
// vector, and its operands.
#define KUDZU_NAMES_1 "%0"
#define KUDZU_NAMES_2 "%0, %1"
#define KUDZU_NAMES_4 "%0, %1, %2, %3"
#define KUDZU_NAMES_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define KUDZU_NAMES_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define KUDZU_NAMES_32                                                                             \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "             \
    "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define KUDZU_NAMES_64                                                                             \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "             \
    "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "             \
    "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "             \
    "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define KUDZU_NAMES_128                                                                            \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "             \
    "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "             \
    "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "             \
    "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, "             \
    "%66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "             \
    "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, "             \
    "%98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "           \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, "         \
    "%126, %127"
#define KUDZU_OUT_1(v, i) "=r"(v[i])
#define KUDZU_IN_1(v, i) "r"(v[i])
#define KUDZU_OUT_2(v, i) KUDZU_OUT_1(v, i), KUDZU_OUT_1(v, i + 1)
#define KUDZU_IN_2(v, i) KUDZU_IN_1(v, i), KUDZU_IN_1(v, i + 1)
#define KUDZU_OUT_4(v, i) KUDZU_OUT_2(v, i), KUDZU_OUT_2(v, i + 2)
#define KUDZU_IN_4(v, i) KUDZU_IN_2(v, i), KUDZU_IN_2(v, i + 2)
#define KUDZU_OUT_8(v, i) KUDZU_OUT_4(v, i), KUDZU_OUT_4(v, i + 4)
#define KUDZU_IN_8(v, i) KUDZU_IN_4(v, i), KUDZU_IN_4(v, i + 4)
#define KUDZU_OUT_16(v, i) KUDZU_OUT_8(v, i), KUDZU_OUT_8(v, i + 8)
#define KUDZU_IN_16(v, i) KUDZU_IN_8(v, i), KUDZU_IN_8(v, i + 8)
#define KUDZU_OUT_32(v, i) KUDZU_OUT_16(v, i), KUDZU_OUT_16(v, i + 16)
#define KUDZU_IN_32(v, i) KUDZU_IN_16(v, i), KUDZU_IN_16(v, i + 16)
#define KUDZU_OUT_64(v, i) KUDZU_OUT_32(v, i), KUDZU_OUT_32(v, i + 32)
#define KUDZU_IN_64(v, i) KUDZU_IN_32(v, i), KUDZU_IN_32(v, i + 32)
#define KUDZU_OUT_128(v, i) KUDZU_OUT_64(v, i), KUDZU_OUT_64(v, i + 64)
#define KUDZU_IN_128(v, i) KUDZU_IN_64(v, i), KUDZU_IN_64(v, i + 64)
#define KUDZU_MOVE(shape, times, n, ld, st, pack, unpack)                                          \
    template <typename B32, ::std::enable_if_t<sizeof(B32) == 4, bool> = true>                     \
    KUDZU_PTX void ld(B32(&out)[n], ::std::uint32_t place) {                                       \
        ::std::uint32_t v[n];                                                                      \
        asm volatile("tcgen05.ld.sync.aligned." shape ".x" #times pack ".b32 {" KUDZU_NAMES_##n    \
                     "}, [%" #n "];"                                                               \
                     : KUDZU_OUT_##n(v, 0)                                                         \
                     : "r"(place)                                                                  \
                     : "memory");                                                                  \
        __builtin_memcpy(out, v, sizeof v);                                                        \
    }                                                                                              \
    template <typename B32, ::std::enable_if_t<sizeof(B32) == 4, bool> = true>                     \
    KUDZU_PTX void st(::std::uint32_t place, const B32(&values)[n]) {                              \
        ::std::uint32_t v[n];                                                                      \
        __builtin_memcpy(v, values, sizeof v);                                                     \
        asm volatile("tcgen05.st.sync.aligned." shape ".x" #times unpack ".b32 [%" #n              \
                     "], {" KUDZU_NAMES_##n "};" ::KUDZU_IN_##n(v, 0),                             \
                     "r"(place)                                                                    \
                     : "memory");                                                                  \
    }
#define KUDZU_MOVES(shape, times, n)                                                               \
    KUDZU_MOVE(#shape, times, n, tcgen05_ld_##shape, tcgen05_st_##shape, "", "")                   \
    KUDZU_MOVE(#shape, times, n, tcgen05_ld_##shape##_pack_16b, tcgen05_st_##shape##_unpack_16b,   \
               ".pack::16b", ".unpack::16b")
KUDZU_MOVES(16x64b, 1, 1)
KUDZU_MOVES(16x64b, 2, 2)
KUDZU_MOVES(16x64b, 4, 4)
KUDZU_MOVES(16x64b, 8, 8)
KUDZU_MOVES(16x64b, 16, 16)
KUDZU_MOVES(16x64b, 32, 32)
KUDZU_MOVES(16x64b, 64, 64)
KUDZU_MOVES(16x64b, 128, 128)
KUDZU_MOVES(32x32b, 1, 1)
KUDZU_MOVES(32x32b, 2, 2)
KUDZU_MOVES(32x32b, 4, 4)
KUDZU_MOVES(32x32b, 8, 8)
KUDZU_MOVES(32x32b, 16, 16)
KUDZU_MOVES(32x32b, 32, 32)
KUDZU_MOVES(32x32b, 64, 64)
KUDZU_MOVES(32x32b, 128, 128)
KUDZU_MOVES(16x128b, 1, 2)
KUDZU_MOVES(16x128b, 2, 4)
KUDZU_MOVES(16x128b, 4, 8)
KUDZU_MOVES(16x128b, 8, 16)
KUDZU_MOVES(16x128b, 16, 32)
KUDZU_MOVES(16x128b, 32, 64)
KUDZU_MOVES(16x128b, 64, 128)
KUDZU_MOVES(16x256b, 1, 4)
KUDZU_MOVES(16x256b, 2, 8)
KUDZU_MOVES(16x256b, 4, 16)
KUDZU_MOVES(16x256b, 8, 32)
KUDZU_MOVES(16x256b, 16, 64)
KUDZU_MOVES(16x256b, 32, 128)
#undef KUDZU_MOVES
#undef KUDZU_MOVE
// In two halves, the second `split` columns further.
#define KUDZU_MOVE(n, ld, st, pack, unpack)                                                        \
    template <int N32, typename B32, ::std::enable_if_t<sizeof(B32) == 4, bool> = true>            \
    KUDZU_PTX void ld(B32(&out)[n], ::std::uint32_t place, n32_t<N32>) {                           \
        ::std::uint32_t v[n];                                                                      \
        asm volatile("tcgen05.ld.sync.aligned.16x32bx2.x" #n pack ".b32 {" KUDZU_NAMES_##n         \
                     "}, [%" #n "], %c[split];"                                                    \
                     : KUDZU_OUT_##n(v, 0)                                                         \
                     : "r"(place), [split] "n"(N32)                                                \
                     : "memory");                                                                  \
        __builtin_memcpy(out, v, sizeof v);                                                        \
    }                                                                                              \
    template <int N32, typename B32, ::std::enable_if_t<sizeof(B32) == 4, bool> = true>            \
    KUDZU_PTX void st(::std::uint32_t place, n32_t<N32>, const B32(&values)[n]) {                  \
        ::std::uint32_t v[n];                                                                      \
        __builtin_memcpy(v, values, sizeof v);                                                     \
        asm volatile("tcgen05.st.sync.aligned.16x32bx2.x" #n unpack ".b32 [%" #n                   \
                     "], %c[split], {" KUDZU_NAMES_##n "};" ::KUDZU_IN_##n(v, 0),                  \
                     "r"(place), [split] "n"(N32)                                                  \
                     : "memory");                                                                  \
    }
#define KUDZU_MOVES(n)                                                                             \
    KUDZU_MOVE(n, tcgen05_ld_16x32bx2, tcgen05_st_16x32bx2, "", "")                                \
    KUDZU_MOVE(n, tcgen05_ld_16x32bx2_pack_16b, tcgen05_st_16x32bx2_unpack_16b, ".pack::16b",      \
               ".unpack::16b")
KUDZU_MOVES(1)
KUDZU_MOVES(2)
KUDZU_MOVES(4)
KUDZU_MOVES(8)
KUDZU_MOVES(16)
KUDZU_MOVES(32)
KUDZU_MOVES(64)
KUDZU_MOVES(128)
#undef KUDZU_MOVES
#undef KUDZU_MOVE
#undef KUDZU_NAMES_1
#undef KUDZU_OUT_1
#undef KUDZU_IN_1
#undef KUDZU_NAMES_2
#undef KUDZU_OUT_2
#undef KUDZU_IN_2
#undef KUDZU_NAMES_4
#undef KUDZU_OUT_4
#undef KUDZU_IN_4
#undef KUDZU_NAMES_8
#undef KUDZU_OUT_8
#undef KUDZU_IN_8
#undef KUDZU_NAMES_16
#undef KUDZU_OUT_16
#undef KUDZU_IN_16
#undef KUDZU_NAMES_32
#undef KUDZU_OUT_32
#undef KUDZU_IN_32
#undef KUDZU_NAMES_64
#undef KUDZU_OUT_64
#undef KUDZU_IN_64
#undef KUDZU_NAMES_128
#undef KUDZU_OUT_128
#undef KUDZU_IN_128

// ---- mma, by one thread
// --------------------------------------------------------------------------
#define KUDZU_MMA(g, text)                                                                         \
    "{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %4, 0;\n\ttcgen05.mma.cta_group::" #g "." text       \
    ";\n\t}"
// Of a pair of blocks the mask of lanes has eight words, the even block's first.
#define KUDZU_LANES_1 4
#define KUDZU_LANES_2 8
#define KUDZU_OFF_1 "%5, %6, %7, %8"
#define KUDZU_OFF_2 "%5, %6, %7, %8, %9, %10, %11, %12"
#define KUDZU_IN_OFF_1 "r"(off[0]), "r"(off[1]), "r"(off[2]), "r"(off[3])
#define KUDZU_IN_OFF_2 KUDZU_IN_OFF_1, "r"(off[4]), "r"(off[5]), "r"(off[6]), "r"(off[7])
// a: its descriptor, or with _tmem_a its place. Lanes of d that the mask has are not written.
#define KUDZU_PRODUCT(g, kind, name, type, letter, a)                                              \
    KUDZU_PTX void name(kind_##kind##_t, cta_group_##g##_t, ::std::uint32_t d, type first,         \
                        ::std::uint64_t b, ::std::uint32_t idesc, bool add) {                      \
        asm volatile(KUDZU_MMA(g, "kind::" #kind " [%0], " a ", %2, %3, add")::"r"(d),             \
                     letter(first), "l"(b), "r"(idesc), "r"((::std::uint32_t)add)                  \
                     : "memory");                                                                  \
    }                                                                                              \
    KUDZU_PTX void name(kind_##kind##_t, cta_group_##g##_t, ::std::uint32_t d, type first,         \
                        ::std::uint64_t b, ::std::uint32_t idesc,                                  \
                        const ::std::uint32_t(&off)[KUDZU_LANES_##g], bool add) {                  \
        asm volatile(                                                                              \
            KUDZU_MMA(g, "kind::" #kind " [%0], " a ", %2, %3, {" KUDZU_OFF_##g "}, add")::"r"(d), \
            letter(first), "l"(b), "r"(idesc), "r"((::std::uint32_t)add), KUDZU_IN_OFF_##g         \
            : "memory");                                                                           \
    }
// d is divided by two N32 times first.
#define KUDZU_SCALED_SUM(g, kind, name, type, letter, a)                                           \
    template <int N32>                                                                             \
    KUDZU_PTX void name(kind_##kind##_t, cta_group_##g##_t, ::std::uint32_t d, type first,         \
                        ::std::uint64_t b, ::std::uint32_t idesc, bool add, n32_t<N32>) {          \
        asm volatile(KUDZU_MMA(g, "kind::" #kind " [%0], " a ", %2, %3, add, %c5")::"r"(d),        \
                     letter(first), "l"(b), "r"(idesc), "r"((::std::uint32_t)add), "n"(N32)        \
                     : "memory");                                                                  \
    }                                                                                              \
    template <int N32>                                                                             \
    KUDZU_PTX void name(kind_##kind##_t, cta_group_##g##_t, ::std::uint32_t d, type first,         \
                        ::std::uint64_t b, ::std::uint32_t idesc,                                  \
                        const ::std::uint32_t(&off)[KUDZU_LANES_##g], bool add, n32_t<N32>) {      \
        asm volatile(KUDZU_MMA(g, "kind::" #kind " [%0], " a ", %2, %3, {" KUDZU_OFF_##g           \
                               "}, add, %c[n]")::"r"(d),                                           \
                     letter(first), "l"(b), "r"(idesc), "r"((::std::uint32_t)add),                 \
                     KUDZU_IN_OFF_##g, [n] "n"(N32)                                                \
                     : "memory");                                                                  \
    }
#define KUDZU_SCALED(g, kind, name, size, type, letter, a)                                         \
    KUDZU_PTX void name(kind_##kind##_t, cta_group_##g##_t, ::std::uint32_t d, type first,         \
                        ::std::uint64_t b, ::std::uint32_t idesc, ::std::uint32_t scale_a,         \
                        ::std::uint32_t scale_b, bool add) {                                       \
        asm volatile(KUDZU_MMA(g, "kind::" #kind ".block_scale" size " [%0], " a                   \
                                  ", %2, %3, [%5], [%6], add")::"r"(d),                            \
                     letter(first), "l"(b), "r"(idesc), "r"((::std::uint32_t)add), "r"(scale_a),   \
                     "r"(scale_b)                                                                  \
                     : "memory");                                                                  \
    }
#define KUDZU_BOTH(macro, kind, name)                                                              \
    macro(1, kind, name, ::std::uint64_t, "l", "%1")                                               \
        macro(1, kind, name##_tmem_a, ::std::uint32_t, "r", "[%1]")                                \
            macro(2, kind, name, ::std::uint64_t, "l", "%1")                                       \
                macro(2, kind, name##_tmem_a, ::std::uint32_t, "r", "[%1]")
// shared, inside: the functions' names with a in shared and in tensor memory
#define KUDZU_BOTH_COLLECTED(kind, shared, inside, words)                                          \
    KUDZU_SCALED(1, kind, tcgen05_mma_block_scale_##shared, words, ::std::uint64_t, "l", "%1")     \
    KUDZU_SCALED(1, kind, tcgen05_mma_block_scale_##inside, words, ::std::uint32_t, "r", "[%1]")   \
    KUDZU_SCALED(2, kind, tcgen05_mma_block_scale_##shared, words, ::std::uint64_t, "l", "%1")     \
    KUDZU_SCALED(2, kind, tcgen05_mma_block_scale_##inside, words, ::std::uint32_t, "r", "[%1]")
#define KUDZU_BOTH_SCALED(kind, name, inside, size)                                                \
    KUDZU_BOTH_COLLECTED(kind, name, inside, size)                                                 \
    KUDZU_BOTH_COLLECTED(kind, name##_collector_a_fill, inside##_collector_a_fill,                 \
                         size ".collector::a::fill")                                               \
    KUDZU_BOTH_COLLECTED(kind, name##_collector_a_use, inside##_collector_a_use,                   \
                         size ".collector::a::use")                                                \
    KUDZU_BOTH_COLLECTED(kind, name##_collector_a_lastuse, inside##_collector_a_lastuse,           \
                         size ".collector::a::lastuse")                                            \
    KUDZU_BOTH_COLLECTED(kind, name##_collector_a_discard, inside##_collector_a_discard,           \
                         size ".collector::a::discard")
KUDZU_BOTH(KUDZU_PRODUCT, f16, tcgen05_mma)
KUDZU_BOTH(KUDZU_PRODUCT, tf32, tcgen05_mma)
KUDZU_BOTH(KUDZU_PRODUCT, f8f6f4, tcgen05_mma)
KUDZU_BOTH(KUDZU_PRODUCT, i8, tcgen05_mma)
KUDZU_BOTH(KUDZU_SCALED_SUM, f16, tcgen05_mma)
KUDZU_BOTH(KUDZU_SCALED_SUM, tf32, tcgen05_mma)
KUDZU_BOTH_SCALED(mxf8f6f4, vec_1x, vec_1x_tmem_a, ".scale_vec::1X")
KUDZU_BOTH_SCALED(mxf8f6f4, block32, block32_tmem_a, ".block32")
KUDZU_BOTH_SCALED(mxf4, vec_2x, vec_2_tmem_a, ".scale_vec::2X") // libcu++ calls it so
KUDZU_BOTH_SCALED(mxf4, block32, block32_tmem_a, ".block32")
KUDZU_BOTH_SCALED(mxf4nvf4, vec_2x, vec_2_tmem_a, ".scale_vec::2X")
KUDZU_BOTH_SCALED(mxf4nvf4, block32, block32_tmem_a, ".block32")
KUDZU_BOTH_SCALED(mxf4nvf4, vec_4x, vec_4x_tmem_a, ".scale_vec::4X")
KUDZU_BOTH_SCALED(mxf4nvf4, block16, block16_tmem_a, ".block16")
#undef KUDZU_BOTH_SCALED
#undef KUDZU_BOTH_COLLECTED
#undef KUDZU_BOTH
#undef KUDZU_SCALED
#undef KUDZU_SCALED_SUM
#undef KUDZU_PRODUCT
#undef KUDZU_LANES_1
#undef KUDZU_LANES_2
#undef KUDZU_OFF_1
#undef KUDZU_OFF_2
#undef KUDZU_IN_OFF_1
#undef KUDZU_IN_OFF_2
#undef KUDZU_MMA

// Weights that stay: b in a collector. columns: which of b's are zero, as the PTX manual has them.
#define KUDZU_STATIONARY(kind, name, words, type, letter, a)                                       \
    KUDZU_PTX void name(cta_group_1_t, kind_##kind##_t, ::std::uint32_t d, type first,             \
                        ::std::uint64_t b, ::std::uint32_t idesc, bool add) {                      \
        asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %4, 0;\n\ttcgen05.mma.ws."          \
                     "cta_group::1.kind::" #kind words " [%0], " a ", %2, %3, add;\n\t}" ::"r"(d), \
                     letter(first), "l"(b), "r"(idesc), "r"((::std::uint32_t)add)                  \
                     : "memory");                                                                  \
    }                                                                                              \
    KUDZU_PTX void name(cta_group_1_t, kind_##kind##_t, ::std::uint32_t d, type first,             \
                        ::std::uint64_t b, ::std::uint32_t idesc, bool add,                        \
                        ::std::uint64_t columns) {                                                 \
        asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %4, 0;\n\ttcgen05.mma.ws."          \
                     "cta_group::1.kind::" #kind words " [%0], " a                                 \
                     ", %2, %3, add, %5;\n\t}" ::"r"(d),                                           \
                     letter(first), "l"(b), "r"(idesc), "r"((::std::uint32_t)add), "l"(columns)    \
                     : "memory");                                                                  \
    }
#define KUDZU_KINDS(name, words, type, letter, a)                                                  \
    KUDZU_STATIONARY(f16, name, words, type, letter, a)                                            \
    KUDZU_STATIONARY(tf32, name, words, type, letter, a)                                           \
    KUDZU_STATIONARY(f8f6f4, name, words, type, letter, a)                                         \
    KUDZU_STATIONARY(i8, name, words, type, letter, a)
#define KUDZU_COLLECTOR(n, use)                                                                    \
    KUDZU_KINDS(tcgen05_mma_ws_collector_b##n##_##use, ".collector::b" #n "::" #use,               \
                ::std::uint64_t, "l", "%1")                                                        \
    KUDZU_KINDS(tcgen05_mma_ws_tmem_a_collector_b##n##_##use, ".collector::b" #n "::" #use,        \
                ::std::uint32_t, "r", "[%1]")
#define KUDZU_COLLECTORS(n)                                                                        \
    KUDZU_COLLECTOR(n, fill)                                                                       \
    KUDZU_COLLECTOR(n, use)                                                                        \
    KUDZU_COLLECTOR(n, lastuse)                                                                    \
    KUDZU_COLLECTOR(n, discard)
KUDZU_COLLECTORS(0)
KUDZU_COLLECTORS(1)
KUDZU_COLLECTORS(2)
KUDZU_COLLECTORS(3)
#undef KUDZU_COLLECTORS
#undef KUDZU_COLLECTOR
#undef KUDZU_KINDS
#undef KUDZU_STATIONARY
#endif

} // namespace ptx
} // namespace cuda

#pragma pop_macro("KUDZU_PTX")

#endif
