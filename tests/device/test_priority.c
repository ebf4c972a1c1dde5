// With one worker the order is known: of what is ready, the highest priority goes first, and it
// goes before the rest of a launch that has begun.
#include <unistd.h>

#include "device/fake_module.h"

static uint32_t flag, started, order, low_at, high_at;

static void block_worker(struct kd_block *b) {
    __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        ;
}
static void low(struct kd_block *b) {
    low_at = __atomic_add_fetch(&order, 1, __ATOMIC_RELAXED);
}
static void high(struct kd_block *b) {
    high_at = __atomic_add_fetch(&order, 1, __ATOMIC_RELAXED);
}
static const struct fake_kernel kernels[] = {
    {.name = "block_worker", .entry = block_worker},
    {.name = "low", .entry = low},
    {.name = "high", .entry = high},
};

static void wait_until_idle(struct kd_queue *q) {
    while (kd_queue_query(q) == KD_NOT_READY) // without helping
        usleep(1000);
    EXPECT_EQ(kd_queue_query(q), KD_OK);
}

int main(void) {
    setenv("KUDZU_WORKERS", "1", 1);
    struct kd_context *c = fake_context();
    struct kd_module *m = fake_module(c, kernels, 3);
    struct kd_queue *a, *b, *d;
    EXPECT_EQ(kd_queue_new(c, KD_QUEUE_NONBLOCKING, 0, &a), KD_OK);
    EXPECT_EQ(kd_queue_new(c, KD_QUEUE_NONBLOCKING, 100, &b), KD_OK);
    EXPECT_EQ(kd_queue_new(c, KD_QUEUE_NONBLOCKING, -100, &d), KD_OK);
    EXPECT_EQ(kd_queue_priority(b), 0); // cut to the device's range
    EXPECT_EQ(kd_queue_priority(d), -5);
    EXPECT_EQ(fake_launch(a, m, "block_worker", 1, 1, NULL, 0), KD_OK);
    while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
        usleep(1000);
    EXPECT_EQ(fake_launch(b, m, "low", 100, 1, NULL, 0), KD_OK);
    EXPECT_EQ(fake_launch(d, m, "high", 1, 1, NULL, 0), KD_OK);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    wait_until_idle(b);
    wait_until_idle(d);
    EXPECT_EQ(high_at, 1);
    EXPECT_EQ(low_at, 101);
    kd_context_destroy(c);
    return expect_done();
}
