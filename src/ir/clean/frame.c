// Lays out a function's locals in its frame; those that nothing refers to any more are dropped.
#include "ir/clean/simplify.h"

static void mark_used(struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_SYMADDR && i->sym->space == ISA_SPACE_LOCAL)
                i->sym->index = 0;
}

void kir_layout_frame(struct kir_func *f) {
    for (uint32_t k = 0; k < f->locals.len; k++)
        f->locals.data[k]->index = -1;
    mark_used(f);
    uint32_t kept = 0;
    uint64_t end = 0, align = 1;
    for (uint32_t k = 0; k < f->locals.len; k++) {
        struct kir_symbol *s = f->locals.data[k];
        if (s->index < 0)
            continue;
        s->index = -1;
        f->locals.data[kept++] = s;
        s->offset = (end + s->align - 1) / s->align * s->align;
        end = s->offset + s->size;
        align = s->align > align ? s->align : align;
    }
    f->locals.len = kept;
    f->frame_align = (uint32_t)align;
    f->frame_bytes = (uint32_t)((end + align - 1) / align * align);
}
