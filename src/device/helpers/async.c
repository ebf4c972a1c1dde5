// mbarrier objects and bulk copies. An mbarrier object is the 64 bits at its address:
//
//   bits  0..19  pending arrivals of the current phase
//   bits 20..39  arrivals that a phase expects
//   bits 40..60  pending transactions in bytes, a signed number
//   bit  63      parity of the current phase
//
// A state is the object as it was before an arrival. The blocks of a cluster run on one thread, and
// mbarrier objects live in their shared memory, so that nothing here is atomic.
#include "device/helpers/async.h"

#include <string.h>

#include "abi/tensor_map.h"
enum { COUNT_BITS = 20, COUNT_MAX = (1 << COUNT_BITS) - 1, TX_BITS = 21, TX_MAX = (1 << 20) - 1 };

struct mbarrier {
    uint32_t pending, expected;
    int32_t tx;
    uint32_t parity;
};

struct request {
    struct kd_block *b;
    uint32_t code;
    const uint64_t *args;
    struct async_outcome *out;
    struct async_watch *watch;
};

static uint64_t refuse(const struct request *r, enum kd_fault fault, const char *why) {
    r->out->fault = fault;
    r->out->why = why;
    return 0;
}

static void *pointer(uint64_t address) {
    return (void *)(uintptr_t)address; // NOLINT: a generic address is a host address
}

// ---- mbarrier objects ---------------------------------------------------------------------

static struct mbarrier unpack(uint64_t w) {
    return (struct mbarrier){
        .pending = w & COUNT_MAX,
        .expected = w >> COUNT_BITS & COUNT_MAX,
        .tx = (int32_t)((int64_t)(w << (64 - 2 * COUNT_BITS - TX_BITS)) >> (64 - TX_BITS)),
        .parity = w >> 63,
    };
}

static uint64_t pack(struct mbarrier m) {
    return m.pending | (uint64_t)m.expected << COUNT_BITS |
           ((uint64_t)(uint32_t)m.tx & ((1u << TX_BITS) - 1)) << 2 * COUNT_BITS |
           (uint64_t)m.parity << 63;
}

static bool complete_if_done(struct mbarrier *m) {
    if (m->pending || m->tx)
        return false;
    m->parity ^= 1;
    m->pending = m->expected;
    return true;
}

static uint64_t init(const struct request *r, uint64_t count) {
    if (count < 1 || count > COUNT_MAX)
        return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION,
                      "mbarrier.init with a count that is not in 1 .. 1048575");
    uint64_t w = pack((struct mbarrier){.pending = (uint32_t)count, .expected = (uint32_t)count});
    memcpy(pointer(r->args[0]), &w, sizeof w);
    return 0;
}

// Changes the object: more pending transactions, then arrivals, some of them for good.
static uint64_t change(const struct request *r, int64_t tx, uint32_t arrivals, bool drop) {
    uint64_t before;
    memcpy(&before, pointer(r->args[0]), sizeof before);
    struct mbarrier m = unpack(before);
    if (m.tx + tx > TX_MAX || m.tx + tx < -TX_MAX)
        return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION,
                      "an mbarrier object with more than 1048575 bytes of pending transactions");
    if (arrivals > m.pending || (drop && arrivals > m.expected))
        return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION,
                      "more arrivals at an mbarrier object than its phase expects");
    m.tx += (int32_t)tx;
    m.pending -= arrivals;
    m.expected -= drop ? arrivals : 0;
    if (complete_if_done(&m)) {
        r->out->phase_ended = true;
        r->out->ended |= async_object_bit(r->args[0]);
    }
    uint64_t after = pack(m);
    memcpy(pointer(r->args[0]), &after, sizeof after);
    return before;
}

bool async_arrive_together(uint64_t address, uint64_t count, uint64_t *before,
                           struct async_outcome *out) {
    if (address % 8)
        return false;
    memcpy(before, pointer(address), sizeof *before);
    struct mbarrier m = unpack(*before);
    if (count > m.pending)
        return false;
    m.pending -= (uint32_t)count;
    *out = (struct async_outcome){
        .why = "", .phase_ended = complete_if_done(&m), .ended = async_object_bit(address)};
    uint64_t after = pack(m);
    memcpy(pointer(address), &after, sizeof after);
    return true;
}

bool async_phase_ended(uint64_t address, uint32_t parity) {
    uint64_t now;
    memcpy(&now, pointer(address), sizeof now);
    return unpack(now).parity != parity;
}

uint32_t async_parity(uint32_t code, uint64_t what) {
    return (code & KD_ASYNC_OP_MASK) == KD_ASYNC_MBARRIER_WAIT ? unpack(what).parity : what & 1;
}

static uint64_t mbarrier_operation(const struct request *r) {
    const uint64_t *a = r->args;
    uint32_t op = r->code & KD_ASYNC_OP_MASK, n = (uint32_t)a[1];
    if (op == KD_ASYNC_MBARRIER_PENDING)
        return unpack(a[0]).pending;
    if (a[0] % 8)
        return refuse(r, KD_FAULT_MISALIGNED, "an mbarrier object that is not aligned to 8 bytes");
    switch (op) {
    case KD_ASYNC_MBARRIER_INIT:
        return init(r, n);
    case KD_ASYNC_MBARRIER_INVAL: // the object stays as it is: threads that are late still ask it
        return 0;
    case KD_ASYNC_MBARRIER_EXPECT_TX:
        return change(r, n, 0, false);
    case KD_ASYNC_MBARRIER_COMPLETE_TX:
        return change(r, -(int64_t)n, 0, false);
    case KD_ASYNC_MBARRIER_ARRIVE:
        return change(r, 0, n, false);
    case KD_ASYNC_MBARRIER_ARRIVE_TX:
        return change(r, n, 1, false);
    case KD_ASYNC_MBARRIER_DROP:
        return change(r, 0, n, true);
    case KD_ASYNC_MBARRIER_DROP_TX:
        return change(r, n, 1, true);
    default: // waits
        return async_phase_ended(a[0], async_parity(r->code, a[1]));
    }
}

// ---- Blocks of the cluster ----------------------------------------------------------------

// The same place in the shared memory of block `rank`.
static uint64_t in_block(const struct kd_block *b, uint64_t address, uint32_t rank) {
    uint64_t at = address - (uint64_t)(uintptr_t)b->cluster_shared;
    return (uint64_t)(uintptr_t)b->cluster_shared + (uint64_t)rank * KD_CLUSTER_STRIDE +
           at % KD_CLUSTER_STRIDE;
}

static uint64_t signal_done(const struct request *r, uint64_t bar, uint64_t bytes) {
    uint64_t args[2] = {bar, bytes};
    struct request s = *r;
    s.code = KD_ASYNC_MBARRIER_COMPLETE_TX;
    s.args = args;
    return mbarrier_operation(&s);
}

static void watch_move(const struct request *r, enum async_move how, uint64_t to, uint64_t from,
                       uint64_t bytes) {
    if (r->watch)
        r->watch->moves(r->watch, how,
                        &(struct async_piece){to, from, (uint32_t)bytes, (uint32_t)bytes});
}

static void watch_signal(const struct request *r, uint64_t bar) {
    if (r->watch)
        r->watch->signals(r->watch, bar);
}

// Which block's mbarrier object is told when block `rank` has got its data. Those of a pair of
// blocks can be all in one of the two: in that which `bar` is in.
static uint32_t bar_rank(const struct request *r, uint64_t bar, uint32_t rank) {
    uint64_t in = (bar - (uint64_t)(uintptr_t)r->b->cluster_shared) / KD_CLUSTER_STRIDE;
    return r->code & KD_ASYNC_PAIR ? (rank & ~1u) | (in & 1) : rank;
}

// Hands what lies at `to` in this block to the others of the mask, and tells their mbarrier
// objects.
static uint64_t multicast(const struct request *r, uint64_t to, uint64_t bytes, uint64_t bar,
                          uint64_t mask, const uint8_t *from) {
    for (uint32_t rank = 0; rank < KD_CLUSTER_MAX_BLOCKS; rank++) {
        if (!(mask >> rank & 1))
            continue;
        if (rank >= r->b->cluster_blocks)
            return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION,
                          "a multicast to a block that the cluster does not have");
        uint64_t there = in_block(r->b, to, rank);
        uint64_t object = in_block(r->b, bar, bar_rank(r, bar, rank));
        watch_move(r, ASYNC_SPREAD, there, (uint64_t)(uintptr_t)from, bytes);
        memcpy(pointer(there), from, bytes);
        watch_signal(r, object);
        signal_done(r, object, bytes);
    }
    return 0;
}

// One arrival at the object in each block of the mask.
static uint64_t arrive_in_blocks(const struct request *r) {
    uint64_t args[2] = {0, 1}, mask = r->args[1] & 0xffff;
    if (mask >> r->b->cluster_blocks)
        return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION,
                      "a multicast to a block that the cluster does not have");
    struct request one = *r;
    one.code = KD_ASYNC_MBARRIER_ARRIVE;
    one.args = args;
    for (; mask && !r->out->fault; mask &= mask - 1) {
        args[0] = in_block(r->b, r->args[0], (uint32_t)__builtin_ctzll(mask));
        watch_signal(r, args[0]);
        mbarrier_operation(&one);
    }
    return 0;
}

// ---- Copies -------------------------------------------------------------------------------

static uint64_t small_copy(const struct request *r) {
    const uint64_t *a = r->args;
    uint64_t bytes = (uint32_t)a[2], read = (uint32_t)a[3] < bytes ? (uint32_t)a[3] : bytes;
    if (a[0] % bytes)
        return refuse(r, KD_FAULT_MISALIGNED, "cp.async to an address that is not aligned");
    memcpy(pointer(a[0]), pointer(a[1]), read);
    memset((uint8_t *)pointer(a[0]) + read, 0, bytes - read);
    return 0;
}

static uint64_t fill(const struct request *r) {
    const uint64_t *a = r->args;
    uint64_t bytes = (uint32_t)a[1];
    if (bytes % 8 || a[0] % 8)
        return refuse(r, KD_FAULT_MISALIGNED,
                      "st.bulk with a size or an address that is no multiple of 8");
    memset(pointer(a[0]), 0, bytes);
    return 0;
}

static uint64_t bulk_copy(const struct request *r) {
    const uint64_t *a = r->args;
    uint64_t bytes = (uint32_t)a[2];
    if (bytes % 16 || a[0] % 16 || a[1] % 16)
        return refuse(r, KD_FAULT_MISALIGNED,
                      "a bulk copy whose size or addresses are no multiples of 16");
    if ((r->code & KD_ASYNC_OP_MASK) == KD_ASYNC_BULK_REDUCE) {
        enum kd_async_type type = (enum kd_async_type)(r->code >> KD_ASYNC_TYPE_SHIFT & 15);
        uint32_t element = async_type_bytes(type);
        for (uint64_t k = 0; r->watch && k < bytes; k += element)
            watch_move(r, ASYNC_COMBINE, a[0] + k, a[1] + k, element);
        if (!async_reduce((enum kd_async_atom)(r->code >> KD_ASYNC_ATOM_SHIFT & 15), type, true,
                          a[0], pointer(a[1]), bytes / element))
            return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION, "a reduction that the type lacks");
    } else if (r->code & KD_ASYNC_MULTICAST) {
        return multicast(r, a[0], bytes, a[3], a[4], pointer(a[1]));
    } else {
        watch_move(r, ASYNC_COPY, a[0], a[1], bytes);
        memmove(pointer(a[0]), pointer(a[1]), bytes);
    }
    return r->code & KD_ASYNC_SIGNALS ? signal_done(r, a[3], bytes) : 0;
}

static uint32_t dimensions(const struct request *r) {
    return r->code >> KD_ASYNC_DIMS_SHIFT & 15;
}

static void coordinates(const struct request *r, uint32_t first, int32_t *c) {
    for (uint32_t k = 0; k < dimensions(r); k++)
        c[k] = (int32_t)r->args[first + k];
}

static uint64_t load_box(const struct request *r) {
    const uint64_t *a = r->args;
    uint32_t dims = dimensions(r), next = 3 + dims, offsets[3] = {0};
    int32_t c[16];
    coordinates(r, 2, c);
    bool row = (r->code >> KD_ASYNC_ATOM_SHIFT & 15) != TENSOR_PIXELS_ALL; // a halo, an offset
    for (uint32_t k = 0; (r->code & KD_ASYNC_IM2COL) && k < (row ? 2 : dims - 2); k++)
        offsets[k] = (uint16_t)a[next++];
    uint64_t bar = a[2 + dims], to = a[0];
    // A multicast is loaded for its first block and copied to the rest.
    uint64_t mask = r->code & KD_ASYNC_MULTICAST ? a[next] & 0xffff : 0;
    if (r->code & KD_ASYNC_MULTICAST) {
        if (!mask || mask >> r->b->cluster_blocks)
            return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION,
                          "a multicast to a block that the cluster does not have");
        uint32_t rank = (uint32_t)__builtin_ctzll(mask);
        to = in_block(r->b, to, rank);
        bar = in_block(r->b, bar, bar_rank(r, bar, rank));
    }
    if (to % 128)
        return refuse(r, KD_FAULT_MISALIGNED, "a box in shared memory not aligned to 128 bytes");
    uint64_t bytes =
        tensor_load(r->code, pointer(to), pointer(a[1]), c, offsets, r->watch, &r->out->why);
    if (!bytes)
        return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION, r->out->why);
    watch_signal(r, bar);
    signal_done(r, bar, bytes);
    return mask ? multicast(r, to, bytes, bar, mask & (mask - 1), pointer(to)) : 0;
}

static uint64_t store_box(const struct request *r) {
    int32_t c[16];
    coordinates(r, 1, c);
    uint64_t from = r->args[1 + dimensions(r)];
    if (from % 128)
        return refuse(r, KD_FAULT_MISALIGNED, "a box in shared memory not aligned to 128 bytes");
    if (!tensor_store(r->code, pointer(r->args[0]), c, pointer(from), r->watch, &r->out->why))
        return refuse(r, KD_FAULT_ILLEGAL_INSTRUCTION, r->out->why);
    return 0;
}

// ---- Cluster launch control ---------------------------------------------------------------

void async_cancel_answer(const uint32_t *ctaid, uint64_t answer[2]) {
    answer[0] = ctaid ? ctaid[0] | (uint64_t)ctaid[1] << 32 : 0;
    answer[1] = ctaid ? ctaid[2] | UINT64_C(1) << 32 : 0;
}

static uint64_t answer_request(const struct request *r) {
    const uint64_t *a = r->args;
    enum { BYTES = 16 };
    if (a[0] % BYTES)
        return refuse(r, KD_FAULT_MISALIGNED,
                      "clusterlaunchcontrol.try_cancel with an address not aligned to 16 bytes");
    if (r->code & KD_ASYNC_MULTICAST)
        return multicast(r, a[0], BYTES, a[1], (1u << r->b->cluster_blocks) - 1,
                         (const uint8_t *)&a[2]);
    memcpy(pointer(a[0]), &a[2], BYTES);
    return signal_done(r, a[1], BYTES);
}

// ---- Multicast objects --------------------------------------------------------------------

static uint64_t multimem(const struct request *r) {
    uint64_t result;
    enum kd_fault fault = multimem_execute(r->code, r->args, r->watch, &result);
    return fault ? refuse(r, fault,
                          fault == KD_FAULT_MISALIGNED
                              ? "multimem at an address that is not aligned"
                              : "multimem at an address where no multicast object is mapped, or "
                                "no memory is bound to it")
                 : result;
}

uint64_t async_execute(struct kd_block *b, uint32_t code, const uint64_t *args,
                       struct async_outcome *out, struct async_watch *watch) {
    struct request r = {b, code, args, out, watch};
    *out = (struct async_outcome){.why = ""};
    switch (code & KD_ASYNC_OP_MASK) {
    case KD_ASYNC_COPY:
        return small_copy(&r);
    case KD_ASYNC_FILL:
        return fill(&r);
    case KD_ASYNC_ARRIVE_BLOCKS:
        return arrive_in_blocks(&r);
    case KD_ASYNC_BULK:
    case KD_ASYNC_BULK_REDUCE:
        return bulk_copy(&r);
    case KD_ASYNC_TENSOR_LOAD:
        return load_box(&r);
    case KD_ASYNC_TENSOR_STORE:
    case KD_ASYNC_TENSOR_REDUCE:
        return store_box(&r);
    case KD_ASYNC_TENSORMAP_REPLACE:
        if (!tensor_map_replace(pointer(args[0]), dimensions(&r), (uint32_t)args[1], args[2]))
            return refuse(&r, KD_FAULT_ILLEGAL_INSTRUCTION,
                          "tensormap.replace with a value that the field cannot have");
        return 0;
    case KD_ASYNC_MULTIMEM_LOAD:
    case KD_ASYNC_MULTIMEM_STORE:
    case KD_ASYNC_MULTIMEM_REDUCE:
        return multimem(&r);
    case KD_ASYNC_TRY_CANCEL:
        return answer_request(&r);
    default:
        return mbarrier_operation(&r);
    }
}
