// Tensor maps of compute capability 10: swizzles whose pieces are 32 or 64 bytes, and elements of
// four and six bits, side by side or padded in shared memory. What is expected is said by numbers
// of pieces and rows, as cuda.h has it in words.
#include <cuda/ptx>

#include "tensor_boxes.h"

enum { ROWS = 16, LINE = 128, BYTES = ROWS * LINE };

__global__ void load(const __grid_constant__ CUtensorMap map, int x, int y, char *out, int bytes) {
    __shared__ alignas(1024) char box[BYTES];
    __shared__ unsigned long long bar;
    for (int k = 0; k < BYTES; k++)
        box[k] = -1;
    unsigned at = begin_copy(&bar, bytes), to = (unsigned)__cvta_generic_to_shared(box);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(&map), "r"(x), "r"(y), "r"(at)
                 : "memory");
    end_copy(at);
    for (int k = 0; k < BYTES; k++)
        out[k] = box[k];
}

__global__ void store(const __grid_constant__ CUtensorMap map, int x, int y, const char *in) {
    __shared__ alignas(1024) char box[BYTES];
    for (int k = 0; k < BYTES; k++)
        box[k] = in[k];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
        "r"(x), "r"(y), "r"((unsigned)__cvta_generic_to_shared(box))
        : "memory");
    store_done();
}

template <int ATOM>
__global__ void replace(const __grid_constant__ CUtensorMap map, CUtensorMap *made) {
    *made = map;
    cuda::ptx::tensormap_replace_swizzle_atomicity(cuda::ptx::space_global, made,
                                                   cuda::ptx::n32_t<ATOM>{});
}

__global__ void replace_mode(const __grid_constant__ CUtensorMap map, CUtensorMap *made) {
    *made = map;
    cuda::ptx::tensormap_replace_swizzle_mode(cuda::ptx::space_global, made, cuda::ptx::n32_t<4>{});
}

// What sm_103 stores, and no function of the driver's makes: rows of 64 elements of six bits, of a
// tensor of three of them.
template <int SWIZZLE>
__global__ void replace_rows(const __grid_constant__ CUtensorMap map, CUtensorMap *made,
                             const char *memory) {
    namespace ptx = cuda::ptx;
    *made = map;
    ptx::tensormap_replace_global_address(ptx::space_global, made, memory);
    ptx::tensormap_replace_box_dim(ptx::space_global, made, ptx::n32_t<0>{}, 64);
    ptx::tensormap_replace_global_dim(ptx::space_global, made, ptx::n32_t<0>{}, 192);
    ptx::tensormap_replace_global_stride(ptx::space_global, made, ptx::n32_t<0>{}, 144ull);
    ptx::tensormap_replace_swizzle_mode(ptx::space_global, made, ptx::n32_t<SWIZZLE>{});
}

static CUresult encode(CUtensorMap *map, CUtensorMapDataType type, CUtensorMapSwizzle swizzle,
                       void *memory, cuuint64_t width, cuuint64_t pitch, cuuint32_t box) {
    const cuuint64_t sizes[] = {width, 2 * ROWS}, strides[] = {pitch};
    const cuuint32_t boxes[] = {box, ROWS}, steps[] = {1, 1};
    auto f = (PFN_cuTensorMapEncodeTiled_v12000)entry_point("cuTensorMapEncodeTiled");
    return f(map, type, 2, memory, sizes, strides, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
             swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

// Where byte b of row y lies in the box.
static int place(CUtensorMapSwizzle s, int y, int b) {
    switch (s) {
    case CU_TENSOR_MAP_SWIZZLE_128B: // eight pieces
        return y * LINE + (b / 16 ^ y % 8) * 16 + b % 16;
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B: // four
        return y * LINE + (b / 32 ^ y % 4) * 32 + b % 32;
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B: // and halves of 16 bytes in odd rows
        return y * LINE + (b / 32 ^ y % 4) * 32 + (y % 2 ? (b % 32 / 8 ^ 1) * 8 + b % 8 : b % 32);
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B: // two
        return y * LINE + (b / 64 ^ y % 2) * 64 + b % 64;
    default:
        return y * LINE + b;
    }
}

static char *memory, *box;

static void fill() {
    for (int k = 0; k < 4 * BYTES; k++)
        memory[k] = (char)(k * 37 ^ k >> 8);
    memset(box, 0, BYTES);
}

static void pieces(CUtensorMapSwizzle swizzle, CUtensorMapDataType type, int element) {
    enum { PITCH = 2 * LINE };
    CUtensorMap map;
    fill();
    CHECK(encode(&map, type, swizzle, memory, PITCH / element, PITCH, LINE / element) ==
          CUDA_SUCCESS);
    load<<<1, 1>>>(map, 32 / element, 3, box, BYTES);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < ROWS; y++)
        for (int b = 0; b < LINE; b++)
            CHECK(box[place(swizzle, y, b)] == memory[(3 + y) * PITCH + 32 + b]);
    if (swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B)
        return;
    for (int k = 0; k < BYTES; k++)
        box[k] = (char)(k * 11 ^ k >> 7);
    store<<<1, 1>>>(map, 32 / element, 3, box);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < ROWS; y++)
        for (int b = 0; b < LINE; b++)
            CHECK(memory[(3 + y) * PITCH + 32 + b] == box[place(swizzle, y, b)]);
}

// `bits` of an element; 16 of them are 16 bytes in shared memory, with what pads them behind.
static void padded(CUtensorMapDataType type, int bits, CUtensorMapSwizzle swizzle) {
    const int elements = 256, pitch = elements * bits / 8, group = 2 * bits;
    CUtensorMap map;
    fill();
    CHECK(encode(&map, type, swizzle, memory, elements, pitch, 128) == CUDA_SUCCESS);
    load<<<1, 1>>>(map, 128, 20, box, BYTES); // 12 rows, then outside
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < ROWS; y++)
        for (int g = 0; g < 8; g++)
            for (int b = 0; b < group; b++)
                CHECK(box[place(swizzle, y, 16 * g + b)] ==
                      (y < 12 ? memory[(20 + y) * pitch + (8 + g) * group + b] : 0));
}

// Numbers of six bits are stored from the lower bits of a byte each.
static void sixes(CUtensorMapSwizzle swizzle) {
    const int elements = 256, pitch = elements * 6 / 8;
    const auto bit = [](const char *bytes, int k) { return bytes[k / 8] >> k % 8 & 1; };
    CUtensorMap map;
    static char before[4 * BYTES];
    fill();
    memcpy(before, memory, sizeof before);
    for (int k = 0; k < BYTES; k++)
        box[k] = (char)(k * 11 ^ k >> 7);
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B, swizzle, memory, elements, pitch,
                 128) == CUDA_SUCCESS);
    store<<<1, 1>>>(map, 128, 20, box); // 12 rows, the others lie outside
    CUDA(cudaDeviceSynchronize());
    for (int y = 20; y < 32; y++)
        for (int k = 0; k < elements * 6; k++) {
            const int element = k / 6 - 128;
            const char *from =
                element < 0 ? before + y * pitch : box + place(swizzle, y - 20, element);
            CHECK(bit(memory + y * pitch, k) == bit(from, element < 0 ? k : k % 6));
        }
    CHECK(!memcmp(memory, before, 20 * pitch));
    CHECK(!memcmp(memory + 32 * pitch, before + 32 * pitch, 4 * BYTES - 32 * pitch));
}

static CUtensorMap narrow_map(void (*replace)(CUtensorMap, CUtensorMap *, const char *)) {
    CUtensorMap map, *made;
    CUDA(cudaMallocManaged(&made, sizeof *made));
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B, CU_TENSOR_MAP_SWIZZLE_128B, memory,
                 256, 192, 128) == CUDA_SUCCESS);
    replace<<<1, 1>>>(map, made, memory + 16);
    CUDA(cudaDeviceSynchronize());
    map = *made;
    CUDA(cudaFree(made));
    return map;
}

// swizzle: of 128, 64 bytes, or none. Rows are as long as the swizzle is wide.
static void narrow_sixes(int swizzle, const CUtensorMap &map) {
    const int pitch = 144;
    const auto bit = [](const char *bytes, int k) { return bytes[k / 8] >> k % 8 & 1; };
    const auto from = [=](int y, int b) {
        return swizzle == 3   ? y * 128 + (b / 16 ^ y % 8) * 16 + b % 16
               : swizzle == 2 ? y * 64 + (b / 16 ^ y / 2 % 4) * 16 + b % 16
                              : y * 64 + b;
    };
    static char before[4 * BYTES];
    fill();
    memcpy(before, memory, sizeof before);
    for (int k = 0; k < BYTES; k++)
        box[k] = (char)(k * 11 ^ k >> 7);
    store<<<1, 1>>>(map, 64, 3, box);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < 32; y++)
        for (int k = 0; k < 192 * 6; k++) {
            const char *row = memory + 16 + y * pitch, *was = before + 16 + y * pitch;
            const int element = k / 6 - 64;
            if (y < 3 || y >= 3 + ROWS || element < 0 || element >= 64)
                CHECK(bit(row, k) == bit(was, k));
            else
                CHECK(bit(row, k) == bit(box + from(y - 3, element), k % 6));
        }
    CHECK(!memcmp(memory, before, 16));
}

static void packed() {
    const int elements = 512, pitch = elements / 2;
    CUtensorMap map;
    fill();
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, CU_TENSOR_MAP_SWIZZLE_128B, memory,
                 elements, pitch, 2 * LINE) == CUDA_SUCCESS);
    load<<<1, 1>>>(map, 64, 5, box, BYTES);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < ROWS; y++)
        for (int b = 0; b < LINE; b++)
            CHECK(box[place(CU_TENSOR_MAP_SWIZZLE_128B, y, b)] == memory[(5 + y) * pitch + 32 + b]);
}

// The kernel's map has pieces of 16 bytes and gets others, which PTX numbers from those on.
static void replaced(void (*kernel)(CUtensorMap, CUtensorMap *), CUtensorMapSwizzle swizzle) {
    enum { PITCH = 2 * LINE };
    CUtensorMap map, *made;
    CUDA(cudaMallocManaged(&made, sizeof *made));
    fill();
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_SWIZZLE_128B, memory, PITCH,
                 PITCH, LINE) == CUDA_SUCCESS);
    kernel<<<1, 1>>>(map, made);
    CUDA(cudaDeviceSynchronize());
    load<<<1, 1>>>(*made, 16, 1, box, BYTES);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < ROWS; y++)
        for (int b = 0; b < LINE; b++)
            CHECK(box[place(swizzle, y, b)] == memory[(1 + y) * PITCH + 16 + b]);
    CUDA(cudaFree(made));
}

// The manual's figure of the swizzle of 96 bytes: 16 bytes each, 8 times their row plus their
// column.
static const int figure[] = {0,  1,  2,  3,  4,  5,  8,  9,  11, 10, 13, 12, 17, 16, 19, 18,
                             20, 21, 24, 25, 26, 27, 28, 29, 33, 32, 35, 34, 37, 36, 41, 40,
                             42, 43, 44, 45, 48, 49, 50, 51, 53, 52, 57, 56, 59, 58, 61, 60};

static void rows_of_96() {
    enum { PITCH = 2 * LINE, WIDE = 96 };
    CUtensorMap map, *made;
    CUDA(cudaMallocManaged(&made, sizeof *made));
    fill();
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_SWIZZLE_128B, memory, PITCH,
                 PITCH, WIDE) == CUDA_SUCCESS);
    replace_mode<<<1, 1>>>(map, made);
    CUDA(cudaDeviceSynchronize());
    load<<<1, 1>>>(*made, 32, 2, box, ROWS * WIDE);
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < 48; k++)
        CHECK(!memcmp(box + 16 * k, memory + (2 + figure[k] / 8) * PITCH + 32 + figure[k] % 8 * 16,
                      16));
    CHECK(box[ROWS * WIDE] == -1);
    for (int k = 0; k < BYTES; k++)
        box[k] = (char)(k * 11 ^ k >> 7);
    store<<<1, 1>>>(*made, 32, 2, box);
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < 48; k++)
        CHECK(!memcmp(box + 16 * k, memory + (2 + figure[k] / 8) * PITCH + 32 + figure[k] % 8 * 16,
                      16));
    CUDA(cudaFree(made));
}

int main() {
    cudaDeviceProp p;
    CUtensorMap map;
    CUDA(cudaGetDeviceProperties(&p, 0));
    CUDA(cudaMallocManaged(&memory, 4 * BYTES));
    CUDA(cudaMallocManaged(&box, BYTES));
    const auto u4 = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
               u6 = CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
    if (p.major < 10) {
        CHECK(encode(&map, u4, CU_TENSOR_MAP_SWIZZLE_128B, memory, 256, 128, 128) ==
              CUDA_ERROR_NOT_SUPPORTED);
        CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
                     memory, 256, 256, 128) == CUDA_ERROR_INVALID_VALUE);
        return failures != 0;
    }
    for (auto s :
         {CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
          CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B}) {
        pieces(s, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1);
        pieces(s, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4);
        CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, s, memory, 256, 256, 144) ==
              CUDA_ERROR_INVALID_VALUE);
    }
    replaced(replace<0>, CU_TENSOR_MAP_SWIZZLE_128B);
    replaced(replace<1>, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B);
    replaced(replace<2>, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B);
    replaced(replace<3>, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
    padded(u4, 4, CU_TENSOR_MAP_SWIZZLE_128B);
    padded(u6, 6, CU_TENSOR_MAP_SWIZZLE_128B);
    padded(u6, 6, CU_TENSOR_MAP_SWIZZLE_NONE);
    for (auto s : {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                   CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B})
        sixes(s);
    narrow_sixes(0, narrow_map(replace_rows<0>));
    narrow_sixes(2, narrow_map(replace_rows<2>));
    narrow_sixes(3, narrow_map(replace_rows<3>));
    packed();
    rows_of_96();
    CHECK(encode(&map, u4, CU_TENSOR_MAP_SWIZZLE_128B, memory, 256, 128, 64) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&map, u6, CU_TENSOR_MAP_SWIZZLE_128B, memory, 192, 160, 128) ==
          CUDA_ERROR_INVALID_VALUE);
    // Padded elements lie at multiples of 32 bytes, and have no swizzles of 32 and 64.
    CHECK(encode(&map, u6, CU_TENSOR_MAP_SWIZZLE_128B, memory + 16, 256, 192, 128) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&map, u6, CU_TENSOR_MAP_SWIZZLE_128B, memory, 256, 208, 128) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&map, u6, CU_TENSOR_MAP_SWIZZLE_64B, memory, 256, 192, 128) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&map, u4, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B, memory, 256, 128, 128) ==
          CUDA_ERROR_INVALID_VALUE);
    // They are not loaded in rows of 64.
    load<<<1, 1>>>(narrow_map(replace_rows<3>), 128, 3, box, BYTES);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalInstruction);
    return failures != 0;
}
