#include "device/memory/alias.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

struct range {
    dev_t device;
    ino_t file;
    uint64_t offset, base, size;
    bool own;
    struct range *next;
};
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct range *ranges;

void physical_noted(int fd, uint64_t offset, uint64_t base, uint64_t size, bool own) {
    struct stat st;
    struct range *r = fstat(fd, &st) ? NULL : malloc(sizeof *r);
    if (!r)
        return;
    pthread_rwlock_wrlock(&lock);
    *r = (struct range){st.st_dev, st.st_ino, offset, base, size, own, ranges};
    ranges = r;
    pthread_rwlock_unlock(&lock);
}

void physical_forgotten(uint64_t base) {
    pthread_rwlock_wrlock(&lock);
    struct range **at = &ranges, *r;
    while ((r = *at) && r->base != base)
        at = &r->next;
    if (r)
        *at = r->next;
    pthread_rwlock_unlock(&lock);
    free(r);
}

static const struct range *own_at(uint64_t address) {
    const struct range *r = ranges;
    while (r && !(r->own && address - r->base < r->size))
        r = r->next;
    return r;
}

uint64_t physical_alias(uint64_t address) {
    pthread_rwlock_rdlock(&lock);
    const struct range *own = own_at(address), *first = NULL;
    uint64_t offset = own ? own->offset + (address - own->base) : 0;
    for (const struct range *r = own ? ranges : NULL; r; r = r->next)
        if (!r->own && r->device == own->device && r->file == own->file &&
            offset - r->offset < r->size)
            first = r; // the one that was noted first
    uint64_t found = first ? first->base + (offset - first->offset) : address;
    pthread_rwlock_unlock(&lock);
    return found;
}
