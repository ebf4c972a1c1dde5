// Splits: groups of lanes some of which wait at a barrier or a warp operation while the others are
// elsewhere. Generated code calls these helpers when it has seen that not all lanes have come; see
// docs/design/partial_arrival.md.
#include <stdlib.h>
#include <string.h>

#include "device/exec/block.h"
#include "device/helpers/runtime.h"

enum { ALIGN = 64 };

// Stands before a frame.
struct split_frames {
    struct split_frames *next, *next_free; // of all; of those that are free
    uint64_t bytes;
};

_Static_assert(sizeof(struct kd_split) <= KD_SPLIT_FRAME, "operands lie behind");
_Static_assert(sizeof(struct split_frames) <= ALIGN, "a frame is a multiple of that behind");

void splits_forget(struct resident *s) {
    for (struct split_frames *f = s->splits; f; f = f->next)
        f->next_free = f->next;
    s->free_splits = s->splits;
}

static struct split_frames *new_frame(struct resident *s, uint64_t bytes) {
    struct split_frames *f = aligned_alloc(ALIGN, ALIGN + (bytes + ALIGN - 1) / ALIGN * ALIGN);
    if (!f)
        block_fault(s, KD_FAULT_OUT_OF_MEMORY, "no memory for lanes that wait for others");
    *f = (struct split_frames){.next = s->splits, .bytes = bytes};
    s->splits = f;
    return f;
}

static struct split_frames *take_frame(struct resident *s, uint64_t bytes) {
    for (struct split_frames **at = &s->free_splits; *at; at = &(*at)->next_free) {
        struct split_frames *f = *at;
        if (f->bytes < bytes)
            continue;
        *at = f->next_free;
        return f;
    }
    return new_frame(s, bytes);
}

static void give_frame(struct resident *s, struct kd_split *split) {
    struct split_frames *f = (struct split_frames *)((uint8_t *)split - ALIGN);
    f->next_free = s->free_splits;
    s->free_splits = f;
}

static struct kd_split *next_of(const struct kd_split *split) {
    return (struct kd_split *)(uintptr_t)split->next;
}

// A split of its own, which goes on where `like` does.
static struct kd_split *copy(struct resident *s, struct kd_split *own, const struct kd_split *like,
                             uint64_t bytes) {
    struct kd_split *split = (struct kd_split *)((uint8_t *)take_frame(s, bytes) + ALIGN);
    memcpy(split, like, bytes);
    split->next = own->next;
    own->next = (uint64_t)(uintptr_t)split;
    return split;
}

void kd_rt_park(struct kd_block *b, uint8_t *own, const uint8_t *frame, uint64_t bytes) {
    struct resident *s = resident_of(b);
    copy(s, (struct kd_split *)own, (const struct kd_split *)frame, bytes)->ran = 1;
}

static void remove_split(struct resident *s, struct kd_split *own, struct kd_split *split) {
    struct kd_split *before = own;
    while (next_of(before) != split)
        before = next_of(before);
    before->next = split->next;
    give_frame(s, split);
}

// ---- warp operations ----------------------------------------------------------------------

static struct kd_split_operands *operands_of(struct kd_split *split) {
    return (struct kd_split_operands *)((uint8_t *)split + KD_SPLIT_FRAME);
}

static bool at_warp_op(const struct kd_split *split) {
    return split->state != KD_SPLIT_DONE && split->wait == KD_SPLIT_WARP_OP;
}

// All lanes that wait, as units of a warp; which they are is returned.
static uint32_t gather(struct kd_split *own, struct unit *row) {
    uint32_t all = 0;
    for (struct kd_split *x = own; x; x = next_of(x)) {
        const struct kd_split_operands *o = operands_of(x);
        if (!at_warp_op(x))
            continue;
        all |= x->lanes;
        for (uint32_t i = 0; i < KD_WARP; i++)
            if (x->lanes >> i & 1)
                row[i] = (struct unit){.op = x->op,
                                       .mode = x->mode,
                                       .membermask = o->members[i] | 1u << i,
                                       .a = (uint32_t)o->a[i],
                                       .a64 = o->a[i],
                                       .b = x->op == KD_WARP_SHFL ? o->b[i] : x->bits,
                                       .c = o->c[i]};
    }
    return all;
}

static uint32_t live_lanes(const struct kd_split *own) {
    uint32_t live = 0;
    for (const struct kd_split *x = own; x; x = next_of(x))
        live |= x->state == KD_SPLIT_DONE ? 0 : x->lanes;
    return live;
}

// The lanes among `all` that have come to the same operation as lane i, with the same members.
static uint32_t met(const struct unit *row, uint32_t all, uint32_t i) {
    uint32_t mask = 0;
    for (uint32_t k = 0; k < KD_WARP; k++)
        if (all >> k & 1 && row[k].op == row[i].op && row[k].mode == row[i].mode &&
            row[k].membermask == row[i].membermask)
            mask |= 1u << k;
    return mask;
}

// Lets the lanes of `done` go on, which may be some of the split's.
static void release(struct resident *s, struct kd_split *own, struct kd_split *split, uint32_t done,
                    const uint64_t *results, uint64_t bytes) {
    struct kd_split *goes = split;
    if (done != split->lanes) {
        goes = copy(s, own, split, bytes);
        split->lanes &= ~done;
    }
    goes->lanes = done;
    goes->wait = KD_SPLIT_BARRIER;
    goes->ran = 0;
    for (uint32_t i = 0; i < KD_WARP; i++)
        if (done >> i & 1)
            operands_of(goes)->a[i] = results[i];
}

// Ends the operations that all lanes have come to which they need. False: there are none.
static bool end_warp_ops(struct resident *s, struct kd_split *own, uint64_t bytes) {
    struct unit row[KD_WARP];
    uint64_t results[KD_WARP];
    uint32_t all = gather(own, row), live = live_lanes(own), done = 0;
    for (uint32_t left = all, here; left; left &= ~here) {
        uint32_t first = (uint32_t)__builtin_ctz(left);
        here = met(row, left, first);
        if (row[first].membermask & live & ~here)
            continue;
        done |= here;
        for (uint32_t i = first; i < KD_WARP; i++)
            if (here >> i & 1)
                results[i] = warp_op_result(row, i, here);
    }
    for (struct kd_split *x = own; x && done; x = next_of(x))
        if (at_warp_op(x) && x->lanes & done)
            release(s, own, x, x->lanes & done, results, bytes);
    return done;
}

// ---- which goes on ------------------------------------------------------------------------

static struct kd_split *ready(struct kd_split *own, enum kd_split_wait wait) {
    for (struct kd_split *x = own; x; x = next_of(x))
        if (!x->ran && x->state != KD_SPLIT_DONE && x->wait == wait)
            return x;
    return NULL;
}

static void new_turn(struct kd_split *own) {
    for (struct kd_split *x = own; x; x = next_of(x))
        if (x->wait == KD_SPLIT_TURN)
            x->ran = 0;
}

// The next that only looks: when all have, other groups and blocks go on first.
static struct kd_split *next_turn(struct kd_block *b, struct kd_split *own) {
    struct kd_split *x = ready(own, KD_SPLIT_TURN);
    if (x)
        return x;
    new_turn(own);
    if ((x = ready(own, KD_SPLIT_TURN)))
        kd_rt_yield(b);
    return x;
}

uint8_t *kd_rt_next_split(struct kd_block *b, uint8_t *own_frame, uint8_t *frame, uint64_t bytes) {
    struct resident *s = resident_of(b);
    struct kd_split *own = (struct kd_split *)own_frame, *stopped = (struct kd_split *)frame, *x;
    stopped->ran = 1;
    if (stopped != own && stopped->state == KD_SPLIT_DONE)
        remove_split(s, own, stopped);
    if ((x = ready(own, KD_SPLIT_BARRIER)))
        return (uint8_t *)x;
    if (end_warp_ops(s, own, bytes))
        return (uint8_t *)ready(own, KD_SPLIT_BARRIER);
    if ((x = next_turn(b, own)))
        return (uint8_t *)x;
    for (x = own; x; x = next_of(x)) {
        if (at_warp_op(x))
            block_fault(s, KD_FAULT_DEADLOCK,
                        "lanes of a warp wait for others that cannot come to them");
        x->ran = 0;
    }
    return NULL;
}
