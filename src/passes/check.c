#include "passes/check.h"

#include <string.h>

#include "device/check_meeting.h"
#include "support/check_tools.h"

// One access of an instruction.
struct access {
    struct kir_inst *i;
    struct kir_value *address, *more; // more: as check.access says; NULL: nothing
    struct kd_check_site site;
};

struct checker {
    struct check_sites sites;
    struct arena tmp; // of a function
    struct kir_func *f;
    unsigned tools;
    uint16_t flags; // of the function's sites
    VEC(struct access) accesses;
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
    return !s->dynamic && s->space != ISA_SPACE_GENERIC && s->linkage != KIR_LINK_EXTERN &&
           at >= 0 && (uint64_t)at + bytes <= s->size && at % bytes == 0 && s->align % bytes == 0;
}

static void add(struct checker *c, struct access a) {
    a.site.number = c->accesses.len;
    vec_push(&c->tmp, &c->accesses, a);
}

// What other threads may access, too.
static bool is_common(uint8_t space) {
    return space == ISA_SPACE_GENERIC || space == ISA_SPACE_GLOBAL || space == ISA_SPACE_SHARED;
}

static struct kir_value *stored(const struct kir_inst *i) {
    bool whole = i->op == ISA_OP_ST && !i->mods.vec && i->ops[1]->type != KIR_PRED &&
                 kir_type_bits((enum kir_type)i->ops[1]->type) <= 64;
    return whole ? i->ops[1] : NULL;
}

static void add_plain(struct checker *c, struct kir_inst *i, enum kd_check_kind kind) {
    uint32_t bytes = bytes_of(i);
    bool inside = bytes && is_known_inside(i, bytes);
    bool races = (c->flags & KD_CHECK_ORDERED) && is_common(i->mods.space);
    uint16_t flags = (uint16_t)(races ? c->flags : c->flags & ~KD_CHECK_ORDERED);
    bool strong = kind == KD_CHECK_ATOMIC || i->mods.sem != ISA_SEM_WEAK;
    if (!bytes || (!races && (inside || !(c->tools & CHECK_MEMORY))))
        return;
    add(c, (struct access){i,
                           i->ops[0],
                           races ? stored(i) : NULL,
                           {.bytes = bytes,
                            .align = bytes,
                            .space = i->mods.space,
                            .kind = (uint8_t)kind,
                            .flags = (uint16_t)(flags | (inside ? KD_CHECK_INSIDE : 0) |
                                                (strong ? KD_CHECK_STRONG : 0)),
                            .offset = i->offset}});
}

// Copies of one thread: from and to generic addresses.
static void add_copy(struct checker *c, struct kir_inst *i, struct kir_value *read) {
    struct kd_check_site site = {
        .space = ISA_SPACE_GENERIC, .kind = KD_CHECK_WRITE, .align = 1, .flags = c->flags};
    add(c, (struct access){i, i->ops[0], i->ops[2], site});
    site.kind = KD_CHECK_READ;
    add(c, (struct access){i, i->ops[1], read, site});
}

static struct kir_value *smaller(struct checker *c, struct kir_inst *i, struct kir_value *a,
                                 struct kir_value *b) {
    struct kir_inst *m = kir_inst_new(c->f, ISA_OP_MIN, ISA_U32, 2, 1, &(uint8_t){KIR_B32}, 0);
    m->ops[0] = a;
    m->ops[1] = b;
    kir_insert_before(i, m);
    return m->res[0];
}

static void add_sync(struct checker *c, struct kir_inst *i, enum kd_check_sync what) {
    if (!(c->flags & KD_CHECK_ORDERED))
        return;
    struct kir_inst *s = kir_inst_new(c->f, ISA_OP_CHECK_SYNC, ISA_VOID, 0, 0, NULL, 0);
    s->index = what;
    s->file = i->file;
    s->line = i->line;
    kir_insert_after(i, s);
}

// Lanes that meet those that a mask names.
static void add_meeting(struct checker *c, struct kir_inst *i) {
    struct kd_check_site site = {.kind = KD_CHECK_MEET_SYNCED, .align = 1};
    struct kir_inst *at = kir_inst_new(c->f, ISA_OP_SYMADDR, ISA_B64, 0, 1, &(uint8_t){KIR_B64}, 0);
    struct kir_inst *k = kir_inst_new(c->f, ISA_OP_CHECK_ACCESS, ISA_B64, 4, 0, NULL, 0);
    if (!(c->flags & KD_CHECK_ORDERED))
        return;
    at->sym = c->sites.sym;
    at->offset = check_sites_add(&c->sites, i, site);
    k->ops[0] = kir_const(c->f, KIR_B64, 0);
    k->ops[1] = kir_const(c->f, KIR_B32, KD_CHECK_NONE);
    k->ops[2] = at->res[0];
    k->ops[3] = i->ops[0];
    kir_insert_after(i, at);
    kir_insert_after(at, k);
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
    case ISA_OP_CP_ASYNC:
        add_copy(c, i, smaller(c, i, i->ops[2], i->ops[3]));
        break;
    case ISA_OP_CP_ASYNC_BULK:
        add_copy(c, i, i->ops[2]);
        break;
    case ISA_OP_CALL:
        if (!(c->tools & CHECK_MEMORY))
            break;
        if (calls(i, "malloc") && i->nres == 1)
            add_taken(c, i);
        if (calls(i, "free"))
            add(c, (struct access){
                       i, i->ops[0], NULL, {.bytes = 1, .align = 1, .kind = KD_CHECK_FREE}});
        break;
    case ISA_OP_BAR_SYNC:
    case ISA_OP_BAR_RED:
        add_sync(c, i, KD_CHECK_SYNC_BLOCK);
        break;
    case ISA_OP_BAR_WARP_SYNC:
        if (i->nops && (i->ops[0]->kind != KIR_VALUE_CONST || ~i->ops[0]->bits.u32[0]))
            add_meeting(c, i);
        else
            add_sync(c, i, KD_CHECK_SYNC_WARP);
        break;
    default:
        break;
    }
}

// ---- what orders accesses -------------------------------------------------------------------

static bool is_plain_barrier(const struct kir_inst *i) {
    bool counted = i->op == ISA_OP_BAR_RED ? i->flag : i->nops > 1;
    return (i->op == ISA_OP_BAR_SYNC || i->op == ISA_OP_BAR_RED) && !counted &&
           i->ops[0]->kind == KIR_VALUE_CONST;
}

// Could threads order their accesses by i in a way that the device does not follow?
static bool orders_otherwise(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_FENCE:
        return true;
    case ISA_CLASS_BLOCK:
        return !is_plain_barrier(i);
    case ISA_CLASS_ASYNC:
        return i->op != ISA_OP_CP_ASYNC && i->op != ISA_OP_CP_ASYNC_GROUP;
    case ISA_CLASS_MEMORY:
        return (i->mods.sem != ISA_SEM_WEAK && i->mods.sem != ISA_SEM_VOLATILE &&
                i->mods.sem != ISA_SEM_RELAXED) ||
               (i->op == ISA_OP_ATOM &&
                (i->mods.atom == ISA_ATOM_CAS || i->mods.atom == ISA_ATOM_EXCH));
    case ISA_CLASS_CONTROL:
        return i->op == ISA_OP_NANOSLEEP || (i->op == ISA_OP_CALL && !i->callee);
    default:
        return false;
    }
}

static bool is_ordered(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (orders_otherwise(i))
                return false;
    return true;
}

// Functions beside kernels: what they do may order what any kernel does.
static bool functions_are_ordered(const struct kir_module *m) {
    for (uint32_t f = 0; f < m->funcs.len; f++)
        if (!m->funcs.data[f]->is_kernel && !is_ordered(m->funcs.data[f]))
            return false;
    return true;
}

static void emit(struct checker *c, struct check_origins *o, const struct access *a) {
    struct kir_inst *at = kir_inst_new(c->f, ISA_OP_SYMADDR, ISA_B64, 0, 1, &(uint8_t){KIR_B64}, 0);
    struct kir_inst *k =
        kir_inst_new(c->f, ISA_OP_CHECK_ACCESS, ISA_B64, a->more ? 4 : 3, 0, NULL, 0);
    at->sym = c->sites.sym;
    at->offset = check_sites_add(&c->sites, a->i, a->site);
    k->ops[0] = a->address;
    k->ops[1] = check_origin_of(o, a->address);
    k->ops[2] = at->res[0];
    if (a->more)
        k->ops[3] = a->more;
    at->file = k->file = a->i->file;
    at->line = k->line = a->i->line;
    kir_insert_before(a->i, at);
    kir_insert_before(a->i, k);
}

static void check_function(struct checker *c, struct kir_func *f, bool races) {
    c->f = f;
    c->flags = races && is_ordered(f) ? KD_CHECK_ORDERED : 0;
    c->flags |= f->module->lockstep ? KD_CHECK_LOCKSTEP : 0;
    c->tmp = (struct arena){0};
    c->accesses.data = NULL;
    c->accesses.len = c->accesses.cap = 0;
    if (c->tools & (CHECK_SYNC | CHECK_MEMORY))
        check_sync(f, &c->sites, c->tools & CHECK_SYNC);
    if (c->tools & CHECK_INIT)
        check_init(f, &c->sites);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            look_at(c, i);
    struct check_origins *o = check_origins_new(&c->tmp, f, &c->sites);
    for (uint32_t n = 0; n < c->accesses.len; n++)
        check_origins_want(o, c->accesses.data[n].address);
    check_origins_make(o);
    for (uint32_t n = 0; n < c->accesses.len; n++)
        emit(c, o, &c->accesses.data[n]);
    arena_free(&c->tmp);
}

void check_module(struct kir_module *m, unsigned tools) {
    struct checker c = {.tools = tools};
    bool races = (tools & CHECK_RACE) && functions_are_ordered(m);
    check_sites_begin(&c.sites, m);
    for (uint32_t f = 0; f < m->funcs.len; f++)
        if (m->funcs.data[f]->blocks.len)
            check_function(&c, m->funcs.data[f], races && m->funcs.data[f]->is_kernel);
    check_sites_end(&c.sites);
}
