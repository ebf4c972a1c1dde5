// Where undecided bits that are stored come from: the computation that made them, or the place that
// they were loaded from and only moved.
#include "abi/check_shadow.h"
#include "passes/check/check_init.h"

// The instruction nearest to a stored value that made more of what nobody has written than a copy:
// a comparison, else a computation, with a line if there is one. NULL: there is none.
const struct kir_inst *init_find_cause(struct init *s, struct kir_value *v) {
    enum { MOST = 256 };
    struct kir_value *list[MOST];
    const struct kir_inst *computed = NULL;
    uint32_t n = 0;
    s->turn++;
    if (init_has(s, v))
        list[n++] = v;
    for (uint32_t k = 0; k < n; k++) {
        const struct kir_inst *i = list[k]->def;
        if (i->op == ISA_OP_SETP && i->line)
            return i;
        if (!init_is_move(s, i) && (!computed || (!computed->line && i->line)))
            computed = i;
        if (isa_op_info[i->op].klass == ISA_CLASS_MEMORY)
            continue;
        for (uint32_t o = 0; o < i->nops && n < MOST; o++)
            if (init_has(s, i->ops[o]) && s->seen[i->ops[o]->id] != s->turn) {
                s->seen[i->ops[o]->id] = s->turn;
                list[n++] = i->ops[o];
            }
    }
    return computed;
}

void init_note_cause(struct init *s, struct kd_check_site *site, const struct kir_inst *cause) {
    if (!cause)
        return;
    site->flags |= KD_CHECK_COMPUTED;
    site->cause = (int32_t)check_sites_add(s->sites, cause, (struct kd_check_site){0});
}

// What is only moved may have been computed where it was loaded.
void init_note_load(struct init *s, struct kir_inst *i, struct kd_check_site *site,
                    struct kir_value *v, uint32_t half) {
    struct kd_check_site from = {.kind = KD_CHECK_SHADOW_FROM, .align = 1};
    bool placed = init_has(s, v) && s->placed[v->id];
    const struct kir_inst *load = init_has(s, v) && !placed ? init_find_load(s, v) : NULL;
    if (site->flags & KD_CHECK_COMPUTED || !(load || placed))
        return;
    from.space = load ? load->mods.space : ISA_SPACE_GENERIC;
    from.offset = load ? load->offset : 0;
    from.bytes = load && isa_type_bits((enum isa_type)load->ty) == 64 ? 8 : 4;
    site->flags |= KD_CHECK_HANDED_ON;
    init_tell(s, i, false, from, load ? load->ops[0] : init_place(s, v, half), init_shadow(s, v));
}
