// Order: within queues, across events, with the legacy default queue; copies and sets.
#include <pthread.h>
#include <unistd.h>

#include "device/fake_module.h"
#include "device/sync.h"

static struct kd_context *context;
static struct kd_module *module;

struct params {
    uint32_t *word;
    uint32_t from, to;
};

// Sets word to `to` if it is `from`, after a while.
static void step(struct kd_block *b) {
    const struct params *p = (const struct params *)b->params;
    for (volatile int i = 0; i < 20000; i++)
        ;
    if (__atomic_load_n(p->word, __ATOMIC_ACQUIRE) == p->from)
        __atomic_store_n(p->word, p->to, __ATOMIC_RELEASE);
}

static void add_one(struct kd_block *b) {
    __atomic_fetch_add(((const struct params *)b->params)->word, 1, __ATOMIC_RELAXED);
}

static void wait_flag(struct kd_block *b) {
    const struct params *p = (const struct params *)b->params;
    while (!__atomic_load_n(p->word, __ATOMIC_ACQUIRE))
        kd_rt_yield(b);
}

static const struct fake_kernel kernels[] = {
    {.name = "step", .entry = step, .param_bytes = 16},
    {.name = "add_one", .entry = add_one, .param_bytes = 16},
    {.name = "wait_flag", .entry = wait_flag, .param_bytes = 16, .flags = KD_CODE_MAY_WAIT},
};

static void launch_step(struct kd_queue *q, uint32_t *word, uint32_t from, uint32_t to) {
    struct params p = {word, from, to};
    EXPECT_EQ(fake_launch(q, module, "step", 1, 1, &p, sizeof p), KD_OK);
}

static struct kd_queue *new_queue(uint32_t flags, int priority) {
    struct kd_queue *q;
    REQUIRE(kd_queue_new(context, flags, priority, &q) == KD_OK);
    return q;
}

static void host_step(void *arg, enum kd_status status) {
    struct params *p = arg;
    if (status == KD_OK && *p->word == p->from)
        *p->word = p->to;
}

static void test_in_order(void) {
    static uint32_t word, result;
    static struct params p = {&word, 40, 50};
    struct kd_queue *q = new_queue(0, 0);
    for (int round = 0; round < 50; round++) {
        word = result = 0;
        for (uint32_t i = 0; i < 40; i++)
            launch_step(q, &word, i, i + 1);
        EXPECT_EQ(kd_submit_host(q, host_step, &p, false), KD_OK);
        launch_step(q, &word, 50, 51);
        struct kd_copy copy = {.dst = &result, .src = &word, .width = 4, .height = 1, .depth = 1};
        EXPECT_EQ(kd_submit_copy(q, &copy), KD_OK);
        struct kd_set set = {
            .dst = &word, .value = 7, .element = 4, .width = 1, .height = 1, .depth = 1};
        EXPECT_EQ(kd_submit_set(q, &set), KD_OK);
        EXPECT_EQ(kd_queue_wait(q), KD_OK);
        EXPECT_EQ(result, 51);
        EXPECT_EQ(word, 7);
    }
    kd_queue_free(q);
}

static void test_events(void) {
    static uint32_t word;
    enum { N = 6 };
    struct kd_queue *q[N];
    struct kd_event *e[N];
    for (int i = 0; i < N; i++) {
        q[i] = new_queue(KD_QUEUE_NONBLOCKING, -i);
        EXPECT_EQ(kd_event_new(context, 0, &e[i]), KD_OK);
        EXPECT_EQ(kd_event_query(e[i]), KD_OK); // never recorded
    }
    uint64_t t;
    EXPECT_EQ(kd_event_time(e[0], &t), KD_INVALID_VALUE);
    for (int round = 0; round < 100; round++) {
        word = 0;
        // Each queue's step waits for the previous queue's.
        for (uint32_t i = 0; i < 30; i++) {
            if (i)
                EXPECT_EQ(kd_event_wait_on(q[i % N], e[(i - 1) % N]), KD_OK);
            launch_step(q[i % N], &word, i, i + 1);
            EXPECT_EQ(kd_event_record(e[i % N], q[i % N]), KD_OK);
        }
        EXPECT_EQ(kd_event_wait(e[29 % N]), KD_OK);
        EXPECT_EQ(word, 30);
    }
    uint64_t first, last;
    EXPECT_EQ(kd_event_time(e[28 % N], &first), KD_OK);
    EXPECT_EQ(kd_event_time(e[29 % N], &last), KD_OK);
    EXPECT(last > first);
    EXPECT_EQ(kd_context_wait(context), KD_OK);
    for (int i = 0; i < N; i++) {
        kd_event_free(e[i]);
        kd_queue_free(q[i]);
    }
}

// Guide 6.2.8.5.4: work of two blocking queues does not pass an operation on the legacy queue.
static void test_legacy(void) {
    static uint32_t word, flag;
    struct kd_queue *legacy = kd_context_legacy_queue(context), *a = new_queue(0, 0),
                    *b = new_queue(0, -5), *free_queue = new_queue(KD_QUEUE_NONBLOCKING, 0);
    for (int round = 0; round < 100; round++) {
        word = 0;
        launch_step(a, &word, 0, 1);
        launch_step(legacy, &word, 1, 2);
        launch_step(b, &word, 2, 3);
        launch_step(legacy, &word, 3, 4);
        launch_step(a, &word, 4, 5);
        EXPECT_EQ(kd_queue_wait(legacy), KD_OK); // stands for a too
        EXPECT_EQ(word, 5);
    }
    // A non-blocking queue neither waits for it nor holds it up.
    flag = word = 0;
    struct params p = {&flag, 0, 0};
    EXPECT_EQ(fake_launch(free_queue, module, "wait_flag", 1, 1, &p, sizeof p), KD_OK);
    launch_step(legacy, &word, 0, 1);
    EXPECT_EQ(kd_queue_wait(legacy), KD_OK);
    EXPECT_EQ(word, 1);
    EXPECT_EQ(kd_queue_query(free_queue), KD_NOT_READY);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    EXPECT_EQ(kd_queue_wait(free_queue), KD_OK);
    // A queue that is freed while busy still orders and completes.
    flag = word = 0;
    EXPECT_EQ(fake_launch(a, module, "wait_flag", 1, 1, &p, sizeof p), KD_OK);
    launch_step(a, &word, 0, 1);
    kd_queue_free(a);
    launch_step(legacy, &word, 1, 2);
    EXPECT_EQ(kd_queue_query(legacy), KD_NOT_READY);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    EXPECT_EQ(kd_queue_wait(legacy), KD_OK);
    EXPECT_EQ(word, 2);
    kd_queue_free(b);
    kd_queue_free(free_queue);
}

static void test_many_queues(void) {
    static uint32_t word;
    enum { N = 60 };
    struct kd_queue *q[N];
    struct params p = {&word, 0, 0};
    word = 0;
    for (int i = 0; i < N; i++)
        q[i] = new_queue(0, 0);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < N; i++)
            EXPECT_EQ(fake_launch(q[i], module, "add_one", 3, 1, &p, sizeof p), KD_OK);
        EXPECT_EQ(
            fake_launch(kd_context_legacy_queue(context), module, "add_one", 1, 1, &p, sizeof p),
            KD_OK);
    }
    EXPECT_EQ(kd_context_wait(context), KD_OK);
    EXPECT_EQ(word, 20 * (3 * N + 1));
    for (int i = 0; i < N; i++)
        kd_queue_free(q[i]);
}

static void *submitter(void *arg) {
    static uint32_t total;
    struct kd_queue *shared = arg, *own = new_queue(KD_QUEUE_NONBLOCKING, 0);
    struct params p = {&total, 0, 0};
    for (int i = 0; i < 300; i++) {
        fake_launch(i % 2 ? shared : own, module, "add_one", 2, 1, &p, sizeof p);
        if (i % 10 == 0)
            EXPECT_EQ(kd_queue_wait(own), KD_OK);
    }
    EXPECT_EQ(kd_queue_wait(own), KD_OK);
    EXPECT_EQ(kd_queue_wait(shared), KD_OK);
    kd_queue_free(own);
    return &total;
}

static void test_threads(void) {
    pthread_t t[4];
    struct kd_queue *shared = new_queue(0, 0);
    void *total = NULL;
    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&t[i], NULL, submitter,
                               i % 2 ? shared : kd_context_legacy_queue(context)) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], &total);
    EXPECT_EQ(kd_context_wait(context), KD_OK);
    EXPECT_EQ(*(uint32_t *)total, 4 * 300 * 2);
    kd_queue_free(shared);
}

// Every byte against a plain loop.
static void check_copy(uint64_t width, uint64_t height, uint64_t depth, uint64_t pad) {
    struct kd_queue *q = kd_context_legacy_queue(context);
    uint64_t src_pitch = width + pad, dst_pitch = width + 2 * pad;
    uint64_t src_size = src_pitch * height * depth, dst_size = dst_pitch * height * depth;
    uint8_t *src = malloc(src_size + 1), *dst = malloc(dst_size + 1), *want = malloc(dst_size + 1);
    for (uint64_t i = 0; i < src_size; i++)
        src[i] = (uint8_t)(i * 31 + i / 251);
    memset(dst, 0xee, dst_size);
    memset(want, 0xee, dst_size);
    for (uint64_t row = 0; row < height * depth; row++)
        for (uint64_t x = 0; x < width; x++)
            want[row * dst_pitch + x] = src[row * src_pitch + x];
    struct kd_copy c = {.dst = dst,
                        .src = src,
                        .width = width,
                        .height = height,
                        .depth = depth,
                        .dst_pitch = dst_pitch,
                        .src_pitch = src_pitch,
                        .dst_slice = dst_pitch * height,
                        .src_slice = src_pitch * height};
    EXPECT_EQ(kd_submit_copy(q, &c), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    EXPECT(memcmp(dst, want, dst_size) == 0);
    free(src);
    free(dst);
    free(want);
}

static void test_copies(void) {
    check_copy(1, 1, 1, 0);
    check_copy(0, 5, 5, 3);
    check_copy(100, 70, 3, 28);
    check_copy(64, 300, 20, 0);
    check_copy(5000000, 1, 1, 0);
    check_copy(700000, 3, 2, 100);
    // Staged: the source may change at once.
    struct kd_queue *q = kd_context_legacy_queue(context);
    static uint32_t flag;
    static char src[4096], dst[4096];
    flag = 0;
    struct params p = {&flag, 0, 0};
    memset(src, 'a', sizeof src);
    EXPECT_EQ(fake_launch(q, module, "wait_flag", 1, 1, &p, sizeof p), KD_OK);
    struct kd_copy c = {
        .dst = dst, .src = src, .width = sizeof src, .height = 1, .depth = 1, .stage = true};
    EXPECT_EQ(kd_submit_copy(q, &c), KD_OK);
    memset(src, 'b', sizeof src);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    EXPECT(dst[0] == 'a' && dst[4095] == 'a');
}

static void test_sets(void) {
    struct kd_queue *q = kd_context_legacy_queue(context);
    static uint8_t d[3 << 20];
    static const uint32_t values[] = {0, 0x01020304, 0x7f7f7f7f};
    for (uint32_t element = 1; element <= 4; element *= 2) {
        for (int v = 0; v < 3; v++) {
            memset(d, 0xcc, sizeof d);
            struct kd_set s = {.dst = d,
                               .value = values[v],
                               .element = element,
                               .width = 250,
                               .height = 40,
                               .depth = 2,
                               .pitch = 1024,
                               .slice = 1024 * 50};
            EXPECT_EQ(kd_submit_set(q, &s), KD_OK);
            EXPECT_EQ(kd_queue_wait(q), KD_OK);
            bool ok = true;
            for (uint64_t i = 0; i < 1024 * 100; i++) {
                uint64_t x = i % 1024, y = i / 1024 % 50;
                uint8_t want =
                    x < 250 * element && y < 40 ? (uint8_t)(values[v] >> 8 * (x % element)) : 0xcc;
                ok &= d[i] == want;
            }
            EXPECT(ok);
        }
    }
    struct kd_set s = {
        .dst = d, .value = 5, .element = 2, .width = sizeof d / 2, .height = 1, .depth = 1};
    EXPECT_EQ(kd_submit_set(q, &s), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    EXPECT(d[0] == 5 && d[1] == 0 && d[sizeof d - 2] == 5 && d[sizeof d - 1] == 0);
    s.element = 3;
    EXPECT_EQ(kd_submit_set(q, &s), KD_INVALID_VALUE);
}

// A long chain behind one operation ends without recursion.
static void test_long_chain(void) {
    static uint32_t flag;
    struct kd_queue *q = kd_context_legacy_queue(context);
    struct kd_event *e;
    struct params p = {&flag, 0, 0};
    flag = 0;
    EXPECT_EQ(kd_event_new(context, KD_EVENT_NO_TIMING, &e), KD_OK);
    EXPECT_EQ(fake_launch(q, module, "wait_flag", 1, 1, &p, sizeof p), KD_OK);
    for (int i = 0; i < 100000; i++)
        EXPECT_EQ(kd_event_record(e, q), KD_OK);
    EXPECT_EQ(kd_event_query(e), KD_NOT_READY);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    EXPECT_EQ(kd_event_wait(e), KD_OK);
    uint64_t t;
    EXPECT_EQ(kd_event_time(e, &t), KD_INVALID_VALUE);
    kd_event_free(e);
}

int main(void) {
    context = fake_context();
    module = fake_module(context, kernels, sizeof kernels / sizeof kernels[0]);
    test_in_order();
    test_events();
    test_legacy();
    test_many_queues();
    test_threads();
    test_copies();
    test_sets();
    test_long_chain();
    kd_context_destroy(context);
    return expect_done();
}
