// Stack modes: barriers, warp operations, waiting between units and between blocks.
#include "device/fake_module.h"
#include "isa/isa.h"

struct params {
    uint32_t *data;
    uint32_t count;
};
static struct params args;
static const struct params *params_of(const struct kd_block *b) {
    return (const struct params *)b->params;
}
static void fail(struct kd_block *b, uint32_t code) {
    __atomic_fetch_add(&params_of(b)->data[0], code, __ATOMIC_RELAXED);
}

// Each unit writes its word, waits, and reads its neighbour's; many rounds.
static void rounds(struct kd_block *b, uint32_t unit, uint32_t units) {
    uint32_t *word = (uint32_t *)b->shared;
    for (uint32_t r = 1; r <= 20; r++) {
        word[unit] = r * 1000 + unit;
        kd_rt_bar_sync(b, unit, 0, 0);
        if (word[(unit + 1) % units] != r * 1000 + (unit + 1) % units)
            fail(b, 1);
        kd_rt_bar_sync(b, unit, 0, 0);
    }
}
static void rounds_warp(struct kd_block *b, uint32_t warp) {
    rounds(b, warp, b->nwarps);
}
static void rounds_thread(struct kd_block *b, uint32_t thread) {
    rounds(b, thread, b->nthreads);
}

// Half of the units leave; the barrier is for those that stay.
static void leavers(struct kd_block *b, uint32_t unit) {
    if (unit % 2)
        return;
    for (int i = 0; i < 3; i++)
        kd_rt_bar_sync(b, unit, 0, 0);
    __atomic_fetch_add(&params_of(b)->data[1], 1, __ATOMIC_RELAXED);
}

// Warps 0 and 1 produce (bar.arrive), 2 and 3 consume (bar.sync), with a named barrier.
static void named(struct kd_block *b, uint32_t warp) {
    uint32_t *word = (uint32_t *)b->shared;
    if (warp < 2) {
        word[warp] = 7 + warp;
        kd_rt_bar_arrive(b, warp, 3, 128);
        return;
    }
    kd_rt_bar_sync(b, warp, 3, 128);
    if (word[0] != 7 || word[1] != 8)
        fail(b, 1);
    kd_rt_bar_sync(b, warp, 4, 64);
    __atomic_fetch_add(&params_of(b)->data[1], 1, __ATOMIC_RELAXED);
}

static void reductions(struct kd_block *b, uint32_t thread) {
    uint32_t even = thread % 2 == 0;
    if (kd_rt_bar_red(b, thread, 0, 0, ISA_BOOL_POPC, even, 1) != (b->nthreads + 1) / 2)
        fail(b, 1);
    if (kd_rt_bar_red(b, thread, 0, 0, ISA_BOOL_AND, even, 1) != 0)
        fail(b, 100);
    if (kd_rt_bar_red(b, thread, 0, 0, ISA_BOOL_AND, 1, 1) != 1)
        fail(b, 10000);
    if (kd_rt_bar_red(b, thread, 0, 0, ISA_BOOL_OR, thread == 0, 1) != 1)
        fail(b, 1000000);
    if (kd_rt_bar_red(b, thread, 0, 0, ISA_BOOL_OR, 0, 1) != 0)
        fail(b, 100000000);
}

// Expected values are written out from the PTX manual's descriptions.
static void warp_ops(struct kd_block *b, uint32_t t) {
    uint32_t lane = t % 32, all = ~0u;
    uint64_t r = kd_rt_warp_shfl(b, t, ISA_SHFL_IDX, t, 5, 0x1f, all);
    if ((uint32_t)r != t - lane + 5 || r >> 32 != 1)
        fail(b, 1);
    r = kd_rt_warp_shfl(b, t, ISA_SHFL_UP, t, 4, 0, all);
    if (lane < 4 ? ((uint32_t)r != t || r >> 32) : ((uint32_t)r != t - 4 || r >> 32 != 1))
        fail(b, 1 << 4);
    r = kd_rt_warp_shfl(b, t, ISA_SHFL_DOWN, t, 4, 0x1f, all);
    if (lane >= 28 ? ((uint32_t)r != t || r >> 32) : ((uint32_t)r != t + 4 || r >> 32 != 1))
        fail(b, 1 << 8);
    // Segments of 8 lanes (width 8: mask 0x18, clamp 7).
    r = kd_rt_warp_shfl(b, t, ISA_SHFL_DOWN, t, 1, 0x1807, all);
    if (lane % 8 == 7 ? (uint32_t)r != t : (uint32_t)r != t + 1)
        fail(b, 1 << 12);
    r = kd_rt_warp_shfl(b, t, ISA_SHFL_BFLY, t, 16, 0x1f, all);
    if ((uint32_t)r != (t ^ 16))
        fail(b, 1 << 16);
    if (kd_rt_warp_vote(b, t, ISA_VOTE_BALLOT, lane % 3 == 0, all) != 0x49249249)
        fail(b, 1 << 20);
    if (!kd_rt_warp_vote(b, t, ISA_VOTE_ANY, lane == 31, all) ||
        kd_rt_warp_vote(b, t, ISA_VOTE_ALL, lane == 31, all) ||
        !kd_rt_warp_vote(b, t, ISA_VOTE_UNI, 1, all))
        fail(b, 1 << 24);
    if (kd_rt_warp_match(b, t, ISA_MATCH_ANY, lane / 16, 32, all) !=
        (lane < 16 ? 0xffffu : 0xffff0000u))
        fail(b, 1 << 25);
    if (kd_rt_warp_match(b, t, ISA_MATCH_ALL, 9, 64, all) != (0xffffffffull | 1ull << 32) ||
        kd_rt_warp_match(b, t, ISA_MATCH_ALL, lane, 64, all) != 0)
        fail(b, 1 << 26);
    if (kd_rt_warp_redux(b, t, ISA_ATOM_ADD, 0, lane, all) != 496 ||
        kd_rt_warp_redux(b, t, ISA_ATOM_MIN, 1, lane - 16, all) != (uint32_t)-16 ||
        kd_rt_warp_redux(b, t, ISA_ATOM_MAX, 0, lane - 16, all) != (uint32_t)-1 ||
        kd_rt_warp_redux(b, t, ISA_ATOM_XOR, 0, 1u << lane, all) != all)
        fail(b, 1 << 27);
    // Two halves at different operations at the same time.
    uint32_t half = lane < 16 ? 0xffff : 0xffff0000;
    if (lane < 16)
        kd_rt_warp_sync(b, t, half);
    if (kd_rt_warp_vote(b, t, ISA_VOTE_BALLOT, 1, half) != half)
        fail(b, 1 << 28);
    // Lanes that exit do not count.
    if (lane % 4 == 0)
        return;
    if (kd_rt_warp_vote(b, t, ISA_VOTE_BALLOT, 1, all) != 0xeeeeeeee)
        fail(b, 1 << 29);
}

// A lock that each thread takes: the holder may be any lane of the same warp.
static void spin_lock(struct kd_block *b, uint32_t thread) {
    uint32_t *lock = &params_of(b)->data[2], *counter = &params_of(b)->data[1];
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        kd_rt_yield(b);
    uint32_t v = *counter;
    kd_rt_yield(b); // others must not get in
    *counter = v + 1;
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

// Every block waits for the one behind it.
static void chain(struct kd_block *b) {
    uint32_t *flags = params_of(b)->data + 16;
    uint64_t next = b->block_index + 1;
    if (next < b->nctaid[0])
        while (!__atomic_load_n(&flags[next], __ATOMIC_ACQUIRE))
            kd_rt_yield(b);
    __atomic_store_n(&flags[b->block_index], 1, __ATOMIC_RELEASE);
}
static void chain_warp(struct kd_block *b, uint32_t warp) {
    kd_rt_bar_sync(b, warp, 0, 0);
    if (warp == 0)
        chain(b);
    kd_rt_bar_sync(b, warp, 0, 0);
}

// A barrier of the whole grid.
static void grid_barrier(struct kd_block *b, uint32_t warp) {
    uint32_t *arrived = &params_of(b)->data[1];
    for (uint32_t round = 1; round <= 10; round++) {
        kd_rt_bar_sync(b, warp, 0, 0);
        if (warp == 0) {
            __atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL);
            while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < round * b->nctaid[0])
                kd_rt_yield(b);
        }
        kd_rt_bar_sync(b, warp, 0, 0);
    }
}

static void wait_for_host(struct kd_block *b) {
    while (!__atomic_load_n(&params_of(b)->data[1], __ATOMIC_ACQUIRE))
        kd_rt_nanosleep(b, 0, 1000);
    __atomic_store_n(&params_of(b)->data[2], 1, __ATOMIC_RELEASE);
}

#define WARP(f)                                                                                    \
    {.name = #f, .entry = f, .mode = KD_MODE_WARP_STACKS, .param_bytes = 16, .shared_static = 4096}
#define THREAD(f)                                                                                  \
    {.name = #f,                                                                                   \
     .entry = f,                                                                                   \
     .mode = KD_MODE_THREAD_STACKS,                                                                \
     .param_bytes = 16,                                                                            \
     .shared_static = 4096}
static const struct fake_kernel kernels[] = {
    WARP(rounds_warp),
    THREAD(rounds_thread),
    {.name = "leavers_warp", .entry = leavers, .mode = KD_MODE_WARP_STACKS, .param_bytes = 16},
    {.name = "leavers_thread", .entry = leavers, .mode = KD_MODE_THREAD_STACKS, .param_bytes = 16},
    WARP(named),
    THREAD(reductions),
    THREAD(warp_ops),
    {.name = "spin_lock",
     .entry = spin_lock,
     .mode = KD_MODE_THREAD_STACKS,
     .flags = KD_CODE_MAY_WAIT,
     .param_bytes = 16},
    {.name = "chain", .entry = chain, .flags = KD_CODE_MAY_WAIT, .param_bytes = 16},
    {.name = "chain_warp",
     .entry = chain_warp,
     .mode = KD_MODE_WARP_STACKS,
     .flags = KD_CODE_MAY_WAIT,
     .param_bytes = 16},
    {.name = "grid_barrier",
     .entry = grid_barrier,
     .mode = KD_MODE_WARP_STACKS,
     .flags = KD_CODE_MAY_WAIT,
     .param_bytes = 16},
    {.name = "wait_for_host", .entry = wait_for_host, .flags = KD_CODE_MAY_WAIT, .param_bytes = 16},
};

static struct kd_context *context;
static struct kd_module *module;

static void run(const char *name, uint32_t grid, uint32_t block) {
    struct kd_queue *q = kd_context_legacy_queue(context);
    memset(args.data, 0, 4096 * sizeof *args.data);
    EXPECT_EQ(fake_launch(q, module, name, grid, block, &args, 16), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    if (args.data[0])
        fprintf(stderr, "%s: 0x%x\n", name, args.data[0]);
    EXPECT_EQ(args.data[0], 0);
}

int main(void) {
    context = fake_context();
    module = fake_module(context, kernels, sizeof kernels / sizeof kernels[0]);
    args.data = calloc(4096, sizeof *args.data);
    run("rounds_warp", 40, 1024);
    run("rounds_warp", 3, 45);
    run("rounds_thread", 10, 1024);
    run("rounds_thread", 3, 45);
    run("leavers_warp", 10, 256);
    EXPECT_EQ(args.data[1], 10 * 4);
    run("leavers_thread", 10, 256);
    EXPECT_EQ(args.data[1], 10 * 128);
    run("named", 50, 128);
    EXPECT_EQ(args.data[1], 50 * 2);
    run("reductions", 5, 77);
    run("warp_ops", 20, 256);
    run("spin_lock", 6, 96);
    EXPECT_EQ(args.data[1], 6 * 96);
    run("chain", 64, 32);
    run("chain_warp", 64, 128);
    run("grid_barrier", 64, 128);
    EXPECT_EQ(args.data[1], 640);

    struct kd_queue *q = kd_context_legacy_queue(context);
    memset(args.data, 0, 64);
    EXPECT_EQ(fake_launch(q, module, "wait_for_host", 1, 1, &args, 16), KD_OK);
    EXPECT_EQ(kd_queue_query(q), KD_NOT_READY);
    __atomic_store_n(&args.data[1], 1, __ATOMIC_RELEASE);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    EXPECT_EQ(args.data[2], 1);
    kd_context_destroy(context);
    free(args.data);
    return expect_done();
}
