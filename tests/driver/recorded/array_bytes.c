// One-dimensional copies of arrays (cuMemcpyHtoA and its like) of every shape: which offsets and
// sizes a driver takes, and which bytes of the array they are.
#include "questions.h"

enum { MOST_BYTES = 1 << 16 };

struct shape {
    const char *name;
    CUDA_ARRAY3D_DESCRIPTOR d;
    size_t row, rows, slices; // as 3-D copies count them: bytes, rows, slices
};
static const struct shape shapes[] = {
    {"1d", {64, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0}, 256, 1, 1},
    {"1d_wide", {8192, 0, 0, CU_AD_FORMAT_UNSIGNED_INT16, 2, 0}, 32768, 1, 1},
    {"2d", {64, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0}, 256, 4, 1},
    {"2d_one_row", {64, 1, 0, CU_AD_FORMAT_FLOAT, 1, 0}, 256, 1, 1},
    {"2d_odd", {25, 4, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0}, 100, 4, 1},
    {"3d", {64, 4, 3, CU_AD_FORMAT_FLOAT, 1, 0}, 256, 4, 3},
    {"1d_layered", {64, 0, 3, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED}, 256, 1, 3},
    {"2d_layered", {64, 4, 3, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED}, 256, 4, 3},
    {"cube", {16, 16, 6, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_CUBEMAP}, 64, 16, 6},
    {"bc1", {64, 16, 0, CU_AD_FORMAT_BC1_UNORM, 4, 0}, 128, 4, 1},
    {"bc7", {64, 16, 0, CU_AD_FORMAT_BC7_UNORM, 4, 0}, 256, 4, 1},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static unsigned char host[MOST_BYTES], back[MOST_BYTES];
static CUdeviceptr plain;

static CUarray make(const struct shape *s) {
    CUarray a = NULL;
    MUST(cuArray3DCreate(&a, &s->d));
    return a;
}

// The whole array from or to `to`, by a 3-D copy.
static CUresult whole(const struct shape *s, CUarray a, unsigned char *memory, int to_array) {
    CUDA_MEMCPY3D c = {.srcMemoryType = to_array ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY,
                       .dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST,
                       .srcHost = memory,
                       .dstHost = memory,
                       .srcArray = a,
                       .dstArray = a,
                       .srcPitch = s->row,
                       .dstPitch = s->row,
                       .srcHeight = s->rows,
                       .dstHeight = s->rows,
                       .WidthInBytes = s->row,
                       .Height = s->rows,
                       .Depth = s->slices};
    return cuMemcpy3D(&c);
}

static size_t size_of(const struct shape *s) {
    size_t size = s->row * s->rows * s->slices;
    return size < MOST_BYTES ? size : MOST_BYTES;
}

// Every byte tells where it is, and none is 0.
static unsigned char byte_at(size_t i) {
    return (unsigned char)(1 + i % 251);
}

enum way { H_TO_A, D_TO_A, A_TO_H, A_TO_D, WAYS };
static const char *const way_names[] = {"HtoA", "DtoA", "AtoH", "AtoD"};

static CUresult copy(enum way w, CUarray a, size_t offset, size_t bytes) {
    switch (w) {
    case H_TO_A:
        return cuMemcpyHtoA(a, offset, host, bytes);
    case D_TO_A:
        return cuMemcpyDtoA(a, offset, plain, bytes);
    case A_TO_H:
        return cuMemcpyAtoH(host, a, offset, bytes);
    default:
        return cuMemcpyAtoD(plain, a, offset, bytes);
    }
}

// Where the bytes that are not 0 lie, and whether they are in order from byte_at(first) on.
static void describe(const unsigned char *p, size_t size) {
    size_t first = 0, last = size, set = 0, out_of_order = 0;
    while (first < size && !p[first])
        first++;
    while (last > first && !p[last - 1])
        last--;
    for (size_t i = first; i < last; i++) {
        set += p[i] != 0;
        out_of_order += p[i] && p[i] != (unsigned char)(1 + (p[first] - 1 + i - first) % 251);
    }
    printf(", %zu bytes in %zu to %zu, first %d, %zu not in order", set, first, last,
           first < size ? p[first] : 0, out_of_order);
}

static void try_copy(const struct shape *s, CUarray a, enum way w, size_t offset, size_t bytes) {
    size_t size = size_of(s);
    int to_array = w <= D_TO_A;
    memset(host, 0, sizeof host);
    memset(back, 0, sizeof back);
    for (size_t i = 0; i < size; i++)
        back[i] = to_array ? 0 : byte_at(i);
    if (s->row * s->rows * s->slices <= MOST_BYTES)
        MUST(whole(s, a, back, 1));
    if (to_array)
        for (size_t i = 0; i < sizeof host; i++)
            host[i] = byte_at(i);
    MUST(cuMemcpyHtoD(plain, host, sizeof host));
    CUresult r = copy(w, a, offset, bytes);
    printf("    %s offset %zu of %zu bytes: %s", way_names[w], offset, bytes, result_name(r));
    CUresult waited = cuCtxSynchronize();
    if (waited)
        printf(", then %s", result_name(waited));
    if (r == CUDA_SUCCESS && s->row * s->rows * s->slices <= MOST_BYTES) {
        memset(back, 0, sizeof back);
        if (to_array)
            MUST(whole(s, a, back, 0));
        else if (w == A_TO_D)
            MUST(cuMemcpyDtoH(back, plain, sizeof back));
        else
            memcpy(back, host, sizeof back);
        describe(back, sizeof back);
    }
    printf("\n");
    fflush(stdout);
}

static void ask_shape(int shape, int unused) {
    (void)unused;
    const struct shape *s = &shapes[shape];
    size_t row = s->row, all = row * s->rows * s->slices;
    const size_t tried[][2] = {
        {0, 0},       {0, row},     {4, row - 4}, {1, 3},       {8, 7},
        {row - 4, 4}, {row - 4, 8}, {0, row + 4}, {row, 0},     {row, 4},
        {row, row},   {0, all},     {all, 4},     {all + 4, 0}, {(size_t)-4, 8},
    };
    question_context();
    MUST(cuMemAlloc(&plain, MOST_BYTES));
    CUarray a = make(s);
    for (int w = 0; w < WAYS; w++)
        for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
            try_copy(s, a, (enum way)w, tried[i][0], tried[i][1]);
}

// The first level of a mipmapped array, and one below.
static void ask_levels(int level, int unused) {
    (void)unused;
    CUDA_ARRAY3D_DESCRIPTOR d = {64, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray m;
    CUarray a;
    size_t row = 256u >> level;
    const struct shape s = {"", d, row, 8u >> level, 1};
    question_context();
    MUST(cuMemAlloc(&plain, MOST_BYTES));
    MUST(cuMipmappedArrayCreate(&m, &d, 3));
    MUST(cuMipmappedArrayGetLevel(&a, m, (unsigned)level));
    const size_t tried[][2] = {{0, row},     {4, row - 4}, {0, row + 4},
                               {row, 4},     {row, row},   {row - 4, 8},
                               {0, 2 * row}, {256, 4},     {(s.rows - 1) * row, row}};
    for (int w = 0; w < WAYS; w++)
        for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
            try_copy(&s, a, (enum way)w, tried[i][0], tried[i][1]);
}

// From array to array.
static void ask_pair(int to, int from) {
    const struct shape *t = &shapes[to], *f = &shapes[from];
    const size_t tried[][3] = {
        {0, 0, 4},           {0, 0, 16},         {16, 0, 16},        {0, 16, 16},
        {4, 8, 12},          {1, 0, 4},          {0, 1, 4},          {0, 0, 3},
        {0, 0, t->row},      {0, 0, f->row},     {t->row, 0, 4},     {0, f->row, 4},
        {t->row, f->row, 4}, {t->row - 4, 0, 8}, {0, f->row - 4, 8}, {0, 0, t->row * 2},
        {0, 0, f->row * 2},  {0, f->row - 4, 4}, {t->row - 4, 0, 4}, {0, 0, 0},
        {0, 1 << 20, 4},     {1 << 20, 0, 4},
    };
    question_context();
    CUarray a = make(t), b = make(f);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        memset(back, 0, sizeof back);
        MUST(whole(t, a, back, 1));
        for (size_t k = 0; k < size_of(f); k++)
            back[k] = byte_at(k);
        MUST(whole(f, b, back, 1));
        CUresult r = cuMemcpyAtoA(a, tried[i][0], b, tried[i][1], tried[i][2]);
        printf("    to %zu from %zu, %zu bytes: %s", tried[i][0], tried[i][1], tried[i][2],
               result_name(r));
        CUresult waited = cuCtxSynchronize();
        if (waited)
            printf(", then %s", result_name(waited));
        memset(back, 0, sizeof back);
        MUST(whole(t, a, back, 0));
        if (r == CUDA_SUCCESS)
            describe(back, sizeof back);
        printf("\n");
    }
}

int main(int argc, char **argv) {
    static const char *const pairs[][2] = {
        {"2d", "1d"},         {"2d_odd", "2d"}, {"3d", "2d"},
        {"1d_layered", "1d"}, {"bc1", "bc1"},   {"bc1", "2d"},
    };
    enum { PAIRS = sizeof pairs / sizeof *pairs, LEVELS = 3 };
    static struct question q[SHAPES + PAIRS + LEVELS];
    int n = 0;
    for (int i = 0; i < SHAPES; i++) {
        q[n] = (struct question){.ask = ask_shape, .a = i};
        snprintf(q[n++].name, sizeof q->name, "%s", shapes[i].name);
    }
    for (int i = 0; i < LEVELS; i++) {
        q[n] = (struct question){.ask = ask_levels, .a = i};
        snprintf(q[n++].name, sizeof q->name, "level %d", i);
    }
    for (int i = 0; i < PAIRS; i++) {
        q[n] = (struct question){.ask = ask_pair};
        for (int k = 0; k < SHAPES; k++) {
            if (!strcmp(shapes[k].name, pairs[i][0]))
                q[n].a = k;
            if (!strcmp(shapes[k].name, pairs[i][1]))
                q[n].b = k;
        }
        snprintf(q[n++].name, sizeof q->name, "%s from %s", pairs[i][0], pairs[i][1]);
    }
    return questions_run(q, n, argc, argv);
}
