// Units of operations: whatever the plan, each is handed out once, by several threads at a time.
#include <pthread.h>

#include "device/code/kernel.h"
#include "device/expect.h"
#include "device/sched/handout.h"
#include "device/sched/op.h"

enum { MOST_UNITS = 5000, THREADS = 4 };

static struct op op;
static atomic_uint taken[MOST_UNITS], begins, ends;
static atomic_int arrived;

static void note(const struct handout *h) {
    for (uint64_t k = 0; k < h->n; k++)
        atomic_fetch_add(&taken[h->first + k], 1);
    atomic_fetch_add(&begins, h->begins);
    atomic_fetch_add(&ends, h->ends);
}

static void *take_all(void *arg) {
    unsigned worker = (unsigned)(uintptr_t)arg;
    struct handout h;
    bool many = false;
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < THREADS)
        kd_relax();
    while (handout_take(&op, worker, worker % 2, many, &h)) {
        note(&h);
        many = worker == 1;
    }
    return NULL;
}

// A launch of `units` blocks of 256 threads that take ps each (0: not known), of 16 workers.
static void plan(struct kd_kernel *k, struct code *code, uint64_t units, uint64_t chunk,
                 uint32_t ps) {
    memset(&op, 0, offsetof(struct op, inline_bytes));
    memset(taken, 0, sizeof taken);
    begins = ends = 0;
    arrived = 0;
    op.kind = OP_LAUNCH;
    op.units = units;
    op.chunk = chunk;
    op.launch.kernel = k;
    op.launch.code = code;
    op.launch.nthreads = 256;
    op.launch.may_group = true;
    atomic_store(&k->thread_ps, ps);
    int crew = handout_plan(&op, 16);
    EXPECT(crew >= 1 && crew <= 16 && (uint64_t)crew <= units);
}

static void test_once(void) {
    static const uint64_t sizes[] = {1, 2, 7, 8, 9, 16, 63, 64, 65, 100, 1024, 4999};
    static const uint32_t times[] = {0, 1, 30, 1000, 20000, 4000000};
    static struct kd_kernel k;
    static struct code code;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t t = 0; t < sizeof times / sizeof *times; t++) {
            pthread_t threads[THREADS];
            plan(&k, &code, sizes[s], 1 + sizes[s] / 256, times[t]);
            for (uintptr_t w = 0; w < THREADS; w++)
                REQUIRE(!pthread_create(&threads[w], NULL, take_all, (void *)w));
            for (int w = 0; w < THREADS; w++)
                pthread_join(threads[w], NULL);
            for (uint64_t u = 0; u < sizes[s]; u++)
                EXPECT_EQ(taken[u], 1);
            EXPECT_EQ(begins, 1);
            EXPECT_EQ(ends, 1);
            EXPECT(!handout_left(&op));
        }
}

// What is left when a launch is cancelled is counted right.
static void test_rest(void) {
    static struct kd_kernel k;
    static struct code code;
    for (unsigned first = 0; first < 5; first++)
        for (int known = 0; known < 2; known++) {
            struct handout h;
            uint64_t n = 0;
            plan(&k, &code, 100, 1, known ? 100 : 0);
            for (unsigned i = 0; i < first && handout_take(&op, i * 3, false, false, &h); i++)
                n += h.n;
            if (handout_take_rest(&op, &h)) {
                n += h.n;
                EXPECT(h.ends);
                EXPECT_EQ(h.begins, first == 0);
            }
            EXPECT_EQ(n, 100);
            EXPECT(!handout_take_rest(&op, &h));
        }
}

// Little work gets few threads, much work all; less time is believed at once, more slowly.
static void test_crew(void) {
    static struct kd_kernel k;
    static struct code code;
    plan(&k, &code, 16, 1, 10); // 41 ns
    EXPECT_EQ(atomic_load(&op.crew), 1);
    plan(&k, &code, 1024, 1, 1000000); // 262 ms
    EXPECT_EQ(atomic_load(&op.crew), 16);
    plan(&k, &code, 1024, 1, 0);
    EXPECT_EQ(atomic_load(&op.crew), 16);
    handout_learn(&k, 1000, 1000);
    EXPECT_EQ(atomic_load(&k.thread_ps), 1001);
    handout_learn(&k, 1000, 17000);
    EXPECT_EQ(atomic_load(&k.thread_ps), 2001);
    handout_learn(&k, 1000, 500);
    EXPECT_EQ(atomic_load(&k.thread_ps), 501);
}

int main(void) {
    test_once();
    test_rest();
    test_crew();
    return expect_done();
}
