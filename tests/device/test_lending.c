// While better code is compiled, a core of the workers is lent to the compiler (scheduler.h): as
// many blocks fewer run at one time, launches go on all the same, and the core comes back.
//
// The compiler of this file waits until it is let go; blocks run until they are let go, so that
// those which run at one time can be counted.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "device/fake_module.h"
#include "device/internal.h"

enum { WORKERS = 2, BLOCKS = 64 };

struct object {
    uint8_t bytes[1 << 16];
    size_t size;
};
static struct object object; // of quick_input.c

static sem_t may_compile;
static atomic_int entered;

static bool compile(struct kj_module *m, uint32_t kernel, const struct kd_spec *spec, void **obj,
                    size_t *size, struct kd_code_info *info, char *log, size_t log_size) {
    bool quick = spec->flags & KD_SPEC_QUICK;
    if (!quick) {
        atomic_fetch_add(&entered, 1);
        sem_wait(&may_compile);
        snprintf(log, log_size, "no better code"); // the next launch asks for none
        return false;
    }
    *info =
        (struct kd_code_info){.abi_version = KD_ABI_VERSION, .width = 1, .flags = KD_CODE_QUICK};
    *obj = malloc(object.size);
    memcpy(*obj, object.bytes, object.size);
    *size = object.size;
    return true;
}

static const struct jit_library library = {
    .module_load = fake_load,
    .module_free = fake_free,
    .module_info = fake_get_info,
    .compile = compile,
    .interpret_block = fake_interpret,
    .set_runtime = fake_set_runtime,
    .version = fake_version,
};

static const struct kj_kernel kernel_info = {.name = "mark", .param_bytes = 24, .registers = 8};

struct launched {
    uint32_t marks[BLOCKS], started, go;
};

static void submit(struct kd_queue *q, struct kd_module *m, struct launched *l, uint32_t blocks) {
    uint32_t *params[3] = {l->marks, &l->started, &l->go};
    EXPECT_EQ(fake_launch(q, m, "mark", blocks, 1, params, sizeof params), KD_OK);
}

static void short_pause(void) {
    nanosleep(&(struct timespec){0, 100000}, NULL);
}

static uint32_t started(struct launched *l) {
    return __atomic_load_n(&l->started, __ATOMIC_SEQ_CST);
}

// At most ten seconds.
static bool wait_for(struct launched *l, uint32_t n) {
    for (int i = 0; i < 100000 && started(l) < n; i++)
        short_pause();
    return started(l) >= n;
}

static bool wait_for_compiler(int n) {
    for (int i = 0; i < 100000 && atomic_load(&entered) < n; i++)
        short_pause();
    return atomic_load(&entered) == n;
}

static void let_go(struct kd_queue *q, struct launched *l, uint32_t blocks) {
    __atomic_store_n(&l->go, 1, __ATOMIC_SEQ_CST);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    EXPECT_EQ(started(l), blocks);
    for (uint32_t i = 0; i < blocks; i++)
        EXPECT_EQ(l->marks[i], 1);
}

static struct kd_module *load(struct kd_context *c) {
    struct kd_module *m = NULL;
    EXPECT_EQ(kd_module_load(c, "// lent", 0, NULL, &m), KD_OK);
    REQUIRE(m);
    return m;
}

static void launch_one(struct kd_queue *q, struct kd_module *m) {
    static struct launched l;
    l = (struct launched){.go = 1};
    submit(q, m, &l, 1);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
}

// A launch that asks the compiler for better code; it has begun with that when this returns.
static void start_compiler(struct kd_queue *q, struct kd_module *m, int n) {
    launch_one(q, m);
    EXPECT(wait_for_compiler(n));
}

// With the core lent one block runs and no second, and all of many launches end; afterwards two run
// at one time, which wait for each other.
static void test_lent_and_back(struct kd_context *c) {
    static struct launched one, both;
    struct kd_queue *q = kd_context_legacy_queue(c);
    for (int round = 0; round < 5; round++) {
        struct kd_module *m = load(c);
        start_compiler(q, m, round + 1);
        one = both = (struct launched){0};
        submit(q, m, &one, BLOCKS);
        EXPECT(wait_for(&one, 1));
        for (int i = 0; i < 50; i++)
            short_pause();
        EXPECT_EQ(started(&one), 1);
        let_go(q, &one, BLOCKS);
        for (int i = 0; i < 200; i++)
            launch_one(q, m);
        sem_post(&may_compile);
        submit(q, m, &both, BLOCKS);
        EXPECT(wait_for(&both, WORKERS));
        let_go(q, &both, BLOCKS);
        kd_module_free(m);
    }
}

// The core comes back in the middle of a launch: the second worker joins it.
static void test_back_within_launch(struct kd_context *c, int compiled) {
    static struct launched l;
    struct kd_queue *q = kd_context_legacy_queue(c);
    struct kd_module *m = load(c);
    start_compiler(q, m, compiled + 1);
    l = (struct launched){0};
    submit(q, m, &l, BLOCKS);
    EXPECT(wait_for(&l, 1));
    sem_post(&may_compile);
    EXPECT(wait_for(&l, WORKERS));
    let_go(q, &l, BLOCKS);
    kd_module_free(m);
}

// While threads launch, wait, and cores come and go, no launch is left lying.
struct launcher {
    pthread_t thread;
    struct kd_context *context;
    bool ok;
};

static void *launch_often(void *arg) {
    struct launcher *l = arg;
    struct kd_queue *q;
    l->ok = kd_queue_new(l->context, 0, 0, &q) == KD_OK;
    for (int i = 0; l->ok && i < 20; i++) {
        struct launched mine = {.go = 1};
        struct kd_module *m = load(l->context);
        submit(q, m, &mine, BLOCKS);
        l->ok = kd_queue_wait(q) == KD_OK && started(&mine) == BLOCKS;
        kd_module_free(m);
    }
    kd_queue_free(q);
    return NULL;
}

static void test_from_threads(struct kd_context *c) {
    struct launcher l[4];
    for (int i = 0; i < 1000; i++)
        sem_post(&may_compile);
    for (int i = 0; i < 4; i++) {
        l[i] = (struct launcher){.context = c};
        REQUIRE(pthread_create(&l[i].thread, NULL, launch_often, &l[i]) == 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(l[i].thread, NULL);
        EXPECT(l[i].ok);
    }
}

int main(int argc, char **argv) {
    REQUIRE(argc == 2);
    FILE *f = fopen(argv[1], "rb");
    REQUIRE(f);
    object.size = fread(object.bytes, 1, sizeof object.bytes, f);
    fclose(f);
    fake_info = (struct kj_module_info){
        .nkernels = 1, .kernels = &kernel_info, .ptx_major = 8, .ptx_minor = 5, .target_sm = 90};
    jit_library_use(&library);
    // As many workers as cores, however many there are: then there is none to spare.
    setenv("KUDZU_WORKERS", "2", 1);
    unsetenv("KUDZU_TIER");
    sem_init(&may_compile, 0, 0);
    struct kd_context *c = fake_context();
    c->device->scheduler.lends = 1;
    test_lent_and_back(c);
    test_back_within_launch(c, 5);
    test_from_threads(c);
    return expect_done();
}
