// Handles: a table of slots. A handle holds the slot's index (24 bits from bit 8), the kind (bits
// 2 to 7) and the slot's generation (from bit 32), which changes when the slot is freed, so that
// no handle is ever valid twice. Looking up takes no lock; slots are never returned to the system.
#include <stdlib.h>

#include "driver/driver.h"

enum { CHUNK = 1 << 12, CHUNKS = 1 << 12 };

struct slot {
    _Atomic(uint64_t) handle; // 0: free
    void *object;
    uint32_t generation;
    uint32_t next_free; // index + 1
};

static _Atomic(struct slot *) chunks[CHUNKS];
static uint32_t used, first_free; // under the lock; first_free is index + 1

static struct slot *slot_at(uint32_t index) {
    struct slot *chunk = chunks[index / CHUNK];
    return chunk ? &chunk[index % CHUNK] : NULL;
}

// Under the lock. Returns the index of a free slot, or -1.
static int64_t slot_take(void) {
    if (first_free) {
        uint32_t index = first_free - 1;
        first_free = slot_at(index)->next_free;
        return index;
    }
    if (used == (uint32_t)CHUNK * CHUNKS)
        return -1;
    if (used % CHUNK == 0) {
        struct slot *chunk = calloc(CHUNK, sizeof *chunk);
        if (!chunk)
            return -1;
        chunks[used / CHUNK] = chunk;
    }
    return used++;
}

static void list_insert(struct drv_object **list, struct drv_object *o) {
    o->next = *list;
    o->link = list;
    if (*list)
        (*list)->link = &o->next;
    *list = o;
}

static void list_remove(struct drv_object *o) {
    if (!o->link)
        return;
    *o->link = o->next;
    if (o->next)
        o->next->link = o->link;
    o->link = NULL;
}

bool drv_object_add(struct drv_object *o, enum drv_kind kind, struct drv_context *owner,
                    void (*release)(struct drv_object *)) {
    drv_lock();
    int64_t index = slot_take();
    if (index >= 0) {
        struct slot *s = slot_at((uint32_t)index);
        s->generation++;
        s->object = o;
        uint64_t handle =
            (uint64_t)s->generation << 32 | (uint64_t)index << 8 | (uint64_t)kind << 2;
        o->handle = (void *)(uintptr_t)handle;
        o->context = owner;
        o->release = release;
        o->next = NULL;
        o->link = NULL;
        if (owner)
            list_insert(&owner->children, o);
        s->handle = handle;
    }
    drv_unlock();
    return index >= 0;
}

// Under the lock.
static void slot_free(const struct drv_object *o) {
    uint32_t index = (uint32_t)((uintptr_t)o->handle >> 8 & 0xFFFFFF);
    struct slot *s = slot_at(index);
    s->handle = 0;
    s->object = NULL;
    s->next_free = first_free;
    first_free = index + 1;
}

void drv_object_destroy(struct drv_object *o) {
    drv_lock();
    slot_free(o);
    list_remove(o);
    drv_unlock();
    o->release(o);
}

void *drv_object_take(const void *handle, enum drv_kind kind) {
    drv_lock();
    struct drv_object *o = drv_object_find(handle, kind);
    if (o) {
        slot_free(o);
        list_remove(o);
    }
    drv_unlock();
    return o;
}

void drv_objects_destroy(struct drv_object **list) {
    drv_lock();
    struct drv_object *all = *list;
    *list = NULL;
    for (struct drv_object *o = all; o; o = o->next) {
        slot_free(o);
        o->link = NULL;
    }
    drv_unlock();
    while (all) {
        struct drv_object *next = all->next;
        all->release(all);
        all = next;
    }
}

void *drv_object_find(const void *handle, enum drv_kind kind) {
    uint64_t h = (uintptr_t)handle;
    if ((h & 0xFF) != (uint64_t)kind << 2)
        return NULL;
    struct slot *s = slot_at((uint32_t)(h >> 8 & 0xFFFFFF));
    return s && s->handle == h ? s->object : NULL;
}
