// Barriers and operations of warps: before each the device is told who comes, and where threads
// can do nothing more but end, that they do (device/check/check_sync.c). And where threads are that
// may wait or fail in what the device does for them.
#include <string.h>

#include "abi/check_meeting.h"
#include "isa/ops/async.h"
#include "isa/ops/block.h"
#include "isa/ops/check.h"
#include "isa/ops/cluster.h"
#include "isa/ops/control.h"
#include "isa/ops/image.h"
#include "isa/ops/move.h"
#include "isa/ops/warp.h"
#include "passes/check/check.h"
#include "passes/check/check_uniform.h"

struct sync {
    struct kir_func *f;
    struct check_sites *sites;
    bool meetings;
    uint16_t flags;
    bool meets;      // threads of the function may be waited for
    bool all_come;   // to its barriers
    uint32_t number; // of the next site
};

static struct kir_inst *make(struct sync *s, struct kir_inst *before, isa_op op, enum isa_type ty,
                             unsigned nops, enum kir_type result) {
    uint8_t type = (uint8_t)result;
    struct kir_inst *i = kir_inst_new(s->f, op, ty, nops, 1, &type, 0);
    i->file = before->file;
    i->line = before->line;
    kir_insert_before(before, i);
    return i;
}

static void tell(struct sync *s, struct kir_inst *i, struct kd_check_site site,
                 struct kir_value *address, struct kir_value *more) {
    struct kir_inst *at;
    site.number = s->number++;
    struct kir_inst *k = check_sites_access(s->sites, i, site, address, more, &at);
    kir_insert_before(i, at);
    kir_insert_before(i, k);
}

// ---- who comes ------------------------------------------------------------------------------

static struct kir_value *wide(struct sync *s, struct kir_inst *i, struct kir_value *v) {
    if (v->kind == KIR_VALUE_CONST)
        return kir_const(s->f, KIR_B64, v->bits.u32[0]);
    struct kir_inst *c = make(s, i, ISA_OP_CVT, ISA_U64, 1, KIR_B64);
    c->ty2 = ISA_U32;
    c->ops[0] = v;
    return c->res[0];
}

static void barrier(struct sync *s, struct kir_inst *i) {
    s->meets = true;
    bool counted = i->op == ISA_OP_BAR_RED ? i->flag : i->nops > 1;
    struct kd_check_site site = {.kind = KD_CHECK_MEET_BARRIER, .align = i->op};
    tell(s, i, site, wide(s, i, i->ops[0]), counted ? i->ops[1] : kir_const(s->f, KIR_B32, 0));
}

// Is the mask of those that are there? They need not be all that were where it was made.
static bool is_active(const struct kir_inst *i, const struct kir_value *m) {
    return m->kind == KIR_VALUE_INST && m->def->op == ISA_OP_ACTIVEMASK &&
           m->def->block == i->block;
}

// The lanes that an operation names; NULL: those that are there.
static struct kir_value *members(const struct kir_inst *i) {
    uint32_t n = i->op == ISA_OP_SHFL            ? 3
                 : i->op == ISA_OP_BAR_WARP_SYNC ? 0
                 : i->op == ISA_OP_ELECT         ? 0
                                                 : 1;
    struct kir_value *m = i->nops == n + 1 ? i->ops[n] : NULL;
    return m && is_active(i, m) ? NULL : m;
}

static void warp(struct sync *s, struct kir_inst *i) {
    struct kd_check_site site = {.kind = KD_CHECK_MEET_WARP, .align = i->op};
    struct kir_value *m = members(i), *from = kir_const(s->f, KIR_B64, 0);
    if (!m)
        return;
    s->meets = true;
    if (i->op == ISA_OP_SHFL) {
        struct kir_inst *both = make(s, i, ISA_OP_MOV_PACK, ISA_B64, 2, KIR_B64);
        both->mods.vec = 2;
        both->ops[0] = i->ops[1];
        both->ops[1] = i->ops[2];
        from = both->res[0];
        site.bytes = i->mods.mode;
    }
    tell(s, i, site, from, m);
}

// Prints strings, which may be none.
static bool prints(const struct kir_inst *i) {
    return i->op == ISA_OP_CALL && i->callee && i->callee->is_extern &&
           !strcmp(i->callee->name, "vprintf");
}

// Submits a copy or a set: a function of the device runtime, by either name.
static bool submits(const struct kir_inst *i) {
    const char *name = i->op == ISA_OP_CALL && i->callee ? i->callee->name : "";
    bool runtime = !strncmp(name, "cuda", 4) || !strncmp(name, "__cudaCDP2", 10);
    return runtime && i->callee->is_extern && (strstr(name, "Memcpy") || strstr(name, "Memset"));
}

// Where the device accesses memory that code does not tell of: what is written there, which leads
// to what is read; 0: it does not.
static int32_t device_accesses(struct sync *s, const struct kir_inst *i) {
    struct check_by_device d = check_by_device_of(i);
    if (!d.accesses)
        return 0;
    struct kd_check_site site = {
        .kind = KD_CHECK_READ, .align = 1, .space = ISA_SPACE_GENERIC, .flags = s->flags};
    site.flags |= d.flags;
    if (d.kind == KD_CHECK_READ && s->sites->relaxed_waits)
        site.flags &= (uint16_t)~KD_CHECK_BY_COMMIT; // nobody is seen to wait for it
    site.number = s->number++;
    site.cause = (int32_t)check_sites_add(s->sites, i, site);
    site.kind = (uint8_t)d.kind;
    if (d.to_shared && !s->sites->relaxed_waits)
        site.flags |= KD_CHECK_BY_OBJECT;
    if (d.kind == KD_CHECK_ATOMIC && d.box) // of all devices it has a scope
        site.flags |= KD_CHECK_STRONG | ISA_SCOPE_GPU << KD_CHECK_SCOPE_SHIFT;
    return (int32_t)check_sites_add(s->sites, i, site);
}

static void place(struct sync *s, struct kir_inst *i) {
    struct kd_check_site site = {.kind = KD_CHECK_MEET_PLACE,
                                 .align = i->op,
                                 .flags = s->flags,
                                 .cause = device_accesses(s, i)};
    s->meets |= i->op != ISA_OP_CALL; // threads may wait there for ever
    tell(s, i, site, kir_const(s->f, KIR_B64, 0), kir_const(s->f, KIR_B32, 0));
}

static bool is_of_device(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_TEX:
    case ISA_OP_TLD4:
    case ISA_OP_SULD:
    case ISA_OP_SUST:
    case ISA_OP_SURED:
        return true;
    case ISA_OP_CP_ASYNC:
    case ISA_OP_CP_ASYNC_GROUP:
    case ISA_OP_CP_ASYNC_MBARRIER_ARRIVE:
        return false;
    default:
        return isa_op_info[i->op].klass == ISA_CLASS_ASYNC && isa_op_info[i->op].side_effect;
    }
}

static void look_at(struct sync *s, struct kir_inst *i) {
    if (is_of_device(i) || prints(i) || submits(i))
        place(s, i);
    if (!s->meetings)
        return;
    switch (i->op) {
    case ISA_OP_BAR_SYNC:
    case ISA_OP_BAR_ARRIVE:
    case ISA_OP_BAR_RED:
        if (!s->all_come)
            barrier(s, i);
        break;
    case ISA_OP_SHFL:
    case ISA_OP_VOTE:
    case ISA_OP_MATCH:
    case ISA_OP_REDUX:
    case ISA_OP_ELECT:
    case ISA_OP_BAR_WARP_SYNC:
        warp(s, i);
        break;
    default:
        break;
    }
}

// ---- who ends -------------------------------------------------------------------------------

static bool does_something(const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i != b->last; i = i->next)
        if (isa_op_info[i->op].side_effect && i->op != ISA_OP_CHECK_ACCESS)
            return true;
    return false;
}

// Do threads that leave the block this way only end? The blocks that are known to be so.
static bool leads_to_end(const struct kir_block *b, const uint8_t *ends) {
    const struct kir_inst *t = b->last;
    if (t->op == ISA_OP_RET || t->op == ISA_OP_EXIT)
        return true;
    for (uint32_t k = 0; k < t->ntargets; k++)
        if (!ends[t->targets[k]->id])
            return false;
    return t->op == ISA_OP_BRA || t->op == ISA_OP_CBR;
}

static void end(struct sync *s, struct kir_inst *last, bool did, struct kir_value *more) {
    struct kd_check_site site = {.kind = KD_CHECK_MEET_END, .bytes = did, .align = 1};
    tell(s, last, site, kir_const(s->f, KIR_B64, 0), more);
}

static void ends_of(struct sync *s, struct kir_block *b, const uint8_t *ends) {
    struct kir_inst *t = b->last;
    if (ends[b->id])
        return;
    if (leads_to_end(b, ends)) {
        end(s, t, true, kir_const(s->f, KIR_B32, 1));
    } else if (t->op == ISA_OP_CBR && (ends[t->targets[0]->id] || ends[t->targets[1]->id])) {
        bool first = ends[t->targets[0]->id];
        struct kir_inst *c = make(s, t, ISA_OP_SELP, ISA_B32, 3, KIR_B32);
        c->ops[0] = kir_const(s->f, KIR_B32, first);
        c->ops[1] = kir_const(s->f, KIR_B32, !first);
        c->ops[2] = t->ops[0];
        end(s, t, false, c->res[0]);
    }
}

// By block: nothing is done there any more, and its threads end.
static uint8_t *find_ends(const struct kir_func *f, struct arena *tmp) {
    uint32_t n = f->blocks.len;
    uint8_t *ends = arena_array(tmp, uint8_t, n);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = n; k-- > 0;) {
            const struct kir_block *b = f->blocks.data[k];
            bool is = !ends[k] && !does_something(b) && leads_to_end(b, ends);
            ends[k] |= is;
            again |= is;
        }
    }
    return ends;
}

// Functions that are called may have meetings.
static bool has_calls(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_CALL && !(i->callee && i->callee->is_extern))
                return true;
    return false;
}

// Can threads wait for others at i, but at a barrier of the whole block? Where they do, the device
// has to know of barriers as well.
static bool waits_otherwise(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_BAR_SYNC:
    case ISA_OP_BAR_ARRIVE:
    case ISA_OP_BAR_RED:
        return !check_is_barrier(i);
    case ISA_OP_SHFL:
    case ISA_OP_VOTE:
    case ISA_OP_MATCH:
    case ISA_OP_REDUX:
    case ISA_OP_ELECT:
    case ISA_OP_BAR_WARP_SYNC:
        return members(i) != NULL;
    case ISA_OP_BARRIER_CLUSTER_ARRIVE:
    case ISA_OP_BARRIER_CLUSTER_WAIT:
        return true;
    default:
        return is_of_device(i);
    }
}

static bool is_varying(const struct check_uniform *u, const struct kir_value *v) {
    return v->kind != KIR_VALUE_CONST && (v->kind != KIR_VALUE_INST || u->varying[v->id]);
}

// Do all of a block's threads come to each of its barriers that any one comes to, but for those
// that end before and have nothing else to do? Then there is nothing to tell of them.
static bool do_all_come(const struct kir_func *f, const uint8_t *ends, struct arena *tmp) {
    struct check_uniform u;
    bool some = false;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            if (waits_otherwise(i))
                return false;
            some |= check_is_barrier(i);
        }
    if (!some || !f->is_kernel || has_calls(f) || !check_uniform_find(tmp, f, &u))
        return false;
    for (uint32_t b = 0; b < f->blocks.len; b++) {
        const struct kir_inst *last = f->blocks.data[b]->last;
        bool come = false, leave = false;
        for (uint32_t t = 0; t < last->ntargets; t++) {
            uint32_t to = last->targets[t]->id;
            come |= u.meets[to];
            leave |= !u.meets[to] && !ends[to];
        }
        if (come && leave && (u.divergent[b] || is_varying(&u, last->ops[0])))
            return false;
    }
    return true;
}

void check_sync(struct kir_func *f, struct check_sites *sites, bool meetings, uint16_t flags) {
    struct sync s = {.f = f, .sites = sites, .meetings = meetings, .flags = flags};
    struct arena tmp = {0};
    uint8_t *ends = meetings ? find_ends(f, &tmp) : NULL;
    s.all_come = meetings && do_all_come(f, ends, &tmp);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            look_at(&s, i);
    for (uint32_t k = 0; f->is_kernel && meetings && (s.meets || has_calls(f)) && k < f->blocks.len;
         k++)
        ends_of(&s, f->blocks.data[k], ends);
    arena_free(&tmp);
}
