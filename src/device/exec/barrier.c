// Block barriers of the stack modes: 16 of them, for all threads or for a count of threads.
//
// Counting follows the hardware: a warp stands for 32 threads (in the block's last warp too, so
// that counts stay multiples of 32), and threads that have exited count as arrived.
#include "device/exec/block.h"
#include "isa/isa.h"

#include "device/helpers/runtime.h"

static uint32_t lanes_of(const struct resident *s, uint32_t warp) {
    uint32_t left = s->b.nthreads - warp * KD_WARP;
    return left < KD_WARP ? left : KD_WARP;
}

// Threads units: how many lanes of the warps of which one has arrived will not, as they have exited
// or never were.
static uint32_t absent_lanes(const struct resident *s, const struct barrier *b) {
    uint32_t absent = 0;
    for (uint32_t w = 0; w < s->b.nwarps; w++) {
        if (!b->came[w])
            continue;
        uint32_t lanes = lanes_of(s, w);
        absent += KD_WARP - lanes;
        for (uint32_t i = 0; i < lanes; i++)
            absent += s->units[w * KD_WARP + i].wait == UNIT_ENDED && !(b->came[w] >> i & 1);
    }
    return absent;
}

static uint32_t live_threads(const struct resident *s) {
    if (thread_units(s))
        return s->live;
    uint32_t n = 0;
    for (uint32_t w = 0; w < s->nunits; w++)
        if (s->units[w].wait != UNIT_ENDED)
            n += KD_WARP;
    return n;
}

static bool complete(const struct resident *s, const struct barrier *b) {
    if (b->expected == 0)
        return b->arrived >= live_threads(s);
    uint32_t absent = thread_units(s) ? absent_lanes(s, b) : 0;
    return b->arrived + absent >= b->expected;
}

static uint32_t reduction(const struct barrier *b) {
    switch (b->op) {
    case ISA_BOOL_AND:
        return b->true_count == b->lane_count;
    case ISA_BOOL_OR:
        return b->true_count > 0;
    default:
        return b->true_count;
    }
}

static void open_barrier(struct resident *s, uint32_t id) {
    struct barrier *b = &s->barriers[id];
    uint32_t result = reduction(b);
    for (uint32_t u = 0; u < s->next_unit; u++) {
        struct unit *unit = &s->units[u];
        if (unit->wait != UNIT_AT_BARRIER || unit->barrier != id)
            continue;
        unit->result = result;
        block_release(s, u);
    }
    *b = (struct barrier){0};
}

// Counts the calling unit. True when that completed the barrier (which is then open again);
// *result is its reduction.
static bool arrive(struct resident *s, uint32_t unit, uint32_t id, uint32_t count,
                   uint32_t *result) {
    struct barrier *b = &s->barriers[id];
    b->in_use = true;
    b->expected = count;
    b->arrived += thread_units(s) ? 1 : KD_WARP;
    if (thread_units(s))
        b->came[unit / KD_WARP] |= 1u << unit % KD_WARP;
    if (!complete(s, b))
        return false;
    *result = reduction(b);
    open_barrier(s, id);
    return true;
}

static uint32_t arrive_and_wait(struct resident *s, uint32_t unit, uint32_t id, uint32_t count) {
    uint32_t result;
    if (arrive(s, unit, id, count, &result)) {
        s->yields = 0;
        return result;
    }
    s->units[unit].wait = UNIT_AT_BARRIER;
    s->units[unit].barrier = (uint8_t)id;
    block_wait(s);
    return (uint32_t)s->units[unit].result;
}

void barrier_unit_ended(struct resident *s, uint32_t unit) {
    for (uint32_t id = 0; id < BARRIERS; id++)
        if (s->barriers[id].in_use && complete(s, &s->barriers[id]))
            open_barrier(s, id);
}

static struct resident *checked(struct kd_block *b, uint32_t id) {
    struct resident *s = resident_of(b);
    if (id >= BARRIERS)
        block_fault(s, KD_FAULT_ILLEGAL_INSTRUCTION, "a barrier number above 15");
    if (!on_stacks(s))
        block_fault(s, KD_FAULT_ILLEGAL_INSTRUCTION, "a barrier in code that has no stacks for it");
    return s;
}

void kd_rt_bar_sync(struct kd_block *b, uint32_t unit, uint32_t id, uint32_t count) {
    arrive_and_wait(checked(b, id), unit, id, count);
}

void kd_rt_bar_arrive(struct kd_block *b, uint32_t unit, uint32_t id, uint32_t count) {
    uint32_t result;
    arrive(checked(b, id), unit, id, count, &result);
}

uint32_t kd_rt_bar_red(struct kd_block *b, uint32_t unit, uint32_t id, uint32_t count, uint32_t op,
                       uint32_t value, uint32_t lanes) {
    struct resident *s = checked(b, id);
    struct barrier *bar = &s->barriers[id];
    bar->op = op;
    bar->true_count += value;
    bar->lane_count += lanes;
    return arrive_and_wait(s, unit, id, count);
}
