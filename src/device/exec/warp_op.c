// Warp operations between threads that have a stack each: a lane waits until all lanes of its
// member mask that have not exited are at the same operation with the same mask.
#include "device/exec/block.h"
#include "device/helpers/runtime.h"
#include "device/helpers/warp_matrix.h"
#include "isa/isa.h"

static struct unit *lane_unit(struct resident *s, uint32_t warp, uint32_t lane) {
    return &s->units[warp * KD_WARP + lane];
}

static uint32_t lanes_in_warp(const struct resident *s, uint32_t warp) {
    uint32_t left = s->nunits - warp * KD_WARP;
    return left < KD_WARP ? left : KD_WARP;
}

static uint32_t live_lanes(struct resident *s, uint32_t warp) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < lanes_in_warp(s, warp); i++)
        if (lane_unit(s, warp, i)->wait != UNIT_ENDED)
            mask |= 1u << i;
    return mask;
}

// The lanes that wait at the same operation with the same mask as `like`.
static uint32_t gathered(struct resident *s, uint32_t warp, const struct unit *like) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < lanes_in_warp(s, warp); i++) {
        const struct unit *u = lane_unit(s, warp, i);
        if (u->wait == UNIT_AT_WARP_OP && u->op == like->op && u->mode == like->mode &&
            u->membermask == like->membermask)
            mask |= 1u << i;
    }
    return mask;
}

// The PTX manual's shfl.sync: c holds the segment mask in bits 8..12 and the clamp in 0..4.
static uint64_t shfl(const struct unit *row, uint32_t lane, uint32_t here) {
    const struct unit *u = &row[lane];
    uint32_t b = u->b & 31, clamp = u->c & 31, segment = u->c >> 8 & 31;
    uint32_t max = (lane & segment) | (clamp & ~segment), min = lane & segment;
    uint32_t from;
    bool valid;
    switch (u->mode) {
    case ISA_SHFL_UP:
        from = lane - b;
        valid = (int32_t)from >= (int32_t)max;
        break;
    case ISA_SHFL_DOWN:
        from = lane + b;
        valid = from <= max;
        break;
    case ISA_SHFL_BFLY:
        from = lane ^ b;
        valid = from <= max;
        break;
    default:
        from = min | (b & ~segment);
        valid = from <= max;
        break;
    }
    if (!valid)
        from = lane;
    // A lane that does not take part has no value to give; the caller's own is as good as any.
    uint32_t value = here >> (from & 31) & 1 ? row[from & 31].a : u->a;
    return value | (uint64_t)valid << 32;
}

static uint64_t vote(const struct unit *row, uint32_t mode, uint32_t here) {
    uint32_t ballot = 0;
    for (uint32_t i = 0; i < KD_WARP; i++)
        if (here >> i & 1 && row[i].a)
            ballot |= 1u << i;
    switch (mode) {
    case ISA_VOTE_ALL:
        return ballot == here;
    case ISA_VOTE_ANY:
        return ballot != 0;
    case ISA_VOTE_UNI:
        return ballot == 0 || ballot == here;
    default:
        return ballot;
    }
}

static uint64_t match(const struct unit *row, uint32_t lane, uint32_t here) {
    const struct unit *u = &row[lane];
    uint64_t mask = u->b >= 64 ? ~0ull : (1ull << u->b) - 1;
    uint32_t same = 0;
    for (uint32_t i = 0; i < KD_WARP; i++)
        if (here >> i & 1 && ((row[i].a64 ^ u->a64) & mask) == 0)
            same |= 1u << i;
    if (u->mode == ISA_MATCH_ANY)
        return same;
    return same == here ? (uint64_t)here | 1ull << 32 : 0;
}

static uint32_t reduce(uint32_t op, bool is_signed, uint32_t x, uint32_t y) {
    bool less = is_signed ? (int32_t)x < (int32_t)y : x < y;
    switch (op) {
    case ISA_ATOM_ADD:
        return x + y;
    case ISA_ATOM_AND:
        return x & y;
    case ISA_ATOM_OR:
        return x | y;
    case ISA_ATOM_XOR:
        return x ^ y;
    case ISA_ATOM_MIN:
        return less ? x : y;
    default:
        return less ? y : x;
    }
}

static uint64_t redux(const struct unit *row, const struct unit *like, uint32_t here) {
    uint32_t first = (uint32_t)__builtin_ctz(here), value = row[first].a;
    for (uint32_t i = first + 1; i < KD_WARP; i++)
        if (here >> i & 1)
            value = reduce(like->mode, like->b != 0, value, row[i].a);
    return value;
}

uint64_t warp_op_result(const struct unit *row, uint32_t lane, uint32_t here) {
    const struct unit *u = &row[lane];
    switch (u->op) {
    case KD_WARP_SHFL:
        return shfl(row, lane, here);
    case KD_WARP_VOTE:
        return vote(row, u->mode, here);
    case KD_WARP_MATCH:
        return match(row, lane, here);
    case KD_WARP_REDUX:
        return redux(row, u, here);
    default:
        return 0;
    }
}

// All lanes' registers together, once for the warp.
static void matrix(struct resident *s, uint32_t warp, const struct unit *like, uint32_t here) {
    uint64_t rows[ISA_MATRIX_ROWS][ISA_LANES] = {{0}};
    struct isa_matrix x = isa_matrix_unpack(like->a64);
    uint32_t nops = like->a, nres = isa_matrix_results(&x);
    for (uint32_t i = 0; i < KD_WARP; i++)
        for (uint32_t k = 0; k < nops && here >> i & 1; k++)
            rows[k][i] = lane_unit(s, warp, i)->operands[k];
    warp_matrix(s, warp, here, nops, like->a64, rows);
    uint64_t(*results)[ISA_LANES] = isa_matrix_result_rows(&x, nops, rows);
    for (uint32_t i = 0; i < KD_WARP; i++)
        for (uint32_t k = 0; k < nres && here >> i & 1; k++)
            lane_unit(s, warp, i)->results[k] = results[k][i];
}

// When all lanes that `like` waits for are there, gives each its result and lets them go on,
// but for `self` (32: none), which is running.
static bool try_complete(struct resident *s, uint32_t warp, const struct unit *like,
                         uint32_t self) {
    uint32_t want = like->membermask & live_lanes(s, warp), here = gathered(s, warp, like);
    if ((here & want) != want)
        return false;
    if (like->op == KD_WARP_MATRIX)
        matrix(s, warp, like, here);
    for (uint32_t i = 0; i < KD_WARP; i++)
        if (here >> i & 1)
            lane_unit(s, warp, i)->result = warp_op_result(lane_unit(s, warp, 0), i, here);
    for (uint32_t i = 0; i < KD_WARP; i++) {
        if (!(here >> i & 1))
            continue;
        if (i == self)
            lane_unit(s, warp, i)->wait = UNIT_RUNS;
        else
            block_release(s, warp * KD_WARP + i);
    }
    return true;
}

void warp_op_unit_ended(struct resident *s, uint32_t thread) {
    uint32_t warp = thread / KD_WARP;
    for (uint32_t i = 0; i < lanes_in_warp(s, warp); i++) {
        struct unit *u = lane_unit(s, warp, i);
        if (u->wait == UNIT_AT_WARP_OP)
            try_complete(s, warp, u, KD_WARP);
    }
}

// Does u wait for a lane that has not come? Each lane but the last one that comes finds one at
// once, beside itself: most come in the order of their numbers, up or down.
static bool misses_some(struct resident *s, uint32_t warp, const struct unit *u, uint32_t lane) {
    uint32_t lanes = lanes_in_warp(s, warp);
    for (uint32_t k = 1; k < KD_WARP; k++) {
        uint32_t other = (lane + (k & 1 ? k + 1 : 2 * KD_WARP - k) / 2) % KD_WARP;
        const struct unit *o = lane_unit(s, warp, other);
        bool wanted = other < lanes && u->membermask >> other & 1 && o->wait != UNIT_ENDED;
        if (wanted && (o->wait != UNIT_AT_WARP_OP || o->op != u->op || o->mode != u->mode ||
                       o->membermask != u->membermask))
            return true;
    }
    return false;
}

static uint64_t meet(struct kd_block *b, uint32_t thread, struct unit args) {
    struct resident *s = resident_of(b);
    if (!thread_units(s))
        block_fault(s, KD_FAULT_ILLEGAL_INSTRUCTION, "a warp operation outside of thread stacks");
    uint32_t warp = thread / KD_WARP, lane = thread % KD_WARP;
    struct unit *u = &s->units[thread];
    args.stack = u->stack;
    args.wait = UNIT_AT_WARP_OP;
    args.membermask |= 1u << lane;
    *u = args;
    if (misses_some(s, warp, u, lane) || !try_complete(s, warp, u, lane))
        block_wait(s);
    s->yields = 0;
    return u->result;
}

uint64_t kd_rt_warp_shfl(struct kd_block *b, uint32_t thread, uint32_t mode, uint32_t a,
                         uint32_t lane_b, uint32_t c, uint32_t membermask) {
    return meet(b, thread,
                (struct unit){.op = KD_WARP_SHFL,
                              .mode = (uint8_t)mode,
                              .membermask = membermask,
                              .a = a,
                              .b = lane_b,
                              .c = c});
}

uint32_t kd_rt_warp_vote(struct kd_block *b, uint32_t thread, uint32_t mode, uint32_t pred,
                         uint32_t membermask) {
    return (uint32_t)meet(
        b, thread,
        (struct unit){
            .op = KD_WARP_VOTE, .mode = (uint8_t)mode, .membermask = membermask, .a = pred & 1});
}

uint64_t kd_rt_warp_match(struct kd_block *b, uint32_t thread, uint32_t mode, uint64_t a,
                          uint32_t bits, uint32_t membermask) {
    return meet(b, thread,
                (struct unit){.op = KD_WARP_MATCH,
                              .mode = (uint8_t)mode,
                              .membermask = membermask,
                              .a64 = a,
                              .b = bits});
}

uint32_t kd_rt_warp_redux(struct kd_block *b, uint32_t thread, uint32_t op, uint32_t is_signed,
                          uint32_t a, uint32_t membermask) {
    return (uint32_t)meet(b, thread,
                          (struct unit){.op = KD_WARP_REDUX,
                                        .mode = (uint8_t)op,
                                        .membermask = membermask,
                                        .a = a,
                                        .b = is_signed});
}

void kd_rt_warp_sync(struct kd_block *b, uint32_t thread, uint32_t membermask) {
    meet(b, thread, (struct unit){.op = KD_WARP_SYNC, .membermask = membermask});
}

void kd_rt_lane_matrix(struct kd_block *b, uint32_t thread, uint32_t nops, uint64_t code,
                       uint64_t *operands, uint64_t *results) {
    meet(b, thread,
         (struct unit){.op = KD_WARP_MATRIX,
                       .membermask = UINT32_MAX, // .aligned: the whole warp
                       .a = nops,
                       .a64 = code,
                       .operands = operands,
                       .results = results});
}

// Lanes that came to the same place, and have not been told who else did.
static uint32_t together(struct resident *s, uint32_t warp, uint64_t place) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < lanes_in_warp(s, warp); i++) {
        const struct unit *u = lane_unit(s, warp, i);
        if (u->wait == UNIT_RUNS && u->op == KD_WARP_ACTIVEMASK && u->a64 == place && !u->result)
            mask |= 1u << i;
    }
    return mask;
}

// Threads run on their own here, but lanes that are on the same way are meant to be together, as
// they are on hardware: each lets the others come before it asks who is there.
uint32_t kd_rt_warp_activemask(struct kd_block *b, uint32_t thread) {
    struct resident *s = resident_of(b);
    uint32_t warp = thread / KD_WARP, mask = 1u << thread % KD_WARP;
    uint64_t place = (uint64_t)(uintptr_t)__builtin_return_address(0);
    if (!thread_units(s))
        return mask;
    struct unit *u = &s->units[thread];
    u->op = KD_WARP_ACTIVEMASK;
    u->a64 = place;
    u->result = 0;
    block_let_others(s);
    uint32_t here = u->result ? 0 : together(s, warp, place);
    for (uint32_t i = 0; i < KD_WARP; i++)
        if (here >> i & 1)
            lane_unit(s, warp, i)->result = here;
    mask = (uint32_t)u->result;
    u->op = KD_WARP_SYNC;
    return mask;
}
