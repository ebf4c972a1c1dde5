// Multicast objects (guide 14): memory of several devices behind one address. Their pages cannot be
// touched: multimem instructions look the address up here, and do their work in each device's
// memory.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "device/helpers/async.h"
#include "device/reason.h"
#include "isa/fp.h"

enum { MOST_MEMBERS = 64 };

struct binding {
    unsigned member;
    uint64_t offset, size; // in the object
    uint64_t address;      // of the member's memory
    struct binding *next;
};

struct kd_multicast {
    struct binding *bindings; // by member, so that sums have one order
};

struct window {
    uint64_t base, size;
    struct kd_multicast *of;
    struct window *next;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; // of all objects and windows
static struct window *windows;

// ---- Objects ----------------------------------------------------------------------------------

struct kd_multicast *kd_multicast_new(void) {
    return calloc(1, sizeof(struct kd_multicast));
}

void kd_multicast_free(struct kd_multicast *m) {
    free(m);
}

enum kd_status kd_multicast_bind(struct kd_multicast *m, unsigned member, uint64_t offset,
                                 uint64_t size, uint64_t address) {
    struct binding *b = malloc(sizeof *b);
    if (!b)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for the note of a binding");
    *b = (struct binding){member, offset, size, address, NULL};
    pthread_rwlock_wrlock(&lock);
    struct binding **at = &m->bindings;
    while (*at && (*at)->member < member)
        at = &(*at)->next;
    bool taken = false;
    for (const struct binding *o = *at; o && o->member == member; o = o->next)
        taken |= offset < o->offset + o->size && o->offset < offset + size;
    if (!taken) {
        b->next = *at;
        *at = b;
    }
    pthread_rwlock_unlock(&lock);
    if (!taken)
        return kd_succeed();
    free(b);
    return kd_fail(KD_INVALID_VALUE, "memory of the device is bound there already");
}

bool kd_multicast_unbind(struct kd_multicast *m, unsigned member, uint64_t offset, uint64_t size,
                         uint64_t *address, uint64_t *bytes) {
    pthread_rwlock_wrlock(&lock);
    struct binding **at = &m->bindings, *b;
    while ((b = *at) &&
           !(b->member == member && b->offset >= offset && b->offset + b->size <= offset + size))
        at = &b->next;
    if (b)
        *at = b->next;
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

// ---- Instructions -----------------------------------------------------------------------------

// Where the members have what stands at the address; under the lock.
static unsigned members_at(uint64_t address, uint64_t bytes, uint64_t *at) {
    const struct window *w = windows;
    unsigned n = 0;
    while (w && !(address >= w->base && address - w->base < w->size))
        w = w->next;
    uint64_t offset = w ? address - w->base : 0;
    for (const struct binding *b = w ? w->of->bindings : NULL; b && n < MOST_MEMBERS; b = b->next)
        if (offset >= b->offset && offset - b->offset < b->size &&
            b->size - (offset - b->offset) >= bytes)
            at[n++] = b->address + (offset - b->offset);
    return n;
}

static uint64_t load(uint64_t at, uint32_t bytes) {
    const void *p = (const void *)(uintptr_t)at;
    return bytes == 2   ? __atomic_load_n((const uint16_t *)p, __ATOMIC_RELAXED)
           : bytes == 4 ? __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED)
                        : __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);
}

static void store(uint64_t at, uint32_t bytes, uint64_t x) {
    void *p = (void *)(uintptr_t)at;
    if (bytes == 2)
        __atomic_store_n((uint16_t *)p, (uint16_t)x, __ATOMIC_RELAXED);
    else if (bytes == 4)
        __atomic_store_n((uint32_t *)p, (uint32_t)x, __ATOMIC_RELAXED);
    else
        __atomic_store_n((uint64_t *)p, x, __ATOMIC_RELAXED);
}

// The sum of halves, in single precision.
static uint64_t precise_sum(enum kd_async_type type, const uint64_t *x, unsigned n) {
    enum fp_format f = type == KD_TYPE_F16 ? FP_F16 : FP_BF16;
    struct isa_mods m = {.rnd = ISA_RND_RN}, none = {0};
    uint64_t sum = fp_convert(FP_F32, f, x[0], &none);
    for (unsigned k = 1; k < n; k++)
        sum = fp_add(FP_F32, sum, fp_convert(FP_F32, f, x[k], &none), &m);
    return fp_convert(f, FP_F32, sum, &m);
}

// One element of all members.
static uint64_t combined(uint32_t code, enum kd_async_type type, const uint64_t *x, unsigned n) {
    enum kd_async_atom atom = (enum kd_async_atom)(code >> KD_ASYNC_ATOM_SHIFT & 15);
    if (code & KD_ASYNC_PRECISE)
        return precise_sum(type, x, n);
    uint64_t r = x[0];
    for (unsigned k = 1; k < n; k++)
        r = async_combine(atom, type, r, x[k]);
    return r;
}

static uint64_t load_reduced(uint32_t code, enum kd_async_type type, uint32_t elements,
                             const uint64_t *at, unsigned n) {
    uint32_t bytes = async_type_bytes(type), bits = 8 * bytes;
    uint64_t word[MOST_MEMBERS], x[MOST_MEMBERS], r = 0;
    for (unsigned k = 0; k < n; k++)
        word[k] = load(at[k], bytes * elements);
    for (uint32_t e = 0; e < elements; e++) {
        for (unsigned k = 0; k < n; k++)
            x[k] = bits == 64 ? word[k] : word[k] >> e * bits & ((1ull << bits) - 1);
        uint64_t sum = combined(code, type, x, n);
        r |= (bits == 64 ? sum : sum & ((1ull << bits) - 1)) << e * bits;
    }
    return r;
}

enum kd_fault multimem_execute(uint32_t code, const uint64_t *args, uint64_t *result) {
    enum kd_async_type type = (enum kd_async_type)(code >> KD_ASYNC_TYPE_SHIFT & 15);
    bool pair = type >= KD_TYPE_F16X2;
    if (pair)
        type = type == KD_TYPE_F16X2 ? KD_TYPE_F16 : KD_TYPE_BF16;
    uint32_t op = code & KD_ASYNC_OP_MASK, bytes = async_type_bytes(type) << pair;
    uint64_t at[MOST_MEMBERS];
    if (args[0] % bytes)
        return KD_FAULT_MISALIGNED;
    pthread_rwlock_rdlock(&lock);
    unsigned n = members_at(args[0], bytes, at);
    *result = 0;
    if (n && op == KD_ASYNC_MULTIMEM_LOAD)
        *result = load_reduced(code, type, 1 + pair, at, n);
    for (unsigned k = 0; k < n && op == KD_ASYNC_MULTIMEM_STORE; k++)
        store(at[k], bytes, args[1]);
    for (unsigned k = 0; k < n && op == KD_ASYNC_MULTIMEM_REDUCE; k++)
        async_reduce((enum kd_async_atom)(code >> KD_ASYNC_ATOM_SHIFT & 15), type, true, at[k],
                     &args[1], 1 + pair);
    pthread_rwlock_unlock(&lock);
    return n ? KD_FAULT_NONE : KD_FAULT_ILLEGAL_ADDRESS;
}
