// Multicast objects (guide 14.9): memory of several devices behind one address. Their pages cannot
// be touched: multimem instructions look the address up here. What an object is and what is bound
// to it stands in a file, so that other processes can take part: each maps the memory that others
// have bound when it finds that something has changed.
#include "device/memory/multicast.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/memory/ipc.h"
#include "device/memory/memory_file.h"
#include "device/reason.h"

enum { MOST_BINDINGS = 512 };
static const uint64_t MAGIC = 0x31747361636d6b64;

// In the file, under its lock.
struct entry {
    uint64_t id; // never given twice; 0: free
    uint64_t offset, size, in_memory;
    struct kd_physical_handle memory;
    uint32_t member;
};

struct shared {
    uint64_t magic;
    struct kd_multicast_info info;
    pthread_mutex_t lock;
    _Atomic(uint64_t) changes; // of entries
    _Atomic(uint64_t) devices; // that were added, one bit each
    uint64_t last_id;
    struct entry entry[MOST_BINDINGS];
};

struct binding {
    uint64_t id;
    unsigned member;
    uint64_t offset, size; // in the object
    uint64_t address;      // of the member's memory
    bool foreign;          // another process, or another handle of this one, bound it
    struct binding *next;
};

struct kd_multicast {
    int fd;
    struct shared *s;
    struct kd_multicast_info info; // as the file said at first
    uint64_t seen;                 // changes
    struct binding *bindings;      // by member, so that sums have one order
};

struct window {
    uint64_t base, size;
    struct kd_multicast *of;
    struct window *next;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; // of this process's objects and windows
static struct window *windows;

// ---- Objects ----------------------------------------------------------------------------------

static void enter(struct shared *s) {
    if (pthread_mutex_lock(&s->lock) == EOWNERDEAD)
        pthread_mutex_consistent(&s->lock); // each change is one entry
}

static void leave(struct shared *s) {
    pthread_mutex_unlock(&s->lock);
}

// The descriptor becomes the object's, on failure too.
static struct kd_multicast *over(int fd) {
    struct kd_multicast *m = fd < 0 ? NULL : calloc(1, sizeof *m);
    void *at = MAP_FAILED;
    if (m)
        at = mmap(NULL, sizeof *m->s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        if (fd >= 0)
            close(fd);
        free(m);
        return NULL;
    }
    m->fd = fd;
    m->s = at;
    return m;
}

struct kd_multicast *kd_multicast_new(const struct kd_multicast_info *info) {
    struct kd_multicast *m = over(memory_file_new(MEMORY_FILE_MULTICAST, -1, sizeof *m->s));
    if (!m)
        return NULL;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m->s->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    m->info = m->s->info = *info;
    m->s->magic = MAGIC;
    return m;
}

// fd is closed when it is no such object.
static enum kd_status adopt(int fd, struct kd_multicast **out) {
    uint64_t size;
    bool ours =
        memory_file_check(fd, MEMORY_FILE_MULTICAST, &size) && size == sizeof(struct shared);
    if (!ours)
        close(fd);
    struct kd_multicast *m = ours ? over(fd) : NULL;
    if (ours && !m)
        return kd_fail(KD_OUT_OF_MEMORY, "the multicast object cannot be mapped");
    if (m)
        m->info = m->s->info;
    if (!m || m->s->magic != MAGIC || !m->info.size || m->info.size % KD_GRANULARITY ||
        !m->info.members || m->info.members > KD_MOST_MEMBERS) {
        if (m)
            kd_multicast_free(m);
        return kd_fail(KD_INVALID_VALUE, "this is no multicast object");
    }
    *out = m;
    return KD_OK;
}

enum kd_status kd_multicast_import(int fd, struct kd_multicast **out) {
    uint64_t size;
    if (!memory_file_check(fd, MEMORY_FILE_MULTICAST, &size))
        return kd_fail(KD_INVALID_VALUE, "descriptor %d is no multicast object", fd);
    int own = memory_file_duplicate(fd);
    if (own < 0)
        return kd_fail(KD_SYSTEM, "no descriptor for a multicast object: %s", strerror(errno));
    return adopt(own, out);
}

enum kd_status kd_multicast_open(const struct kd_physical_handle *in, struct kd_multicast **out) {
    int fd = ipc_open(&in->file, MEMORY_FILE_MULTICAST, sizeof(struct shared));
    if (fd < 0)
        return KD_NOT_FOUND;
    if (in->check != memory_file_sign(fd, in, offsetof(struct kd_physical_handle, check))) {
        close(fd);
        return kd_fail(KD_NOT_FOUND, "this is no handle that process %u gave", in->file.pid);
    }
    return adopt(fd, out);
}

int kd_multicast_export(struct kd_multicast *m) {
    int fd = memory_file_duplicate(m->fd);
    if (fd < 0)
        kd_fail(KD_SYSTEM, "no descriptor for the multicast object: %s", strerror(errno));
    return fd;
}

void kd_multicast_describe(struct kd_multicast *m, struct kd_physical_handle *out) {
    *out = (struct kd_physical_handle){.file = ipc_describe(m->fd), .size = m->info.size};
    out->check = memory_file_sign(m->fd, out, offsetof(struct kd_physical_handle, check));
}

const struct kd_multicast_info *kd_multicast_info_of(const struct kd_multicast *m) {
    return &m->info;
}

void kd_multicast_free(struct kd_multicast *m) {
    for (struct binding *b; (b = m->bindings);) {
        m->bindings = b->next;
        if (b->foreign)
            kd_window_close(b->address, b->size);
        free(b);
    }
    munmap(m->s, sizeof *m->s);
    close(m->fd);
    free(m);
}

enum kd_status kd_multicast_add(struct kd_multicast *m, unsigned member) {
    enter(m->s);
    uint64_t devices = atomic_load(&m->s->devices), bit = 1ull << member;
    bool full = (unsigned)__builtin_popcountll(devices) >= m->info.members;
    if (!(devices & bit) && !full)
        atomic_store(&m->s->devices, devices | bit);
    leave(m->s);
    if (devices & bit)
        return kd_fail(KD_INVALID_VALUE, "the device is part of the object already");
    return full
               ? kd_fail(KD_INVALID_VALUE, "the object has its %u devices already", m->info.members)
               : KD_OK;
}

uint64_t kd_multicast_members(const struct kd_multicast *m) {
    return atomic_load(&m->s->devices);
}

// ---- Bindings -----------------------------------------------------------------------------------

static void insert(struct kd_multicast *m, struct binding *b) {
    struct binding **at = &m->bindings;
    while (*at && ((*at)->member < b->member || ((*at)->member == b->member && (*at)->id < b->id)))
        at = &(*at)->next;
    b->next = *at;
    *at = b;
}

static const struct entry *entry_of(const struct shared *s, uint64_t id) {
    for (unsigned k = 0; k < MOST_BINDINGS; k++)
        if (s->entry[k].id == id)
            return &s->entry[k];
    return NULL;
}

static bool inside(uint64_t offset, uint64_t size, uint64_t whole) {
    return size && size <= whole && offset <= whole - size;
}

// Memory that was bound elsewhere, mapped here. What cannot be had, since its process is gone, is
// not bound here.
static void map_foreign(struct kd_multicast *m, const struct entry *e) {
    struct kd_physical *p;
    uint64_t address;
    if (!inside(e->offset, e->size, m->info.size) || e->member >= KD_MOST_MEMBERS ||
        kd_physical_open(&e->memory, &p))
        return;
    struct binding *b = malloc(sizeof *b);
    bool ok = b && !kd_window_open(p, e->in_memory, e->size, &address);
    kd_physical_free(p);
    if (!ok) {
        free(b);
        return;
    }
    *b = (struct binding){e->id, e->member, e->offset, e->size, address, true, NULL};
    insert(m, b);
}

static bool knows(const struct kd_multicast *m, uint64_t id) {
    for (const struct binding *b = m->bindings; b; b = b->next)
        if (b->id == id)
            return true;
    return false;
}

// With the process's lock for writing and the file's: what others have bound and unbound.
static void refresh(struct kd_multicast *m) {
    for (struct binding **at = &m->bindings, *b; (b = *at);) {
        if (!b->foreign || entry_of(m->s, b->id)) {
            at = &b->next;
            continue;
        }
        *at = b->next;
        kd_window_close(b->address, b->size);
        free(b);
    }
    for (unsigned k = 0; k < MOST_BINDINGS; k++) {
        struct entry e = m->s->entry[k];
        if (e.id && !knows(m, e.id))
            map_foreign(m, &e);
    }
    m->seen = atomic_load(&m->s->changes);
}

static enum kd_status publish(struct kd_multicast *m, struct binding *b, struct kd_physical *p,
                              uint64_t in_memory) {
    struct entry *to = NULL;
    for (unsigned k = 0; k < MOST_BINDINGS; k++) {
        struct entry *e = &m->s->entry[k];
        if (!e->id)
            to = to ? to : e;
        else if (e->member == b->member && b->offset < e->offset + e->size &&
                 e->offset < b->offset + b->size)
            return kd_fail(KD_INVALID_VALUE, "memory of the device is bound there already");
    }
    if (!to)
        return kd_fail(KD_OUT_OF_MEMORY, "a multicast object has at most %d bindings",
                       MOST_BINDINGS);
    b->id = ++m->s->last_id;
    *to = (struct entry){
        .offset = b->offset, .size = b->size, .in_memory = in_memory, .member = b->member};
    kd_physical_describe(p, &to->memory);
    to->id = b->id;
    m->seen = atomic_fetch_add(&m->s->changes, 1) + 1;
    return KD_OK;
}

enum kd_status kd_multicast_bind(struct kd_multicast *m, unsigned member, uint64_t offset,
                                 uint64_t size, struct kd_physical *p, uint64_t in_memory,
                                 uint64_t address) {
    struct binding *b = malloc(sizeof *b);
    if (!b)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for the note of a binding");
    *b = (struct binding){.member = member, .offset = offset, .size = size, .address = address};
    pthread_rwlock_wrlock(&lock);
    enter(m->s);
    refresh(m);
    enum kd_status status = publish(m, b, p, in_memory);
    leave(m->s);
    if (status == KD_OK)
        insert(m, b);
    pthread_rwlock_unlock(&lock);
    if (status)
        free(b);
    return status;
}

bool kd_multicast_unbind(struct kd_multicast *m, unsigned member, uint64_t offset, uint64_t size,
                         uint64_t *address, uint64_t *bytes) {
    pthread_rwlock_wrlock(&lock);
    struct binding **at = &m->bindings, *b;
    while ((b = *at) && !(b->member == member && !b->foreign && b->offset >= offset &&
                          b->offset + b->size <= offset + size))
        at = &b->next;
    if (b) {
        *at = b->next;
        enter(m->s);
        struct entry *e = (struct entry *)entry_of(m->s, b->id);
        if (e)
            e->id = 0;
        atomic_fetch_add(&m->s->changes, 1);
        leave(m->s);
    }
    pthread_rwlock_unlock(&lock);
    if (!b)
        return false;
    *address = b->address;
    *bytes = b->size;
    free(b);
    return true;
}

enum kd_status kd_multicast_map(struct kd_multicast *m, uint64_t base, uint64_t size) {
    struct window *w = malloc(sizeof *w);
    if (!w)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for the note of a mapping");
    pthread_rwlock_wrlock(&lock);
    *w = (struct window){base, size, m, windows};
    windows = w;
    pthread_rwlock_unlock(&lock);
    return kd_succeed();
}

void kd_multicast_unmap(uint64_t base) {
    pthread_rwlock_wrlock(&lock);
    struct window **at = &windows, *w;
    while ((w = *at) && w->base != base)
        at = &w->next;
    if (w)
        *at = w->next;
    pthread_rwlock_unlock(&lock);
    free(w);
}

// ---- For instructions ---------------------------------------------------------------------------

// Under the lock.
static const struct window *window_at(uint64_t address) {
    const struct window *w = windows;
    while (w && !(address >= w->base && address - w->base < w->size))
        w = w->next;
    return w;
}

// Under the lock: something was bound or unbound elsewhere. Nothing is, mostly.
static bool is_behind(const struct window *w) {
    return w && w->of->seen != atomic_load_explicit(&w->of->s->changes, memory_order_acquire);
}

static void catch_up(uint64_t address) {
    pthread_rwlock_wrlock(&lock);
    const struct window *w = window_at(address);
    if (w) {
        enter(w->of->s);
        refresh(w->of);
        leave(w->of->s);
    }
    pthread_rwlock_unlock(&lock);
}

unsigned multicast_enter(uint64_t address, uint64_t bytes, uint64_t at[KD_MOST_MEMBERS]) {
    unsigned n = 0;
    pthread_rwlock_rdlock(&lock);
    const struct window *w = window_at(address);
    while (is_behind(w)) {
        pthread_rwlock_unlock(&lock);
        catch_up(address);
        pthread_rwlock_rdlock(&lock);
        w = window_at(address);
    }
    uint64_t offset = w ? address - w->base : 0;
    for (const struct binding *b = w ? w->of->bindings : NULL; b && n < KD_MOST_MEMBERS;
         b = b->next)
        if (offset >= b->offset && offset - b->offset < b->size &&
            b->size - (offset - b->offset) >= bytes)
            at[n++] = b->address + (offset - b->offset);
    return n;
}

void multicast_leave(void) {
    pthread_rwlock_unlock(&lock);
}
