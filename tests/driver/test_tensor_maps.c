// Tensor maps: what cuTensorMapEncode* refuse, and boxes that kernels copy with them, against what
// the same boxes are by their definition.
#include <stdbool.h>

#include "check.h"

enum { W = 24, H = 10, BOX_W = 16, BOX_H = 4, WORDS = BOX_W * BOX_H };

// load(map, out, x, y): the box at (x, y) as it lies in shared memory.
// store(map, in, x, y): the reverse. add: the same, added. pixels(map, out, c, w, h, n, dw, dh).
static const char text[] =
    ".version 8.5\n.target sm_90a\n.address_size 64\n"
    ".shared .align 1024 .b8 box[1024];\n.shared .align 8 .b64 bar;\n"
    ".visible .entry load(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 x,\n"
    "                     .param .u32 y)\n{\n"
    "    .reg .u64 %m, %o, %s;\n    .reg .u32 %x, %y, %b, %k, %v;\n    .reg .pred %p;\n"
    "    mov.u64 %m, map;\n    cvta.param.u64 %m, %m;\n    ld.param.u64 %o, [out];\n"
    "    ld.param.u32 %x, [x];\n    ld.param.u32 %y, [y];\n    mov.u32 %b, box;\n"
    "    mbarrier.init.shared::cta.b64 [bar], 1;\n"
    "    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\n"
    "        [%b], [%m, {%x, %y}], [bar];\n"
    "    mbarrier.arrive.expect_tx.shared::cta.b64 %s, [bar], 256;\n"
    "wait:\n    mbarrier.try_wait.shared::cta.b64 %p, [bar], %s;\n    @!%p bra wait;\n"
    "    mov.u32 %k, 0;\n"
    "next:\n    ld.shared.u32 %v, [%b];\n    st.global.u32 [%o], %v;\n    add.u32 %b, %b, 4;\n"
    "    add.u64 %o, %o, 4;\n    add.u32 %k, %k, 1;\n    setp.lt.u32 %p, %k, 64;\n"
    "    @%p bra next;\n    ret;\n}\n"
    ".visible .entry store(.param .align 64 .b8 map[128], .param .u64 in, .param .u32 x,\n"
    "                      .param .u32 y)\n{\n"
    "    .reg .u64 %m, %i;\n    .reg .u32 %x, %y, %b, %k, %v, %a;\n    .reg .pred %p;\n"
    "    mov.u64 %m, map;\n    cvta.param.u64 %m, %m;\n    ld.param.u64 %i, [in];\n"
    "    ld.param.u32 %x, [x];\n    ld.param.u32 %y, [y];\n    mov.u32 %b, box;\n"
    "    mov.u32 %a, %b;\n    mov.u32 %k, 0;\n"
    "next:\n    ld.global.u32 %v, [%i];\n    st.shared.u32 [%a], %v;\n    add.u32 %a, %a, 4;\n"
    "    add.u64 %i, %i, 4;\n    add.u32 %k, %k, 1;\n    setp.lt.u32 %p, %k, 64;\n"
    "    @%p bra next;\n    fence.proxy.async.shared::cta;\n"
    "    cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%m, {%x, %y}], [%b];\n"
    "    cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group\n"
    "        [%m, {%x, %y}], [%b];\n"
    "    cp.async.bulk.commit_group;\n    cp.async.bulk.wait_group 0;\n    ret;\n}\n"
    ".visible .entry pixels(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 w,\n"
    "                       .param .u32 h)\n{\n"
    "    .reg .u64 %m, %o, %s;\n    .reg .u32 %w, %h, %b, %k, %v;\n    .reg .pred %p;\n"
    "    .reg .b16 %dw, %dh;\n"
    "    mov.u64 %m, map;\n    cvta.param.u64 %m, %m;\n    ld.param.u64 %o, [out];\n"
    "    ld.param.u32 %w, [w];\n    ld.param.u32 %h, [h];\n    mov.u32 %b, box;\n"
    "    mov.b16 %dw, 1;\n    mov.b16 %dh, 2;\n"
    "    mbarrier.init.shared::cta.b64 [bar], 1;\n"
    "    mbarrier.arrive.expect_tx.shared::cta.b64 %s, [bar], 256;\n"
    "    cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes\n"
    "        [%b], [%m, {0, %w, %h, 0}], [bar], {%dw, %dh};\n"
    "wait:\n    mbarrier.try_wait.shared::cta.b64 %p, [bar], %s;\n    @!%p bra wait;\n"
    "    mov.u32 %k, 0;\n"
    "next:\n    ld.shared.u32 %v, [%b];\n    st.global.u32 [%o], %v;\n    add.u32 %b, %b, 4;\n"
    "    add.u64 %o, %o, 4;\n    add.u32 %k, %k, 1;\n    setp.lt.u32 %p, %k, 64;\n"
    "    @%p bra next;\n    ret;\n}\n";

static CUfunction load, store, pixels;
static CUdeviceptr tensor, words;

static CUresult encode(CUtensorMap *m, CUtensorMapSwizzle swizzle, unsigned step) {
    cuuint64_t dims[] = {W, H}, strides[] = {W * 4};
    cuuint32_t box[] = {BOX_W, BOX_H * step}, steps[] = {1, step};
    return cuTensorMapEncodeTiled(m, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, (void *)tensor, dims,
                                  strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static void run(CUfunction f, CUtensorMap *map, int x, int y) {
    void *params[] = {map, &words, &x, &y};
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
}

static void fill_tensor(void) {
    unsigned t[W * H];
    for (unsigned k = 0; k < W * H; k++)
        t[k] = k + 1;
    OK(cuMemcpyHtoD(tensor, t, sizeof t));
}

// What element (x, y) of the tensor holds at first; 0 outside.
static unsigned element(int x, int y) {
    return x < 0 || y < 0 || x >= W || y >= H ? 0 : (unsigned)(y * W + x) + 1;
}

static void loads(void) {
    static const int at[][2] = {{0, 0}, {8, 6}, {20, 8}, {-4, -2}, {100, 1}};
    _Alignas(64) CUtensorMap map;
    unsigned got[WORDS];
    for (int k = 0; k < 5; k++)
        for (unsigned step = 1; step <= 2; step++) {
            OK(encode(&map, CU_TENSOR_MAP_SWIZZLE_NONE, step));
            run(load, &map, at[k][0], at[k][1]);
            OK(cuMemcpyDtoH(got, words, sizeof got));
            for (int i = 0; i < WORDS; i++)
                CHECK(got[i] == element(at[k][0] + i % BOX_W, at[k][1] + i / BOX_W * (int)step));
        }
}

// 64-byte rows, two to 128 bytes: chunk c of line l of 128 bytes changes places by l % 4.
static void swizzles(void) {
    _Alignas(64) CUtensorMap map;
    unsigned got[WORDS];
    OK(encode(&map, CU_TENSOR_MAP_SWIZZLE_64B, 1));
    run(load, &map, 4, 3);
    OK(cuMemcpyDtoH(got, words, sizeof got));
    for (int y = 0; y < BOX_H; y++)
        for (int x = 0; x < BOX_W; x++) {
            int chunk = (x / 4) ^ (y / 2 % 4);
            CHECK(got[y * 16 + chunk * 4 + x % 4] == element(4 + x, 3 + y));
        }
}

// Stored, then added: twice the values, where the box lies inside the tensor.
static void stores(void) {
    _Alignas(64) CUtensorMap map;
    unsigned in[WORDS], t[W * H];
    for (unsigned k = 0; k < WORDS; k++)
        in[k] = 1000 + k;
    OK(cuMemcpyHtoD(words, in, sizeof in));
    OK(encode(&map, CU_TENSOR_MAP_SWIZZLE_NONE, 1));
    run(store, &map, 16, 8);
    OK(cuMemcpyDtoH(t, tensor, sizeof t));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            bool inside = x >= 16 && y >= 8;
            unsigned want =
                inside ? 2 * (1000 + (unsigned)((y - 8) * BOX_W + x - 16)) : element(x, y);
            CHECK(t[y * W + x] == want);
        }
    fill_tensor();
}

// 4 channels, 6 x 5 pixels, 2 images; a 3 x 3 filter keeps its corner in 4 x 3 of them.
static void columns(void) {
    enum { C = 4, PW = 6, PH = 5, N = 2, COLUMN = 16 };
    cuuint64_t dims[] = {C, PW, PH, N}, strides[] = {C * 4, C * PW * 4, C * PW * PH * 4};
    cuuint32_t steps[] = {1, 1, 1, 1};
    int lower[] = {0, 0}, upper[] = {-2, -2};
    _Alignas(64) CUtensorMap map;
    unsigned got[COLUMN * C];
    OK(cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, (void *)tensor, dims,
                               strides, lower, upper, C, COLUMN, steps,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    run(pixels, &map, 2, 1);
    OK(cuMemcpyDtoH(got, words, sizeof got));
    int w = 2, h = 1, n = 0;
    for (int k = 0; k < COLUMN; k++) {
        for (int c = 0; c < C; c++) {
            int at = ((n * PH + h + 2) * PW + w + 1) * C + c;
            CHECK(got[k * C + c] == (n < N ? (unsigned)at + 1 : 0));
        }
        if (++w > PW - 3) {
            w = 0;
            if (++h > PH - 3)
                h = 0, n++;
        }
    }
}

static void refusals(void) {
    _Alignas(64) CUtensorMap map;
    cuuint64_t dims[] = {W, H}, strides[] = {W * 4};
    cuuint32_t box[] = {BOX_W, BOX_H}, steps[] = {1, 1};
    EXPECT(encode(NULL, CU_TENSOR_MAP_SWIZZLE_NONE, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(&map, CU_TENSOR_MAP_SWIZZLE_32B, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(&map, CU_TENSOR_MAP_SWIZZLE_NONE, 9), CUDA_ERROR_INVALID_VALUE);
#define ENCODE(rank, address, interleave)                                                          \
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, rank, address, dims, strides,     \
                           box, steps, interleave, CU_TENSOR_MAP_SWIZZLE_NONE,                     \
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
    EXPECT(ENCODE(6, (void *)tensor, CU_TENSOR_MAP_INTERLEAVE_NONE), CUDA_ERROR_INVALID_VALUE);
    EXPECT(ENCODE(2, (char *)tensor + 4, CU_TENSOR_MAP_INTERLEAVE_NONE), CUDA_ERROR_INVALID_VALUE);
    EXPECT(ENCODE(2, (void *)tensor, CU_TENSOR_MAP_INTERLEAVE_16B), CUDA_ERROR_INVALID_VALUE);
    strides[0] = 0; // one row again and again
    OK(ENCODE(2, (void *)tensor, CU_TENSOR_MAP_INTERLEAVE_NONE));
    strides[0] = 20;
    EXPECT(ENCODE(2, (void *)tensor, CU_TENSOR_MAP_INTERLEAVE_NONE), CUDA_ERROR_INVALID_VALUE);
    memset(&map, 0, sizeof map);
    EXPECT(cuTensorMapReplaceAddress(&map, (void *)tensor), CUDA_ERROR_INVALID_VALUE);
    OK(encode(&map, CU_TENSOR_MAP_SWIZZLE_NONE, 1));
    OK(cuTensorMapReplaceAddress(&map, (char *)tensor + W * 4)); // a row further down
    unsigned got[WORDS];
    run(load, &map, 0, 0);
    OK(cuMemcpyDtoH(got, words, sizeof got));
    for (int i = 0; i < WORDS; i++)
        CHECK(got[i] == element(i % BOX_W, i / BOX_W + 1));
}

// A map of no memory yet (10.30.3): a template, of which the address is set later.
static void template(void) {
    _Alignas(64) CUtensorMap map;
    const CUdeviceptr whole = tensor;
    tensor = 0;
    OK(encode(&map, CU_TENSOR_MAP_SWIZZLE_NONE, 1));
    tensor = whole;
    OK(cuTensorMapReplaceAddress(&map, (void *)tensor));
    unsigned got[WORDS];
    run(load, &map, 8, 6);
    OK(cuMemcpyDtoH(got, words, sizeof got));
    for (int i = 0; i < WORDS; i++)
        CHECK(got[i] == element(8 + i % BOX_W, 6 + i / BOX_W));
}

// CUTLASS and Triton clear a bit of the maps of small tensors where the driver is an older one.
static void cleared_bit(void) {
    const CUdeviceptr bit = 1 << 21, whole = tensor;
    CUdeviceptr memory;
    _Alignas(64) CUtensorMap map;
    unsigned got[WORDS];
    NEED(cuMemAlloc(&memory, 4 * bit));
    tensor = ((memory + 2 * bit - 1) & ~(2 * bit - 1)) + bit;
    fill_tensor();
    OK(encode(&map, CU_TENSOR_MAP_SWIZZLE_NONE, 1));
    map.opaque[1] &= ~(cuuint64_t)bit;
    run(load, &map, 8, 6);
    OK(cuMemcpyDtoH(got, words, sizeof got));
    for (int i = 0; i < WORDS; i++)
        CHECK(got[i] == element(8 + i % BOX_W, 6 + i / BOX_W));
    OK(cuMemFree(memory));
    tensor = whole;
}

// A map that was never encoded ends the launch, not the process.
static void garbage(void) {
    _Alignas(64) CUtensorMap map = {{0}};
    int x = 0;
    void *params[] = {&map, &words, &x, &x};
    OK(cuLaunchKernel(load, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    EXPECT(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

int main(void) {
    CUmodule m;
    check_context();
    NEED(cuModuleLoadData(&m, text));
    NEED(cuModuleGetFunction(&load, m, "load"));
    NEED(cuModuleGetFunction(&store, m, "store"));
    NEED(cuModuleGetFunction(&pixels, m, "pixels"));
    NEED(cuMemAlloc(&tensor, W * H * 4 + 4096));
    NEED(cuMemAlloc(&words, WORDS * 4));
    fill_tensor();
    loads();
    swizzles();
    stores();
    columns();
    refusals();
    template();
    cleared_bit();
    garbage();
    return check_result();
}
