// Reverse postorder and dominators (Cooper, Harvey, Kennedy: A Simple, Fast Dominance
// Algorithm). Nothing recurses, so that a function of any size can be handled.
#include "ir/order.h"

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

static uint32_t intersect(const struct kir_order *o, uint32_t x, uint32_t y) {
    while (x != y) {
        while (o->number[x] > o->number[y])
            x = o->idom[x];
        while (o->number[y] > o->number[x])
            y = o->idom[y];
    }
    return x;
}

static bool update_idom(const struct kir_func *f, struct kir_order *o, uint32_t block) {
    const struct kir_block *b = f->blocks.data[block];
    uint32_t best = KIR_UNREACHABLE;
    for (uint32_t k = 0; k < b->preds.len; k++) {
        uint32_t p = b->preds.data[k]->id;
        if (o->number[p] == KIR_UNREACHABLE || o->idom[p] == KIR_UNREACHABLE)
            continue;
        best = best == KIR_UNREACHABLE ? p : intersect(o, p, best);
    }
    bool changed = o->idom[block] != best;
    o->idom[block] = best;
    return changed;
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
    memset(o->idom, 0xff, sizeof *o->idom * count);
    if (!o->n)
        return;
    o->idom[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 1; k < o->n; k++)
            changed |= update_idom(f, o, o->blocks[k]);
    }
    number_tree(a, o, count);
}
