#include "device/helpers/tensor_memory.h"

#include <stdlib.h>
#include <string.h>

#include "isa/tensor_memory.h"

enum { UNITS = TENSOR_COLUMNS / TENSOR_UNIT, LANE_SHIFT = 16, COLUMN_MASK = 0xffff };

struct tensor_memory {
    isa_tensor_column columns[TENSOR_COLUMNS];
    uint8_t scratch[ISA_TENSOR_SCRATCH];
    uint8_t allocated[UNITS]; // units of the allocation that begins there, or 0
    uint32_t used;            // a bit for each unit
    bool relinquished;
};

struct request {
    struct kd_block *b;
    struct tensor_memory *t;
    struct async_outcome *out;
    struct async_watch *watch;
    uint32_t thread, code;
    const uint64_t *args;
};

static uint64_t refuse(const struct request *r, enum kd_fault fault, const char *why) {
    r->out->fault = fault;
    r->out->why = why;
    return 0;
}

bool tensor_memory_operation(uint32_t code) {
    uint32_t op = code & KD_ASYNC_OP_MASK;
    return op >= KD_ASYNC_TENSOR_ALLOC && op <= KD_ASYNC_TENSOR_MMA;
}

void tensor_memory_reset(struct tensor_memory *t) {
    if (!t)
        return;
    memset(t->allocated, 0, sizeof t->allocated);
    t->used = 0;
    t->relinquished = false;
}

// ---- allocation ----------------------------------------------------------------------------

static uint32_t units_of(uint64_t columns) {
    bool power = columns && !(columns & (columns - 1));
    return power && columns >= TENSOR_UNIT && columns <= TENSOR_COLUMNS
               ? (uint32_t)columns / TENSOR_UNIT
               : 0;
}

static uint32_t bits_of(uint32_t first, uint32_t units) {
    return ((1u << units) - 1) << first;
}

static uint64_t allocate(const struct request *r) {
    uint64_t to = r->args[0];
    uint32_t units = units_of((uint32_t)r->args[1]);
    if (!units)
        return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION,
                      "tcgen05.alloc of columns whose number is no power of two in 32 .. 512");
    if (to % 4)
        return refuse(r, KD_FAULT_MISALIGNED, "tcgen05.alloc to an address that is not aligned");
    if (r->t->relinquished)
        return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION,
                      "tcgen05.alloc after tcgen05.relinquish_alloc_permit");
    for (uint32_t first = 0; first + units <= UNITS; first++) {
        if (r->t->used & bits_of(first, units))
            continue;
        uint32_t place = first * TENSOR_UNIT;
        r->t->used |= bits_of(first, units);
        r->t->allocated[first] = (uint8_t)units;
        memcpy((void *)(uintptr_t)to, &place, sizeof place);
        return 1;
    }
    return 0;
}

static uint64_t deallocate(const struct request *r) {
    uint32_t place = (uint32_t)r->args[0], units = units_of((uint32_t)r->args[1]);
    uint32_t first = place / TENSOR_UNIT;
    if (!units || place % TENSOR_UNIT || first >= UNITS || r->t->allocated[first] != units)
        return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION,
                      "tcgen05.dealloc of columns that were not allocated so");
    r->t->used &= ~bits_of(first, units);
    r->t->allocated[first] = 0;
    return 0;
}

// The other block of the pair, if it is there and has tensor memory.
static struct kd_block *peer_of(const struct request *r) {
    uint32_t rank = r->b->cluster_rank ^ 1;
    struct kd_block *peer = rank < r->b->cluster_blocks ? cluster_block(r->b, rank) : NULL;
    return peer && peer->tensor ? peer : NULL;
}

static uint64_t no_peer(const struct request *r) {
    return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION,
                  "tcgen05 of a pair of blocks whose other block is not there or has not allocated "
                  "tensor memory");
}

// Are `columns` columns from the place on allocated?
static bool is_in(const struct tensor_memory *t, uint32_t place, uint32_t columns) {
    uint32_t first = place & COLUMN_MASK, last = first + columns - 1;
    if (!columns || last >= TENSOR_COLUMNS || place >> LANE_SHIFT >= TENSOR_LANES)
        return false;
    for (uint32_t unit = first / TENSOR_UNIT; unit <= last / TENSOR_UNIT; unit++)
        if (!(t->used >> unit & 1))
            return false;
    return true;
}

static bool is_there(const struct request *r, uint32_t place, uint32_t columns) {
    return is_in(r->t, place, columns);
}

static uint64_t not_there(const struct request *r) {
    return refuse(r, KD_FAULT_ILLEGAL_ADDRESS, "tensor memory that is not allocated");
}

// ---- accesses ------------------------------------------------------------------------------

// A warp reaches the 32 lanes of its number in its group of four warps.
static uint64_t address_of(const struct request *r) {
    uint32_t place = (uint32_t)r->args[0], lanes = (uint32_t)r->args[1] >> LANE_SHIFT;
    uint32_t lane = place >> LANE_SHIFT, warp = r->thread / KD_WARP % 4;
    if (!is_there(r, place, (uint32_t)r->args[1] & COLUMN_MASK))
        return not_there(r);
    if (lane % lanes || lane / KD_WARP != warp)
        return refuse(r, KD_FAULT_ILLEGAL_ADDRESS,
                      "lanes of tensor memory that the warp does not reach");
    return (uint64_t)(uintptr_t)&r->t->columns[place & COLUMN_MASK][lane];
}

struct window {
    const struct kd_block *b;
    struct async_watch *watch; // NULL: nobody
};

static const void *shared(void *ctx, uint32_t address, unsigned bytes) {
    const struct window *w = ctx;
    const struct kd_block *b = w->b;
    if (address > b->shared_window_bytes || bytes > b->shared_window_bytes - address)
        return NULL;
    if (w->watch) {
        struct async_piece p = {.from = (uint64_t)(uintptr_t)b->shared + address,
                                .from_bytes = bytes};
        w->watch->moves(w->watch, ASYNC_OPERAND, &p);
    }
    return b->shared + address;
}

static struct isa_tensor_access access_of(const struct request *r, struct window *w,
                                          struct kd_block *b) {
    *w = (struct window){b, r->watch};
    return (struct isa_tensor_access){w, shared, b->tensor->columns, r->t->scratch};
}

static uint64_t out_of_shared(const struct request *r) {
    return refuse(r, KD_FAULT_ILLEGAL_ADDRESS,
                  "a matrix descriptor that reaches out of the block's shared memory");
}

// The blocks that an instruction is about, of a pair the even one first. Their number, or 0: there
// is no pair.
static uint32_t blocks_of(const struct request *r, bool pair, struct kd_block *blocks[2]) {
    blocks[0] = r->b;
    if (!pair)
        return 1;
    struct kd_block *peer = peer_of(r);
    if (!peer)
        return 0;
    blocks[r->b->cluster_rank & 1] = r->b;
    blocks[peer->cluster_rank & 1] = peer;
    return 2;
}

static uint64_t copy(const struct request *r) {
    uint32_t code = (uint32_t)r->args[0], place = (uint32_t)r->args[1];
    struct kd_block *blocks[2];
    uint32_t n = blocks_of(r, isa_tensor_copies_to_pair(code), blocks);
    if (!n)
        return no_peer(r);
    for (uint32_t k = 0; k < n; k++)
        if (!is_in(blocks[k]->tensor, place, isa_tensor_copy_columns(code)))
            return not_there(r);
    for (uint32_t k = 0; k < n; k++) {
        struct window window;
        struct isa_tensor_access access = access_of(r, &window, blocks[k]);
        if (!isa_tensor_copy(code, place, r->args[2], &access))
            return out_of_shared(r);
    }
    return 0;
}

// 32 bytes of each of 32 lanes but the last become those of the next lane.
static uint64_t shift(const struct request *r) {
    uint32_t place = (uint32_t)r->args[0], lane = place >> LANE_SHIFT;
    enum { COLUMNS = 8 };
    struct kd_block *blocks[2];
    uint32_t n = blocks_of(r, r->code & KD_ASYNC_PAIR, blocks);
    if (!n)
        return no_peer(r);
    for (uint32_t k = 0; k < n; k++)
        if (!is_in(blocks[k]->tensor, place, COLUMNS))
            return not_there(r);
    if (lane % KD_WARP)
        return refuse(r, KD_FAULT_MISALIGNED, "tcgen05.shift at a lane that is no multiple of 32");
    for (uint32_t k = 0; k < n * COLUMNS; k++) {
        struct tensor_memory *t = blocks[k / COLUMNS]->tensor;
        uint32_t *c = &t->columns[(place & COLUMN_MASK) + k % COLUMNS][lane];
        memmove(c, c + 1, (KD_WARP - 1) * sizeof *c);
    }
    return 0;
}

static bool has_lane(const struct isa_tensor_product *p, uint32_t place) {
    uint32_t lane = place >> LANE_SHIFT;
    return lane == 0 || (lane == 16 && isa_tensor_half_lanes(p));
}

// Matrices of one product begin at the same lane.
static bool is_beside(uint32_t place, uint32_t other) {
    return place >> LANE_SHIFT == other >> LANE_SHIFT;
}

static bool operands_are_in(const struct tensor_memory *t, const struct isa_tensor_product *p) {
    return is_in(t, p->d, isa_tensor_columns_of_d(p)) &&
           (!p->a_inside || is_in(t, p->a_at, isa_tensor_columns_of_a(p))) &&
           (!p->sparse || is_in(t, p->metadata, ISA_TENSOR_METADATA_COLUMNS)) &&
           (!p->scales || (is_in(t, p->scales_a, isa_tensor_columns_of_scales_a(p)) &&
                           is_in(t, p->scales_b, isa_tensor_columns_of_scales_b(p))));
}

static uint64_t multiply(const struct request *r) {
    struct isa_tensor_product p;
    struct isa_tensor_access access[2];
    struct window windows[2];
    struct kd_block *blocks[2];
    const char *why = isa_tensor_product_of((uint32_t)r->args[0], r->args + 1, &p);
    if (why)
        return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION, why);
    uint32_t n = blocks_of(r, p.pair, blocks);
    if (!n)
        return no_peer(r);
    for (uint32_t k = 0; k < n; k++) {
        if (!operands_are_in(blocks[k]->tensor, &p))
            return not_there(r);
        access[k] = access_of(r, &windows[k], blocks[k]);
    }
    if (!has_lane(&p, p.d) || (p.a_inside && !is_beside(p.d, p.a_at)) ||
        (p.sparse && !is_beside(p.d, p.metadata)))
        return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION,
                      "tcgen05.mma with a matrix at a lane where it cannot begin");
    if (p.sparse && p.metadata % 2)
        return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION,
                      "tcgen05.mma.sp with metadata that do not begin at an even column");
    return isa_tensor_multiply(&p, access) ? 0 : out_of_shared(r);
}

uint64_t tensor_memory_execute(struct kd_block *b, uint32_t thread, uint32_t code,
                               const uint64_t *args, struct async_outcome *out,
                               struct async_watch *watch) {
    struct request r = {b, b->tensor, out, watch, thread, code, args};
    *out = (struct async_outcome){.why = ""};
    if (!r.t)
        r.t = b->tensor = calloc(1, sizeof *r.t);
    if (!r.t)
        return refuse(&r, KD_FAULT_OUT_OF_MEMORY, "no memory for tensor memory");
    switch (code & KD_ASYNC_OP_MASK) {
    case KD_ASYNC_TENSOR_ALLOC:
        return allocate(&r);
    case KD_ASYNC_TENSOR_DEALLOC:
        return deallocate(&r);
    case KD_ASYNC_TENSOR_RELINQUISH:
        r.t->relinquished = true;
        return 0;
    case KD_ASYNC_TENSOR_AT:
        return address_of(&r);
    case KD_ASYNC_TENSOR_COPY:
        return copy(&r);
    case KD_ASYNC_TENSOR_SHIFT:
        return shift(&r);
    default:
        return multiply(&r);
    }
}
