// Whatever the system refuses, the driver reports: the n-th allocation, mapping, protection or
// thread that the driver asks for fails, for each n, in a process of its own. The program goes on
// after the error, nothing hangs, nothing is lost, nothing stays allocated.
//
// The program's own malloc and its kind stand before the C library's. Only calls that come from
// the driver's library fail: the compiler is built on libraries that end the process when memory
// is short, so that kernels come from the cache here.
#include "driver/check.h"
#include "driver/kernels.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

// ---- Refusing -----------------------------------------------------------------------------

static uintptr_t library_begin, library_end;
static atomic_int countdown = -1; // calls of the library until one fails; negative: never
static atomic_int refused;
static atomic_long live; // blocks of the library that are not freed
static const char *what;

static int from_library(const void *caller) {
    return (uintptr_t)caller >= library_begin && (uintptr_t)caller < library_end;
}

static int fails(const void *caller, const char *name) {
    if (!from_library(caller) || atomic_load(&countdown) < 0 ||
        atomic_fetch_sub(&countdown, 1) != 0)
        return 0;
    what = name;
    atomic_store(&refused, 1);
    return 1;
}

#define CALLER __builtin_return_address(0)

// Blocks of the library carry a mark before them, so that their release is counted whoever frees.
enum { MARK_BYTES = 64 };
#define MARK 0x6b75647a75206d6bull

static void *marked(size_t align, size_t n) {
    size_t offset = align > MARK_BYTES ? align : MARK_BYTES;
    char *p = __libc_memalign(offset, n + offset);
    if (!p)
        return NULL;
    ((uint64_t *)(p + offset))[-1] = MARK ^ (uintptr_t)(p + offset);
    ((uint64_t *)(p + offset))[-2] = offset;
    ((uint64_t *)(p + offset))[-3] = n;
    atomic_fetch_add(&live, 1);
    return p + offset;
}

static int is_marked(void *p) {
    return (uintptr_t)p % MARK_BYTES == 0 && ((uint64_t *)p)[-1] == (MARK ^ (uintptr_t)p);
}

void *malloc(size_t n) {
    if (fails(CALLER, "malloc"))
        return NULL;
    return from_library(CALLER) ? marked(MARK_BYTES, n) : __libc_malloc(n);
}

void *calloc(size_t n, size_t m) {
    if (fails(CALLER, "calloc"))
        return NULL;
    void *p = from_library(CALLER) ? marked(MARK_BYTES, n * m) : __libc_calloc(n, m);
    return p && is_marked(p) ? memset(p, 0, n * m) : p;
}

void *aligned_alloc(size_t align, size_t n) {
    if (fails(CALLER, "aligned_alloc"))
        return NULL;
    return from_library(CALLER) ? marked(align, n) : __libc_memalign(align, n);
}

void free(void *p) {
    if (!p || !is_marked(p)) {
        __libc_free(p);
        return;
    }
    ((uint64_t *)p)[-1] = 0;
    atomic_fetch_sub(&live, 1);
    __libc_free((char *)p - ((uint64_t *)p)[-2]);
}

void *realloc(void *p, size_t n) {
    if (fails(CALLER, "realloc"))
        return NULL;
    if (!p && from_library(CALLER))
        return marked(MARK_BYTES, n);
    if (!p || !is_marked(p))
        return __libc_realloc(p, n);
    void *q = marked(MARK_BYTES, n);
    size_t old = ((uint64_t *)p)[-3];
    if (q) {
        memcpy(q, p, old < n ? old : n);
        free(p);
    }
    return q;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset) {
    return fails(CALLER, "mmap") ? MAP_FAILED : REAL(mmap)(at, n, prot, flags, fd, offset);
}

int mprotect(void *at, size_t n, int prot) {
    return fails(CALLER, "mprotect") ? -1 : REAL(mprotect)(at, n, prot);
}

int pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*main)(void *), void *arg) {
    return fails(CALLER, "pthread_create") ? 11 : REAL(pthread_create)(t, attr, main, arg);
}

static int find_library(struct dl_phdr_info *info, size_t size, void *unused) {
    if (!strstr(info->dlpi_name, "libcuda.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && h->p_flags & PF_X) {
            library_begin = info->dlpi_addr + h->p_vaddr;
            library_end = library_begin + h->p_memsz;
        }
    }
    return 1;
}

// ---- What is tried ------------------------------------------------------------------------

enum result { RIGHT, REFUSED, WRONG };

static const char ptx[] = PTX_HEAD PTX_FILL;
static const char *failed_call;

// The call's own error ends the attempt: it must be one that a lack of means can cause.
static int refused_by(CUresult r, const char *call) {
    if (r == CUDA_SUCCESS)
        return 0;
    failed_call = call;
    if (r != CUDA_ERROR_OUT_OF_MEMORY && r != CUDA_ERROR_OPERATING_SYSTEM &&
        r != CUDA_ERROR_JIT_COMPILER_NOT_FOUND) {
        fprintf(stderr, "%s: error %d where %s was refused\n", call, (int)r, what);
        check_failures++;
    }
    return 1;
}
#define TRIED(call)                                                                                \
    do {                                                                                           \
        if (refused_by(call, #call))                                                               \
            return REFUSED;                                                                        \
    } while (0)

static void CUDA_CB count_up(void *n) {
    ++*(int *)n;
}

static int right(const unsigned *back, unsigned a, unsigned b) {
    for (unsigned i = 0; i < 256; i++)
        if (back[i] != a + b * i)
            return 0;
    return 1;
}

static CUlibrary library; // of no context

static enum result work(void) {
    CUmodule m;
    CUfunction f;
    CUstream s, t;
    CUevent e, e2;
    CUdeviceptr out, pooled;
    void *host;
    static int calls; // also when the function runs after the attempt has ended
    float ms;
    calls = 0;
    unsigned a = 3, b = 5, back[256] = {0};
    void *params[] = {&out, &a, &b};
    TRIED(cuModuleLoadData(&m, ptx));
    TRIED(cuModuleGetFunction(&f, m, "fill"));
    TRIED(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    TRIED(cuStreamCreate(&s, 0));
    TRIED(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    TRIED(cuEventCreate(&e, 0));
    TRIED(cuEventCreate(&e2, 0));
    TRIED(cuMemAlloc(&out, sizeof back));
    TRIED(cuMemHostAlloc(&host, 1 << 20, 0));
    TRIED(cuEventRecord(e, s));
    TRIED(cuLaunchKernel(f, 4, 1, 1, 64, 1, 1, 0, s, params, NULL));
    TRIED(cuLaunchHostFunc(s, count_up, &calls));
    TRIED(cuEventRecord(e2, s));
    TRIED(cuStreamWaitEvent(t, e2, 0));
    TRIED(cuMemAllocAsync(&pooled, sizeof back, t));
    TRIED(cuMemcpyDtoDAsync(pooled, out, sizeof back, t));
    TRIED(cuMemcpyDtoHAsync(back, pooled, sizeof back, t));
    TRIED(cuMemFreeAsync(pooled, t));
    TRIED(cuStreamSynchronize(t));
    TRIED(cuStreamSynchronize(s));
    TRIED(cuEventElapsedTime(&ms, e, e2));
    TRIED(cuCtxSynchronize());
    return right(back, a, b) && calls == 1 ? RIGHT : WRONG;
}

static enum result with_context(void) {
    CUcontext ctx;
    TRIED(cuCtxCreate(&ctx, 0, 0));
    enum result r = work();
    atomic_store(&countdown, -1); // ending must not fail for lack of memory
    if (library)
        OK(cuLibraryUnload(library));
    library = NULL;
    OK(cuCtxDestroy(ctx));
    return r;
}

// One attempt in which the n-th call fails. False: it is as if nothing had gone wrong, and it had.
static int attempt(int n, int from_start) {
    refused = 0;
    atomic_store(&countdown, n);
    enum result r = from_start && refused_by(cuInit(0), "cuInit") ? REFUSED : with_context();
    atomic_store(&countdown, -1);
    if (r == RIGHT || (r == REFUSED && refused))
        return 1;
    fprintf(stderr, "call %d, %s refused: wrong result\n", n, refused ? what : "nothing");
    return 0;
}

// The driver keeps some blocks for later, how many depends on time; what is lost is lost each time.
enum { TIMES = 12 };

// Fails the n-th call. Exit status 0: it came to pass, 1: it was wrong, 2: there are fewer calls.
static int scenario(int n, int from_start) {
    alarm(20);
    if (!from_start) {
        NEED(cuInit(0));
        CHECK(with_context() == RIGHT && with_context() == RIGHT);
    }
    long before = atomic_load(&live);
    int happened = 0;
    for (int i = 0; i < (from_start ? 1 : TIMES); i++) {
        if (!attempt(n, from_start))
            return 1;
        happened |= refused;
    }
    NEED(cuInit(0)); // the library still works
    CHECK(with_context() == RIGHT);
    long after = atomic_load(&live);
    if (!from_start && after - before >= TIMES) {
        fprintf(stderr, "call %d, %s refused to %s: %ld blocks more\n", n, what,
                failed_call ? failed_call : "what succeeded", after - before);
        return 1;
    }
    return check_result() ? 1 : happened ? 0 : 2;
}

static int in_child(int n, int from_start) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(scenario(n, from_start));
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        fprintf(stderr, "call %d: ended by signal %d\n", n, WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void all_calls(int from_start) {
    int n = 0, bad = 0, r;
    while ((r = in_child(n, from_start)) != 2 && n < 5000) {
        bad += r == 1;
        n++;
    }
    printf("%s: %d calls refused, one by one; %d times badly\n",
           from_start ? "from the start" : "once it runs", n, bad);
    CHECK(bad == 0 && n > 20 && n < 5000);
}

int main(void) {
    char cache[] = "/tmp/kudzu-load-XXXXXX", command[64];
    CHECK(mkdtemp(cache) != NULL);
    setenv("CUDA_CACHE_PATH", cache, 1);
    setenv("KUDZU_TIER", "full", 1); // no compiler in the background
    dl_iterate_phdr(find_library, NULL);
    CHECK(library_begin != 0);
    CHECK(in_child(1 << 30, 0) == 2); // compiles
    all_calls(0);
    all_calls(1);
    snprintf(command, sizeof command, "rm -rf %s", cache);
    CHECK(system(command) == 0);
    return check_result();
}
