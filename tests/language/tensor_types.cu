// What the type of a tensor means to boxes (10.29.2), as an H100 has it: the NaN outside, TFLOAT32
// rounded when it is loaded and not when it is stored (TFLOAT32_FTZ keeps subnormal numbers, too),
// subnormal numbers in sums of floats.
#include <initializer_list>

#include "tensor_boxes.h"

constexpr int words = 16;

__global__ void load(const __grid_constant__ CUtensorMap map, int x, unsigned *out) {
    __shared__ alignas(128) unsigned tile[words];
    __shared__ unsigned long long bar;
    unsigned at = begin_copy(&bar, sizeof tile);
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2}], [%3];" ::"r"((unsigned)__cvta_generic_to_shared(tile)),
                 "l"(&map), "r"(x), "r"(at)
                 : "memory");
    end_copy(at);
    for (int i = 0; i < words; i++)
        out[i] = tile[i];
}

__global__ void store(const __grid_constant__ CUtensorMap map, const unsigned *in, bool add) {
    __shared__ alignas(128) unsigned tile[words];
    for (int i = 0; i < words; i++)
        tile[i] = in[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    unsigned from = (unsigned)__cvta_generic_to_shared(tile);
    if (add)
        asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group"
                     " [%0, {0}], [%1];" ::"l"(&map),
                     "r"(from)
                     : "memory");
    else
        asm volatile(
            "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%0, {0}], [%1];" ::"l"(&map),
            "r"(from)
            : "memory");
    store_done();
}

static tensor row(CUtensorMapDataType type, int element) {
    unsigned n = words * 4 / (unsigned)element;
    return {1, element, type, {n}, {n}};
}

static void check_nan() {
    const struct {
        CUtensorMapDataType type;
        int element;
    } floats[] = {
        {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2},     {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2},
        {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4},     {CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 4},
        {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4},    {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8},
        {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, 4}};
    unsigned *a = shared_array<unsigned>(words), *out = shared_array<unsigned>(words);
    for (auto f : floats) {
        CUtensorMap map =
            tiled_map(row(f.type, f.element), a, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
        load<<<1, 1>>>(map, words / 2 * 4 / f.element, out);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < words; i++)
            CHECK(out[i] == (i < words / 2 ? 0 : 0x7ff77ff7));
    }
}

static void check_rounding() {
    const unsigned from[words] = {0x3f801000, 0x3f803000, 0x3f800fff, 0x3f801001,
                                  0xbf803000, 0x00000001, 0x007fffff, 0x80001000,
                                  0x7f800000, 0x7f801234, 0xffffffff, 0x7f7fffff,
                                  0xff7ff000, 0x7f7fefff, 0x80000000, 0x00123456},
                   to[words] = {0x3f800000, 0x3f804000, 0x3f800000, 0x3f802000,
                                0xbf804000, 0x00000000, 0x00800000, 0x80000000,
                                0x7f800000, 0x7fffe000, 0x7fffe000, 0x7f800000,
                                0xff800000, 0x7f7fe000, 0x80000000, 0x00124000};
    unsigned *a = shared_array<unsigned>(words), *out = shared_array<unsigned>(words);
    for (auto type : {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ}) {
        CUtensorMap map = tiled_map(row(type, 4), a);
        memcpy(a, from, sizeof from);
        load<<<1, 1>>>(map, 0, out);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < words; i++)
            CHECK(out[i] == to[i]);
        memcpy(out, from, sizeof from);
        memset(a, 0, sizeof from);
        store<<<1, 1>>>(map, out, false);
        CUDA(cudaDeviceSynchronize());
        CHECK(!memcmp(a, from, sizeof from));
    }
}

// Floats keep subnormal numbers, unless their type says otherwise.
static void check_sums() {
    unsigned *a = shared_array<unsigned>(words), *in = shared_array<unsigned>(words);
    for (bool flush : {false, true}) {
        for (int i = 0; i < words; i++)
            in[i] = (unsigned)i, a[i] = 0x00400000;
        in[0] = 0x3f800000;
        CUtensorMap map = tiled_map(
            row(flush ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4),
            a);
        store<<<1, 1>>>(map, in, true);
        CUDA(cudaDeviceSynchronize());
        CHECK(a[0] == 0x3f800000);
        for (int i = 1; i < words; i++)
            CHECK(a[i] == (flush ? 0 : 0x00400000 + (unsigned)i));
    }
}

int main() {
    check_nan();
    check_rounding();
    check_sums();
    return failures != 0;
}
