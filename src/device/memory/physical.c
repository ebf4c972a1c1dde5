// Physical memory as files, and the address ranges into which they are mapped.
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/internal.h"
#include "device/memory/alias.h"
#include "device/memory/ipc.h"
#include "device/memory/memory_file.h"
#include "device/memory/page.h"
#include "device/reason.h"

struct kd_physical {
    struct kd_device *device;
    uint64_t size;
    bool host, counted; // counted: as used memory of the device
    int fd;
};

// ---- Physical memory ------------------------------------------------------------------------

static bool charge(struct kd_device *d, uint64_t size) {
    struct device_memory *m = &d->memory;
    uint64_t used = atomic_load(&m->used);
    do {
        if (size > m->total - used)
            return false;
    } while (!atomic_compare_exchange_weak(&m->used, &used, used + size));
    return true;
}

static enum kd_status make(struct kd_device *d, int fd, uint64_t size, struct kd_physical **out) {
    struct kd_physical *p = fd < 0 ? NULL : calloc(1, sizeof *p);
    if (!p) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return kd_fail(KD_OUT_OF_MEMORY, "no file for memory: %s", strerror(error));
    }
    p->device = d;
    p->fd = fd;
    p->size = size;
    *out = p;
    return kd_succeed();
}

enum kd_status kd_physical_new(struct kd_device *d, uint64_t size, bool host,
                               struct kd_physical **out) {
    if (size == 0 || size % KD_GRANULARITY)
        return kd_fail(KD_INVALID_VALUE, "%llu bytes are no multiple of %d",
                       (unsigned long long)size, KD_GRANULARITY);
    bool fits = size <= (host ? d->memory.most : d->memory.total);
    if (fits && !host && !charge(d, size)) {
        kd_pools_reclaim(d);
        fits = charge(d, size);
    }
    if (!fits)
        return kd_fail(KD_OUT_OF_MEMORY, "%llu bytes are more than is left of the device's %llu",
                       (unsigned long long)size, (unsigned long long)d->memory.total);
    int fd = memory_file_new(MEMORY_FILE_PHYSICAL, host ? -1 : d->index, size);
    enum kd_status status = make(d, fd, size, out);
    if (status == KD_OK) {
        (*out)->host = host;
        (*out)->counted = !host;
    } else if (!host) {
        atomic_fetch_sub(&d->memory.used, size);
    }
    return status;
}

// The descriptor becomes the memory's, on failure too.
static enum kd_status import_file(int fd, uint64_t size, struct kd_physical **out) {
    struct kd_device *d = fd < 0 ? NULL : ipc_device(fd);
    if (fd >= 0 && !d) {
        close(fd);
        return KD_INVALID_VALUE;
    }
    enum kd_status status = make(d, fd, size, out);
    if (status == KD_OK)
        (*out)->host = memory_file_device(fd) < 0;
    return status;
}

enum kd_status kd_physical_import(int fd, struct kd_physical **out) {
    uint64_t size;
    if (!memory_file_check(fd, MEMORY_FILE_PHYSICAL, &size) || size == 0 || size % KD_GRANULARITY)
        return kd_fail(KD_INVALID_VALUE, "descriptor %d is no exported memory", fd);
    return import_file(memory_file_duplicate(fd), size, out);
}

int kd_physical_export(struct kd_physical *p) {
    int fd = memory_file_duplicate(p->fd);
    if (fd < 0)
        kd_fail(KD_SYSTEM, "no descriptor for the memory: %s", strerror(errno));
    return fd;
}

static uint64_t check_of(int fd, const struct kd_physical_handle *h) {
    return memory_file_sign(fd, h, offsetof(struct kd_physical_handle, check));
}

void kd_physical_describe(struct kd_physical *p, struct kd_physical_handle *out) {
    *out = (struct kd_physical_handle){.file = ipc_describe(p->fd), .size = p->size};
    out->check = check_of(p->fd, out);
}

enum kd_status kd_physical_open(const struct kd_physical_handle *in, struct kd_physical **out) {
    uint64_t size;
    int fd = ipc_open(&in->file, MEMORY_FILE_PHYSICAL, KD_GRANULARITY);
    if (fd < 0)
        return KD_NOT_FOUND;
    if (!memory_file_check(fd, MEMORY_FILE_PHYSICAL, &size) || size != in->size ||
        in->check != check_of(fd, in)) {
        close(fd);
        return kd_fail(KD_NOT_FOUND, "this is no handle that process %u gave", in->file.pid);
    }
    return import_file(fd, size, out);
}

struct kd_device *kd_physical_device(const struct kd_physical *p) {
    return p->host ? NULL : p->device;
}

uint64_t kd_physical_size(const struct kd_physical *p) {
    return p->size;
}

void kd_physical_free(struct kd_physical *p) {
    if (p->counted)
        atomic_fetch_sub(&p->device->memory.used, p->size);
    close(p->fd);
    free(p);
}

// ---- Address ranges -------------------------------------------------------------------------

enum { NOBODY = PROT_NONE, QUIET = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };

enum kd_status kd_range_reserve(uint64_t size, uint64_t align, uint64_t wish, uint64_t *out) {
    if (wish && wish % align == 0) {
        void *at = mmap((void *)wish, size, NOBODY, QUIET | MAP_FIXED_NOREPLACE, -1, 0);
        if (at == (void *)wish) {
            *out = wish;
            return kd_succeed();
        }
        if (at != MAP_FAILED)
            munmap(at, size); // of a system that does not know the flag
    }
    uint64_t more;
    void *at = MAP_FAILED;
    if (!__builtin_add_overflow(size, align, &more))
        at = mmap(NULL, more, NOBODY, QUIET, -1, 0);
    if (at == MAP_FAILED)
        return kd_fail(KD_OUT_OF_MEMORY, "the system has no %llu bytes of addresses",
                       (unsigned long long)size);
    uint64_t begin = (uint64_t)at, base = (begin + align - 1) & ~(align - 1);
    if (base > begin)
        munmap(at, base - begin);
    munmap((void *)(base + size), begin + more - (base + size));
    *out = base;
    return kd_succeed();
}

void kd_range_release(uint64_t base, uint64_t size) {
    munmap((void *)base, size);
}

void kd_range_clear(uint64_t base, uint64_t size) {
    // When the system refuses a fresh mapping, at least nothing can be touched.
    if (mmap((void *)base, size, NOBODY, QUIET | MAP_FIXED, -1, 0) == MAP_FAILED)
        mprotect((void *)base, size, PROT_NONE);
}

bool kd_range_place(struct kd_physical *p, uint64_t base, uint64_t size, uint64_t offset) {
    return mmap((void *)base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, p->fd,
                (off_t)offset) != MAP_FAILED;
}

enum kd_status kd_range_map(struct kd_physical *p, uint64_t base, uint64_t size, uint64_t offset,
                            uint32_t flags) {
    if (mmap((void *)base, size, NOBODY, MAP_SHARED | MAP_FIXED, p->fd, (off_t)offset) ==
        MAP_FAILED)
        return kd_fail(KD_OUT_OF_MEMORY, "the system does not map the memory: %s", strerror(errno));
    madvise((void *)base, size, MADV_HUGEPAGE);
    enum kd_status status =
        memory_adopt(p->device, NULL, p->host ? KD_MEMORY_PINNED : KD_MEMORY_DEVICE, base, size,
                     flags, true, NULL);
    if (status)
        kd_range_clear(base, size);
    else
        physical_noted(p->fd, offset, base, size, false);
    return status;
}

void kd_range_unmap(uint64_t base, uint64_t size) {
    physical_forgotten(base);
    memory_forget(base);
    kd_range_clear(base, size);
}

enum kd_status kd_window_open(struct kd_physical *p, uint64_t offset, uint64_t size,
                              uint64_t *out) {
    if (size > p->size || offset > p->size - size)
        return kd_fail(KD_INVALID_VALUE, "%llu bytes from %llu on are more than the memory has",
                       (unsigned long long)size, (unsigned long long)offset);
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, (off_t)offset);
    if (at == MAP_FAILED)
        return kd_fail(KD_OUT_OF_MEMORY, "the system does not map the memory: %s", strerror(errno));
    *out = (uint64_t)at;
    physical_noted(p->fd, offset, *out, size, true);
    return kd_succeed();
}

void kd_window_close(uint64_t address, uint64_t size) {
    physical_forgotten(address);
    munmap((void *)address, size);
}

// ---- Files of other APIs ----------------------------------------------------------------------

enum kd_status kd_memory_map_file(struct kd_device *d, struct kd_context *c, int fd,
                                  uint64_t offset, uint64_t size, uint32_t flags, uint64_t *out) {
    struct stat st;
    uint64_t end;
    if (size == 0 || __builtin_add_overflow(offset, size, &end) || fstat(fd, &st) ||
        end > (uint64_t)st.st_size)
        return kd_fail(KD_INVALID_VALUE, "%llu bytes from %llu on are more than the memory has",
                       (unsigned long long)size, (unsigned long long)offset);
    uint64_t lead = offset % page_bytes();
    struct pages pages = {.size = whole_pages(size + lead)};
    void *at =
        mmap(NULL, pages.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(offset - lead));
    if (at == MAP_FAILED)
        return kd_fail(KD_SYSTEM, "the memory cannot be mapped: %s", strerror(errno));
    pages.base = (uint64_t)at;
    enum kd_status status =
        memory_adopt(d, c, KD_MEMORY_DEVICE, pages.base + lead, size, flags, false, &pages);
    if (status) {
        munmap(at, pages.size);
        return status;
    }
    *out = pages.base + lead;
    return KD_OK;
}
