// mbarrier objects and asynchronous copies as generated code asks for them, and units that wait
// until a phase has ended. A unit that waits is not asked again and again: whoever ends a phase
// lets those go on that wait for it.
#include <string.h>

#include "device/check/check.h"
#include "device/exec/block.h"
#include "device/helpers/async.h"
#include "device/helpers/runtime.h"
#include "device/helpers/tensor_memory.h"

static bool asks(uint32_t code) {
    uint32_t op = code & KD_ASYNC_OP_MASK;
    return op == KD_ASYNC_MBARRIER_WAIT || op == KD_ASYNC_MBARRIER_WAIT_PARITY;
}

static void release_waiting(struct resident *s) {
    for (uint32_t k = 0; k < s->next_unit && s->at_phases; k++) {
        struct unit *u = &s->units[k];
        if (u->wait != UNIT_AT_PHASE || !async_phase_ended(u->a64, u->a))
            continue;
        s->at_phases--;
        block_release(s, k);
    }
}

// A phase has ended: of an object in this block, or in another one of the cluster.
static void phase_ended(struct resident *s, uint64_t objects) {
    struct cluster *c = s->cluster;
    s->units[s->current].ended |= objects;
    for (uint32_t k = 0; k < c->size; k++)
        if (c->members[k])
            release_waiting(c->members[k]);
    cluster_unpark(c, s);
}

static void wait_for_phase(struct resident *s, uint64_t address, uint32_t parity) {
    struct unit *u = &s->units[s->current];
    u->ended = 0;
    u->a64 = address;
    u->a = parity;
    u->wait = UNIT_AT_PHASE;
    s->at_phases++;
    block_wait(s);
}

// The calling unit asked for a phase of one of these objects, which has ended. Copies and products
// are done at once, so that a unit that ends a phase and waits for it need not wait, as it would on
// a GPU: others that only watch the object would find it two phases on, when its parity is again
// what it was. So they look first. Who waits for what others end is held back by them.
static void found_ended(struct resident *s, uint64_t objects) {
    struct unit *u = &s->units[s->current];
    if (!on_stacks(s) || !(u->ended & objects))
        return;
    u->ended = 0;
    block_let_others(s);
}

// Waits until some of tensor memory is given back, where the block's units have stacks: then
// there may be room.
static bool waits_for_room(struct resident *s, uint32_t code, uint64_t done) {
    if (done || (code & KD_ASYNC_OP_MASK) != KD_ASYNC_TENSOR_ALLOC || !on_stacks(s))
        return false;
    s->units[s->current].wait = UNIT_FOR_ROOM;
    block_wait(s);
    return true;
}

static void room_made(struct resident *s) {
    for (uint32_t k = 0; k < s->next_unit; k++)
        if (s->units[k].wait == UNIT_FOR_ROOM)
            block_release(s, k);
}

static uint64_t execute(struct kd_block *b, uint32_t thread, uint32_t code, const uint64_t *args) {
    struct async_outcome out;
    uint64_t request[4];
    if ((code & KD_ASYNC_OP_MASK) == KD_ASYNC_TRY_CANCEL) {
        uint32_t ctaid[3];
        memcpy(request, args, 2 * sizeof *request);
        async_cancel_answer(block_cancel(resident_of(b), ctaid) ? ctaid : NULL, request + 2);
        args = request;
    }
    bool tensor = tensor_memory_operation(code);
    uint64_t r = check_tools() ? check_async_execute(b, thread, code, args, &out)
                 : tensor      ? tensor_memory_execute(b, thread, code, args, &out, NULL)
                               : async_execute(b, code, args, &out, NULL);
    if (out.fault)
        runtime_fault(b, thread, out.fault, out.why);
    if (out.phase_ended)
        phase_ended(resident_of(b), out.ended);
    if ((code & KD_ASYNC_OP_MASK) == KD_ASYNC_TENSOR_DEALLOC)
        room_made(resident_of(b));
    return r;
}

uint64_t kd_rt_async(struct kd_block *b, uint32_t thread, uint32_t code, const uint64_t *args) {
    struct resident *s = resident_of(b);
    uint64_t r = execute(b, thread, code, args);
    while (waits_for_room(s, code, r))
        r = execute(b, thread, code, args);
    if (!r && asks(code) && (code & KD_ASYNC_WHOLE)) {
        wait_for_phase(s, args[0], async_parity(code, args[1]));
        return 1;
    }
    if (r && asks(code))
        found_ended(s, async_object_bit(args[0]));
    // The interpreter turns to other threads by itself.
    if (r || !asks(code) || !on_stacks(s))
        return r;
    if (!(code & KD_ASYNC_BLOCKS)) {
        block_yield(s);
        return 0;
    }
    wait_for_phase(s, args[0], async_parity(code, args[1]));
    return 1;
}

// Lanes that wait: some of them, each for a phase.
struct waiting {
    uint32_t mask;
    uint64_t address[KD_WARP];
    uint32_t parity[KD_WARP];
};

static void drop_ended(struct waiting *w) {
    for (uint32_t m = w->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (async_phase_ended(w->address[l], w->parity[l]))
            w->mask &= ~(1u << l);
    }
}

static void drop_same(struct waiting *w, uint32_t lane) {
    for (uint32_t m = w->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (w->address[l] == w->address[lane] && w->parity[l] == w->parity[lane])
            w->mask &= ~(1u << l);
    }
}

static void wait_for_all(struct resident *s, struct waiting *w) {
    while (w->mask) {
        uint32_t lane = (uint32_t)__builtin_ctz(w->mask);
        wait_for_phase(s, w->address[lane], w->parity[lane]);
        drop_same(w, lane);
        drop_ended(w);
    }
}

// A call for several lanes.
struct lanes {
    struct kd_block *b;
    uint32_t thread, code, width, nargs, mask;
    const uint64_t *args;
    uint64_t *out;
};

static uint64_t execute_lane(const struct lanes *c, uint32_t lane) {
    uint64_t a[KD_ASYNC_MAX_ARGS];
    for (uint32_t k = 0; k < c->nargs; k++)
        a[k] = c->args[k * c->width + lane];
    return execute(c->b, c->thread + lane, c->code, a);
}

static void execute_each(const struct lanes *c) {
    for (uint32_t m = c->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        do
            c->out[l] = execute_lane(c, l);
        while (waits_for_room(resident_of(c->b), c->code, c->out[l]));
    }
}

// Is operand k the same for all lanes in the mask?
static bool uniform(const struct lanes *c, uint32_t k) {
    const uint64_t *row = c->args + k * c->width;
    uint64_t first = row[__builtin_ctz(c->mask)], differ = 0;
    if (c->code >> KD_ASYNC_SAME_SHIFT >> k & 1)
        return true;
    for (uint32_t m = c->mask; m; m &= m - 1)
        differ |= row[__builtin_ctz(m)] ^ first;
    return differ == 0;
}

static bool arrive_together(const struct lanes *c) {
    struct async_outcome out;
    uint32_t first = (uint32_t)__builtin_ctz(c->mask);
    uint64_t before, count = (uint32_t)c->args[c->width + first];
    if ((c->code & KD_ASYNC_OP_MASK) != KD_ASYNC_MBARRIER_ARRIVE || !uniform(c, 0) ||
        !uniform(c, 1) ||
        !async_arrive_together(c->args[first], count * (uint32_t)__builtin_popcount(c->mask),
                               &before, &out))
        return false;
    // The pending arrivals are the lowest bits of a state.
    if (c->mask == UINT32_MAX)
        for (uint32_t l = 0; l < KD_WARP; l++)
            c->out[l] = before - l * count;
    else
        for (uint32_t m = c->mask; m; m &= m - 1, before -= count)
            c->out[__builtin_ctz(m)] = before;
    if (out.phase_ended)
        phase_ended(resident_of(c->b), out.ended);
    return true;
}

// Do all lanes ask about one phase?
static bool ask_together(const struct lanes *c) {
    const uint64_t *what = c->args + c->width;
    uint64_t any = 0, all = UINT64_MAX;
    if (!uniform(c, 0))
        return false;
    for (uint32_t m = c->mask; m; m &= m - 1) {
        any |= what[__builtin_ctz(m)];
        all &= what[__builtin_ctz(m)];
    }
    return async_parity(c->code, any) == async_parity(c->code, all);
}

// Lanes that are on a stack of their own, or on that of the whole block, which is here.
static bool may_wait(const struct lanes *c) {
    return on_stacks(resident_of(c->b)) || (c->code & KD_ASYNC_WHOLE);
}

static void wait_together(const struct lanes *c) {
    uint32_t first = (uint32_t)__builtin_ctz(c->mask);
    uint64_t r = execute_lane(c, first), address = c->args[first];
    for (uint32_t m = c->mask; m; m &= m - 1)
        c->out[__builtin_ctz(m)] = r;
    if (r)
        found_ended(resident_of(c->b), async_object_bit(address));
    if (r || !may_wait(c))
        return;
    if (c->code & KD_ASYNC_BLOCKS)
        wait_for_phase(resident_of(c->b), address,
                       async_parity(c->code, c->args[c->width + first]));
    else
        block_yield(resident_of(c->b));
}

static void wait_each(const struct lanes *c) {
    struct waiting w;
    uint64_t objects = 0;
    w.mask = 0;
    for (uint32_t m = c->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        c->out[l] = execute_lane(c, l);
        w.address[l] = c->args[l];
        objects |= async_object_bit(c->args[l]);
        w.parity[l] = async_parity(c->code, c->args[c->width + l]);
        w.mask |= c->out[l] ? 0 : 1u << l;
    }
    if (!w.mask)
        found_ended(resident_of(c->b), objects);
    if (!w.mask || !may_wait(c))
        return;
    if (c->code & KD_ASYNC_BLOCKS)
        wait_for_all(resident_of(c->b), &w);
    else
        block_yield(resident_of(c->b));
}

void kd_rt_async_lanes(struct kd_block *b, uint32_t thread, uint32_t code, uint32_t width,
                       uint32_t nargs, uint32_t mask, const uint64_t *args, uint64_t *out) {
    struct lanes c = {b, thread, code, width, nargs, mask, args, out};
    if (!mask)
        return;
    if (asks(code) && ask_together(&c))
        wait_together(&c);
    else if (asks(code))
        wait_each(&c);
    else if (!arrive_together(&c))
        execute_each(&c);
}
