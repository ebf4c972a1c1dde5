// Tensors of interleaved layouts (NC/8HWC8, NC/16HWC16 of two-byte elements; cuTensorMapEncode*),
// as an H100 has them: a map's dimensions are pixels of a row, rows, layers, slices of channels,
// images; a box holds one slice of its pixels, and may begin at any pixel.
#include <initializer_list>

#include "tensor_boxes.h"

typedef unsigned short half_word;

// Sizes of the tensor: pixels of a row, rows, layers, slices, images.
constexpr int W = 7, H = 4, D = 3, S = 3, N = 2, words = 4096;

struct layout {
    CUtensorMapInterleave kind;
    CUtensorMapSwizzle swizzle;
    int channels() const {
        return kind == CU_TENSOR_MAP_INTERLEAVE_16B ? 8 : 16;
    } // of a slice
};

struct place {
    int at[5], offset[3];
};

template <int rank>
__global__ void load(const __grid_constant__ CUtensorMap map, place p, bool pixels, unsigned bytes,
                     half_word *out) {
    __shared__ alignas(1024) half_word tile[words];
    __shared__ unsigned long long bar;
    unsigned to = (unsigned)__cvta_generic_to_shared(tile), at = begin_copy(&bar, bytes);
    const int *c = p.at, *o = p.offset;
#define LOAD(dims, list)                                                                           \
    asm volatile("cp.async.bulk.tensor." dims                                                      \
                 ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {" list          \
                 "}], [%2];" ::"r"(to),                                                            \
                 "l"(&map), "r"(at), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])         \
                 : "memory")
#define LOAD_PIXELS(dims, list, offsets)                                                           \
    asm volatile("cp.async.bulk.tensor." dims                                                      \
                 ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {" list   \
                 "}], [%2], {" offsets "};" ::"r"(to),                                             \
                 "l"(&map), "r"(at), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]),        \
                 "h"((short)o[0]), "h"((short)o[1]), "h"((short)o[2])                              \
                 : "memory")
    if constexpr (rank == 3) {
        if (pixels)
            LOAD_PIXELS("3d", "%3, %4, %5", "%8");
        else
            LOAD("3d", "%3, %4, %5");
    } else if constexpr (rank == 4) {
        if (pixels)
            LOAD_PIXELS("4d", "%3, %4, %5, %6", "%8, %9");
        else
            LOAD("4d", "%3, %4, %5, %6");
    } else {
        if (pixels)
            LOAD_PIXELS("5d", "%3, %4, %5, %6, %7", "%8, %9, %10");
        else
            LOAD("5d", "%3, %4, %5, %6, %7");
    }
    end_copy(at);
    for (int i = 0; i < words; i++)
        out[i] = tile[i];
}

__global__ void store(const __grid_constant__ CUtensorMap map, place p, const half_word *in) {
    __shared__ alignas(1024) half_word tile[words];
    for (int i = 0; i < words; i++)
        tile[i] = in[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4}],"
                 " [%5];" ::"l"(&map),
                 "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]),
                 "r"((unsigned)__cvta_generic_to_shared(tile))
                 : "memory");
    store_done();
}

// ---- What lies where ----------------------------------------------------------------------

// The sizes of the map of a rank, and of a box: the slice's size does not count.
struct shape {
    int rank, sizes[5], box[5], steps[5];
};
static shape shape_of(int rank, int step) {
    shape s = {rank, {W}, {}, {}};
    const int box[] = {8, 3, 2, 1, 2};
    for (int d = 0; d < rank - 2; d++) {
        s.sizes[d] = d == 0 ? W : d == 1 ? H : D;
        s.box[d] = box[d];
        s.steps[d] = step;
    }
    s.sizes[rank - 2] = S, s.box[rank - 2] = 5, s.steps[rank - 2] = 1;
    s.sizes[rank - 1] = N, s.box[rank - 1] = 2, s.steps[rank - 1] = step;
    return s;
}

// Element `channel` of a slice in a dense tensor; -1: outside.
static int index_of(const shape &s, const layout &l, const int *at, int channel) {
    int index = 0;
    for (int d = s.rank - 1; d >= 0; d--) {
        if (at[d] < 0 || at[d] >= s.sizes[d])
            return -1;
        index = index * s.sizes[d] + at[d];
    }
    return index * l.channels() + channel;
}

// Where the box's element k lies: 16-byte chunks change places by the next bits of the address.
static int swizzled(const layout &l, int k) {
    int width = l.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 0 : 16 << (int)l.swizzle, at = 2 * k;
    return width ? (at ^ ((at >> 3) & (width - 16))) / 2 : k;
}

static CUtensorMap encode(const shape &s, const layout &l, void *address, int corner = 0,
                          unsigned pixels = 0) {
    cuuint64_t sizes[5], strides[5], stride = 2 * (cuuint64_t)l.channels();
    cuuint32_t box[5], steps[5];
    const int lower[3] = {corner, corner, corner}, upper[3] = {corner, corner, corner};
    for (int d = 0; d < s.rank; d++) {
        sizes[d] = (cuuint64_t)s.sizes[d], box[d] = (cuuint32_t)s.box[d];
        steps[d] = (cuuint32_t)s.steps[d];
        strides[d] = stride *= sizes[d];
    }
    CUtensorMap map{};
    if (pixels) {
        auto f = (PFN_cuTensorMapEncodeIm2col_v12000)entry_point("cuTensorMapEncodeIm2col");
        CHECK(f(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, (cuuint32_t)s.rank, address, sizes, strides,
                lower, upper, 8, pixels, steps, l.kind, l.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    } else {
        auto f = (PFN_cuTensorMapEncodeTiled_v12000)entry_point("cuTensorMapEncodeTiled");
        CHECK(f(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, (cuuint32_t)s.rank, address, sizes, strides,
                box, steps, l.kind, l.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    }
    return map;
}

static half_word *tensor, *out; // element i is i + 1

template <int rank> static void check_tile(const layout &l, int step, const place &p) {
    const shape s = shape_of(rank, step);
    int n[5], total = l.channels();
    for (int d = 0; d < rank; d++)
        total *= n[d] = d == rank - 2 ? 1 : (s.box[d] + s.steps[d] - 1) / s.steps[d];
    load<rank><<<1, 1>>>(encode(s, l, tensor), p, false, 2u * (unsigned)total, out);
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < total; k++) {
        int at[5], rest = k / l.channels();
        for (int d = 0; d < rank; rest /= n[d++])
            at[d] = p.at[d] + rest % n[d] * s.steps[d];
        int i = index_of(s, l, at, k % l.channels());
        CHECK(out[swizzled(l, k)] == (i < 0 ? 0 : tensor[i]));
    }
}

template <int rank>
static void check_pixels(const layout &l, int step, int corner, int pixels, const place &p) {
    const shape s = shape_of(rank, step);
    const int total = pixels * l.channels();
    load<rank><<<1, 1>>>(encode(s, l, tensor, corner, (unsigned)pixels), p, true,
                         2u * (unsigned)total, out);
    CUDA(cudaDeviceSynchronize());
    int at[5];
    for (int d = 0; d < rank; d++)
        at[d] = p.at[d];
    for (int k = 0; k < pixels; k++) {
        int from[5], d = 0;
        for (int e = 0; e < rank; e++)
            from[e] = at[e] + (e < rank - 2 ? p.offset[e] : 0);
        for (int c = 0; c < l.channels(); c++) {
            int i = index_of(s, l, from, c);
            CHECK(out[swizzled(l, k * l.channels() + c)] == (i < 0 ? 0 : tensor[i]));
        }
        for (; d < rank - 2; d++) {
            if ((at[d] += s.steps[d]) < s.sizes[d] + corner)
                break;
            at[d] = corner;
        }
        at[rank - 1] += d == rank - 2 ? s.steps[rank - 1] : 0;
    }
}

static void check_store(const layout &l, const place &p) {
    const shape s = shape_of(4, 1);
    const int size = W * H * S * N * l.channels();
    half_word *to = shared_array<half_word>(size), *in = shared_array<half_word>(words);
    for (int i = 0; i < words; i++)
        in[swizzled(l, i)] = (half_word)(20000 + i);
    for (int i = 0; i < size; i++)
        to[i] = 7;
    store<<<1, 1>>>(encode(s, l, to), p, in);
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < 8 * 3 * 2 * l.channels(); k++) {
        int pixel = k / l.channels();
        int at[4] = {p.at[0] + pixel % 8, p.at[1] + pixel / 8 % 3, p.at[2], p.at[3] + pixel / 24};
        int i = index_of(s, l, at, k % l.channels());
        if (i >= 0) {
            CHECK(to[i] == 20000 + k);
            to[i] = 7;
        }
    }
    for (int i = 0; i < size; i++)
        CHECK(to[i] == 7);
    CUDA(cudaFree(to));
    CUDA(cudaFree(in));
}

// ---- What is refused ----------------------------------------------------------------------

static CUresult try_encode(CUtensorMapInterleave kind, int rank, int add, cuuint64_t stride,
                           cuuint32_t box, cuuint32_t step) {
    const cuuint64_t sizes[3] = {64, 3, 2}, strides[2] = {stride, 3 * stride};
    const cuuint32_t boxes[3] = {box, 1, 1}, steps[3] = {step, 1, 1};
    CUtensorMap map;
    auto f = (PFN_cuTensorMapEncodeTiled_v12000)entry_point("cuTensorMapEncodeTiled");
    return f(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, (cuuint32_t)rank, (char *)tensor + add, sizes,
             strides, boxes, steps, kind, CU_TENSOR_MAP_SWIZZLE_32B,
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static void check_refusals() {
    const auto narrow = CU_TENSOR_MAP_INTERLEAVE_16B, wide = CU_TENSOR_MAP_INTERLEAVE_32B;
    CHECK(try_encode(narrow, 3, 0, 1040, 8, 1) == CUDA_SUCCESS);
    CHECK(try_encode(narrow, 3, 16, 1040, 256, 8) == CUDA_SUCCESS);
    CHECK(try_encode(wide, 3, 32, 2080, 8, 1) == CUDA_SUCCESS);
    for (auto kind : {narrow, wide}) {
        CHECK(try_encode(kind, 2, 0, 2048, 8, 1) == CUDA_ERROR_INVALID_VALUE);
        CHECK(try_encode(kind, 3, 8, 2048, 8, 1) == CUDA_ERROR_INVALID_VALUE);
        CHECK(try_encode(kind, 3, 0, 2056, 8, 1) == CUDA_ERROR_INVALID_VALUE);
        CHECK(try_encode(kind, 3, 0, 2048, 12, 1) == CUDA_ERROR_INVALID_VALUE);
        CHECK(try_encode(kind, 3, 0, 2048, 257, 1) == CUDA_ERROR_INVALID_VALUE);
        CHECK(try_encode(kind, 3, 0, 2048, 8, 0) == CUDA_ERROR_INVALID_VALUE);
        CHECK(try_encode(kind, 3, 0, 2048, 8, 9) == CUDA_ERROR_INVALID_VALUE);
    }
    CHECK(try_encode(wide, 3, 16, 2048, 8, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(try_encode(wide, 3, 0, 1040, 8, 1) == CUDA_ERROR_INVALID_VALUE);
}

int main() {
    const int size = W * H * D * S * N * 16;
    tensor = shared_array<half_word>(size);
    out = shared_array<half_word>(words);
    for (int i = 0; i < size; i++)
        tensor[i] = (half_word)(i + 1);
    const layout layouts[] = {{CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_NONE},
                              {CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_32B},
                              {CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_64B},
                              {CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_128B},
                              {CU_TENSOR_MAP_INTERLEAVE_32B, CU_TENSOR_MAP_SWIZZLE_32B}};
    for (const layout &l : layouts) {
        for (int step : {1, 2}) {
            check_tile<3>(l, step, {{0, 1, 0}});
            check_tile<3>(l, step, {{-3, 2, 1}});
            check_tile<4>(l, step, {{0, 0, 0, 0}});
            check_tile<4>(l, step, {{3, 2, 2, 1}});
            check_tile<4>(l, step, {{-1, -1, 1, 0}});
            check_tile<4>(l, step, {{0, 0, 3, 0}}); // no such slice
            check_tile<5>(l, step, {{1, 1, 1, 1, 0}});
            check_pixels<3>(l, step, 0, 20, {{2, 1, 0}, {0}});
            check_pixels<4>(l, step, -1, 70, {{-1, 1, 2, 0}, {1, 2}});
            check_pixels<4>(l, step, 0, 30, {{6, 3, 0, 1}, {0, 0}});
            check_pixels<5>(l, step, -1, 150, {{1, 0, -1, 1, 0}, {0, 1, 2}});
        }
        check_store(l, {{0, 0, 1, 0}});
        check_store(l, {{5, 2, 2, 1}});
        check_store(l, {{0, 0, 3, 0}});
    }
    check_refusals();
    // The launch ends, and with it what the process can do on the device.
    const shape s = shape_of(4, 1);
    store<<<1, 1>>>(encode(s, layouts[0], tensor), {{0, -1, 0, 0}}, out);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalInstruction);
    return failures != 0;
}
