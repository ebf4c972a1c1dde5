// Several devices in one process (KUDZU_DEVICES): separate memory accounts, order across them.
#include "device/fake_module.h"

struct params {
    uint32_t *word;
    uint32_t from, to;
};

static void step(struct kd_block *b) {
    const struct params *p = (const struct params *)b->params;
    for (volatile int i = 0; i < 10000; i++)
        ;
    if (__atomic_load_n(p->word, __ATOMIC_ACQUIRE) == p->from)
        __atomic_store_n(p->word, p->to, __ATOMIC_RELEASE);
}
static const struct fake_kernel kernels[] = {{.name = "step", .entry = step, .param_bytes = 16}};

int main(void) {
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    enum { N = 3 };
    static uint32_t word;
    struct kd_context *c[N];
    struct kd_module *m[N];
    struct kd_event *e[N];
    setenv("KUDZU_DEVICES", "3", 1);
    EXPECT_EQ(kd_device_count(), N);
    EXPECT(kd_device_open(N) == NULL);
    EXPECT(kd_device_open(-1) == NULL);
    for (int i = 0; i < N; i++) {
        struct kd_device *d = kd_device_open(i);
        REQUIRE(d && kd_device_open(i) == d && kd_device_index(d) == i);
        EXPECT(kd_device_properties(d)->workers >= 1);
        REQUIRE(kd_context_new(d, &c[i]) == KD_OK);
        m[i] = fake_module(c[i], kernels, 1);
        EXPECT_EQ(kd_event_new(c[i], KD_EVENT_BLOCKING_WAIT, &e[i]), KD_OK);
    }
    EXPECT(memcmp(kd_device_properties(kd_device_open(0))->uuid,
                  kd_device_properties(kd_device_open(1))->uuid, 16) != 0);
    uint64_t p, free0, free1, total, after;
    kd_device_memory(kd_device_open(0), &free0, &total);
    kd_device_memory(kd_device_open(1), &free1, &total);
    EXPECT_EQ(kd_memory_alloc(c[0], KD_MEMORY_DEVICE, 1 << 20, 0, &p), KD_OK);
    kd_device_memory(kd_device_open(0), &after, &total);
    EXPECT_EQ(free0 - after, 1 << 20);
    kd_device_memory(kd_device_open(1), &after, &total);
    EXPECT_EQ(free1, after);
    for (uint32_t i = 0; i < 300; i++) {
        struct kd_queue *q = kd_context_legacy_queue(c[i % N]);
        struct params a = {&word, i, i + 1};
        if (i)
            EXPECT_EQ(kd_event_wait_on(q, e[(i - 1) % N]), KD_OK);
        EXPECT_EQ(fake_launch(q, m[i % N], "step", 1, 1, &a, sizeof a), KD_OK);
        EXPECT_EQ(kd_event_record(e[i % N], q), KD_OK);
    }
    EXPECT_EQ(kd_event_wait(e[299 % N]), KD_OK);
    EXPECT_EQ(word, 300);
    for (int i = 0; i < N; i++)
        kd_event_free(e[i]);
    for (int i = 0; i < N; i++)
        kd_context_destroy(c[i]);
    return expect_done();
}
