#include "device/jit_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "device/reason.h"
#include "device/runtime.h"

#define JIT_FILE "libkudzu-jit.so"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const struct jit_library *) present;
static bool used_for_test;

// The library's file in the folder of this one; there may be none.
static bool path_beside_this(char *path, size_t size) {
    Dl_info info;
    if (!dladdr((void *)jit_library, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash ? (int)(slash - info.dli_fname) : 1;
    int n = snprintf(path, size, "%.*s/" JIT_FILE, folder, slash ? info.dli_fname : ".");
    return n > 0 && (size_t)n < size;
}

static void *open_beside_this(void) {
    char path[4096];
    return path_beside_this(path, sizeof path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static bool hash_file(const char *path, char *out, size_t size) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    void *p = MAP_FAILED;
    if (fstat(fd, &st) == 0 && st.st_size > 0)
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (p == MAP_FAILED)
        return false;
    XXH128_hash_t h = XXH3_128bits(p, (size_t)st.st_size);
    munmap(p, (size_t)st.st_size);
    snprintf(out, size, "%016llx%016llx", (unsigned long long)h.high64,
             (unsigned long long)h.low64);
    return true;
}

static const struct jit_library *load(void) {
    static struct jit_library table;
    void *so = open_beside_this();
    if (!so)
        so = dlopen(JIT_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!so) {
        kd_fail(KD_JIT_NOT_FOUND, "the compiler library cannot be loaded: %s", dlerror());
        return NULL;
    }
    *(void **)&table.module_load = dlsym(so, "kj_module_load");
    *(void **)&table.module_free = dlsym(so, "kj_module_free");
    *(void **)&table.module_info = dlsym(so, "kj_module_info");
    *(void **)&table.compile = dlsym(so, "kj_compile");
    *(void **)&table.interpret_block = dlsym(so, "kj_interpret_block");
    *(void **)&table.set_runtime = dlsym(so, "kj_set_runtime");
    *(void **)&table.link_ptx = dlsym(so, "kj_link_ptx");
    *(void **)&table.find_access = dlsym(so, "kj_find_access");
    *(void **)&table.version = dlsym(so, "kj_version");
    if (!table.module_load || !table.module_free || !table.module_info || !table.interpret_block ||
        !table.set_runtime || !table.version) {
        kd_fail(KD_JIT_NOT_FOUND, "%s is not the compiler library of this version", JIT_FILE);
        return NULL;
    }
    table.set_runtime(runtime_table());
    return &table;
}

const struct jit_library *jit_library(void) {
    const struct jit_library *t = atomic_load_explicit(&present, memory_order_acquire);
    if (t)
        return t;
    pthread_mutex_lock(&lock);
    t = atomic_load(&present);
    if (!t) {
        t = load();
        atomic_store_explicit(&present, t, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return t;
}

const char *jit_library_identity(void) {
    static char identity[40];
    static bool known;
    const struct jit_library *t = atomic_load_explicit(&present, memory_order_acquire);
    char path[4096];
    pthread_mutex_lock(&lock);
    if (!known && path_beside_this(path, sizeof path))
        known = hash_file(path, identity, sizeof identity);
    bool by_file = known && !used_for_test;
    pthread_mutex_unlock(&lock);
    if (by_file)
        return identity;
    t = t ? t : jit_library();
    return t ? t->version() : NULL;
}

void jit_library_use(const struct jit_library *table) {
    if (table && table->set_runtime)
        table->set_runtime(runtime_table());
    used_for_test = true;
    atomic_store(&present, table);
}
