#include "codegen/pipeline/width.h"

#include "codegen/pipeline/team.h"
#include "codegen/pipeline/team_loops.h"

unsigned choose_width(const struct cg *c, const struct traits *t) {
    unsigned natural = c->target.lanes;
    unsigned w = c->spec.width;
    // A block of one thread has no use for lanes, which only make the code larger.
    if (!w && !t->warp_ops && one_thread(c))
        return 1;
    if (w != 1 && w != 8 && w != 16 && w != 32)
        w = t->f64 > t->f32 ? 8 : natural;
    // Lanes that exchange values, or rely on being together, must be in one vector: so must those
    // of which one launches what reads the others' stores. All of a warp whose assertions fail say
    // so.
    bool together = t->warp_ops || by_volatile(t) || t->device_runtime || t->asserts;
    return w > 1 && together ? 32 : w;
}

bool has_grid_stride_loop(const struct flow *fl) {
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++) {
        const struct cfg_loop *l = fl->cfg->loops.data[k];
        for (const struct kir_inst *i = l->header->first; i && i->op == ISA_OP_PHI; i = i->next) {
            if (fl->shape[i->res[0]->id].kind != SHAPE_OFFSETS)
                continue;
            for (uint32_t n = 0; n < i->nops; n++) {
                const struct kir_value *v = i->ops[n];
                uint64_t bits;
                if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_ADD)
                    continue;
                const struct kir_value *x = v->def->ops[0], *y = v->def->ops[1];
                if ((x == i->res[0] && !flow_const(y, &bits)) ||
                    (y == i->res[0] && !flow_const(x, &bits)))
                    return true;
            }
        }
    }
    return false;
}

bool rows_want_32(const struct cg *c) {
    const uint32_t *n = c->spec.ntid;
    return c->width < 32 && n[0] == 32 && n[1] * n[2] > 1 && c->team > 2;
}

bool rows_without_loops(const struct cg *c, const struct flow *fl) {
    enum { MOST_INSTRUCTIONS = 150 };
    const uint32_t *n = c->spec.ntid;
    return n[0] && n[0] % KD_WARP == 0 && n[1] * n[2] > 1 && !fl->cfg->loops.len &&
           c->width * 2 == c->target.vector_bits / 16 && !func_has_barrier(c->kernel) &&
           !team_forbidden(c->kernel) && func_instructions(c->kernel) <= MOST_INSTRUCTIONS &&
           !any_varying_access(fl) && !lanes_of_atomics(c, fl);
}

bool groups_want_two_registers(const struct cg *c) {
    const uint32_t *n = c->spec.ntid;
    uint32_t wide = c->width * 2;
    return !c->target.mask_registers && c->target.vector_bits == 256 && wide <= KD_WARP / 2 &&
           func_has_barrier(c->kernel) && n[0] && n[0] % wide == 0;
}

unsigned width_for_latency(const struct cg *c, const struct flow *fl) {
    enum { MOST_INSTRUCTIONS = 600, MOST_REGISTERS = 4 };
    const uint32_t *n = c->spec.ntid;
    unsigned most = c->target.vector_bits / 32 * MOST_REGISTERS, w = c->width;
    if (!any_leaves_by_data(fl) || func_has_barrier(c->kernel) || team_forbidden(c->kernel) ||
        lanes_of_atomics(c, fl))
        return w;
    for (unsigned by = 2; w * 2 <= most && w * 2 <= KD_WARP && n[0] && n[0] % (w * 2) == 0 &&
                          by * func_instructions(c->kernel) <= MOST_INSTRUCTIONS &&
                          loop_registers(c, fl, false) * by <= c->target.vector_registers;
         by *= 2)
        w *= 2;
    return w;
}
