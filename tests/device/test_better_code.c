// Better code takes over from quick code: between launches, within one, while threads launch, or
// not at all when it cannot be made or nobody is there any more.
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device/fake_module.h"

enum { QUICK = 1, BETTER = 2, MAX_BLOCKS = 8192 };

struct object {
    uint8_t bytes[1 << 16];
    size_t size;
};
static struct object objects[3];

// ---- A compiler that waits until it may make better code ----------------------------------

static sem_t may_compile;
static atomic_int quick_compiled, full_compiled, entered;
static atomic_bool fails;
static uint32_t better_width = 1; // of better code; quick code has 1

static bool compile(struct kj_module *m, uint32_t kernel, const struct kd_spec *spec, void **obj,
                    size_t *size, struct kd_code_info *info, char *log, size_t log_size) {
    bool quick = spec->flags & KD_SPEC_QUICK;
    if (!quick) {
        atomic_fetch_add(&entered, 1);
        sem_wait(&may_compile);
    }
    if (!quick && atomic_load(&fails)) {
        snprintf(log, log_size, "no such luck");
        atomic_fetch_add(&full_compiled, 1);
        return false;
    }
    const struct object *o = &objects[quick ? QUICK : BETTER];
    *info = (struct kd_code_info){.abi_version = KD_ABI_VERSION,
                                  .width = quick ? 1 : better_width,
                                  .flags = quick ? KD_CODE_QUICK : 0};
    *obj = malloc(o->size);
    memcpy(*obj, o->bytes, o->size);
    *size = o->size;
    atomic_fetch_add(quick ? &quick_compiled : &full_compiled, 1);
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

static void describe(void) {
    fake_info = (struct kj_module_info){
        .nkernels = 1, .kernels = &kernel_info, .ptx_major = 8, .ptx_minor = 5, .target_sm = 90};
    jit_library_use(&library);
    sem_destroy(&may_compile);
    sem_init(&may_compile, 0, 0);
    quick_compiled = full_compiled = entered = 0;
    fails = false;
}

// ---- Launches -----------------------------------------------------------------------------

struct launched {
    uint32_t marks[MAX_BLOCKS], started, go;
};

static struct kd_module *load(struct kd_context *c, const char *ptx) {
    struct kd_module *m = NULL;
    EXPECT_EQ(kd_module_load(c, ptx, 0, NULL, &m), KD_OK);
    REQUIRE(m);
    return m;
}

static void submit(struct kd_queue *q, struct kd_module *m, struct launched *l, uint32_t blocks) {
    uint32_t *params[3] = {l->marks, &l->started, &l->go};
    EXPECT_EQ(fake_launch(q, m, "mark", blocks, 1, params, sizeof params), KD_OK);
}

// The mark of a launch of one block.
static uint32_t mark_of(struct kd_queue *q, struct kd_module *m) {
    static _Thread_local struct launched l;
    memset(&l, 0, sizeof l);
    l.go = 1;
    submit(q, m, &l, 1);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    return l.marks[0];
}

static void short_pause(void) {
    struct timespec t = {0, 100000};
    nanosleep(&t, NULL);
}

// Until the kernel's first code has better code in its place, at most ten seconds.
static bool wait_for_better(struct kd_module *m) {
    struct variant *v = atomic_load(&kd_module_kernel_at(m, 0)->variants[0]);
    for (int i = 0; i < 100000 && code_now(&v->code) == &v->code; i++)
        short_pause();
    return code_now(&v->code) != &v->code;
}

static bool wait_until(atomic_int *n, int value) {
    for (int i = 0; i < 100000 && atomic_load(n) < value; i++)
        short_pause();
    return atomic_load(n) >= value;
}

// ---- Tests --------------------------------------------------------------------------------

static void test_between_launches(struct kd_context *c) {
    struct kd_queue *q = kd_context_legacy_queue(c);
    describe();
    struct kd_module *m = load(c, "// between");
    EXPECT_EQ(mark_of(q, m), QUICK);
    EXPECT_EQ(mark_of(q, m), QUICK);
    sem_post(&may_compile);
    EXPECT(wait_for_better(m));
    EXPECT_EQ(mark_of(q, m), BETTER);
    EXPECT_EQ(quick_compiled, 1);
    EXPECT_EQ(full_compiled, 1);
    kd_module_free(m);
}

// The blocks that have begun end in the code that they began in; the others take the new code,
// whose vectors may be wider.
static void test_within_launch(struct kd_context *c, uint32_t width) {
    static struct launched l;
    struct kd_queue *q = kd_context_legacy_queue(c);
    describe();
    better_width = width;
    struct kd_module *m = load(c, "// within");
    memset(&l, 0, sizeof l);
    submit(q, m, &l, MAX_BLOCKS);
    for (int i = 0; i < 100000 && !__atomic_load_n(&l.started, __ATOMIC_SEQ_CST); i++)
        short_pause();
    sem_post(&may_compile);
    EXPECT(wait_for_better(m));
    __atomic_store_n(&l.go, 1, __ATOMIC_SEQ_CST);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    unsigned n[3] = {0};
    for (unsigned i = 0; i < MAX_BLOCKS; i++) {
        REQUIRE(l.marks[i] <= BETTER);
        n[l.marks[i]]++;
    }
    EXPECT_EQ(n[0], 0);
    EXPECT(n[QUICK] > 0);
    EXPECT(n[BETTER] > n[QUICK]);
    better_width = 1;
    kd_module_free(m);
}

struct launcher {
    pthread_t thread;
    struct kd_context *context;
    struct kd_module *module;
    bool ok;
};

// Once a launch has had the better code, no later one of the thread has the quick one.
static void *launch_until_better(void *arg) {
    struct launcher *l = arg;
    struct kd_queue *q;
    uint32_t last = QUICK;
    l->ok = kd_queue_new(l->context, 0, 0, &q) == KD_OK;
    for (int after = 0; l->ok && after < 50;) {
        uint32_t mark = mark_of(q, l->module);
        l->ok = (mark == QUICK || mark == BETTER) && mark >= last;
        last = mark;
        after += mark == BETTER;
    }
    kd_queue_free(q);
    return NULL;
}

static void test_from_threads(struct kd_context *c) {
    for (int round = 0; round < 20; round++) {
        struct launcher l[4];
        describe();
        struct kd_module *m = load(c, "// threads");
        for (int i = 0; i < 4; i++) {
            l[i] = (struct launcher){.context = c, .module = m};
            REQUIRE(pthread_create(&l[i].thread, NULL, launch_until_better, &l[i]) == 0);
        }
        short_pause();
        sem_post(&may_compile);
        for (int i = 0; i < 4; i++) {
            pthread_join(l[i].thread, NULL);
            EXPECT(l[i].ok);
        }
        EXPECT_EQ(quick_compiled, 1);
        EXPECT_EQ(full_compiled, 1);
        kd_module_free(m);
    }
}

// Unloading waits for no compilation; what comes out of it then is dropped.
static void test_unload(struct kd_context *c) {
    struct kd_queue *q = kd_context_legacy_queue(c);
    describe();
    struct kd_module *m = load(c, "// unloaded"), *waiting = load(c, "// unloaded, too");
    EXPECT_EQ(mark_of(q, m), QUICK);
    EXPECT_EQ(mark_of(q, waiting), QUICK);
    EXPECT(wait_until(&entered, 1));
    kd_module_free(m);
    kd_module_free(waiting);
    sem_post(&may_compile);
    EXPECT(wait_until(&full_compiled, 1));
    m = load(c, "// loaded");
    EXPECT_EQ(mark_of(q, m), QUICK);
    sem_post(&may_compile);
    EXPECT(wait_for_better(m));
    EXPECT_EQ(entered, 2); // not for the one whose turn had not come
    kd_module_free(m);
}

static void test_failure(struct kd_context *c) {
    struct kd_queue *q = kd_context_legacy_queue(c);
    describe();
    fails = true;
    struct kd_module *m = load(c, "// fails");
    EXPECT_EQ(mark_of(q, m), QUICK);
    sem_post(&may_compile);
    EXPECT(wait_until(&full_compiled, 1));
    EXPECT_EQ(mark_of(q, m), QUICK);
    kd_module_free(m);
}

static void test_tiers(struct kd_context *c) {
    struct kd_queue *q = kd_context_legacy_queue(c);
    describe();
    setenv("KUDZU_TIER", "quick", 1);
    struct kd_module *m = load(c, "// quick");
    EXPECT_EQ(mark_of(q, m), QUICK);
    kd_module_free(m);
    setenv("KUDZU_TIER", "full", 1);
    sem_post(&may_compile);
    m = load(c, "// full");
    EXPECT_EQ(mark_of(q, m), BETTER);
    kd_module_free(m);
    unsetenv("KUDZU_TIER");
    EXPECT_EQ(quick_compiled, 1);
    EXPECT_EQ(full_compiled, 1);
}

static int files_in(const char *folder) {
    char command[128];
    int n = -1;
    snprintf(command, sizeof command, "ls %s | wc -l", folder);
    FILE *f = popen(command, "r");
    REQUIRE(f);
    EXPECT_EQ(fscanf(f, "%d", &n), 1);
    pclose(f);
    return n;
}

// The disk cache keeps the quick code until it has the better one.
static void test_disk_cache(struct kd_context *c) {
    char folder[] = "/tmp/kudzu-better-test-XXXXXX", command[100];
    struct kd_queue *q = kd_context_legacy_queue(c);
    REQUIRE(mkdtemp(folder));
    setenv("CUDA_CACHE_PATH", folder, 1);
    unsetenv("CUDA_CACHE_DISABLE");
    describe();
    struct kd_module *m = load(c, "// cached");
    EXPECT_EQ(mark_of(q, m), QUICK);
    EXPECT_EQ(files_in(folder), 2); // it and the module's description
    struct kd_module *again = load(c, "// cached");
    EXPECT_EQ(mark_of(q, again), QUICK);
    EXPECT_EQ(quick_compiled, 1);
    sem_post(&may_compile);
    sem_post(&may_compile);
    EXPECT(wait_for_better(m));
    EXPECT(wait_for_better(again));
    EXPECT_EQ(files_in(folder), 2);
    kd_module_free(m);
    kd_module_free(again);
    m = load(c, "// cached");
    EXPECT_EQ(mark_of(q, m), BETTER);
    EXPECT_EQ(quick_compiled, 1);
    EXPECT_EQ(full_compiled, 2);
    kd_module_free(m);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    EXPECT_EQ(system(command), 0);
}

// A launch that takes 150 ms at least.
static void launch_long(struct kd_queue *q, struct kd_module *m) {
    static struct launched l;
    struct timespec t = {0, 150000000};
    memset(&l, 0, sizeof l);
    submit(q, m, &l, 1);
    nanosleep(&t, NULL);
    __atomic_store_n(&l.go, 1, __ATOMIC_SEQ_CST);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
}

// Leaves quick code in the cache, as a process does that ends before there is better code.
static void run_before(struct kd_context *c, const char *ptx) {
    describe();
    fails = true;
    sem_post(&may_compile);
    struct kd_module *m = load(c, ptx);
    launch_long(kd_context_legacy_queue(c), m);
    EXPECT(wait_until(&full_compiled, 1));
    kd_module_free(m);
    describe();
}

static double seconds_to_finish(void) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    kd_finish_better_code();
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static void *compile_soon(void *unused) {
    struct timespec t = {0, 50000000};
    nanosleep(&t, NULL);
    sem_post(&may_compile);
    return NULL;
}

// The end of a process waits for better code of what an earlier one has left as quick code, if that
// has run for long enough here.
static void test_finish(struct kd_context *c) {
    struct kd_queue *q = kd_context_legacy_queue(c);
    pthread_t thread;
    run_before(c, "// finished");
    struct kd_module *m = load(c, "// finished");
    EXPECT_EQ(mark_of(q, m), QUICK);
    EXPECT_EQ(quick_compiled, 0);
    EXPECT(wait_until(&entered, 1));
    EXPECT(seconds_to_finish() < 1); // it has run for no time
    launch_long(q, m);
    REQUIRE(pthread_create(&thread, NULL, compile_soon, NULL) == 0);
    kd_finish_better_code();
    EXPECT_EQ(full_compiled, 1);
    pthread_join(thread, NULL);
    EXPECT(wait_for_better(m));
    kd_module_free(m);
    describe();
    m = load(c, "// new");
    launch_long(q, m);
    EXPECT(seconds_to_finish() < 1); // nobody has run it before
    sem_post(&may_compile);
    EXPECT(wait_for_better(m));
    kd_module_free(m);
}

// Where that takes too long, the process ends, and no later one waits.
static void test_give_up(struct kd_context *c) {
    struct kd_queue *q = kd_context_legacy_queue(c);
    run_before(c, "// given up");
    for (int round = 0; round < 2; round++) {
        struct kd_module *m = load(c, "// given up");
        launch_long(q, m);
        EXPECT(wait_until(&entered, 1));
        double seconds = seconds_to_finish();
        EXPECT(round ? seconds < 1 : seconds > 1.4);
        fails = true;
        sem_post(&may_compile);
        EXPECT(wait_until(&full_compiled, 1));
        kd_module_free(m);
        describe();
    }
}

static void test_ends(struct kd_context *c) {
    char folder[] = "/tmp/kudzu-better-test-XXXXXX", command[100];
    REQUIRE(mkdtemp(folder));
    setenv("CUDA_CACHE_PATH", folder, 1);
    unsetenv("CUDA_CACHE_DISABLE");
    test_finish(c);
    test_give_up(c);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    EXPECT_EQ(system(command), 0);
}

// A process ends while the compiler is at work, and so does its child.
static void test_exit(void) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int status;
        struct kd_context *c = fake_context();
        describe();
        struct kd_module *m = load(c, "// ends");
        EXPECT_EQ(mark_of(kd_context_legacy_queue(c), m), QUICK);
        EXPECT(wait_until(&entered, 1));
        pid_t grandchild = fork();
        if (grandchild == 0)
            exit(7);
        EXPECT(waitpid(grandchild, &status, 0) == grandchild && WEXITSTATUS(status) == 7);
        exit(expect_done());
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT_EQ(status, 0);
}

// On eight processors two threads compile.
static void test_two_at_once(void) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("KUDZU_WORKERS", "8", 1);
        struct kd_context *c = fake_context();
        struct kd_queue *q = kd_context_legacy_queue(c);
        describe();
        struct kd_module *m = load(c, "// first"), *other = load(c, "// second");
        EXPECT_EQ(mark_of(q, m), QUICK);
        EXPECT_EQ(mark_of(q, other), QUICK);
        EXPECT(wait_until(&entered, 2));
        sem_post(&may_compile);
        sem_post(&may_compile);
        EXPECT(wait_for_better(m));
        EXPECT(wait_for_better(other));
        exit(expect_done());
    }
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT_EQ(status, 0);
}

static void read_object(const char *path, struct object *o) {
    FILE *f = fopen(path, "rb");
    REQUIRE(f);
    o->size = fread(o->bytes, 1, sizeof o->bytes, f);
    fclose(f);
}

int main(int argc, char **argv) {
    REQUIRE(argc == 3);
    read_object(argv[1], &objects[QUICK]);
    read_object(argv[2], &objects[BETTER]);
    test_exit();
    test_two_at_once();
    setenv("KUDZU_WORKERS", "2", 1); // one thread compiles
    struct kd_context *c = fake_context();
    test_between_launches(c);
    test_within_launch(c, 1);
    test_within_launch(c, 8);
    test_from_threads(c);
    test_unload(c);
    test_failure(c);
    test_tiers(c);
    test_disk_cache(c);
    test_ends(c);
    kd_context_destroy(c);
    return expect_done();
}
