// The clean-ups in their order, until nothing changes.
#include "ir/clean/simplify.h"

static void clean_up(struct kir_func *f) {
    enum { ROUNDS = 4 }; // each round finds less; what is left is valid all the same
    for (int round = 0; round < ROUNDS; round++) {
        bool progress = kir_remove_unreachable(f);
        progress |= kir_fold(f);
        progress |= kir_sink_common(f);
        progress |= kir_merge_blocks(f);
        progress |= kir_remove_dead(f);
        progress |= kir_promote_locals(f);
        if (!progress)
            break;
    }
}

void kir_simplify_func(struct kir_func *f) {
    clean_up(f);
    if (kir_block_on_phases(f))
        clean_up(f);
    kir_fold(f);
    kir_remove_dead(f);
    kir_layout_frame(f);
    kir_renumber(f);
}

void kir_simplify(struct kir_module *m) {
    for (uint32_t k = 0; k < m->funcs.len; k++)
        if (m->funcs.data[k]->blocks.len)
            kir_simplify_func(m->funcs.data[k]);
}
