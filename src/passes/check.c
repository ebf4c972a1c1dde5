#include "passes/check.h"

#include "support/check_tools.h"

// One access of an instruction.
struct access {
    struct kir_inst *i;
    struct kir_value *address, *bytes; // bytes NULL: as the site says
    struct kd_check_site site;
};

struct checker {
    struct check_sites sites;
    struct arena tmp; // of a function
    struct kir_func *f;
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
    return !s->dynamic && s->space != ISA_SPACE_GENERIC && s->linkage != KIR_LINK_EXTERN && at >= 0 &&
           (uint64_t)at + bytes <= s->size && at % bytes == 0 && s->align % bytes == 0;
}

static void add(struct checker *c, struct access a) {
    a.site.number = c->accesses.len;
    vec_push(&c->tmp, &c->accesses, a);
}

static void add_plain(struct checker *c, struct kir_inst *i, enum kd_check_kind kind) {
    uint32_t bytes = bytes_of(i);
    if (!bytes || is_known_inside(i, bytes))
        return;
    add(c, (struct access){i,
                           i->ops[0],
                           NULL,
                           {.bytes = bytes,
                            .align = bytes,
                            .space = i->mods.space,
                            .kind = (uint8_t)kind,
                            .offset = i->offset}});
}

// Copies of one thread: from and to generic addresses.
static void add_copy(struct checker *c, struct kir_inst *i, struct kir_value *read) {
    struct kd_check_site site = {.space = ISA_SPACE_GENERIC, .kind = KD_CHECK_WRITE, .align = 1};
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
    default:
        break;
    }
}

static void emit(struct checker *c, struct check_origins *o, const struct access *a) {
    struct kir_inst *at = kir_inst_new(c->f, ISA_OP_SYMADDR, ISA_B64, 0, 1, &(uint8_t){KIR_B64}, 0);
    struct kir_inst *k =
        kir_inst_new(c->f, ISA_OP_CHECK_ACCESS, ISA_B64, a->bytes ? 4 : 3, 0, NULL, 0);
    at->sym = c->sites.sym;
    at->offset = check_sites_add(&c->sites, a->i, a->site);
    k->ops[0] = a->address;
    k->ops[1] = check_origin_of(o, a->address);
    k->ops[2] = at->res[0];
    if (a->bytes)
        k->ops[3] = a->bytes;
    at->file = k->file = a->i->file;
    at->line = k->line = a->i->line;
    kir_insert_before(a->i, at);
    kir_insert_before(a->i, k);
}

static void check_function(struct checker *c, struct kir_func *f) {
    c->f = f;
    c->tmp = (struct arena){0};
    c->accesses.data = NULL;
    c->accesses.len = c->accesses.cap = 0;
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
    struct checker c = {0};
    if (!(tools & CHECK_MEMORY))
        return;
    check_sites_begin(&c.sites, m);
    for (uint32_t f = 0; f < m->funcs.len; f++)
        if (m->funcs.data[f]->blocks.len)
            check_function(&c, m->funcs.data[f]);
    check_sites_end(&c.sites);
}
