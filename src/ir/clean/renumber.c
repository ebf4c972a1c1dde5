// Gives values and blocks dense ids in the order in which they stand.
#include "ir/clean/simplify.h"

static void clear_operands(struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                i->ops[k]->id = UINT32_MAX;
}

void kir_renumber(struct kir_func *f) {
    uint32_t n = 0, id = 0;
    clear_operands(f);
    for (uint32_t b = 0; b < f->blocks.len; b++) {
        f->blocks.data[b]->id = b;
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            i->id = id++;
            for (uint32_t k = 0; k < i->nres; k++)
                i->res[k]->id = n++;
        }
    }
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                if (i->ops[k]->kind != KIR_VALUE_INST && i->ops[k]->id == UINT32_MAX)
                    i->ops[k]->id = n++;
    f->value_count = n;
}
