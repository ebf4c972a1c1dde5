#include "passes/check/check.h"

#include <string.h>

#include "abi/check_meeting.h"
#include "isa/matrix.h"
#include "isa/ops/async.h"
#include "isa/ops/block.h"
#include "isa/ops/check.h"
#include "isa/ops/cluster.h"
#include "isa/ops/fence.h"
#include "isa/ops/image.h"
#include "isa/ops/launch.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "isa/ops/memory.h"
#include "isa/ops/multimem.h"
#include "isa/ops/tensor.h"
#include "isa/ops/warp.h"
#include "passes/check/check_guess.h"
#include "passes/check/check_matrix.h"
#include "passes/check/check_shared.h"
#include "support/check/check_tools.h"

// One access of an instruction.
struct access {
    struct kir_inst *i;
    struct kir_value *address, *more; // more: as check.access says; NULL: nothing
    struct kd_check_site site;
    bool by_device; // which tells of it: where it may be is to be known alone
};

struct checker {
    struct check_sites sites;
    struct arena tmp; // of a function
    struct kir_func *f;
    unsigned tools;
    uint16_t flags;   // of the function's sites
    bool orders;      // what orders accesses is told of
    bool fences;      // the module has some
    bool reductions;  // the same, bulk ones, of which init tells where they are
    uint8_t *guesses; // by inst->id: check_guesses_find
    VEC(struct access) accesses;
    int64_t arrays; // where they are described
};

static uint32_t bytes_of(const struct kir_inst *i) {
    return isa_type_bits((enum isa_type)i->ty) / 8 * (i->mods.vec ? i->mods.vec : 1);
}

// Is the place a constant one inside a variable?
static bool is_known_inside(const struct kir_inst *i, uint32_t bytes) {
    const struct kir_value *v = i->ops[0];
    if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_SYMADDR)
        return false;
    const struct kir_symbol *s = v->def->sym;
    int64_t at = v->def->offset + i->offset;
    return !s->dynamic && !s->scoped && s->space != ISA_SPACE_GENERIC &&
           s->linkage != KIR_LINK_EXTERN && at >= 0 && (uint64_t)at + bytes <= s->size &&
           at % bytes == 0 && s->align % bytes == 0;
}

static void add(struct checker *c, struct access a) {
    a.site.number = c->accesses.len;
    vec_push(&c->tmp, &c->accesses, a);
}

// What other threads may access, too, or copies of other streams.
static bool is_common(uint8_t space) {
    return space == ISA_SPACE_GENERIC || space == ISA_SPACE_GLOBAL || space == ISA_SPACE_SHARED ||
           space == ISA_SPACE_CLUSTER || space == ISA_SPACE_CONST;
}

// Bits of enum kd_check_flag for an order and a scope.
static uint16_t order_flags(enum isa_sem sem, uint32_t scope) {
    bool both = sem == ISA_SEM_ACQ_REL || sem == ISA_SEM_SC;
    return (uint16_t)((both || sem == ISA_SEM_ACQUIRE ? KD_CHECK_ACQUIRE : 0) |
                      (both || sem == ISA_SEM_RELEASE ? KD_CHECK_RELEASE : 0) |
                      scope << KD_CHECK_SCOPE_SHIFT);
}

// The same for an access; 0: it is a weak one. Volatile is relaxed for the whole system.
static uint16_t strength(const struct kir_inst *i) {
    bool atomic = i->op == ISA_OP_ATOM || i->op == ISA_OP_RED;
    uint32_t scope = i->mods.scope ? i->mods.scope : atomic ? ISA_SCOPE_GPU : ISA_SCOPE_SYS;
    if (!atomic && i->mods.sem == ISA_SEM_WEAK)
        return 0;
    return KD_CHECK_STRONG | order_flags((enum isa_sem)i->mods.sem, scope);
}

static struct kir_value *stored(const struct kir_inst *i) {
    bool whole = i->op == ISA_OP_ST && !i->mods.vec && i->ops[1]->type != KIR_PRED &&
                 kir_type_bits((enum kir_type)i->ops[1]->type) <= 64;
    return whole ? i->ops[1] : NULL;
}

// Is it a part of a cp.async?
static bool is_of_copy(const struct kir_inst *i) {
    return i->flag && i->mods.space == (i->op == ISA_OP_LD ? ISA_SPACE_GLOBAL : ISA_SPACE_SHARED);
}

// Is it st.async, which is over when its mbarrier object says so?
static bool is_async_store(const struct kir_inst *i) {
    return i->op == ISA_OP_ST && i->flag && i->mods.space != ISA_SPACE_SHARED;
}

// Of the flags of what an mbarrier object tells of, which no barrier orders.
static uint16_t by_object(const struct checker *c) {
    return KD_CHECK_BULK | (c->sites.relaxed_waits ? 0 : KD_CHECK_BY_OBJECT);
}

// Is it by the read-only cache, which may have what was there before?
static bool is_read_only(const struct kir_inst *i) {
    return i->op == ISA_OP_LD && i->mods.nc;
}

// Tensor memory is the device's, which has looked at the whole access (lower_tensor_memory.c).
static bool is_tensor_memory(const struct kir_inst *i) {
    const struct kir_value *a = i->ops[0];
    if (a->kind != KIR_VALUE_INST || a->def->op != ISA_OP_ADD)
        return false;
    const struct kir_value *first = a->def->ops[0];
    return first->kind == KIR_VALUE_INST && first->def->op == ISA_OP_TCGEN05_AT;
}

static void add_plain(struct checker *c, struct kir_inst *i, enum kd_check_kind kind) {
    uint32_t bytes = is_tensor_memory(i) ? 0 : bytes_of(i);
    // Nobody looks at where it is if memory is none of the tools.
    bool inside = !(c->tools & CHECK_MEMORY) || (bytes && is_known_inside(i, bytes));
    bool races = (c->flags & KD_CHECK_ORDERED) && is_common(i->mods.space);
    uint16_t flags = (uint16_t)(races ? c->flags : c->flags & ~KD_CHECK_ORDERED);
    uint32_t guess = races && kind == KD_CHECK_READ ? c->guesses[i->id] : 0;
    // A guess of what a swap will find is as good as a relaxed read.
    uint16_t strong =
        guess ? (uint16_t)(KD_CHECK_STRONG | guess << KD_CHECK_SCOPE_SHIFT) : strength(i);
    if (!bytes || (!races && inside))
        return;
    add(c,
        (struct access){i,
                        i->ops[0],
                        races ? stored(i) : NULL,
                        {.bytes = bytes,
                         .align = bytes,
                         .space = i->mods.space,
                         .kind = (uint8_t)kind,
                         .flags = (uint16_t)(flags | (inside ? KD_CHECK_INSIDE : 0) | strong |
                                             (races && is_of_copy(i) ? KD_CHECK_COPY : 0) |
                                             (races && is_async_store(i) ? by_object(c) : 0) |
                                             (races && is_read_only(i) ? KD_CHECK_READ_ONLY : 0)),
                         .offset = i->offset},
                        false});
}

static void add_matrix(struct checker *c, struct kir_inst *i, enum kd_check_kind kind) {
    struct check_matrix_part parts[CHECK_MATRIX_PARTS];
    bool races = (c->flags & KD_CHECK_ORDERED) && is_common(i->mods.space);
    bool inside = !(c->tools & CHECK_MEMORY);
    uint32_t n = races || !inside ? check_matrix_parts(c->f, i, parts) : 0;
    for (uint32_t k = 0; k < n; k++) {
        struct kd_check_site site = {.bytes = parts[k].more ? 0 : parts[k].bytes,
                                     .align = parts[k].bytes,
                                     .space = i->mods.space,
                                     .kind = (uint8_t)kind,
                                     .offset = i->offset};
        site.flags = (uint16_t)((races ? c->flags : c->flags & ~KD_CHECK_ORDERED) |
                                (inside ? KD_CHECK_INSIDE : 0));
        add(c, (struct access){i, parts[k].address, parts[k].more, site, false});
    }
}

// Copies of one thread: from and to generic addresses.
static void add_copy(struct checker *c, struct kir_inst *i, struct kir_value *read,
                     uint16_t flags) {
    struct kd_check_site site = {
        .space = ISA_SPACE_GENERIC, .kind = KD_CHECK_WRITE, .align = 1, .flags = c->flags};
    site.flags |= c->flags & KD_CHECK_ORDERED ? flags : 0;
    struct kd_check_site to = site;
    if (check_by_device_of(i).accesses) // where it writes, in several blocks
        to.flags &= (uint16_t)~KD_CHECK_ORDERED;
    if (i->op == ISA_OP_CP_REDUCE_ASYNC_BULK) {
        to.kind = KD_CHECK_ATOMIC;
        to.flags |= KD_CHECK_STRONG | ISA_SCOPE_GPU << KD_CHECK_SCOPE_SHIFT;
    }
    bool by_object = flags & KD_CHECK_BULK && !(flags & KD_CHECK_COPY);
    if (by_object && to.kind == KD_CHECK_WRITE && !c->sites.relaxed_waits)
        to.flags |= to.flags & KD_CHECK_ORDERED ? KD_CHECK_BY_OBJECT : 0;
    if (to.flags & KD_CHECK_ORDERED || c->tools & CHECK_MEMORY)
        add(c, (struct access){i, i->ops[0], i->ops[2], to, false});
    site.kind = KD_CHECK_READ;
    add(c, (struct access){i, i->ops[1], read, site, false});
}

// What the device tells of by itself.
static void add_by_device(struct checker *c, struct kir_inst *i) {
    struct check_by_device d = check_by_device_of(i);
    struct kd_check_site site = {.align = 1, .flags = (uint16_t)(c->flags | KD_CHECK_COPY)};
    if (!d.accesses || !(c->flags & KD_CHECK_ORDERED))
        return;
    site.space = ISA_SPACE_SHARED;
    site.kind = d.to_shared ? d.kind : KD_CHECK_READ;
    if (d.box)
        add(c, (struct access){i, d.box, NULL, site, true});
    else
        site.flags = (uint16_t)(c->flags | d.flags);
    site.space = ISA_SPACE_GLOBAL; // a tensor lies anywhere
    site.kind = d.to_shared ? KD_CHECK_READ : d.kind;
    if (d.global)
        add(c, (struct access){i, kir_const(c->f, KIR_B64, 0), NULL, site, true});
}

// Is it tensormap.cp_fenceproxy, a tensor map with its fence?
static bool is_map_copy(const struct kir_inst *i) {
    return i->op == ISA_OP_CP_ASYNC_BULK && i->mods.scope;
}

// A warp copies a tensor map as one, at once: that is taken for its first lane. The other lanes
// access no bytes.
static void add_map_copy(struct checker *c, struct kir_inst *i) {
    enum { MAP = 128 };
    struct kd_check_site site = {
        .space = ISA_SPACE_GENERIC, .kind = KD_CHECK_WRITE, .align = 1, .flags = c->flags};
    struct kir_inst *lane = kir_inst_new(c->f, ISA_OP_SREG, ISA_U32, 0, 1, &(uint8_t){KIR_B32}, 0);
    struct kir_inst *first =
        kir_inst_new(c->f, ISA_OP_SETP, ISA_U32, 2, 1, &(uint8_t){KIR_PRED}, 0);
    struct kir_inst *bytes = kir_inst_new(c->f, ISA_OP_SELP, ISA_B32, 3, 1, &(uint8_t){KIR_B32}, 0);
    lane->sreg = ISA_SREG_LANEID;
    first->mods.cmp = ISA_CMP_EQ;
    first->ops[0] = lane->res[0];
    first->ops[1] = kir_const(c->f, KIR_B32, 0);
    bytes->ops[0] = kir_const(c->f, KIR_B32, MAP);
    bytes->ops[1] = first->ops[1];
    bytes->ops[2] = first->res[0];
    kir_insert_before(i, lane);
    kir_insert_before(i, first);
    kir_insert_before(i, bytes);
    add(c, (struct access){i, i->ops[0], bytes->res[0], site, false});
    site.kind = KD_CHECK_READ;
    add(c, (struct access){i, i->ops[1], bytes->res[0], site, false});
}

static struct kir_value *smaller(struct checker *c, struct kir_inst *i, struct kir_value *a,
                                 struct kir_value *b) {
    struct kir_inst *m = kir_inst_new(c->f, ISA_OP_MIN, ISA_U32, 2, 1, &(uint8_t){KIR_B32}, 0);
    m->ops[0] = a;
    m->ops[1] = b;
    kir_insert_before(i, m);
    return m->res[0];
}

// ---- what orders accesses -------------------------------------------------------------------

static void add_sync(struct checker *c, struct kir_inst *i, enum kd_check_sync what) {
    struct kir_inst *s = kir_inst_new(c->f, ISA_OP_CHECK_SYNC, ISA_VOID, 0, 0, NULL, 0);
    s->index = what;
    s->file = i->file;
    s->line = i->line;
    kir_insert_after(i, s);
}

// Tells of what is about i, in front of i where it releases, else behind `behind`.
static void tell(struct checker *c, struct kir_inst *i, struct kir_inst *behind,
                 struct kd_check_site site, struct kir_value *address, struct kir_value *more) {
    struct kir_inst *at, *k = check_sites_access(&c->sites, i, site, address, more, &at);
    if (site.kind == KD_CHECK_ORDER_RELEASE || i->op == ISA_OP_CP_ASYNC_MBARRIER_ARRIVE) {
        kir_insert_before(i, at);
        kir_insert_before(i, k);
    } else {
        kir_insert_after(behind, at);
        kir_insert_after(at, k);
    }
}

// Lanes that meet those that a mask names.
static void add_meeting(struct checker *c, struct kir_inst *i) {
    struct kd_check_site site = {.kind = KD_CHECK_MEET_SYNCED, .align = 1};
    tell(c, i, i, site, kir_const(c->f, KIR_B64, 0), i->ops[0]);
}

// An mbarrier object, or the cluster's barrier, may be used in a way that orders nothing.
static bool is_relaxed(const struct kir_inst *i) {
    return i->mods.sem == ISA_SEM_RELAXED;
}

static void add_order(struct checker *c, struct kir_inst *i, uint8_t kind,
                      enum kd_check_place place, struct kir_value *address) {
    struct kd_check_site site = {
        .kind = kind, .bytes = place, .align = 1, .flags = is_relaxed(i) ? 0 : KD_CHECK_RELEASE};
    if (i->op == ISA_OP_MBARRIER_ARRIVE && i->index)
        site.flags |= KD_CHECK_COMMIT;
    tell(c, i, i, site, address, kir_const(c->f, KIR_B32, 1));
}

static void add_fence(struct checker *c, struct kir_inst *i) {
    struct kd_check_site site = {
        .kind = KD_CHECK_ORDER_FENCE,
        .align = 1,
        .flags = order_flags(is_map_copy(i) ? ISA_SEM_RELEASE : (enum isa_sem)i->mods.sem,
                             i->mods.scope)};
    tell(c, i, i, site, kir_const(c->f, KIR_B64, 0), kir_const(c->f, KIR_B32, 1));
}

// Reads that acquire, by themselves or by fences.
static void add_strong_read(struct checker *c, struct kir_inst *i) {
    struct kd_check_site site = {.kind = KD_CHECK_ORDER_ACQUIRE,
                                 .bytes = KD_CHECK_AT_WORD,
                                 .align = 1,
                                 .space = i->mods.space,
                                 .flags = strength(i),
                                 .offset = i->offset};
    if (!is_common(i->mods.space) || !site.flags || !(c->fences || (site.flags & KD_CHECK_ACQUIRE)))
        return;
    tell(c, i, i, site, i->ops[0], kir_const(c->f, KIR_B32, 1));
}

// Barriers for some of a block's threads.
static void add_barrier(struct checker *c, struct kir_inst *i) {
    struct kir_value *number = i->ops[0];
    if (number->kind == KIR_VALUE_CONST) {
        number = kir_const(c->f, KIR_B64, number->bits.u32[0]);
    } else {
        struct kir_inst *wide =
            kir_inst_new(c->f, ISA_OP_CVT, ISA_U64, 1, 1, &(uint8_t){KIR_B64}, 0);
        wide->ty2 = ISA_U32;
        wide->ops[0] = number;
        kir_insert_before(i, wide);
        number = wide->res[0];
    }
    add_order(c, i, KD_CHECK_ORDER_RELEASE, KD_CHECK_AT_BARRIER, number);
    if (i->op != ISA_OP_BAR_ARRIVE)
        add_order(c, i, KD_CHECK_ORDER_ACQUIRE, KD_CHECK_AT_BARRIER, number);
}

// A wait has seen the phase's end where its result is true; one with a flag blocks, and has none.
static void add_object_wait(struct checker *c, struct kir_inst *i) {
    struct kd_check_site site = {
        .kind = KD_CHECK_ORDER_ACQUIRE, .bytes = KD_CHECK_AT_OBJECT, .align = 1};
    if (i->flag) {
        tell(c, i, i, site, i->ops[0], kir_const(c->f, KIR_B32, 1));
        return;
    }
    struct kir_inst *done = kir_inst_new(c->f, ISA_OP_SELP, ISA_B32, 3, 1, &(uint8_t){KIR_B32}, 0);
    done->ops[0] = kir_const(c->f, KIR_B32, 1);
    done->ops[1] = kir_const(c->f, KIR_B32, 0);
    done->ops[2] = i->res[0];
    kir_insert_after(i, done);
    tell(c, i, done, site, i->ops[0], done->res[0]);
}

static void add_copies(struct checker *c, struct kir_inst *i, enum kir_copies what) {
    struct kd_check_site site = {.kind = what == KIR_COPIES_COMMIT ? KD_CHECK_COPY_COMMIT
                                                                   : KD_CHECK_COPY_WAIT,
                                 .bytes = what == KIR_COPIES_WAIT_ALL    ? KD_CHECK_WAIT_ALL
                                          : what == KIR_COPIES_WAIT_READ ? KD_CHECK_WAIT_READS
                                                                         : KD_CHECK_WAIT_GROUPS,
                                 .align = 1,
                                 .flags = i->flag ? KD_CHECK_BULK : 0};
    tell(c, i, i, site, kir_const(c->f, KIR_B64, (uint64_t)i->offset), kir_const(c->f, KIR_B32, 1));
}

static bool is_plain_barrier(const struct kir_inst *i) {
    bool counted = i->op == ISA_OP_BAR_RED ? i->flag : i->nops > 1;
    return i->op != ISA_OP_BAR_ARRIVE && !counted && i->ops[0]->kind == KIR_VALUE_CONST;
}

// ---- products of matrices in shared memory --------------------------------------------------

static bool is_set(const struct kir_inst *i, unsigned at) {
    return at && i->ops[at]->bits.u32[0] & 1;
}

static bool is_known(const struct kir_inst *i, unsigned at) {
    return !at || i->ops[at]->kind == KIR_VALUE_CONST;
}

// The descriptors are told of in front of a product, and the device finds what it reads.
static void add_product(struct checker *c, struct kir_inst *i) {
    struct isa_matrix x = isa_matrix_of((isa_op)i->op, &i->mods);
    struct isa_wgmma_operands o = isa_wgmma_operands_of(&x, i->nops);
    struct kd_check_site read = {
        .kind = KD_CHECK_READ, .align = 1, .space = ISA_SPACE_GENERIC, .flags = c->flags};
    if (!(c->flags & KD_CHECK_ORDERED) || !is_known(i, o.trans_a) || !is_known(i, o.trans_b))
        return;
    read.flags |= KD_CHECK_BULK | KD_CHECK_BY_GROUP;
    struct kd_check_site site = {.kind = KD_CHECK_PRODUCT,
                                 .align = 1,
                                 .bytes = (is_set(i, o.trans_a) ? KD_CHECK_TRANS_A : 0) |
                                          (is_set(i, o.trans_b) ? KD_CHECK_TRANS_B : 0),
                                 .cause = (int32_t)check_sites_add(&c->sites, i, read),
                                 .offset = (int64_t)isa_matrix_pack(&x)};
    struct kir_value *none = kir_const(c->f, KIR_B64, 0);
    struct kir_inst *at, *k = check_sites_access(&c->sites, i, site, i->ops[o.b],
                                                 x.a_shared ? i->ops[o.b - 1] : none, &at);
    kir_insert_before(i, at);
    kir_insert_before(i, k);
    read.space = ISA_SPACE_SHARED; // anywhere in it
    read.flags |= KD_CHECK_COPY;
    add(c, (struct access){i, none, NULL, read, true});
}

// Groups of products end, or are waited for.
static void add_groups(struct checker *c, struct kir_inst *i, uint8_t kind) {
    struct kd_check_site site = {.kind = kind, .align = 1};
    uint64_t left = i->nops ? i->ops[0]->bits.u32[0] : 0;
    tell(c, i, i, site, kir_const(c->f, KIR_B64, left), kir_const(c->f, KIR_B32, 1));
}

static void look_at_order(struct checker *c, struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_LD:
    case ISA_OP_ATOM:
        add_strong_read(c, i);
        break;
    case ISA_OP_MEMBAR:
    case ISA_OP_FENCE:
        add_fence(c, i);
        break;
    case ISA_OP_BAR_SYNC:
    case ISA_OP_BAR_RED:
    case ISA_OP_BAR_ARRIVE:
        if (is_plain_barrier(i))
            add_sync(c, i, KD_CHECK_SYNC_BLOCK);
        else
            add_barrier(c, i);
        break;
    case ISA_OP_BAR_WARP_SYNC:
        if (i->nops && (i->ops[0]->kind != KIR_VALUE_CONST || ~i->ops[0]->bits.u32[0]))
            add_meeting(c, i);
        else
            add_sync(c, i, KD_CHECK_SYNC_WARP);
        break;
    case ISA_OP_CP_ASYNC_BULK:
        if (is_map_copy(i))
            add_fence(c, i);
        break;
    case ISA_OP_CP_ASYNC_GROUP:
        add_copies(c, i, (enum kir_copies)i->index);
        break;
    case ISA_OP_CP_ASYNC_MBARRIER_ARRIVE: // when they are done
        add_copies(c, i, KIR_COPIES_WAIT_ALL);
        add_order(c, i, KD_CHECK_ORDER_RELEASE, KD_CHECK_AT_OBJECT, i->ops[0]);
        break;
    case ISA_OP_MBARRIER_ARRIVE:
    case ISA_OP_MBARRIER_ARRIVE_EXPECT_TX:
    case ISA_OP_MBARRIER_ARRIVE_DROP:
    case ISA_OP_MBARRIER_ARRIVE_DROP_EXPECT_TX:
        add_order(c, i, KD_CHECK_ORDER_RELEASE, KD_CHECK_AT_OBJECT, i->ops[0]);
        break;
    case ISA_OP_MBARRIER_TEST_WAIT:
    case ISA_OP_MBARRIER_TEST_WAIT_PARITY:
    case ISA_OP_MBARRIER_TRY_WAIT:
    case ISA_OP_MBARRIER_TRY_WAIT_PARITY:
        if (!is_relaxed(i))
            add_object_wait(c, i);
        break;
    case ISA_OP_BARRIER_CLUSTER_ARRIVE:
        add_order(c, i, KD_CHECK_ORDER_RELEASE, KD_CHECK_AT_CLUSTER, kir_const(c->f, KIR_B64, 0));
        break;
    case ISA_OP_BARRIER_CLUSTER_WAIT:
        add_order(c, i, KD_CHECK_ORDER_ACQUIRE, KD_CHECK_AT_CLUSTER, kir_const(c->f, KIR_B64, 0));
        break;
    case ISA_OP_WGMMA_COMMIT_GROUP:
        add_groups(c, i, KD_CHECK_PRODUCTS_COMMIT);
        break;
    case ISA_OP_WGMMA_WAIT_GROUP:
        add_groups(c, i, KD_CHECK_PRODUCTS_WAIT);
        break;
    default:
        break;
    }
}

static bool calls(const struct kir_inst *i, const char *function) {
    return i->callee && i->callee->is_extern && i->nops == 1 && !strcmp(i->callee->name, function);
}

// Where a block of the heap came from.
static void add_taken(struct checker *c, struct kir_inst *i) {
    struct kd_check_site site = {.kind = KD_CHECK_TAKEN, .align = 1};
    struct kir_inst *at;
    struct kir_inst *k =
        check_sites_access(&c->sites, i, site, i->res[0], kir_const(c->f, KIR_B64, 0), &at);
    kir_insert_after(i, at);
    kir_insert_after(at, k);
}

// A local variable begins or ends.
static void add_scope(struct checker *c, struct kir_inst *i) {
    struct kd_check_site site = {.kind = i->index ? KD_CHECK_SCOPE_END : KD_CHECK_SCOPE_BEGIN,
                                 .align = 1,
                                 .space = ISA_SPACE_LOCAL};
    const struct kir_symbol *sym = i->ops[0]->def->sym;
    if (!(c->tools & (CHECK_MEMORY | CHECK_INIT)))
        return;
    site.bytes = (uint32_t)(check_sites_local(&c->sites, sym) + 1);
    add(c, (struct access){i, i->ops[0], kir_const(c->f, KIR_B64, sym->size), site, false});
}

// A bulk copy has a group, or an mbarrier object. Where the object has told that the copy is done,
// it counts as made where it was issued: so the object is told in front.
static void add_bulk(struct checker *c, struct kir_inst *i) {
    struct kd_check_site site = {.kind = KD_CHECK_ORDER_RELEASE,
                                 .bytes = KD_CHECK_AT_OBJECT,
                                 .align = 1,
                                 .flags = KD_CHECK_RELEASE | KD_CHECK_BULK};
    bool object = i->nops > 3;
    add_copy(c, i, i->ops[2], object ? KD_CHECK_BULK : KD_CHECK_COPY | KD_CHECK_BULK);
    add_by_device(c, i);
    if (c->orders && object && !i->mods.mask) // the objects of several blocks the device tells
        add(c, (struct access){i, i->ops[3], kir_const(c->f, KIR_B32, 1), site, false});
}

// An mbarrier object is set up by a plain write, and used by what is atomic.
static void add_object(struct checker *c, struct kir_inst *i, enum kd_check_kind kind) {
    struct kd_check_site site = {
        .bytes = 8, .align = 8, .space = ISA_SPACE_GENERIC, .kind = (uint8_t)kind};
    if (!(c->flags & KD_CHECK_ORDERED))
        return;
    site.flags = (uint16_t)(c->flags | KD_CHECK_INSIDE);
    if (kind != KD_CHECK_WRITE)
        site.flags |= KD_CHECK_STRONG | ISA_SCOPE_CLUSTER << KD_CHECK_SCOPE_SHIFT;
    add(c, (struct access){i, i->ops[0], NULL, site, false});
}

// The answer of cluster launch control is written as what a bulk copy writes, and a tensor map as
// by a plain store to all of it. PTX ISA: clusterlaunchcontrol.try_cancel, tensormap.replace.
static void add_written(struct checker *c, struct kir_inst *i, uint32_t bytes, uint16_t flags) {
    struct kd_check_site site = {.bytes = bytes,
                                 .align = 1,
                                 .space = ISA_SPACE_GENERIC,
                                 .kind = KD_CHECK_WRITE,
                                 .flags = (uint16_t)(c->flags | KD_CHECK_INSIDE | flags)};
    if (c->flags & KD_CHECK_ORDERED)
        add(c, (struct access){i, i->ops[0], NULL, site, false});
}

// Zeros in shared memory, so many bytes.
static void add_filled(struct checker *c, struct kir_inst *i) {
    struct kd_check_site site = {
        .align = 1, .space = ISA_SPACE_GENERIC, .kind = KD_CHECK_WRITE, .flags = c->flags};
    if (c->flags & KD_CHECK_ORDERED || c->tools & CHECK_MEMORY)
        add(c, (struct access){i, i->ops[0], i->ops[1], site, false});
}

// An mbarrier object is told of bytes that have come, in front of what tells it.
static void add_signal(struct checker *c, struct kir_inst *i, struct kir_value *object) {
    struct kd_check_site site = {.kind = KD_CHECK_ORDER_RELEASE,
                                 .bytes = KD_CHECK_AT_OBJECT,
                                 .align = 1,
                                 .flags = KD_CHECK_RELEASE | KD_CHECK_BULK};
    if (c->orders)
        add(c, (struct access){i, object, kir_const(c->f, KIR_B32, 1), site, false});
}

static void look_at(struct checker *c, struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_LD:
    case ISA_OP_LDU:
        add_plain(c, i, KD_CHECK_READ);
        break;
    case ISA_OP_ST:
        add_plain(c, i, KD_CHECK_WRITE);
        break;
    case ISA_OP_ATOM:
    case ISA_OP_RED:
        add_plain(c, i, KD_CHECK_ATOMIC);
        break;
    case ISA_OP_LDMATRIX:
    case ISA_OP_WMMA_LOAD:
        add_matrix(c, i, KD_CHECK_READ);
        break;
    case ISA_OP_STMATRIX:
    case ISA_OP_WMMA_STORE:
        add_matrix(c, i, KD_CHECK_WRITE);
        break;
    case ISA_OP_CP_ASYNC:
        add_copy(c, i, smaller(c, i, i->ops[2], i->ops[3]), KD_CHECK_COPY);
        break;
    case ISA_OP_CP_ASYNC_BULK:
        if (is_map_copy(i)) {
            add_map_copy(c, i);
            break;
        }
        add_bulk(c, i);
        break;
    case ISA_OP_CP_REDUCE_ASYNC_BULK:
        add_bulk(c, i);
        break;
    case ISA_OP_MULTIMEM_LD_REDUCE:
    case ISA_OP_MULTIMEM_ST:
    case ISA_OP_MULTIMEM_RED:
    case ISA_OP_CP_ASYNC_BULK_TENSOR:
    case ISA_OP_CP_ASYNC_BULK_TENSOR_STORE:
    case ISA_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
        add_by_device(c, i);
        break;
    case ISA_OP_TCGEN05_MMA:
    case ISA_OP_TCGEN05_CP:
        add_by_device(c, i);
        break;
    case ISA_OP_TCGEN05_ALLOC: { // where the columns are
        enum { PLACE = 4 };
        add_written(c, i, PLACE, 0);
        break;
    }
    case ISA_OP_ST_BULK:
        add_filled(c, i);
        break;
    case ISA_OP_WGMMA_MMA:
        add_product(c, i);
        break;
    case ISA_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL: {
        enum { ANSWER = 16 };
        add_by_device(c, i);
        if (i->mods.mask) // in all blocks of the cluster
            break;
        add_written(c, i, ANSWER, by_object(c));
        add_signal(c, i, i->ops[1]);
        break;
    }
    case ISA_OP_MBARRIER_COMPLETE_TX:
        add_signal(c, i, i->ops[0]);
        break;
    case ISA_OP_TENSORMAP_REPLACE: {
        enum { MAP = 128 };
        add_written(c, i, MAP, 0);
        break;
    }
    case ISA_OP_CHECK_SCOPE:
        add_scope(c, i);
        break;
    case ISA_OP_MBARRIER_INIT:
        add_object(c, i, KD_CHECK_WRITE);
        break;
    case ISA_OP_MBARRIER_ARRIVE:
    case ISA_OP_MBARRIER_ARRIVE_DROP:
    case ISA_OP_MBARRIER_ARRIVE_EXPECT_TX:
        add_object(c, i, KD_CHECK_ATOMIC);
        break;
    case ISA_OP_CALL:
        if (!(c->tools & CHECK_MEMORY))
            break;
        if (calls(i, "malloc") && i->nres == 1)
            add_taken(c, i);
        if (calls(i, "free"))
            add(c, (struct access){
                       i, i->ops[0], NULL, {.bytes = 1, .align = 1, .kind = KD_CHECK_FREE}, false});
        break;
    default:
        break;
    }
}

// ---- what the module has --------------------------------------------------------------------

static bool is_fence(const struct kir_inst *i) {
    return isa_op_info[i->op].klass == ISA_CLASS_FENCE || is_map_copy(i);
}

// Does it read shared memory, or write it, through the async proxy?
static bool is_of_async_proxy(const struct kir_inst *i) {
    return i->op == ISA_OP_WGMMA_MMA || (i->op == ISA_OP_CP_ASYNC_BULK && !is_map_copy(i)) ||
           i->op == ISA_OP_CP_REDUCE_ASYNC_BULK || check_by_device_of(i).box ||
           i->op == ISA_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL || is_async_store(i);
}

static bool is_bulk_reduction(const struct kir_inst *i) {
    return i->op == ISA_OP_CP_REDUCE_ASYNC_BULK || i->op == ISA_OP_CP_REDUCE_ASYNC_BULK_TENSOR;
}

static bool is_relaxed_wait(const struct kir_inst *i) {
    bool waits = i->op == ISA_OP_MBARRIER_TEST_WAIT || i->op == ISA_OP_MBARRIER_TRY_WAIT ||
                 i->op == ISA_OP_MBARRIER_TEST_WAIT_PARITY ||
                 i->op == ISA_OP_MBARRIER_TRY_WAIT_PARITY;
    return (waits && is_relaxed(i)) || i->op == ISA_OP_MBARRIER_PENDING_COUNT;
}

static bool has(const struct kir_module *m, bool (*is)(const struct kir_inst *i)) {
    for (uint32_t f = 0; f < m->funcs.len; f++)
        for (uint32_t b = 0; b < m->funcs.data[f]->blocks.len; b++)
            for (const struct kir_inst *i = m->funcs.data[f]->blocks.data[b]->first; i; i = i->next)
                if (is(i))
                    return true;
    return false;
}

// Is it of memory that other threads access, which races are looked for in?
static bool is_use(const struct access *a) {
    return (a->site.flags & KD_CHECK_ORDERED) && a->site.space != ISA_SPACE_SHARED &&
           a->site.space != ISA_SPACE_CLUSTER && a->site.kind <= KD_CHECK_ATOMIC;
}

// Is it to memory that may be shared memory?
static bool is_shared_use(const struct access *a) {
    return (a->site.flags & KD_CHECK_ORDERED) && a->site.kind <= KD_CHECK_ATOMIC &&
           (a->site.space == ISA_SPACE_SHARED || a->site.space == ISA_SPACE_GENERIC);
}

// What fences order is told of by strong accesses.
static bool is_told_of(const struct checker *c, const struct access *a) {
    return (a->site.flags & KD_CHECK_STRONG) &&
           (c->fences || a->site.flags & (KD_CHECK_RELEASE | KD_CHECK_ACQUIRE));
}

// Does it race with no other such access, and need not be told of?
static bool is_atomic(const struct checker *c, const struct access *a) {
    return (a->site.flags & KD_CHECK_STRONG) && !is_told_of(c, a) &&
           a->site.flags >> KD_CHECK_SCOPE_SHIFT >= ISA_SCOPE_GPU;
}

// Finds what need not be followed in shared memory, and programs for what may not have to.
static uint32_t find_shared(struct checker *c, struct check_program *programs,
                            struct check_shared_use *uses) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->accesses.len; k++) {
        const struct access *a = &c->accesses.data[k];
        if (!is_shared_use(a))
            continue;
        bool writes = a->site.kind != KD_CHECK_READ, strong = a->site.flags & KD_CHECK_STRONG;
        uses[n++] = (struct check_shared_use){
            .m = {a->i, a->address, a->site.offset, a->site.bytes,
                  (uint8_t)((writes ? KD_STEP_WRITES : 0) | (strong ? KD_STEP_STRONG : 0))},
            .shared = a->site.space == ISA_SPACE_SHARED,
            .goes_on = a->site.flags & (KD_CHECK_COPY | KD_CHECK_BULK) || !a->site.bytes};
    }
    return check_shared(&c->tmp, c->f, uses, n, programs, CHECK_MOST_PROGRAMS);
}

// Sets which arrays the accesses are to, and which are not followed.
static void find_arrays(struct checker *c) {
    uint32_t n = 0, nshared = 0;
    struct check_arrays list;
    struct check_program programs[CHECK_MOST_PROGRAMS] = {0};
    struct check_use *uses = arena_array(&c->tmp, struct check_use, c->accesses.len + 1);
    struct check_shared_use *shared =
        arena_array(&c->tmp, struct check_shared_use, c->accesses.len + 1);
    for (uint32_t k = 0; k < c->accesses.len; k++) {
        const struct access *a = &c->accesses.data[k];
        if (is_use(a))
            uses[n++] =
                (struct check_use){.i = a->i,
                                   .address = a->address,
                                   .offset = a->site.offset,
                                   .bytes = a->site.flags & KD_CHECK_COPY ? 0 : a->site.bytes,
                                   .writes = a->site.kind != KD_CHECK_READ,
                                   .atomic = is_atomic(c, a)};
    }
    check_arrays(&c->tmp, c->f, uses, n, &list);
    uint32_t nprograms = find_shared(c, programs, shared), all = list.n + nprograms;
    int64_t at = all ? check_sites_arrays(&c->sites, &list, programs, nprograms) : 0;
    n = 0;
    for (uint32_t k = 0; k < c->accesses.len; k++) {
        struct access *a = &c->accesses.data[k];
        int number = is_use(a) ? uses[n++].array : -1;
        number = list.n ? number : -1;
        int races = is_shared_use(a) ? shared[nshared++].races : CHECK_RACES;
        if (races == CHECK_NO_RACES && !is_told_of(c, a)) {
            a->site.flags &= (uint16_t)~KD_CHECK_ORDERED;
            a->more = a->site.bytes ? NULL : a->more;
        }
        if (races >= 0 && !is_told_of(c, a))
            number = (int)list.n + races;
        if (number >= 0)
            a->site.array = (int32_t)(at + number * (int64_t)sizeof list.array[0]);
    }
    c->arrays = at;
}

// One more than the number of the array whose accesses alone races are looked for in; 0: they are
// looked for in more.
static uint32_t sole_array(const struct checker *c, const struct access *a) {
    if (!a->site.array)
        return 0;
    return (uint32_t)((a->site.array - c->arrays) / (int64_t)sizeof(struct kd_check_array)) + 1;
}

// What generated code may decide by itself about an access.
static uint32_t decided_in_code(const struct checker *c, const struct access *a) {
    const struct kd_check_site *s = &a->site;
    bool plain = s->kind <= KD_CHECK_ATOMIC && s->bytes && s->align == s->bytes &&
                 !(s->bytes & (s->bytes - 1));
    bool memory = (c->tools & CHECK_MEMORY) && !(s->flags & KD_CHECK_INSIDE);
    uint32_t races = s->flags & KD_CHECK_ORDERED ? KD_CHECK_IF_RACES : 0;
    if (!memory)
        return sole_array(c, a) | races;
    if (!plain)
        return 0;
    return sole_array(c, a) | KD_CHECK_IF_OUTSIDE | races |
           (uint32_t)__builtin_ctz(s->bytes) << KD_CHECK_BYTES_SHIFT;
}

// Nothing is asked of others any more.
static bool is_checked(const struct access *a) {
    return !a->by_device && (a->site.kind > KD_CHECK_ATOMIC || a->site.flags & KD_CHECK_ORDERED ||
                             !(a->site.flags & KD_CHECK_INSIDE));
}

// In front of what is a check goes. An arrival at an object is among what it tells of: who has seen
// it knows of the access, too.
static struct kir_inst *place_of(const struct checker *c, const struct access *a) {
    struct kir_inst *pos = a->i;
    bool arrives = pos->op == ISA_OP_MBARRIER_ARRIVE || pos->op == ISA_OP_MBARRIER_ARRIVE_DROP ||
                   pos->op == ISA_OP_MBARRIER_ARRIVE_EXPECT_TX;
    // The release is told of by the last two instructions, add_order.
    return arrives && c->orders ? pos->prev->prev : pos;
}

static void emit(struct checker *c, struct check_origins *o, const struct access *a) {
    struct kir_inst *pos = place_of(c, a);
    struct kir_inst *at = kir_inst_new(c->f, ISA_OP_SYMADDR, ISA_B64, 0, 1, &(uint8_t){KIR_B64}, 0);
    struct kir_inst *k =
        kir_inst_new(c->f, ISA_OP_CHECK_ACCESS, ISA_B64, a->more ? 4 : 3, 0, NULL, 0);
    at->sym = c->sites.sym;
    at->offset = check_sites_add(&c->sites, a->i, a->site);
    k->index = decided_in_code(c, a);
    k->mods.space = a->site.space;
    k->offset = a->site.offset;
    k->ops[0] = a->address;
    k->ops[1] = check_origin_of(o, a->address);
    k->ops[2] = at->res[0];
    if (a->more)
        k->ops[3] = a->more;
    at->file = k->file = a->i->file;
    at->line = k->line = a->i->line;
    kir_insert_before(pos, at);
    kir_insert_before(pos, k);
}

// Textures and surfaces are accessed by the device, where nobody knows.
static bool has_images(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_TEX || i->op == ISA_OP_TLD4 || i->op == ISA_OP_SULD ||
                i->op == ISA_OP_SUST || i->op == ISA_OP_SURED)
                return true;
    return false;
}

// Where threads cannot race in any array that the function accesses, it does not matter which
// barriers they have passed.
static void find_needless_syncs(struct checker *c) {
    uint64_t arrays = 0;
    for (uint32_t n = 0; n < c->accesses.len; n++) {
        const struct access *a = &c->accesses.data[n];
        uint32_t array = a->site.flags & KD_CHECK_ORDERED ? sole_array(c, a) : 0;
        if (a->site.flags & KD_CHECK_ORDERED && !array)
            return;
        arrays |= array ? UINT64_C(1) << (array - 1) : 0;
    }
    if (!arrays || has_images(c->f))
        return;
    for (uint32_t b = 0; b < c->f->blocks.len; b++)
        for (struct kir_inst *i = c->f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_CHECK_SYNC && i->index != KD_CHECK_SYNC_BEGIN)
                i->offset = (int64_t)arrays;
}

// What only checks have to know.
static void remove_told(struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first, *next; i; i = next) {
            next = i->next;
            if (i->op == ISA_OP_CP_ASYNC_GROUP || i->op == ISA_OP_CP_ASYNC_MBARRIER_ARRIVE ||
                i->op == ISA_OP_CHECK_SCOPE)
                kir_remove(i);
        }
}

// Which lanes are active together is left open: each one is alone.
static void set_apart(struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_ACTIVEMASK) {
                i->op = ISA_OP_SREG;
                i->sreg = ISA_SREG_LANEMASK_EQ;
            }
}

static bool has_products(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_WGMMA_MMA)
                return true;
    return false;
}

static void check_function(struct checker *c, struct kir_func *f) {
    if (c->tools & CHECK_APART)
        set_apart(f);
    c->f = f;
    c->flags = c->orders && f->is_kernel ? KD_CHECK_ORDERED : 0;
    c->flags |= f->module->lockstep ? KD_CHECK_LOCKSTEP : 0;
    c->tmp = (struct arena){0};
    c->accesses.data = NULL;
    c->accesses.len = c->accesses.cap = 0;
    if (c->flags & KD_CHECK_ORDERED && has_products(f))
        check_sums(f, &c->sites);
    if (c->tools & (CHECK_SYNC | CHECK_MEMORY | CHECK_RACE) || c->reductions)
        check_sync(f, &c->sites, c->tools & CHECK_SYNC, c->flags & KD_CHECK_ORDERED);
    if (c->tools & CHECK_INIT)
        check_init(f, &c->sites, c->tools & CHECK_READS);
    c->guesses = check_guesses_find(&c->tmp, f);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            look_at(c, i);
            if (c->orders)
                look_at_order(c, i);
        }
    if (c->flags & KD_CHECK_ORDERED)
        find_arrays(c);
    struct check_origins *o = check_origins_new(&c->tmp, f, &c->sites);
    for (uint32_t n = 0; n < c->accesses.len; n++)
        if (is_checked(&c->accesses.data[n]))
            check_origins_want(o, c->accesses.data[n].address);
    check_origins_make(o);
    for (uint32_t n = 0; n < c->accesses.len; n++)
        if (is_checked(&c->accesses.data[n]))
            emit(c, o, &c->accesses.data[n]);
    if (c->flags & KD_CHECK_ORDERED)
        find_needless_syncs(c);
    remove_told(f);
    arena_free(&c->tmp);
}

void check_module(struct kir_module *m, unsigned tools) {
    struct checker c = {.tools = tools};
    c.orders = tools & CHECK_RACE;
    c.fences = has(m, is_fence);
    c.reductions = (tools & CHECK_INIT) && has(m, is_bulk_reduction);
    check_sites_begin(&c.sites, m);
    c.sites.relaxed_waits = has(m, is_relaxed_wait);
    c.sites.bulk_copies = has(m, is_of_async_proxy);
    for (uint32_t f = 0; f < m->funcs.len; f++)
        if (m->funcs.data[f]->blocks.len)
            check_function(&c, m->funcs.data[f]);
    check_sites_end(&c.sites);
}
