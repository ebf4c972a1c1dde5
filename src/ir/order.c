// Reverse postorder and dominators. Nothing recurses, and no order of blocks takes more than nearly
// linear time, so that a function of any size can be handled.
#include "ir/order.h"

#include "ir/dominators.h"

struct frame {
    uint32_t block, next;
};

void kir_order_blocks(const struct kir_func *f, struct arena *a, struct kir_order *o) {
    uint32_t count = f->blocks.len, depth = 0, done = 0;
    *o = (struct kir_order){0};
    o->blocks = arena_array(a, uint32_t, count);
    o->number = arena_array(a, uint32_t, count);
    memset(o->number, 0xff, sizeof *o->number * count);
    struct frame *stack = arena_array(a, struct frame, count);
    if (count) {
        stack[depth++] = (struct frame){0, 0};
        o->number[0] = 0;
    }
    while (depth) {
        struct frame *top = &stack[depth - 1];
        const struct kir_inst *last = f->blocks.data[top->block]->last;
        if (!last || top->next == last->ntargets) {
            o->blocks[count - ++done] = top->block;
            depth--;
            continue;
        }
        // The last target first: then the first target follows its block in the order.
        uint32_t t = last->targets[last->ntargets - 1 - top->next++]->id;
        if (o->number[t] == KIR_UNREACHABLE) {
            o->number[t] = 0;
            stack[depth++] = (struct frame){t, 0};
        }
    }
    o->n = done;
    o->blocks += count - done;
    for (uint32_t k = 0; k < done; k++)
        o->number[o->blocks[k]] = k;
}

struct kir_edges kir_edges_of(const struct kir_func *f, struct arena *a) {
    uint32_t count = f->blocks.len, nsuccs = 0, npreds = 0;
    for (uint32_t b = 0; b < count; b++) {
        const struct kir_block *block = f->blocks.data[b];
        nsuccs += block->last ? block->last->ntargets : 0;
        npreds += block->preds.len;
    }
    struct kir_edges e = {arena_array(a, uint32_t, count + 1), arena_array(a, uint32_t, nsuccs + 1),
                          arena_array(a, uint32_t, count + 1),
                          arena_array(a, uint32_t, npreds + 1)};
    nsuccs = npreds = 0;
    for (uint32_t b = 0; b < count; b++) {
        const struct kir_block *block = f->blocks.data[b];
        e.first_succ[b] = nsuccs;
        e.first_pred[b] = npreds;
        for (uint32_t k = 0; block->last && k < block->last->ntargets; k++)
            e.succs[nsuccs++] = block->last->targets[k]->id;
        for (uint32_t k = 0; k < block->preds.len; k++)
            e.preds[npreds++] = block->preds.data[k]->id;
    }
    e.first_succ[count] = nsuccs;
    e.first_pred[count] = npreds;
    return e;
}

// Numbers the dominator tree so that dominance is containment of intervals.
static void number_tree(struct arena *a, struct kir_order *o, uint32_t count) {
    uint32_t *size = arena_array(a, uint32_t, count), *next = arena_array(a, uint32_t, count);
    for (uint32_t k = o->n; k-- > 0;) {
        uint32_t b = o->blocks[k];
        size[b]++;
        if (k)
            size[o->idom[b]] += size[b];
    }
    for (uint32_t k = 0; k < o->n; k++) {
        uint32_t b = o->blocks[k], parent = o->idom[b];
        o->in[b] = k ? next[parent] : 0;
        if (k)
            next[parent] += size[b];
        next[b] = o->in[b] + 1;
        o->out[b] = o->in[b] + size[b];
    }
}

void kir_order_dominators(const struct kir_func *f, struct arena *a, struct kir_order *o) {
    kir_order_blocks(f, a, o);
    uint32_t count = f->blocks.len;
    o->idom = arena_array(a, uint32_t, count);
    o->in = arena_array(a, uint32_t, count);
    o->out = arena_array(a, uint32_t, count);
    if (!o->n)
        return;
    struct arena tmp = {0};
    struct kir_edges e = kir_edges_of(f, &tmp);
    struct dominator_graph g = {count, 0, e.first_succ, e.succs, e.first_pred, e.preds};
    dominators_find(&tmp, &g, o->idom, arena_array(&tmp, uint32_t, count));
    arena_free(&tmp);
    number_tree(a, o, count);
}
