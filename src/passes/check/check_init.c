// Values that follow from memory that nobody has written. Beside each value that may is another one
// with a bit for each of its bits: 1 where nobody has decided it. Loads ask the device for these
// bits, stores hand them on; they are looked at where a branch or an address follows from them.
#include "passes/check/check_init.h"

#include "abi/check_shadow.h"
#include "ir/order.h"
#include "isa/ops/async.h"
#include "isa/ops/check.h"
#include "isa/ops/control.h"
#include "isa/ops/image.h"
#include "isa/ops/launch.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "isa/ops/memory.h"
#include "isa/ops/move.h"
#include "isa/ops/multimem.h"
#include "isa/ops/warp.h"
#include "passes/check/check_fragments.h"
#include "passes/check/check_products.h"

static bool may(const struct init *s, const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_LD:
    case ISA_OP_LDU:
    case ISA_OP_ATOM:
        return init_is_kept(i->mods.space);
    case ISA_OP_TEX:
    case ISA_OP_SULD:
        return true;
    case ISA_OP_SHFL:
        return init_has(s, i->ops[0]);
    case ISA_OP_PHI:
        return init_any(s, i);
    case ISA_OP_LOP3: // not those that make a predicate as well
        return i->nres == 1 && init_any(s, i);
    case ISA_OP_ISSPACEP:
        return false;
    case ISA_OP_LDMATRIX:
    case ISA_OP_WMMA_LOAD:
        return check_fragments_load_is(i);
    case ISA_OP_MMA:
    case ISA_OP_WMMA_MMA:
    case ISA_OP_MOVMATRIX:
        return init_any(s, i);
    case ISA_OP_WGMMA_MMA:
        return check_wgmma_is(i);
    default:
        return isa_op_info[i->op].klass == ISA_CLASS_POINTWISE && init_any(s, i);
    }
}

static void find_dirty(struct init *s) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < s->f->blocks.len; b++)
            for (const struct kir_inst *i = s->f->blocks.data[b]->first; i; i = i->next)
                for (uint32_t k = 0; may(s, i) && k < i->nres; k++) {
                    bool whole = init_width(i->res[k]) <= 64 && !(i->op == ISA_OP_SHFL && k);
                    again |= whole && !s->dirty[i->res[k]->id];
                    s->dirty[i->res[k]->id] |= whole;
                }
    }
}

static void look_at(struct init *s, struct kir_inst *i) {
    s->at = i;
    switch (i->op) {
    case ISA_OP_PHI:
        break;
    case ISA_OP_LD:
    case ISA_OP_LDU:
        init_decides(s, i, KD_CHECK_SHADOW_ADDRESS);
        if (init_is_kept(i->mods.space))
            init_load(s, i);
        break;
    case ISA_OP_ST:
        init_decides(s, i, KD_CHECK_SHADOW_ADDRESS);
        if (init_is_kept(i->mods.space))
            init_store(s, i);
        else if (i->mods.space == ISA_SPACE_CLUSTER)
            init_everything(s, i, KD_CHECK_SHADOW_CLEAN_ALL);
        break;
    case ISA_OP_ATOM:
    case ISA_OP_RED:
        init_decides(s, i, KD_CHECK_SHADOW_ADDRESS);
        if (i->op == ISA_OP_ATOM && init_is_kept(i->mods.space))
            init_load(s, i);
        if (init_is_kept(i->mods.space) && i->mods.atom == ISA_ATOM_EXCH)
            init_store(s, i);
        else if (init_is_kept(i->mods.space) && i->mods.atom != ISA_ATOM_CAS &&
                 i->mods.atom != ISA_ATOM_AND && i->mods.atom != ISA_ATOM_OR)
            init_update(s, i);
        else if (i->mods.space == ISA_SPACE_CLUSTER)
            init_everything(s, i, KD_CHECK_SHADOW_CLEAN_ALL);
        break;
    case ISA_OP_TEX:
    case ISA_OP_SULD:
        init_fetch(s, i);
        break;
    case ISA_OP_SHFL:
        if (init_has(s, i->ops[0])) {
            struct kir_inst *c = init_same(s, i, 1);
            s->shadow[i->res[0]->id] = c->res[0];
            init_follow_made(s, i);
        }
        break;
    case ISA_OP_MOVMATRIX:
        if (may(s, i)) {
            s->bits[i->res[0]->id] = init_same(s, i, 1)->res[0];
            init_follow_made(s, i);
        }
        break;
    case ISA_OP_LDMATRIX:
    case ISA_OP_WMMA_LOAD:
        if (may(s, i))
            check_fragments_load(s, i);
        break;
    case ISA_OP_STMATRIX:
    case ISA_OP_WMMA_STORE:
        if (init_is_kept(i->mods.space))
            check_fragments_store(s, i);
        break;
    case ISA_OP_MMA:
    case ISA_OP_WMMA_MMA:
        if (may(s, i))
            check_products_follow(s, i);
        break;
    case ISA_OP_WGMMA_MMA:
        if (may(s, i))
            check_wgmma_follow(s, i);
        break;
    case ISA_OP_CBR:
    case ISA_OP_BRX_IDX:
        init_decides(s, i, KD_CHECK_SHADOW_BRANCH);
        break;
    case ISA_OP_CALL: // the device's functions may write through pointers that they get
        if (!i->callee || i->callee->is_extern)
            init_everything(s, i, KD_CHECK_SHADOW_CLEAN_LOCAL);
        break;
    case ISA_OP_CP_ASYNC:
        init_copy(s, i);
        break;
    case ISA_OP_ST_BULK:
        init_clean(s, i, i->ops[1]);
        break;
    case ISA_OP_ST_ASYNC:
    case ISA_OP_RED_ASYNC:
    case ISA_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL:
        init_everything(s, i, KD_CHECK_SHADOW_CLEAN_ALL);
        break;
    case ISA_OP_MULTIMEM_ST:
    case ISA_OP_MULTIMEM_RED:
        init_everything(s, i, KD_CHECK_SHADOW_OFF);
        break;
    default:
        if (isa_op_info[i->op].klass == ISA_CLASS_POINTWISE && may(s, i)) {
            init_follow(s, i);
            init_follow_made(s, i);
        }
        break;
    }
}

static struct kir_inst *phi_beside(struct init *s, struct kir_inst *i, enum kir_type t) {
    uint8_t type = (uint8_t)t;
    struct kir_inst *p =
        kir_inst_new(s->f, ISA_OP_PHI, init_bits_type(kir_type_bits(type)), i->nops, 1, &type, 0);
    kir_insert_before(i, p);
    return p;
}

static void begin_phis(struct init *s) {
    for (uint32_t b = 0; b < s->f->blocks.len; b++)
        for (struct kir_inst *i = s->f->blocks.data[b]->first; i && i->op == ISA_OP_PHI;
             i = i->next) {
            if (i->res[0]->id >= s->n || !init_has(s, i->res[0]))
                continue;
            struct init_phi p = {.of = i, .shadow = phi_beside(s, i, init_type(i->res[0]))};
            uint32_t id = i->res[0]->id;
            if (s->wanted[id])
                p.made = phi_beside(s, i, init_type(i->res[0]));
            for (uint32_t half = 0; s->placed[id] && (!half || half < init_width(i->res[0]) / 32);
                 half++) {
                p.place[half] = phi_beside(s, i, KIR_B64);
                s->place[half][id] = p.place[half]->res[0];
            }
            s->bits[id] = p.shadow->res[0];
            s->made[id] = p.made ? p.made->res[0] : NULL;
            vec_push(&s->tmp, &s->phis, p);
        }
}

static void end_phi(struct init *s, const struct kir_inst *of, struct kir_inst *p) {
    for (uint32_t n = 0; p && n < of->nops; n++)
        p->ops[n] = init_shadow(s, of->ops[n]);
}

static void end_places(struct init *s, const struct init_phi *p) {
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t n = 0; p->place[half] && n < p->of->nops; n++)
            p->place[half]->ops[n] = init_place(s, p->of->ops[n], half);
}

// Code looks at what is kept of memory without the device.
static void begin(struct kir_func *f) {
    struct kir_inst *first = f->blocks.data[0]->first;
    struct kir_inst *s = kir_inst_new(f, ISA_OP_CHECK_SYNC, ISA_VOID, 0, 0, NULL, 0);
    s->index = KD_CHECK_SYNC_BEGIN;
    s->file = first->file;
    s->line = first->line;
    kir_insert_before(first, s);
}

void check_init(struct kir_func *f, struct check_sites *sites, bool reads) {
    struct init s = {.f = f, .sites = sites, .reads = reads, .n = f->value_count};
    struct kir_order o;
    s.dirty = arena_array(&s.tmp, uint8_t, s.n + 1);
    s.origin = arena_array(&s.tmp, uint8_t, s.n + 1);
    s.wanted = arena_array(&s.tmp, uint8_t, s.n + 1);
    s.shadow = s.bits = arena_array(&s.tmp, struct kir_value *, s.n + 1);
    s.made = arena_array(&s.tmp, struct kir_value *, s.n + 1);
    s.seen = arena_array(&s.tmp, uint32_t, s.n + 1);
    s.placed = arena_array(&s.tmp, uint8_t, s.n + 1);
    s.place[0] = arena_array(&s.tmp, struct kir_value *, s.n + 1);
    s.place[1] = arena_array(&s.tmp, struct kir_value *, s.n + 1);
    s.factor = arena_array(&s.tmp, struct kir_value *, s.n + 1);
    s.factor_as = arena_array(&s.tmp, uint64_t, s.n + 1);
    find_dirty(&s);
    init_find_origins(&s);
    init_find_wanted(&s);
    init_find_placed(&s);
    kir_order_blocks(f, &s.tmp, &o);
    begin_phis(&s);
    for (uint32_t k = 0; k < o.n; k++) {
        struct kir_inst *next;
        for (struct kir_inst *i = f->blocks.data[o.blocks[k]]->first; i; i = next) {
            next = i->next;
            look_at(&s, i);
            init_follow_place(&s, i);
        }
    }
    if (f->is_kernel)
        begin(f);
    for (uint32_t k = 0; k < s.phis.len; k++) {
        s.shadow = s.bits;
        end_phi(&s, s.phis.data[k].of, s.phis.data[k].shadow);
        s.shadow = s.made;
        end_phi(&s, s.phis.data[k].of, s.phis.data[k].made);
        end_places(&s, &s.phis.data[k]);
    }
    arena_free(&s.tmp);
}
