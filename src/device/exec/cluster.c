#include "device/exec/cluster.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/exec/block.h"
#include "device/helpers/async.h"
#include "device/helpers/runtime.h"
#include "device/memory/page.h"

enum { WINDOW_ALIGN = 1024 };

// ---- Memory -------------------------------------------------------------------------------

static uint64_t window_start(uint64_t window, bool describes) {
    uint64_t size = (window + WINDOW_ALIGN - 1) / WINDOW_ALIGN * WINDOW_ALIGN;
    // It ends where what cannot be touched begins.
    return describes ? 0 : KD_CLUSTER_STRIDE - size;
}

static bool map_windows(struct cluster *c, uint32_t blocks, uint64_t window, bool describes) {
    const uint64_t stride = KD_CLUSTER_STRIDE;
    uint64_t size = (blocks + (describes ? 2 : 1)) * stride;
    uint8_t *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return false;
    uint8_t *base = describes ? (uint8_t *)(((uint64_t)p + stride) / stride * stride) : p;
    uint64_t first = window_start(window, describes) & ~(page_bytes() - 1);
    uint64_t end = describes ? whole_pages(window) : stride;
    for (uint32_t k = 0; k < blocks && first < end; k++)
        if (mprotect(base + k * stride + first, end - first, PROT_READ | PROT_WRITE)) {
            munmap(p, size);
            return false;
        }
    c->map = p;
    c->base = base;
    c->map_size = size;
    c->blocks = blocks;
    c->window = window;
    c->describes = describes;
    return true;
}

static bool fits(const struct cluster *c, uint32_t blocks, uint64_t window, bool describes) {
    return c->map && c->blocks >= blocks && c->window == window && c->describes == describes;
}

struct cluster *cluster_take(struct runner *r, uint32_t blocks, uint64_t window, bool describes) {
    struct cluster *c = r->spare_clusters;
    if (c)
        r->spare_clusters = c->next;
    else if (!(c = calloc(1, sizeof *c)))
        return NULL;
    if (!fits(c, blocks, window, describes)) {
        if (c->map)
            munmap(c->map, c->map_size);
        c->map = NULL;
        if (!map_windows(c, blocks, window, describes)) {
            free(c);
            return NULL;
        }
    }
    c->size = c->present = blocks;
    c->arrived = c->phase = 0;
    memset(c->members, 0, sizeof c->members);
    return c;
}

uint8_t *cluster_window(const struct cluster *c, uint32_t rank) {
    return c->base + (uint64_t)rank * KD_CLUSTER_STRIDE + window_start(c->window, c->describes);
}

// ---- The barrier --------------------------------------------------------------------------
//
// A block counts its units and arrives as a whole. What it remembers belongs to one phase, and is
// forgotten when it finds that the phase has passed.

static void refresh(struct resident *s) {
    if (s->cluster_phase == s->cluster->phase)
        return;
    s->cluster_phase = s->cluster->phase;
    s->cluster_units = 0;
    s->cluster_told = false;
}

static void release_all(struct resident *s, enum unit_wait what) {
    for (uint32_t u = 0; u < s->next_unit; u++)
        if (s->units[u].wait == what)
            block_release(s, u);
}

void cluster_unpark(struct cluster *c, const struct resident *s) {
    for (uint32_t k = 0; k < c->size; k++)
        if (c->members[k] && c->members[k] != s)
            release_all(c->members[k], UNIT_PARKED);
}

static void open_if_complete(struct cluster *c) {
    if (!c->arrived || c->arrived < c->present)
        return;
    c->arrived = 0;
    c->phase++;
    for (uint32_t k = 0; k < c->size; k++)
        if (c->members[k])
            release_all(c->members[k], UNIT_AT_CLUSTER);
    cluster_unpark(c, NULL);
}

bool cluster_stuck(const struct cluster *c) {
    for (uint32_t k = 0; k < c->size; k++) {
        const struct resident *s = c->members[k];
        if (s && (!s->started || s->ready_count || s->next_unit < s->nunits))
            return false;
    }
    return true;
}

static void tell(struct resident *s) {
    s->cluster_told = true;
    s->cluster->arrived++;
    open_if_complete(s->cluster);
}

static bool has_arrived(const struct resident *s, uint32_t unit) {
    return s->units[unit].cluster_mark == s->cluster->phase + 1;
}

static void tell_if_all_arrived(struct resident *s) {
    if (!s->cluster_told && s->cluster_units && s->cluster_units >= s->live)
        tell(s);
}

void kd_rt_cluster_arrive(struct kd_block *b, uint32_t unit) {
    struct resident *s = resident_of(b);
    refresh(s);
    if (has_arrived(s, unit))
        return;
    s->units[unit].cluster_mark = s->cluster->phase + 1;
    s->cluster_units++;
    tell_if_all_arrived(s);
}

void kd_rt_cluster_wait(struct kd_block *b, uint32_t unit) {
    struct resident *s = resident_of(b);
    while (has_arrived(s, unit)) {
        s->units[unit].wait = UNIT_AT_CLUSTER;
        block_wait(s);
    }
}

void kd_rt_cluster_park(struct kd_block *b) {
    struct resident *s = resident_of(b);
    s->units[s->current].wait = UNIT_PARKED;
    block_wait(s);
}

void kd_rt_cluster_block_arrive(struct kd_block *b) {
    struct resident *s = resident_of(b);
    refresh(s);
    if (!s->cluster_told)
        tell(s);
}

uint32_t kd_rt_cluster_phase(struct kd_block *b) {
    return resident_of(b)->cluster->phase;
}

struct kd_block *cluster_block(struct kd_block *b, uint32_t rank) {
    const struct cluster *c = resident_of(b)->cluster;
    return rank < c->size && c->members[rank] ? &c->members[rank]->b : NULL;
}

void cluster_unit_ended(struct resident *s, uint32_t unit) {
    refresh(s);
    if (has_arrived(s, unit) && s->cluster_units)
        s->cluster_units--;
    if (s->live)
        tell_if_all_arrived(s);
}

void cluster_leave(struct runner *r, struct resident *s) {
    struct cluster *c = s->cluster;
    refresh(s);
    if (s->cluster_told && c->arrived)
        c->arrived--;
    c->present--;
    c->members[s->cluster_place] = NULL;
    open_if_complete(c);
    s->cluster = &s->alone;
    if (!c->map || c->present)
        return;
    c->next = r->spare_clusters;
    r->spare_clusters = c;
}
