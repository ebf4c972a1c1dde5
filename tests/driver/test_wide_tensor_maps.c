// Pixels of one row and their halos (im2col::w, im2col::w::128) against where each lies by the
// manual's definition of the box, and the order that src/device/helpers/tensor_copy.c names; what
// is refused.
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { C = 32, W = 11, H = 3, D = 2, N = 40, BYTES = 40 << 10, MAX_RANK = 5 };

// One load by `mode`, and all of the shared memory that it may have written.
static const char form[] =
    ".version 8.6\n.target sm_100a\n.address_size 64\n"
    ".shared .align 1024 .b8 box[40960];\n.shared .align 8 .b64 bar;\n"
    ".visible .entry load(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 c,\n"
    "                     .param .u32 w, .param .u32 h, .param .u32 d, .param .u32 n,\n"
    "                     .param .u32 halo, .param .u32 offset, .param .u32 bytes)\n{\n"
    "    .reg .u64 %%m, %%o, %%s;\n    .reg .u32 %%c, %%w, %%h, %%d, %%n, %%b, %%k, %%v, %%x;\n"
    "    .reg .b16 %%ha, %%of;\n    .reg .pred %%p;\n"
    "    mov.u64 %%m, map;\n    cvta.param.u64 %%m, %%m;\n    ld.param.u64 %%o, [out];\n"
    "    ld.param.u32 %%c, [c];\n    ld.param.u32 %%w, [w];\n    ld.param.u32 %%h, [h];\n"
    "    ld.param.u32 %%d, [d];\n    ld.param.u32 %%n, [n];\n    ld.param.u32 %%x, [halo];\n"
    "    cvt.u16.u32 %%ha, %%x;\n    ld.param.u32 %%x, [offset];\n    cvt.u16.u32 %%of, %%x;\n"
    "    ld.param.u32 %%x, [bytes];\n    mov.u32 %%b, box;\n    mov.u32 %%k, 0;\n"
    "clear:\n    add.u32 %%v, %%b, %%k;\n    st.shared.u32 [%%v], 7;\n    add.u32 %%k, %%k, 4;\n"
    "    setp.lt.u32 %%p, %%k, 40960;\n    @%%p bra clear;\n"
    "    fence.proxy.async.shared::cta;\n"
    "    mbarrier.init.shared::cta.b64 [bar], 1;\n"
    "    mbarrier.arrive.expect_tx.shared::cta.b64 %%s, [bar], %%x;\n"
    "    cp.async.bulk.tensor.%dd.shared::cluster.global.%s.mbarrier::complete_tx::bytes\n"
    "        [%%b], [%%m, {%s}], [bar], {%s};\n"
    "wait:\n    mbarrier.try_wait.shared::cta.b64 %%p, [bar], %%s;\n    @!%%p bra wait;\n"
    "    mov.u32 %%k, 0;\n"
    "next:\n    ld.shared.u32 %%v, [%%b];\n    st.global.u32 [%%o], %%v;\n    add.u32 %%b, %%b, "
    "4;\n"
    "    add.u64 %%o, %%o, 4;\n    add.u32 %%k, %%k, 4;\n    setp.lt.u32 %%p, %%k, 40960;\n"
    "    @%%p bra next;\n    ret;\n}\n";

struct load {
    int rank, channels, pixels, step, image_step, lower, upper, halo, offset;
    int w, h, d, n;
    bool wide; // 128 pixels
};

static CUdeviceptr tensor, out;
static unsigned got[BYTES / 4];

static CUfunction kernel(int rank, const char *mode, const char *offsets) {
    static const char *const coordinates[] = {"%c, %w, %n", "%c, %w, %h, %n", "%c, %w, %h, %d, %n"};
    char text[sizeof form + 200];
    CUmodule m;
    CUfunction f;
    snprintf(text, sizeof text, form, rank, mode, coordinates[rank - 3], offsets);
    NEED(cuModuleLoadData(&m, text));
    NEED(cuModuleGetFunction(&f, m, "load"));
    return f;
}

static int rows_of(const struct load *l) {
    return l->wide ? 128 + 4 * l->halo : l->pixels + l->halo;
}

static CUresult encode(const struct load *l, CUtensorMapIm2ColWideMode mode,
                       CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                       CUtensorMap *map) {
    const cuuint64_t all[] = {C, W, l->rank == 3 ? N : H, l->rank == 4 ? N : D, N};
    cuuint64_t strides[MAX_RANK - 1] = {C * 4};
    cuuint32_t steps[MAX_RANK] = {1, (cuuint32_t)l->step, 1, 1, 1};
    for (int d = 1; d + 1 < MAX_RANK; d++)
        strides[d] = strides[d - 1] * all[d];
    steps[l->rank - 1] = (cuuint32_t)l->image_step;
    return cuTensorMapEncodeIm2colWide(
        map, CU_TENSOR_MAP_DATA_TYPE_UINT32, (cuuint32_t)l->rank, (void *)tensor, all, strides,
        l->lower, l->upper, (cuuint32_t)l->channels, (cuuint32_t)l->pixels, steps, interleave, mode,
        swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static CUresult run(CUfunction f, CUtensorMap *map, const struct load *l, unsigned rows) {
    int c = 0, w = l->w, h = l->h, d = l->d, n = l->n, halo = l->halo, offset = l->offset;
    unsigned bytes = rows * (unsigned)l->channels * 4;
    void *params[] = {map, &out, &c, &w, &h, &d, &n, &halo, &offset, &bytes};
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    return cuCtxSynchronize();
}

// ---- What is loaded -------------------------------------------------------------------------

// Of pixel `p` of the way, channel c: the tensor's words are numbered from 1; 0: outside.
static unsigned word_at(const struct load *l, int p, int c) {
    int left = l->lower + l->offset, right = W - 1 + l->upper + l->offset, first = l->w + l->offset;
    int in_first = (right - first) / l->step + 1, in_row = (right - left) / l->step + 1;
    int later = p - in_first, w = first + p * l->step, n = l->n;
    if (later >= 0) {
        w = left + later % in_row * l->step;
        n += (1 + later / in_row) * l->image_step;
    }
    int h = l->rank > 3 ? l->h : 0, d = l->rank > 4 ? l->d : 0;
    int rows = l->rank > 3 ? H : 1, layers = l->rank > 4 ? D : 1;
    if (w < 0 || w >= W || n < 0 || n >= N || h < 0 || h >= rows || d < 0 || d >= layers)
        return 0;
    return (unsigned)((((n * layers + d) * rows + h) * W + w) * C + c) + 1;
}

static unsigned shared_word(unsigned row, unsigned c, unsigned row_bytes, unsigned width) {
    unsigned at = row * row_bytes + c * 4;
    return (at ^ ((at / 128 * 16) & (width - 16))) / 4;
}

static void check(CUfunction f, const struct load *l) {
    _Alignas(64) CUtensorMap map;
    unsigned rows = (unsigned)rows_of(l), width = l->channels > 16 ? 128 : 64, wrong = 0;
    OK(encode(l, l->wide ? CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 : CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,
              CU_TENSOR_MAP_INTERLEAVE_NONE,
              width == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B, &map));
    OK(run(f, &map, l, rows));
    OK(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned r = 0; r < rows; r++)
        for (int c = 0; c < l->channels; c++) {
            int behind = (int)r - 128, p = (int)r;
            if (l->wide && behind >= 0)
                p = 32 * (behind % 4 + 1) + behind / 4;
            unsigned *at = &got[shared_word(r, (unsigned)c, width, width)];
            wrong += *at != word_at(l, p, c);
            *at = 7;
        }
    for (unsigned k = 0; k < BYTES / 4; k++)
        wrong += got[k] != 7; // nothing else was written
    if (wrong)
        fprintf(stderr,
                "rank %d: %d channels, %d pixels, step %d and %d, box %d %d, halo %d, "
                "offset %d, at %d %d %d %d, wide %d: %u words are wrong\n",
                l->rank, l->channels, l->pixels, l->step, l->image_step, l->lower, l->upper,
                l->halo, l->offset, l->w, l->h, l->d, l->n, l->wide, wrong);
    CHECK(!wrong);
}

static unsigned random_word(void) {
    static unsigned state = 12345;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}
static int between(int low, int high) {
    return low + (int)(random_word() % (unsigned)(high - low + 1));
}

static void loads(int rank, int count) {
    CUfunction f[] = {kernel(rank, "im2col::w", "%ha, %of"),
                      kernel(rank, "im2col::w::128", "%ha, %of")};
    for (int k = 0; k < count; k++) {
        struct load l = {.rank = rank, .wide = k % 2};
        l.channels = (int[]){16, 32, 4}[k % 3];
        l.pixels = between(1, 100);
        l.step = between(1, 3);
        l.image_step = between(1, 2);
        l.lower = between(-3, 2);
        l.upper = between(-4, 3);
        l.halo = k % 5 ? between(0, l.wide ? 31 : 90) : 0;
        l.offset = k % 4 ? between(0, 8) : 0;
        l.w = between(l.lower - 4, W - 1 + l.upper); // it may begin left of the box
        l.h = between(-1, H);
        l.d = between(0, D);
        l.n = between(-2, N - 1);
        if (rows_of(&l) * (l.channels > 16 ? 128 : 64) <= BYTES)
            check(f[k % 2], &l);
    }
}

// ---- What is refused ------------------------------------------------------------------------

static const struct load plain = {
    .rank = 4, .channels = 16, .pixels = 8, .step = 1, .image_step = 1};

static void encodings(void) {
    const CUtensorMapIm2ColWideMode w = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,
                                    w128 = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128;
    const CUtensorMapInterleave none = CU_TENSOR_MAP_INTERLEAVE_NONE;
    const CUtensorMapSwizzle s64 = CU_TENSOR_MAP_SWIZZLE_64B;
    const CUresult value = CUDA_ERROR_INVALID_VALUE;
    _Alignas(64) CUtensorMap map;
    struct load l = plain;
#define WITH(field, v, mode, want)                                                                 \
    do {                                                                                           \
        l = plain, l.field = v;                                                                    \
        EXPECT(encode(&l, mode, none, s64, &map), want);                                           \
    } while (0)
    OK(encode(&plain, w, none, CU_TENSOR_MAP_SWIZZLE_NONE, &map)); // as an H200's driver
    EXPECT(encode(&plain, w, none, CU_TENSOR_MAP_SWIZZLE_32B, &map), value);
    EXPECT(encode(&plain, w, CU_TENSOR_MAP_INTERLEAVE_16B, s64, &map), value);
    EXPECT(encode(&plain, (CUtensorMapIm2ColWideMode)2, none, s64, &map), value);
    WITH(rank, 2, w, value);
    WITH(pixels, 1024, w, CUDA_SUCCESS);
    WITH(pixels, 1025, w, value);
    WITH(pixels, 0, w, value);
    WITH(pixels, 1025, w128, CUDA_SUCCESS); // it is not read
    WITH(channels, 20, w, value);           // wider than the swizzle
    WITH(channels, 257, w, value);
    WITH(lower, -32768, w, CUDA_SUCCESS);
    WITH(lower, -32769, w, value);
    WITH(lower, W, w, value); // an empty box
    WITH(upper, -W, w, value);
    WITH(step, 9, w, value);
#undef WITH
}

struct refusal {
    const char *mode, *offsets;
    int w, halo, offset;
    bool swizzled;
    CUresult want;
};

// In a process of its own: the error stays.
static void refused(const struct refusal *r) {
    fflush(NULL);
    pid_t child = fork();
    int status = -1;
    if (!child) {
        _Alignas(64) CUtensorMap map;
        struct load l = plain;
        check_context();
        NEED(cuMemAlloc(&tensor, (size_t)C * W * H * D * N * 4));
        NEED(cuMemAlloc(&out, BYTES));
        l.w = r->w, l.halo = r->halo, l.offset = r->offset;
        NEED(encode(&l, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, CU_TENSOR_MAP_INTERLEAVE_NONE,
                    r->swizzled ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_NONE, &map));
        unsigned rows =
            strstr(r->mode, "128") ? 128u + 4u * (unsigned)r->halo : (unsigned)(l.pixels + r->halo);
        CUfunction f = kernel(l.rank, r->mode, r->offsets);
        _exit(EXPECT(run(f, &map, &l, rows), r->want) ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void refusals(void) {
    static const CUresult illegal = CUDA_ERROR_ILLEGAL_INSTRUCTION;
    const struct refusal all[] = {
        {"im2col::w", "%ha, %of", 0, 0, 31, true, CUDA_SUCCESS},
        {"im2col::w", "%ha, %of", 0, 0, 32, true, illegal},
        {"im2col::w", "%ha, %of", 0, 511, 0, true, CUDA_SUCCESS},
        {"im2col::w", "%ha, %of", 0, 512, 0, true, illegal},
        {"im2col::w::128", "%ha, %of", 0, 31, 0, true, CUDA_SUCCESS},
        {"im2col::w::128", "%ha, %of", 0, 32, 0, true, illegal},
        {"im2col::w", "%ha, %of", W - 1, 0, 0, true, CUDA_SUCCESS},
        {"im2col::w", "%ha, %of", W, 0, 0, true, illegal},
        {"im2col::w", "%ha, %of", -100, 0, 0, true, CUDA_SUCCESS},
        {"im2col::w", "%ha, %of", 0, 0, 0, false, illegal}, // no swizzle
        {"im2col", "%ha, %of", 0, 0, 0, true, illegal},     // a map of the other kind
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        refused(&all[k]);
}

// The argument: loads of each number of dimensions, 60 without one.
int main(int argc, char **argv) {
    const size_t words = (size_t)C * W * H * D * N;
    refusals(); // before this process has threads
    check_context();
    NEED(cuMemAlloc(&tensor, words * 4));
    NEED(cuMemAlloc(&out, BYTES));
    unsigned *t = malloc(words * 4);
    for (size_t k = 0; k < words; k++)
        t[k] = (unsigned)k + 1;
    OK(cuMemcpyHtoD(tensor, t, words * 4));
    free(t);
    encodings();
    for (int rank = 3; rank <= MAX_RANK; rank++)
        loads(rank, argc > 1 ? atoi(argv[1]) : 60);
    return check_result();
}
