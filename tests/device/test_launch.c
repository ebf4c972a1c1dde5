// Launches: every block runs once with the right description, in every mode.
#include "device/fake_module.h"

struct params {
    uint32_t *counts;
    uint64_t *sums;
};

static const struct params *params_of(const struct kd_block *b) {
    return (const struct params *)b->params;
}

static void count_block(struct kd_block *b) {
    __atomic_fetch_add(&params_of(b)->counts[b->block_index], 1, __ATOMIC_RELAXED);
    uint64_t linear =
        b->ctaid[0] + (uint64_t)b->nctaid[0] * (b->ctaid[1] + (uint64_t)b->nctaid[1] * b->ctaid[2]);
    if (linear != b->block_index || b->nthreads != b->ntid[0] * b->ntid[1] * b->ntid[2])
        __atomic_fetch_add(&params_of(b)->counts[0], 1000, __ATOMIC_RELAXED);
}

// Shared, local and spill memory belong to the block: write all, check all.
static void use_memory(struct kd_block *b) {
    memset(b->shared, (int)b->block_index, b->shared_window_bytes);
    for (uint32_t t = 0; t < b->nthreads; t++)
        memset(b->local + t * b->local_stride, (int)(b->block_index + t), 24);
    memset(b->spill, 0x5a, b->nwarps * 96u);
    bool ok = b->dynamic_shared >= 100 && b->dynamic_shared_bytes == 4000 &&
              b->shared_window_bytes >= 4100 && b->local_stride >= 24;
    for (uint64_t i = 0; i < b->shared_window_bytes; i++)
        ok &= b->shared[i] == (uint8_t)b->block_index;
    for (uint32_t t = 0; t < b->nthreads; t++)
        ok &= b->local[t * b->local_stride + 23] == (uint8_t)(b->block_index + t);
    __atomic_fetch_add(&params_of(b)->counts[b->block_index], ok, __ATOMIC_RELAXED);
}

static void count_warp(struct kd_block *b, uint32_t warp) {
    __atomic_fetch_add(&params_of(b)->counts[b->block_index], 1u << (8 * warp), __ATOMIC_RELAXED);
}

static void count_thread(struct kd_block *b, uint32_t thread) {
    __atomic_fetch_add(&params_of(b)->counts[b->block_index], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&params_of(b)->sums[b->block_index], thread, __ATOMIC_RELAXED);
}

static void count_all(struct kd_block *b) {
    __atomic_fetch_add(&params_of(b)->sums[b->block_index % 2], 1, __ATOMIC_RELAXED);
}

static void nothing(struct kd_block *b) {
}

static void recurse_deep(struct kd_block *b) {
    volatile char room[200 << 10];
    room[0] = 1;
    room[sizeof room - 1] = 1;
    params_of(b)->counts[0] += (uint32_t)(room[0] + room[sizeof room - 1]);
}

static const struct fake_kernel kernels[] = {
    {.name = "count_block", .entry = count_block, .param_bytes = 16},
    {.name = "use_memory",
     .entry = use_memory,
     .param_bytes = 16,
     .shared_static = 100,
     .local_bytes = 24,
     .spill_bytes = 96},
    {.name = "count_warp", .entry = count_warp, .mode = KD_MODE_WARP_STACKS, .param_bytes = 16},
    {.name = "count_thread",
     .entry = count_thread,
     .mode = KD_MODE_THREAD_STACKS,
     .param_bytes = 16},
    {.name = "interpreted", .entry = count_block, .mode = KD_MODE_INTERPRETER, .param_bytes = 16},
    {.name = "waiting_block", .entry = count_block, .flags = KD_CODE_MAY_WAIT, .param_bytes = 16},
    {.name = "count_all", .entry = count_all, .param_bytes = 16},
    {.name = "nothing", .entry = nothing},
    {.name = "recurse_deep", .entry = recurse_deep, .param_bytes = 16},
};

static struct kd_context *context;
static struct kd_module *module;
static struct params args;

static void clear(uint32_t n) {
    memset(args.counts, 0, n * sizeof *args.counts);
    memset(args.sums, 0, n * sizeof *args.sums);
}

static void test_every_block(const char *name) {
    struct kd_queue *q = kd_context_legacy_queue(context);
    static const uint32_t grids[][3] = {
        {1, 1, 1}, {7, 1, 1}, {3, 5, 2}, {1000, 1, 1}, {20000, 1, 1}};
    for (size_t g = 0; g < 5; g++) {
        uint32_t n = grids[g][0] * grids[g][1] * grids[g][2];
        clear(n);
        struct kd_launch_config c = {.kernel = kd_module_kernel(module, name),
                                     .grid = {grids[g][0], grids[g][1], grids[g][2]},
                                     .block = {8, 2, 2},
                                     .params = &args,
                                     .param_bytes = 16};
        EXPECT_EQ(kd_submit_launch(q, &c), KD_OK);
        EXPECT_EQ(kd_queue_wait(q), KD_OK);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < n; i++)
            wrong += args.counts[i] != 1;
        EXPECT_EQ(wrong, 0);
    }
}

// Threads take blocks from both ends of a launch, which meet somewhere.
static void test_ends(void) {
    enum { MOST = 70, TIMES = 20 };
    struct kd_queue *q = kd_context_legacy_queue(context);
    for (uint32_t n = 1; n <= MOST; n++) {
        clear(MOST);
        for (int k = 0; k < TIMES; k++)
            EXPECT_EQ(fake_launch(q, module, "count_block", n, 32, &args, 16), KD_OK);
        EXPECT_EQ(kd_queue_wait(q), KD_OK);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < MOST; i++)
            wrong += args.counts[i] != (i < n ? TIMES : 0);
        EXPECT_EQ(wrong, 0);
    }
}

// Planes of many threads, which are taken from the beginning alone.
static void test_planes(void) {
    enum { X = 4, Y = 33, Z = 31, TIMES = 5 };
    struct kd_queue *q = kd_context_legacy_queue(context);
    struct kd_launch_config c = {.kernel = kd_module_kernel(module, "count_block"),
                                 .grid = {X, Y, Z},
                                 .block = {1024, 1, 1},
                                 .params = &args,
                                 .param_bytes = 16};
    clear(X * Y * Z);
    for (int k = 0; k < TIMES; k++)
        EXPECT_EQ(kd_submit_launch(q, &c), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < X * Y * Z; i++)
        wrong += args.counts[i] != TIMES;
    EXPECT_EQ(wrong, 0);
}

// More blocks than are taken from both ends.
static void test_many_blocks(void) {
    struct kd_queue *q = kd_context_legacy_queue(context);
    clear(2);
    EXPECT_EQ(fake_launch(q, module, "count_all", (1 << 24) + 2, 1, &args, 16), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    EXPECT_EQ(args.sums[0], (1 << 23) + 1);
    EXPECT_EQ(args.sums[1], (1 << 23) + 1);
}

static void test_memory(void) {
    struct kd_queue *q = kd_context_legacy_queue(context);
    struct kd_launch_config c = {.kernel = kd_module_kernel(module, "use_memory"),
                                 .grid = {300, 1, 1},
                                 .block = {70, 1, 1},
                                 .shared_bytes = 4000,
                                 .params = &args,
                                 .param_bytes = 16};
    clear(300);
    EXPECT_EQ(kd_submit_launch(q, &c), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    uint32_t right = 0;
    for (int i = 0; i < 300; i++)
        right += args.counts[i] == 1;
    EXPECT_EQ(right, 300);
}

static void test_units(void) {
    struct kd_queue *q = kd_context_legacy_queue(context);
    clear(50);
    EXPECT_EQ(fake_launch(q, module, "count_warp", 50, 97, &args, 16), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    for (int i = 0; i < 50; i++)
        EXPECT_EQ(args.counts[i], 0x01010101);
    clear(50);
    EXPECT_EQ(fake_launch(q, module, "count_thread", 50, 1000, &args, 16), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    for (int i = 0; i < 50; i++) {
        EXPECT_EQ(args.counts[i], 1000);
        EXPECT_EQ(args.sums[i], 999 * 1000 / 2);
    }
}

static void test_checks(void) {
    struct kd_queue *q = kd_context_legacy_queue(context);
    EXPECT_EQ(fake_launch(q, module, "nothing", 1, 1025, NULL, 0), KD_INVALID_VALUE);
    EXPECT(strstr(kd_reason(), "nothing") != NULL);
    EXPECT_EQ(fake_launch(q, module, "nothing", 0, 1, NULL, 0), KD_INVALID_VALUE);
    EXPECT_EQ(fake_launch(q, module, "count_block", 1, 1, &args, 8), KD_INVALID_VALUE);
    struct kd_launch_config c = {.kernel = kd_module_kernel(module, "nothing"),
                                 .grid = {1, 1, 1},
                                 .block = {1, 1, 1},
                                 .shared_bytes = (48 << 10) + 1};
    EXPECT_EQ(kd_submit_launch(q, &c), KD_INVALID_VALUE);
    EXPECT_EQ(kd_kernel_set_max_dynamic_shared(c.kernel, 227 << 10), KD_OK);
    c.shared_bytes = 227 << 10;
    EXPECT_EQ(kd_submit_launch(q, &c), KD_OK);
    EXPECT_EQ(kd_kernel_set_max_dynamic_shared(c.kernel, (227 << 10) + 1), KD_INVALID_VALUE);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    EXPECT(kd_module_kernel(module, "absent") == NULL);
    EXPECT_STR(kd_reason(), "the module has no kernel absent");
}

static void test_large_stack(void) {
    struct kd_queue *q = kd_context_legacy_queue(context);
    clear(1);
    EXPECT_EQ(fake_launch(q, module, "recurse_deep", 1, 1, &args, 16), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    EXPECT_EQ(args.counts[0], 2);
}

static void test_occupancy(void) {
    // 32 registers a thread, no shared memory: 2,048 threads or 32 blocks, as the guide's table
    // for compute capability 9.0 gives.
    const struct kd_kernel *k = kd_module_kernel(module, "nothing");
    EXPECT_EQ(kd_kernel_occupancy(k, 1024, 0), 2);
    EXPECT_EQ(kd_kernel_occupancy(k, 256, 0), 8);
    EXPECT_EQ(kd_kernel_occupancy(k, 32, 0), 32);
    EXPECT_EQ(kd_kernel_occupancy(k, 1025, 0), 0);
    EXPECT_EQ(kd_kernel_occupancy(k, 32, 100 << 10), 2);
}

int main(void) {
    context = fake_context();
    module = fake_module(context, kernels, sizeof kernels / sizeof kernels[0]);
    args.counts = calloc(20000, sizeof *args.counts);
    args.sums = calloc(20000, sizeof *args.sums);
    test_every_block("count_block");
    test_every_block("interpreted");
    test_every_block("waiting_block");
    test_memory();
    test_ends();
    test_planes();
    test_many_blocks();
    test_units();
    test_checks();
    test_large_stack();
    test_occupancy();
    kd_context_destroy(context);
    free(args.counts);
    free(args.sums);
    return expect_done();
}
