// Nothing that the system refuses crashes the device: the n-th allocation, mapping, protection or
// thread fails, for each n, in a process of its own. Either the call reports it or the result is
// right.
#include <pthread.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/fake_module.h"

static atomic_int countdown; // calls until one fails; negative: never
static atomic_int failed;

static bool fails(void) {
    if (atomic_load(&countdown) < 0 || atomic_fetch_sub(&countdown, 1) != 0)
        return false;
    atomic_store(&failed, 1);
    return true;
}

#define WRAP(ret, name, params, arguments, failure)                                                \
    ret __real_##name params;                                                                      \
    ret __wrap_##name params;                                                                      \
    ret __wrap_##name params {                                                                     \
        return fails() ? failure : __real_##name arguments;                                        \
    }
WRAP(void *, malloc, (size_t n), (n), NULL)
WRAP(void *, calloc, (size_t n, size_t m), (n, m), NULL)
WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL)
WRAP(void *, aligned_alloc, (size_t a, size_t n), (a, n), NULL)
WRAP(void *, mmap, (void *a, size_t n, int p, int f, int fd, off_t o), (a, n, p, f, fd, o),
     MAP_FAILED)
WRAP(int, mprotect, (void *a, size_t n, int p), (a, n, p), -1)
WRAP(int, pthread_create, (pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *x),
     (t, a, f, x), 11)

struct params {
    uint32_t *counts;
};

static void work(struct kd_block *b, uint32_t warp) {
    uint32_t *counts = ((const struct params *)b->params)->counts;
    kd_rt_bar_sync(b, warp, 0, 0);
    uint64_t p = kd_rt_malloc(b, warp * 32, 5000);
    if (p)
        *(uint32_t *)p = 1;
    kd_rt_free(b, warp * 32, p);
    kd_rt_vprintf(b, warp * 32, "", NULL);
    kd_rt_bar_sync(b, warp, 0, 0);
    __atomic_fetch_add(&counts[b->block_index], 1, __ATOMIC_RELAXED);
}

static const struct fake_kernel kernels[] = {
    {.name = "work",
     .entry = work,
     .mode = KD_MODE_WARP_STACKS,
     .param_bytes = 8,
     .local_bytes = 64},
};

// 0: everything was right. 1: something was refused, with a reason. 2: wrong.
static int launches(struct kd_context *c, struct kd_module *m) {
    struct kd_queue *q = NULL;
    struct kd_event *e = NULL;
    uint64_t data = 0;
    uint32_t counts[10], zero = 0;
    struct kd_set set = {.value = zero, .element = 4, .width = 10, .height = 1, .depth = 1};
    bool ok = kd_queue_new(c, 0, 0, &q) == KD_OK && kd_event_new(c, 0, &e) == KD_OK &&
              kd_memory_alloc(c, KD_MEMORY_DEVICE, 100000, 0, &data) == KD_OK;
    struct kd_copy copy = {
        .dst = counts, .src = (void *)data, .width = sizeof counts, .height = 1, .depth = 1};
    set.dst = (void *)data;
    ok = ok && kd_submit_set(q, &set) == KD_OK &&
         fake_launch(q, m, "work", 10, 256, &data, 8) == KD_OK && kd_event_record(e, q) == KD_OK &&
         kd_event_wait_on(kd_context_legacy_queue(c), e) == KD_OK &&
         kd_submit_copy(kd_context_legacy_queue(c), &copy) == KD_OK &&
         kd_queue_wait(kd_context_legacy_queue(c)) == KD_OK;
    int result = ok ? 0 : kd_reason()[0] ? 1 : 2;
    for (int i = 0; i < 10 && ok; i++)
        if (counts[i] != 8)
            result = 2;
    kd_context_wait(c);
    kd_event_free(e);
    kd_queue_free(q);
    return result;
}

static int scenario(void) {
    struct kd_context *c;
    struct kd_device *d = kd_device_open(0);
    if (!d || kd_context_new(d, &c))
        return kd_reason()[0] ? 1 : 2;
    fake_kernels = kernels;
    fake_infos[0] =
        (struct kj_kernel){.name = "work", .param_bytes = 8, .local_bytes = 64, .registers = 8};
    fake_info.nkernels = 1;
    fake_info.kernels = fake_infos;
    jit_library_use(&fake_library);
    struct kd_module *m;
    int result = 1;
    if (kd_module_load(c, "// fake", 0, NULL, &m) == KD_OK) {
        struct code code = {.info = {.mode = KD_MODE_WARP_STACKS, .local_bytes = 64},
                            .entry = work};
        if (kernel_add_code(kd_module_kernel_at(m, 0), &code))
            result = launches(c, m);
    } else if (!kd_reason()[0]) {
        result = 2;
    }
    kd_context_destroy(c);
    return result;
}

int main(void) {
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    int n, reported = 0;
    atomic_store(&countdown, -1);
    for (n = 0; n < 1000; n++) {
        int status;
        pid_t pid = fork();
        REQUIRE(pid >= 0);
        if (pid == 0) {
            alarm(100); // a hang is a failure too
            atomic_store(&countdown, n);
            int result = scenario();
            atomic_store(&countdown, -1);
            _exit(result == 2            ? 2
                  : result == 1          ? (atomic_load(&failed) ? 1 : 2)
                  : atomic_load(&failed) ? 0
                                         : 3);
        }
        REQUIRE(waitpid(pid, &status, 0) == pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
            break; // nothing was left to fail
        if (!WIFEXITED(status) || WEXITSTATUS(status) == 2) {
            fprintf(stderr, "when call %d is refused: status 0x%x\n", n, status);
            expect_failures++;
        }
        reported += WIFEXITED(status) && WEXITSTATUS(status) == 1;
    }
    printf("%d calls, %d of them reported\n", n, reported);
    EXPECT(n > 20 && n < 1000);
    EXPECT(reported > 10);
    return expect_done();
}
