// Device memory that other processes map. As a rule device memory is anonymous, which no other
// process can reach and which the system backs with large pages; an allocation that is exported
// moves into a file in memory, in place, and the other process finds that file through /proc.
#include "device/memory/ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "device/internal.h"
#include "device/memory/memory_file.h"
#include "device/memory/page.h"
#include "device/reason.h"

static const uint64_t MAGIC = 0x6370692d647a6b; // of handles

// What follows the memory in the file: for each slot of a slab the allocation in it that was
// exported, so that a handle whose memory was freed can be told.
struct area_file {
    int fd;
    uint64_t *exported;
    uint64_t slots;
};

// ---- Moving ---------------------------------------------------------------------------------

// While memory moves, writes to it raise a signal, whose handler waits here and tries again.
static _Atomic uint64_t moving_begin, moving_end;

static bool is_moving(uint64_t address) {
    return address >= atomic_load(&moving_begin) && address < atomic_load(&moving_end);
}

// A signal can be delivered when the move that raised it is over: what was moved lately is tried
// again, once.
enum { LATELY = 16 };
static struct { _Atomic uint64_t begin, end; } moved[LATELY];
static atomic_uint moves;
static _Thread_local uint64_t tried_again;

static bool was_moved(uint64_t address) {
    for (int i = 0; i < LATELY; i++)
        if (address >= atomic_load(&moved[i].begin) && address < atomic_load(&moved[i].end))
            return true;
    return false;
}

bool ipc_wait_for_move(uint64_t address) {
    if (is_moving(address)) {
        while (is_moving(address))
            sched_yield();
        return true;
    }
    if (tried_again == address || !was_moved(address))
        return false;
    tried_again = address;
    return true;
}

// A page, and whether anything but zeros is in it. What other threads have written is ordered
// before this by mprotect, which has taken the right to write from all processors when it returns;
// the checker of threads does not know that.
__attribute__((no_sanitize_thread)) static bool read_page(uint64_t to[512], const uint64_t *from) {
    uint64_t any = 0;
    for (int i = 0; i < 512; i++) {
        to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
        any |= to[i];
    }
    return any;
}

// Pages that were never touched are zero and stay without memory.
static void copy_pages(uint8_t *to, const uint8_t *from, uint64_t size) {
    uint64_t page[512];
    for (uint64_t at = 0; at < size; at += sizeof page)
        if (read_page(page, (const uint64_t *)(from + at)))
            memcpy(to + at, page, sizeof page);
}

static bool move(int fd, uint64_t base, uint64_t size) {
    void *to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (to == MAP_FAILED)
        return false;
    atomic_store(&moving_end, base + size);
    atomic_store(&moving_begin, base);
    bool ok = mprotect((void *)base, size, PROT_READ) == 0;
    if (ok) {
        copy_pages(to, (const uint8_t *)base, size);
        ok = mremap(to, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)base) != MAP_FAILED;
        if (!ok)
            mprotect((void *)base, size, PROT_READ | PROT_WRITE);
    }
    unsigned turn = atomic_fetch_add(&moves, 1) % LATELY;
    atomic_store(&moved[turn].begin, base);
    atomic_store(&moved[turn].end, base + size);
    atomic_store(&moving_begin, UINT64_MAX);
    atomic_store(&moving_end, 0);
    if (ok)
        madvise((void *)base, size, MADV_HUGEPAGE);
    else
        munmap(to, size);
    return ok;
}

// With the lock of memory.h.
static struct area_file *file_of(struct area *area, uint64_t slots) {
    if (area->file)
        return area->file;
    uint64_t size = area->pages.size, extra = whole_pages(slots * sizeof(uint64_t));
    struct area_file *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->fd = memory_file_new(MEMORY_FILE_SHARED, -1, size + extra);
    f->slots = slots;
    f->exported = f->fd < 0
                      ? MAP_FAILED
                      : mmap(NULL, extra, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, (off_t)size);
    if (f->exported != MAP_FAILED && move(f->fd, area->pages.base, size))
        return area->file = f;
    if (f->exported != MAP_FAILED)
        munmap(f->exported, extra);
    if (f->fd >= 0)
        close(f->fd);
    free(f);
    return NULL;
}

void ipc_forget(struct area *area, uint64_t slot) {
    if (area->file)
        atomic_store((_Atomic uint64_t *)&area->file->exported[slot], 0);
}

void ipc_drop(struct area *area) {
    struct area_file *f = area->file;
    if (!f)
        return;
    munmap(f->exported, whole_pages(f->slots * sizeof(uint64_t)));
    close(f->fd);
    free(f);
    area->file = NULL;
}

// ---- Handles --------------------------------------------------------------------------------

// Tells this process from others, also from those that have the same number elsewhere.
static uint64_t process_token(void) {
    static _Atomic uint64_t token;
    uint64_t have = atomic_load(&token), mine;
    if (have)
        return have;
    if (getrandom(&mine, sizeof mine, 0) != sizeof mine)
        mine = (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)&token;
    mine |= 1;
    return atomic_compare_exchange_strong(&token, &have, mine) ? mine : have;
}

struct kd_ipc_file ipc_describe(int fd) {
    return (struct kd_ipc_file){MAGIC, process_token(), memory_file_inode(fd), (uint32_t)getpid(),
                                fd};
}

bool kd_ipc_is_own(const struct kd_ipc_file *f) {
    return f->magic == MAGIC && f->process == process_token();
}

int ipc_open(const struct kd_ipc_file *f, enum memory_file_kind kind, uint64_t need) {
    char path[64];
    uint64_t size;
    if (f->magic != MAGIC) {
        kd_fail(KD_NOT_FOUND, "this is no handle that a process of kudzu gave");
        return -1;
    }
    snprintf(path, sizeof path, "/proc/%u/fd/%d", f->pid, f->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        kd_fail(KD_NOT_FOUND, "process %u does not have it any more, or may not be asked: %s",
                f->pid, strerror(errno));
        return -1;
    }
    if (!memory_file_check(fd, kind, &size) || memory_file_inode(fd) != f->inode || size < need) {
        close(fd);
        kd_fail(KD_NOT_FOUND, "process %u does not have it any more", f->pid);
        return -1;
    }
    return fd;
}

struct kd_device *ipc_device(int fd) {
    int device = memory_file_device(fd);
    return kd_device_open(device < 0 ? 0 : device);
}

static uint32_t check_of(int fd, const struct kd_ipc_memory *m) {
    return (uint32_t)memory_file_sign(fd, m, offsetof(struct kd_ipc_memory, check));
}

enum kd_status kd_ipc_export(uint64_t ptr, struct kd_ipc_memory *out) {
    struct area *area;
    struct area_file *file = NULL;
    uint64_t base;
    memory_lock();
    struct allocation *a = memory_find_locked(ptr, &area, &base);
    bool own = a && area->memory && !area->segment && a->kind == KD_MEMORY_DEVICE && !a->locked;
    if (own) {
        uint64_t slots, slot = memory_slot(area, base, &slots);
        file = file_of(area, slots);
        if (file) {
            file->exported[slot] = a->id;
            *out = (struct kd_ipc_memory){.file = ipc_describe(file->fd),
                                          .area_pages = (uint32_t)(area->pages.size / page_bytes()),
                                          .slot = (uint32_t)slot,
                                          .offset = base - area->pages.base,
                                          .size = a->size,
                                          .id = (uint32_t)a->id};
            out->check = check_of(file->fd, out);
        }
    }
    memory_unlock();
    if (!own)
        return kd_fail(KD_INVALID_VALUE, "0x%llx is not in memory that cuMemAlloc gave",
                       (unsigned long long)ptr);
    return file ? kd_succeed()
                : kd_fail(KD_OUT_OF_MEMORY, "no file for memory that is to be shared");
}

static bool still_exported(int fd, const struct kd_ipc_memory *in, uint64_t area_bytes) {
    uint64_t id;
    return pread(fd, &id, sizeof id, (off_t)(area_bytes + in->slot * sizeof id)) == sizeof id &&
           (uint32_t)id == in->id;
}

enum kd_status kd_ipc_open(struct kd_context *c, const struct kd_ipc_memory *in, uint32_t flags,
                           uint64_t *out) {
    struct pages pages = {.size = in->area_pages * page_bytes()};
    if (in->offset > pages.size || in->size == 0 || in->size > pages.size - in->offset)
        return kd_fail(KD_NOT_FOUND, "this is no handle that a process of kudzu gave");
    int fd = ipc_open(&in->file, MEMORY_FILE_SHARED, pages.size + page_bytes());
    if (fd < 0)
        return KD_NOT_FOUND;
    if (in->check != check_of(fd, in)) {
        close(fd);
        return kd_fail(KD_NOT_FOUND, "this is no handle that process %u gave", in->file.pid);
    }
    if (!still_exported(fd, in, pages.size)) {
        close(fd);
        return kd_fail(KD_NOT_FOUND, "process %u has freed the memory", in->file.pid);
    }
    void *at = mmap(NULL, pages.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return kd_fail(KD_SYSTEM, "the memory cannot be mapped: %s", strerror(errno));
    madvise(at, pages.size, MADV_HUGEPAGE);
    pages.base = (uint64_t)at;
    enum kd_status status = memory_adopt(c->device, c, KD_MEMORY_DEVICE, pages.base + in->offset,
                                         in->size, flags, true, &pages);
    if (status)
        munmap(at, pages.size);
    else
        *out = pages.base + in->offset;
    return status;
}

void kd_ipc_close(uint64_t ptr) {
    memory_forget(ptr);
}

// ---- Words that processes share ---------------------------------------------------------------

enum kd_status kd_ipc_words_new(struct kd_device *d, uint64_t bytes, int *fd, uint64_t *out) {
    *fd = memory_file_new(MEMORY_FILE_WORDS, -1, whole_pages(bytes));
    if (*fd < 0)
        return kd_fail(KD_OUT_OF_MEMORY, "no file for words that processes share: %s",
                       strerror(errno));
    enum kd_status status = kd_ipc_words_map(d, *fd, bytes, out);
    if (status)
        close(*fd);
    return status;
}

enum kd_status kd_ipc_words_map(struct kd_device *d, int fd, uint64_t bytes, uint64_t *out) {
    struct pages pages = {.size = whole_pages(bytes)};
    uint64_t size;
    if (!memory_file_check(fd, MEMORY_FILE_ANY, &size) || size < pages.size)
        return kd_fail(KD_INVALID_VALUE, "descriptor %d is no file of kudzu's", fd);
    void *at = mmap(NULL, pages.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return kd_fail(KD_SYSTEM, "shared words cannot be mapped: %s", strerror(errno));
    pages.base = (uint64_t)at;
    enum kd_status status =
        memory_adopt(d, NULL, KD_MEMORY_PINNED, pages.base, pages.size, 0, true, &pages);
    if (status)
        munmap(at, pages.size);
    else
        *out = pages.base;
    return status;
}

struct kd_ipc_file kd_ipc_words_handle(int fd) {
    return ipc_describe(fd);
}

int kd_ipc_words_open(const struct kd_ipc_file *f, uint64_t bytes) {
    return ipc_open(f, MEMORY_FILE_WORDS, bytes);
}
