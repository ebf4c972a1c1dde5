#include "device/jit_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device/reason.h"
#include "device/runtime.h"

#define JIT_FILE "libkudzu-jit.so"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const struct jit_library *) present;

static void *open_beside_this(void) {
    Dl_info info;
    char path[4096];
    if (!dladdr((void *)jit_library, &info) || !info.dli_fname)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash ? (int)(slash - info.dli_fname) : 1;
    int n = snprintf(path, sizeof path, "%.*s/" JIT_FILE, folder, slash ? info.dli_fname : ".");
    if (n < 0 || (size_t)n >= sizeof path)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
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

void jit_library_use(const struct jit_library *table) {
    if (table && table->set_runtime)
        table->set_runtime(runtime_table());
    atomic_store(&present, table);
}
