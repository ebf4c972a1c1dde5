// Faults of kernels end the launch and not the process; the program's own handlers still work.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/fake_module.h"

struct params {
    volatile uint8_t *pointer;
    volatile int zero;
};
static struct params args;

static const struct params *params_of(const struct kd_block *b) {
    return (const struct params *)b->params;
}

static void touch(struct kd_block *b) {
    if (b->block_index == 5)
        *params_of(b)->pointer = 1;
}

static void touch_warp(struct kd_block *b, uint32_t warp) {
    if (b->block_index == 5 && warp == 1)
        *params_of(b)->pointer = 1;
    kd_rt_bar_sync(b, warp, 0, 0);
}

static void touch_thread(struct kd_block *b, uint32_t thread) {
    if (b->block_index == 5 && thread == 9)
        *params_of(b)->pointer = 1;
    kd_rt_bar_sync(b, thread, 0, 0);
}

static __attribute__((noinline)) uint64_t recurse(uint64_t n) {
    volatile uint64_t room[64];
    room[0] = n;
    return n == 0 ? 0 : recurse(n + 1) + room[0];
}

static void overflow(struct kd_block *b) {
    if (recurse(1) == 42)
        *params_of(b)->pointer = 1;
}

static void overflow_thread(struct kd_block *b, uint32_t thread) {
    overflow(b);
}

static void overrun_local(struct kd_block *b) {
    for (uint64_t i = 0;; i += 64)
        *(volatile uint8_t *)(b->local + i) = 1;
}

static void overrun_shared(struct kd_block *b) {
    for (uint64_t i = 0; i <= b->shared_window_bytes + 1024; i++)
        *(volatile uint8_t *)(b->shared + i) = 1;
}

static void trap(struct kd_block *b) {
    __builtin_trap();
}

static void trap_call(struct kd_block *b) {
    kd_rt_fault(b, 3, KD_FAULT_TRAP);
}

static void divide(struct kd_block *b) {
#if defined(__x86_64__)
    int d = 0;
    __asm__ volatile("xorl %0, %0\n movl $1, %%eax\n xorl %%edx, %%edx\n idivl %0\n"
                     : "+r"(d)
                     :
                     : "eax", "edx");
#else
    kd_rt_fault(b, 0, KD_FAULT_TRAP);
#endif
}

static void call_nothing(struct kd_block *b) {
    ((void (*)(void))0x1000)();
}

static void fail_assert(struct kd_block *b) {
    kd_rt_assertfail(b, 34, "x == 1", "test.cu", 19, "void testAssert()", 1);
    kd_rt_assertfail(b, 35, "x == 1", "test.cu", 19, "void testAssert()", 1);
    kd_rt_fault(b, 34, KD_FAULT_ASSERT);
}

static void deadlock(struct kd_block *b, uint32_t warp) {
    kd_rt_bar_sync(b, warp, 1, 96); // two warps only
}

static void fine(struct kd_block *b) {
}

static const struct fake_kernel kernels[] = {
    {.name = "touch", .entry = touch, .param_bytes = 16},
    {.name = "touch_waiting", .entry = touch, .param_bytes = 16, .flags = KD_CODE_MAY_WAIT},
    {.name = "touch_interpreted", .entry = touch, .param_bytes = 16, .mode = KD_MODE_INTERPRETER},
    {.name = "touch_warp", .entry = touch_warp, .mode = KD_MODE_WARP_STACKS, .param_bytes = 16},
    {.name = "touch_thread",
     .entry = touch_thread,
     .mode = KD_MODE_THREAD_STACKS,
     .param_bytes = 16},
    {.name = "overflow", .entry = overflow, .param_bytes = 16, .recursive = 1},
    {.name = "overflow_thread",
     .entry = overflow_thread,
     .param_bytes = 16,
     .mode = KD_MODE_THREAD_STACKS},
    {.name = "overrun_local", .entry = overrun_local, .local_bytes = 64},
    {.name = "overrun_shared", .entry = overrun_shared, .shared_static = 4096},
    {.name = "trap", .entry = trap},
    {.name = "trap_call", .entry = trap_call},
    {.name = "divide", .entry = divide},
    {.name = "call_nothing", .entry = call_nothing},
    {.name = "fail_assert", .entry = fail_assert},
    {.name = "deadlock", .entry = deadlock, .mode = KD_MODE_WARP_STACKS},
    {.name = "fine", .entry = fine},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

// Runs one kernel in a context of its own and checks that the fault sticks to the context, and
// that the next context works.
static struct kd_fault_record run(const char *name) {
    struct kd_fault_record f = {0};
    struct kd_context *c = fake_context();
    struct kd_module *m = fake_module(c, kernels, KERNELS);
    struct kd_queue *q = kd_context_legacy_queue(c), *other;
    EXPECT_EQ(kd_queue_new(c, KD_QUEUE_NONBLOCKING, 0, &other), KD_OK);
    EXPECT(!kd_context_fault(c, NULL));
    EXPECT_EQ(fake_launch(q, m, name, 64, 64, &args, 16), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_FAULTED);
    EXPECT_EQ(kd_queue_query(other), KD_FAULTED);
    EXPECT_EQ(fake_launch(other, m, "fine", 1, 1, &args, 16), KD_FAULTED);
    EXPECT_EQ(kd_context_wait(c), KD_FAULTED);
    EXPECT(kd_context_fault(c, &f));
    EXPECT_STR(f.kernel, name);
    EXPECT_STR(kd_reason(), f.text);
    kd_context_destroy(c);
    return f;
}

static void test_addresses(void) {
    static const char *const names[] = {"touch", "touch_waiting", "touch_interpreted", "touch_warp",
                                        "touch_thread"};
    for (size_t i = 0; i < 5; i++) {
        args.pointer = NULL;
        struct kd_fault_record f = run(names[i]);
        EXPECT_EQ(f.fault, KD_FAULT_ILLEGAL_ADDRESS);
        EXPECT(f.address_known && f.address == 0);
        EXPECT_EQ(f.block[0], 5);
        if (i == 4)
            EXPECT(f.thread_known && f.thread[0] == 9);
        args.pointer = (uint8_t *)0x123456789000;
        f = run(names[i]);
        EXPECT_EQ(f.fault, KD_FAULT_ILLEGAL_ADDRESS);
        EXPECT(f.address == 0x123456789000);
        args.pointer = (uint8_t *)0xdead000000000000; // no address can be this
        f = run(names[i]);
        EXPECT_EQ(f.fault, KD_FAULT_ILLEGAL_ADDRESS);
#if defined(__x86_64__)
        EXPECT(!f.address_known);
#endif
    }
}

// A kernel that writes past the end of its array.
static void test_past_the_end(void) {
    struct kd_context *c = fake_context();
    struct kd_module *m = fake_module(c, kernels, KERNELS);
    struct kd_queue *q = kd_context_legacy_queue(c);
    uint64_t array;
    EXPECT_EQ(kd_memory_alloc(c, KD_MEMORY_DEVICE, 1 << 20, 0, &array), KD_OK);
    args.pointer = (uint8_t *)array + (1 << 20) - 1;
    EXPECT_EQ(fake_launch(q, m, "touch", 64, 64, &args, 16), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    args.pointer++;
    EXPECT_EQ(fake_launch(q, m, "touch", 64, 64, &args, 16), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_FAULTED);
    kd_context_destroy(c);
}

static void test_kinds(void) {
    static const struct {
        const char *name;
        enum kd_fault fault;
    } cases[] = {
        {"overflow", KD_FAULT_STACK_OVERFLOW},
        {"overflow_thread", KD_FAULT_STACK_OVERFLOW},
        {"overrun_local", KD_FAULT_STACK_OVERFLOW},
        {"overrun_shared", KD_FAULT_ILLEGAL_ADDRESS},
        {"trap", KD_FAULT_TRAP},
        {"trap_call", KD_FAULT_TRAP},
        {"divide", KD_FAULT_TRAP},
        {"call_nothing", KD_FAULT_INVALID_PC},
        {"deadlock", KD_FAULT_DEADLOCK},
    };
    args.pointer = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kd_fault_record f = run(cases[i].name);
        if (f.fault != cases[i].fault)
            fprintf(stderr, "%s: %s\n", cases[i].name, f.text);
        EXPECT_EQ(f.fault, cases[i].fault);
    }
}

static void test_assert(void) {
    char text[512] = "";
    int pipes[2], saved = dup(2);
    REQUIRE(pipe(pipes) == 0);
    fflush(stderr);
    dup2(pipes[1], 2);
    struct kd_fault_record f = run("fail_assert");
    fflush(stderr);
    dup2(saved, 2);
    close(pipes[1]);
    ssize_t n = read(pipes[0], text, sizeof text - 1);
    EXPECT(n > 0);
    EXPECT_EQ(f.fault, KD_FAULT_ASSERT);
    EXPECT(f.thread_known && f.thread[0] == 34);
    // Every block fails; the first line is enough.
    text[strcspn(text, "\n")] = 0;
    const char *block = strstr(text, "block: [");
    EXPECT(strncmp(text, "test.cu:19: void testAssert(): block: [", 39) == 0);
    REQUIRE(block);
    EXPECT_STR(strchr(block, ']'), "], thread: [34,0,0] Assertion `x == 1` failed.");
    close(pipes[0]);
    close(saved);
}

static sigjmp_buf back;
static volatile sig_atomic_t seen;
static void own_handler(int sig, siginfo_t *info, void *context) {
    seen++;
    siglongjmp(back, 1);
}

// A fault of the program itself goes to the handler that it had.
static void test_own_handler(void) {
    struct sigaction mine = {.sa_sigaction = own_handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &mine, NULL);
    args.pointer = NULL;
    EXPECT_EQ(run("touch").fault, KD_FAULT_ILLEGAL_ADDRESS);
    EXPECT_EQ(seen, 0);
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)args.pointer = 1;
    EXPECT_EQ(seen, 1);
    EXPECT_EQ(run("touch").fault, KD_FAULT_ILLEGAL_ADDRESS);
    EXPECT_EQ(seen, 1);
}

// The program's handler calls the one that was there before it, which is the device's.
static struct sigaction before_mine;
static void chaining_handler(int sig, siginfo_t *info, void *context) {
    seen++;
    if (before_mine.sa_flags & SA_SIGINFO)
        before_mine.sa_sigaction(sig, info, context);
}

static void test_chain(void) {
    struct sigaction mine = {.sa_sigaction = chaining_handler, .sa_flags = SA_SIGINFO};
    seen = 0;
    EXPECT_EQ(run("touch").fault, KD_FAULT_ILLEGAL_ADDRESS); // the device's handler is there
    sigaction(SIGSEGV, &mine, &before_mine);
    EXPECT_EQ(run("touch").fault, KD_FAULT_ILLEGAL_ADDRESS); // and comes first again
    EXPECT_EQ(seen, 0);
    // Ends in own_handler, which was there first.
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)args.pointer = 1;
    EXPECT_EQ(seen, 2);
}

// Queued work after the fault is drained, callbacks that insist are called.
static int called, not_called;
static void on_fault(void *arg, enum kd_status status) {
    called += status == KD_FAULTED;
}
static void never(void *arg, enum kd_status status) {
    not_called++;
}
static void test_drain(void) {
    struct kd_context *c = fake_context();
    struct kd_module *m = fake_module(c, kernels, KERNELS);
    struct kd_queue *q = kd_context_legacy_queue(c);
    struct kd_event *e;
    char host[32] = "unchanged", source[32] = "changed";
    EXPECT_EQ(kd_event_new(c, 0, &e), KD_OK);
    args.pointer = NULL;
    EXPECT_EQ(fake_launch(q, m, "touch", 6, 64, &args, 16), KD_OK);
    struct kd_copy copy = {.dst = host, .src = source, .width = 8, .height = 1, .depth = 1};
    // The launch may have failed already, and the calls with it.
    kd_submit_copy(q, &copy);
    enum kd_status insisted = kd_submit_host(q, on_fault, NULL, true);
    kd_submit_host(q, never, NULL, false);
    enum kd_status recorded = kd_event_record(e, q);
    EXPECT_EQ(kd_queue_wait(q), KD_FAULTED);
    EXPECT_EQ(kd_event_wait(e), KD_FAULTED);
    EXPECT(recorded == KD_OK || recorded == KD_FAULTED);
    EXPECT_EQ(called, insisted == KD_OK);
    EXPECT_EQ(not_called, 0);
    EXPECT_STR(host, "unchanged");
    kd_event_free(e);
    kd_context_destroy(c);
}

int main(void) {
    test_addresses();
    test_past_the_end();
    test_kinds();
    test_assert();
    test_drain();
    test_own_handler();
    test_chain();
    return expect_done();
}
