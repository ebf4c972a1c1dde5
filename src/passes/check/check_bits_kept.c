// The undecided bits that loads, texels and copies bring out of memory, and that stores put there
// (check_init.h).
#include "abi/check_shadow.h"
#include "isa/ops/check.h"
#include "isa/ops/image.h"
#include "isa/ops/logic.h"
#include "passes/check/check_init.h"

// The bits of one element, as the load extends it.
static struct kir_value *extended(struct init *s, const struct kir_inst *i, struct kir_value *x,
                                  enum kir_type to) {
    unsigned bits = isa_type_bits((enum isa_type)i->ty), want = kir_type_bits(to);
    bool is_signed = i->ty == ISA_S8 || i->ty == ISA_S16 || i->ty == ISA_S32 || i->ty == ISA_S64;
    if (want == 64 && (bits == 64 || !is_signed))
        return x;
    struct kir_inst *c =
        init_make(s, ISA_OP_CVT, is_signed ? init_signed(want) : init_unsigned(want), 1, to);
    c->ty2 = (uint8_t)(is_signed ? init_signed(bits) : ISA_U64);
    c->ops[0] = x;
    return c->res[0];
}

// What memory says of an element that is loaded.
static void tell_read(struct init *s, struct kir_inst *i, uint32_t from, struct kir_value *bits) {
    struct kd_check_site site = {.kind = KD_CHECK_SHADOW_READ,
                                 .space = i->mods.space,
                                 .bytes = isa_type_bits((enum isa_type)i->ty) / 8,
                                 .align = 1,
                                 .offset = i->offset + (int64_t)from};
    init_tell(s, i, false, site, i->ops[0], bits);
}

// What memory says of what an access loads.
void init_load(struct init *s, struct kir_inst *i) {
    uint32_t bytes = isa_type_bits((enum isa_type)i->ty) / 8;
    // A load may itself make the system give memory to a page, which then counts as written.
    s->at = i->prev && i->op != ISA_OP_ATOM ? i->prev : i;
    struct kir_value *at = init_generic(s, i->ops[0], i->mods.space);
    for (uint32_t k = 0; k < i->nres; k++)
        if (init_has(s, i->res[k])) {
            struct kir_value *x =
                init_ask(s, at, i->offset + (int64_t)k * bytes, bytes, i->mods.space);
            s->shadow[i->res[k]->id] = extended(s, i, x, init_type(i->res[k]));
            if (s->reads && i->mods.space != ISA_SPACE_LOCAL)
                tell_read(s, i, k * bytes, x);
        }
    s->at = i->op == ISA_OP_ATOM ? s->at : i;
}

// Which of a fetch's four numbers a result has, as KD_CHECK_TEXELS has bits for them.
static uint64_t numbers_of(const struct kir_inst *i, uint32_t k) {
    uint32_t form = i->ops[i->nops - 1]->bits.u32[0];
    if (i->op != ISA_OP_TEX)
        return UINT64_MAX;
    if (k >= (form & KD_IMAGE_PAIRS ? 2 : 4)) // whether they lie in memory
        return 0;
    return form & KD_IMAGE_PAIRS ? UINT64_C(0xffffffff) << 32 * (k & 1)
                                 : UINT64_C(0xffff) << 16 * (k & 3);
}

// What a texture or a surface gives is written where all is that it follows from.
void init_fetch(struct init *s, struct kir_inst *i) {
    // So that each lane asks.
    struct kir_value *lane = init_wide(s, init_special(s, ISA_SREG_LANEID));
    struct kir_value *all = init_ask(s, lane, 0, KD_CHECK_TEXELS, ISA_SPACE_GENERIC);
    for (uint32_t k = 0; k < i->nres; k++) {
        if (!init_has(s, i->res[k]))
            continue;
        struct kir_value *own = init_two(s, ISA_OP_AND, ISA_B64, all,
                                         kir_const(s->f, KIR_B64, numbers_of(i, k)), KIR_B64);
        s->shadow[i->res[k]->id] = init_all_bits(s, init_is_dirty(s, own), init_type(i->res[k]));
    }
}

// `bytes` of a value's bits, from bit `from` on.
static struct kir_value *part(struct init *s, struct kir_value *v, uint32_t from, uint32_t bytes) {
    enum kir_type t = (enum kir_type)v->type;
    unsigned width = init_width(v);
    if (from)
        v = init_two(s, ISA_OP_SHR, init_unsigned(width), v, init_word(s, from), t);
    return from + 8 * bytes >= width
               ? v
               : init_two(s, ISA_OP_AND, init_bits_type(width), v,
                          kir_const(s->f, t, (UINT64_C(1) << 8 * bytes) - 1), t);
}

static void store_once(struct init *s, struct kir_inst *i, struct kd_check_site site,
                       struct kir_value *address, struct kir_value *v, uint32_t from) {
    uint8_t origin = init_has(s, v) ? s->origin[v->id] : 0;
    const struct kir_inst *cause = origin & INIT_MADE ? init_find_cause(s, v) : NULL;
    if (origin == INIT_MADE)
        init_note_cause(s, &site, cause);
    init_note_load(s, i, &site, v, from / 32);
    init_tell(s, i, false, site, address, part(s, init_shadow(s, v), from, site.bytes));
    if (origin != INIT_BOTH)
        return;
    site.kind = KD_CHECK_SHADOW_CHOSEN;
    init_note_cause(s, &site, cause);
    init_tell(s, i, false, site, address, part(s, s->made[v->id], from, site.bytes));
}

void init_store_part(struct init *s, struct kir_inst *i, struct kd_check_site site,
                     struct kir_value *address, struct kir_value *v, uint32_t from) {
    bool apart = site.bytes == 8 && init_has(s, v) && s->placed[v->id]; // words from two places
    site.bytes = apart ? 4 : site.bytes;
    store_once(s, i, site, address, v, from);
    site.offset += 4;
    if (apart)
        store_once(s, i, site, address, v, 32);
}

void init_store(struct init *s, struct kir_inst *i) {
    uint32_t n = i->nops - 1, bytes = isa_type_bits((enum isa_type)i->ty) / 8;
    struct kd_check_site site = {.kind = KD_CHECK_SHADOW_STORE,
                                 .space = i->mods.space,
                                 .bytes = bytes,
                                 .align = 1,
                                 .offset = i->offset};
    if (bytes > 8 || !init_any(s, i) || (i->nops == 2 && !init_has(s, i->ops[1]))) {
        site.bytes = bytes * n;
        init_tell(s, i, false, site, i->ops[0], init_zero(s, KIR_B64));
        return;
    }
    for (uint32_t k = 0; k < n; k++, site.offset += bytes)
        init_store_part(s, i, site, i->ops[0], i->ops[1 + k], 0);
}

// What is added to, and the like, follows from what was there.
void init_update(struct init *s, struct kir_inst *i) {
    uint32_t bytes = isa_type_bits((enum isa_type)i->ty) / 8;
    struct kd_check_site site = {.kind = KD_CHECK_SHADOW_UPDATE,
                                 .space = i->mods.space,
                                 .bytes = bytes,
                                 .align = 1,
                                 .flags = KD_CHECK_COMPUTED,
                                 .offset = i->offset};
    if (bytes <= 8 && !i->mods.vec)
        init_tell(s, i, false, site, i->ops[0],
                  init_has(s, i->ops[1]) ? init_shadow(s, i->ops[1]) : init_zero(s, KIR_B64));
}

void init_clean(struct init *s, struct kir_inst *i, struct kir_value *bytes) {
    struct kd_check_site site = {.kind = KD_CHECK_SHADOW_CLEAN, .align = 1};
    init_tell(s, i, false, site, i->ops[0], bytes);
}

void init_copy(struct init *s, struct kir_inst *i) {
    const struct kir_value *bytes = i->ops[2], *read = i->ops[3];
    uint32_t n = bytes->bits.u32[0];
    if (bytes->kind != KIR_VALUE_CONST || read->kind != KIR_VALUE_CONST || read->bits.u32[0] < n ||
        n % 4) {
        init_clean(s, i, i->ops[2]);
        return;
    }
    for (uint32_t k = 0; k < n; k += 4) {
        struct kd_check_site site = {
            .kind = KD_CHECK_SHADOW_STORE, .bytes = 4, .align = 1, .offset = k};
        init_tell(s, i, false, site, i->ops[0], init_ask(s, i->ops[1], k, 4, ISA_SPACE_GENERIC));
    }
}

void init_everything(struct init *s, struct kir_inst *i, uint16_t kind) {
    struct kd_check_site site = {.kind = (uint8_t)kind, .space = i->mods.space, .align = 1};
    bool all = kind != KD_CHECK_SHADOW_CLEAN_ALL;
    init_tell(s, i, false, all ? (struct kd_check_site){.kind = (uint8_t)kind, .align = 1} : site,
              all ? init_zero(s, KIR_B64) : i->ops[0], init_zero(s, KIR_B64));
}

void init_decides(struct init *s, struct kir_inst *i, uint16_t kind) {
    struct kd_check_site site = {.kind = (uint8_t)kind, .align = 1};
    struct kir_value *x = i->ops[0];
    if (!init_has(s, x))
        return;
    struct kir_value *bits = init_shadow(s, x);
    if (x->type == KIR_PRED) {
        struct kir_inst *one =
            kir_inst_new(s->f, ISA_OP_SELP, ISA_B32, 3, 1, &(uint8_t){KIR_B32}, 0);
        one->ops[0] = kir_const(s->f, KIR_B32, 1);
        one->ops[1] = init_zero(s, KIR_B32);
        one->ops[2] = bits;
        kir_insert_before(i, one);
        bits = one->res[0];
    }
    init_tell(s, i, true, site, init_zero(s, KIR_B64), bits);
}
