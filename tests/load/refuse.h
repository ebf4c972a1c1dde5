// The n-th allocation, mapping, protection or thread that a library asks for is refused.
//
// The program's own malloc and its kind stand before the C library's. Only calls that come from the
// library `refuse_calls_of` names fail, and the blocks that it gets are counted.
#ifndef KUDZU_TESTS_LOAD_REFUSE_H
#define KUDZU_TESTS_LOAD_REFUSE_H

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

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

static int find_library(struct dl_phdr_info *info, size_t size, void *name) {
    if (!strstr(info->dlpi_name, (const char *)name))
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

// The library must be loaded.
static void refuse_calls_of(const char *name) {
    dl_iterate_phdr(find_library, (void *)name);
    if (!library_begin) {
        fprintf(stderr, "%s is not loaded\n", name);
        exit(1);
    }
}

// ---- One call after the other -------------------------------------------------------------

static int refuse_failures;

// Runs scenario(n, variant) in a process. It ends with 0: the n-th call was refused, all was well;
// 1: it was not; 2: there are fewer calls.
static int in_child(int (*scenario)(int, int), int n, int variant) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(scenario(n, variant));
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        fprintf(stderr, "call %d: ended by signal %d\n", n, WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Each call in turn; `least`: how many there must be.
static void all_calls(const char *name, int (*scenario)(int, int), int variant, int least) {
    int n = 0, bad = 0, r;
    while ((r = in_child(scenario, n, variant)) != 2 && n < 5000) {
        bad += r == 1;
        n++;
    }
    printf("%s: %d calls refused, one by one; %d times badly\n", name, n, bad);
    refuse_failures += bad != 0 || n < least || n >= 5000;
}

#endif
