#include "device/code/jit_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device/helpers/runtime.h"
#include "device/reason.h"
#include "device/topology.h"
#include "support/check/check_tools.h"

#define JIT_FILE "libkudzu-jit.so"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const struct jit_library *) present;
static bool used_for_test;

// The library's file in the folder of this one, where there may be none; empty where that cannot be
// told. The loader is asked while it loads this library: later, another thread may have its lock.
static char path[4096];

__attribute__((constructor)) static void find_path(void) {
    Dl_info info;
    if (!dladdr((void *)jit_library, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash ? (int)(slash - info.dli_fname) : 1;
    int n = snprintf(path, sizeof path, "%.*s/" JIT_FILE, folder, slash ? info.dli_fname : ".");
    if (n <= 0 || (size_t)n >= sizeof path)
        path[0] = 0;
}

static void *open_beside_this(void) {
    return path[0] ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

// The identifier that the linker has put into the file: a hash of all that is loaded of it. Reading
// the file to hash it here would take longer than everything else that a short program does.
static bool read_build_id(const uint8_t *notes, size_t size, char *out, size_t out_size) {
    Elf64_Nhdr n;
    for (size_t at = 0; size - at >= sizeof n;) {
        memcpy(&n, notes + at, sizeof n);
        size_t name = at + sizeof n, desc = name + (((size_t)n.n_namesz + 3) & ~(size_t)3);
        if (desc > size || n.n_descsz > size - desc)
            return false;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && !memcmp(notes + name, "GNU", 4) &&
            n.n_descsz >= 8 && n.n_descsz * 2 < out_size) {
            for (uint32_t i = 0; i < n.n_descsz; i++)
                snprintf(out + 2 * i, 3, "%02x", notes[desc + i]);
            return true;
        }
        at = desc + (((size_t)n.n_descsz + 3) & ~(size_t)3);
        if (at > size)
            return false;
    }
    return false;
}

static bool identify_file(char *out, size_t size) {
    uint8_t head[4096], notes[1024];
    Elf64_Ehdr h;
    Elf64_Phdr p;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool found = false;
    ssize_t n = pread(fd, head, sizeof head, 0);
    if (n >= (ssize_t)sizeof h && memcmp(head, ELFMAG, SELFMAG) == 0) {
        memcpy(&h, head, sizeof h);
        for (uint32_t i = 0; i < h.e_phnum && !found; i++) {
            uint64_t at = h.e_phoff + (uint64_t)i * sizeof p;
            if (at > (uint64_t)n || (uint64_t)n - at < sizeof p)
                break;
            memcpy(&p, head + at, sizeof p);
            size_t bytes = p.p_filesz < sizeof notes ? (size_t)p.p_filesz : sizeof notes;
            ssize_t got = p.p_type == PT_NOTE ? pread(fd, notes, bytes, (off_t)p.p_offset) : -1;
            found = got > 0 && read_build_id(notes, (size_t)got, out, size);
        }
    }
    close(fd);
    return found;
}

static bool load(struct jit_library *out) {
    struct jit_library table = {0};
    void *so = open_beside_this();
    if (!so)
        so = dlopen(JIT_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!so) {
        kd_fail(KD_JIT_NOT_FOUND, "the compiler library cannot be loaded: %s", dlerror());
        return false;
    }
    *(void **)&table.module_load = dlsym(so, "kj_module_load");
    *(void **)&table.module_free = dlsym(so, "kj_module_free");
    *(void **)&table.module_info = dlsym(so, "kj_module_info");
    *(void **)&table.compile = dlsym(so, "kj_compile");
    *(void **)&table.interpret_block = dlsym(so, "kj_interpret_block");
    *(void **)&table.plan_kernel = dlsym(so, "kj_plan_kernel");
    *(void **)&table.interpret_plan = dlsym(so, "kj_interpret_plan");
    *(void **)&table.set_runtime = dlsym(so, "kj_set_runtime");
    *(void **)&table.link_ptx = dlsym(so, "kj_link_ptx");
    *(void **)&table.find_access = dlsym(so, "kj_find_access");
    *(void **)&table.check_ptx = dlsym(so, "kj_check_ptx");
    *(void **)&table.out_of_memory = dlsym(so, "kj_out_of_memory");
    *(void **)&table.unsupported_version = dlsym(so, "kj_unsupported_version");
    *(void **)&table.version = dlsym(so, "kj_version");
    if (!table.module_load || !table.module_free || !table.module_info || !table.interpret_block ||
        !table.set_runtime || !table.version) {
        kd_fail(KD_JIT_NOT_FOUND, "%s is not the compiler library of this version", JIT_FILE);
        return false;
    }
    *out = table;
    return true;
}

// The system's loader has a lock, too, which constructors of a library run under, and they may
// launch kernels, load modules and wait. So whoever may be waited for does not load: a thread that
// has a lock gives it back before (jit_library_try), and one that runs kernels does not wait for
// ever (jit_library_soon).
static _Thread_local bool tries, wanted;

const struct jit_library *jit_library(void) {
    const struct jit_library *t = atomic_load_explicit(&present, memory_order_acquire);
    if (t)
        return t;
    if (tries) {
        wanted = true;
        return NULL;
    }
    // Two threads may load; one of them is first.
    static struct jit_library table;
    struct jit_library loaded;
    if (!load(&loaded))
        return NULL;
    pthread_mutex_lock(&lock);
    t = atomic_load(&present);
    if (!t) {
        loaded.set_runtime(runtime_table());
        table = loaded;
        t = &table;
        atomic_store_explicit(&present, t, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return t;
}

void jit_library_try(void) {
    tries = true;
    wanted = false;
}

bool jit_library_wanted(void) {
    tries = false;
    return wanted && jit_library();
}

static void *load_aside(void *unused) {
    jit_library();
    return NULL;
}

const struct jit_library *jit_library_soon(void) {
    const struct jit_library *t = atomic_load_explicit(&present, memory_order_acquire);
    pthread_t thread;
    if (t || pthread_create(&thread, NULL, load_aside, NULL))
        return t;
    pthread_detach(thread);
    for (int ms = 0; ms < 500 && !(t = atomic_load(&present)); ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return t;
}

enum kd_status jit_library_failure(enum kd_status otherwise) {
    const struct jit_library *t = atomic_load_explicit(&present, memory_order_acquire);
    if (t && t->out_of_memory && t->out_of_memory())
        return KD_OUT_OF_MEMORY;
    return t && t->unsupported_version && t->unsupported_version() ? KD_UNSUPPORTED_PTX_VERSION
                                                                   : otherwise;
}

// Code depends on what the machine has beyond its level, and caches may be shared.
static bool add_features(char *identity, size_t size) {
    size_t n = strlen(identity);
    char tools[16] = ""; // nothing of it where nothing is checked
    if (check_tools())
        snprintf(tools, sizeof tools, "-check%x", check_tools());
    return (size_t)snprintf(identity + n, size - n, "-%x%s", topology_features(), tools) < size - n;
}

const char *jit_library_identity(void) {
    static char identity[72];
    static bool known;
    const struct jit_library *t = atomic_load_explicit(&present, memory_order_acquire);
    pthread_mutex_lock(&lock);
    if (!known && path[0])
        known = identify_file(identity, sizeof identity) && add_features(identity, sizeof identity);
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
