// Layout, loops and dominators. The layout is made by taking strongly connected components
// in topological order; inside a component the edges to its header are removed and the rest
// is laid out the same way. So every control-flow graph gets a layout, irreducible ones too.
#include "passes/cfg.h"

#include <string.h>

enum { NONE = UINT32_MAX };

struct builder {
    struct arena *arena;
    struct cfg *cfg;
    struct kir_func *f;
    uint32_t *region; // which nested region a block belongs to now
    uint32_t *index, *low;
    uint8_t *on_stack;
    uint32_t *stack, sp;
    uint32_t counter, next_region, next_pos;
    uint32_t *rpo_hint;
};

struct scc_list {
    VEC(uint32_t) blocks; // concatenated
    VEC(uint32_t) starts;
};

static void strongconnect(struct builder *b, uint32_t v, uint32_t region, uint32_t header,
                          struct scc_list *out) {
    b->index[v] = b->low[v] = ++b->counter;
    b->stack[b->sp++] = v;
    b->on_stack[v] = 1;
    struct kir_inst *t = b->f->blocks.data[v]->last;
    for (uint32_t k = t->ntargets; k-- > 0;) {
        uint32_t w = t->targets[k]->id;
        if (b->region[w] != region || w == header)
            continue;
        if (!b->index[w]) {
            strongconnect(b, w, region, header, out);
            if (b->low[w] < b->low[v])
                b->low[v] = b->low[w];
        } else if (b->on_stack[w] && b->index[w] < b->low[v]) {
            b->low[v] = b->index[w];
        }
    }
    if (b->low[v] != b->index[v])
        return;
    vec_push(b->arena, &out->starts, out->blocks.len);
    uint32_t w;
    do {
        w = b->stack[--b->sp];
        b->on_stack[w] = 0;
        vec_push(b->arena, &out->blocks, w);
    } while (w != v);
}

static bool has_edge(const struct kir_block *from, const struct kir_block *to) {
    for (uint32_t k = 0; k < from->last->ntargets; k++)
        if (from->last->targets[k] == to)
            return true;
    return false;
}

static void place(struct builder *b, uint32_t v, struct cfg_loop *loop) {
    b->cfg->loop[v] = loop;
    b->cfg->pos[v] = b->next_pos;
    b->cfg->order[b->next_pos++] = b->f->blocks.data[v];
}

static void lay_out(struct builder *b, const uint32_t *blocks, uint32_t n, uint32_t first,
                    uint32_t header, struct cfg_loop *loop);

// The header of a component: the block that is entered from outside it; of several (then the
// loop is irreducible) the one that comes first in a depth-first order of the function.
static uint32_t choose_header(struct builder *b, const uint32_t *blocks, uint32_t n,
                              uint32_t region, bool *irreducible) {
    uint32_t best = NONE, entries = 0;
    for (uint32_t k = 0; k < n; k++) {
        struct kir_block *blk = b->f->blocks.data[blocks[k]];
        bool entered = blk->preds.len == 0 || blk->id == 0;
        for (uint32_t p = 0; p < blk->preds.len; p++) {
            uint32_t q = blk->preds.data[p]->id;
            entered |= b->rpo_hint[q] != NONE && b->region[q] != region;
        }
        if (!entered)
            continue;
        entries++;
        if (best == NONE || b->rpo_hint[blocks[k]] < b->rpo_hint[best])
            best = blocks[k];
    }
    *irreducible = entries > 1;
    return best == NONE ? blocks[0] : best;
}

static void lay_out_component(struct builder *b, const uint32_t *blocks, uint32_t n,
                              uint32_t header_around, struct cfg_loop *loop) {
    struct kir_block *only = b->f->blocks.data[blocks[0]];
    if (n == 1 && (only->id == header_around || !has_edge(only, only))) {
        place(b, blocks[0], loop);
        return;
    }
    uint32_t region = ++b->next_region;
    for (uint32_t k = 0; k < n; k++)
        b->region[blocks[k]] = region;
    struct cfg_loop *l = arena_new(b->arena, struct cfg_loop);
    uint32_t header = choose_header(b, blocks, n, region, &l->irreducible);
    l->parent = loop;
    l->header = b->f->blocks.data[header];
    l->depth = loop ? loop->depth + 1 : 1;
    l->index = b->cfg->loops.len;
    l->first = b->next_pos;
    vec_push(b->arena, &b->cfg->loops, l);
    lay_out(b, blocks, n, header, header, l);
    l->last = b->next_pos - 1;
}

static void lay_out(struct builder *b, const uint32_t *blocks, uint32_t n, uint32_t first,
                    uint32_t header, struct cfg_loop *loop) {
    struct scc_list list = {0};
    uint32_t region = b->region[first];
    for (uint32_t k = 0; k < n; k++)
        b->index[blocks[k]] = 0;
    if (header != NONE) {
        // The header starts the region; what is reached without it comes before in no order.
        b->index[header] = 0;
    }
    strongconnect(b, first, region, header, &list);
    for (uint32_t k = 0; k < n; k++)
        if (!b->index[blocks[k]])
            strongconnect(b, blocks[k], region, header, &list);
    // Tarjan's components come in reverse topological order. The region's first block must
    // come first even when it is not the last that was found.
    uint32_t nscc = list.starts.len;
    vec_push(b->arena, &list.starts, list.blocks.len);
    uint32_t first_scc = NONE;
    for (uint32_t s = 0; s < nscc; s++)
        for (uint32_t k = list.starts.data[s]; k < list.starts.data[s + 1]; k++)
            if (list.blocks.data[k] == first)
                first_scc = s;
    lay_out_component(b, list.blocks.data + list.starts.data[first_scc],
                      list.starts.data[first_scc + 1] - list.starts.data[first_scc], header, loop);
    for (uint32_t s = nscc; s-- > 0;)
        if (s != first_scc)
            lay_out_component(b, list.blocks.data + list.starts.data[s],
                              list.starts.data[s + 1] - list.starts.data[s], header, loop);
}

// Numbers the blocks reachable from the entry in reverse postorder.
static uint32_t number_rpo(struct builder *b, uint32_t *rpo) {
    uint32_t n = b->f->blocks.len;
    uint32_t *stack = arena_array(b->arena, uint32_t, n + 1);
    uint32_t *next = arena_array(b->arena, uint32_t, n + 1);
    uint8_t *seen = arena_array(b->arena, uint8_t, n + 1);
    uint32_t *post = arena_array(b->arena, uint32_t, n + 1);
    uint32_t sp = 0, count = 0;
    stack[sp++] = 0;
    seen[0] = 1;
    while (sp) {
        uint32_t v = stack[sp - 1];
        struct kir_inst *t = b->f->blocks.data[v]->last;
        if (next[v] < t->ntargets) {
            uint32_t w = t->targets[t->ntargets - 1 - next[v]++]->id;
            if (!seen[w]) {
                seen[w] = 1;
                stack[sp++] = w;
            }
        } else {
            post[count++] = v;
            sp--;
        }
    }
    for (uint32_t k = 0; k < n; k++)
        b->rpo_hint[k] = NONE;
    for (uint32_t k = 0; k < count; k++) {
        rpo[k] = post[count - 1 - k];
        b->rpo_hint[rpo[k]] = k;
    }
    return count;
}

static uint32_t intersect(const uint32_t *dom, const uint32_t *num, uint32_t x, uint32_t y) {
    while (x != y) {
        if (x == NONE || y == NONE)
            return NONE;
        if (num[x] > num[y])
            x = dom[x];
        else
            y = dom[y];
    }
    return x;
}

static void dominators(struct builder *b, const uint32_t *rpo, uint32_t count) {
    struct cfg *c = b->cfg;
    uint32_t *dom = c->idom;
    uint8_t *known = arena_array(b->arena, uint8_t, b->f->blocks.len + 1);
    known[0] = 1;
    dom[0] = NONE;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 1; k < count; k++) {
            struct kir_block *blk = b->f->blocks.data[rpo[k]];
            uint32_t d = NONE;
            bool first = true;
            for (uint32_t p = 0; p < blk->preds.len; p++) {
                uint32_t q = blk->preds.data[p]->id;
                if (b->rpo_hint[q] == NONE || !known[q])
                    continue;
                d = first ? q : intersect(dom, b->rpo_hint, d, q);
                first = false;
            }
            if (!known[rpo[k]] || dom[rpo[k]] != d) {
                known[rpo[k]] = 1;
                dom[rpo[k]] = d;
                changed = true;
            }
        }
    }
}

// Blocks from which an exit can be reached.
static uint8_t *blocks_with_exit(struct builder *b, uint32_t count) {
    struct cfg *c = b->cfg;
    uint8_t *exits = arena_array(b->arena, uint8_t, b->f->blocks.len + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = count; k-- > 0;) {
            struct kir_block *blk = c->order[k];
            bool e = blk->last->ntargets == 0;
            for (uint32_t t = 0; t < blk->last->ntargets; t++)
                e |= exits[blk->last->targets[t]->id];
            if (e && !exits[blk->id])
                exits[blk->id] = 1, changed = true;
        }
    }
    return exits;
}

// Postdominators: dominators of the reversed graph, whose root is a virtual exit (NONE). A
// block from which no exit can be reached counts as an exit.
static void postdominators(struct builder *b, uint32_t count) {
    struct cfg *c = b->cfg;
    uint32_t n = b->f->blocks.len, root = n;
    uint8_t *exits = blocks_with_exit(b, count);
    uint32_t *num = arena_array(b->arena, uint32_t, n + 1);
    uint32_t *post = arena_array(b->arena, uint32_t, n + 1);
    uint32_t *stack = arena_array(b->arena, uint32_t, n + 1);
    uint32_t *next = arena_array(b->arena, uint32_t, n + 1);
    uint8_t *seen = arena_array(b->arena, uint8_t, n + 1);
    uint32_t npost = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t e = c->order[k]->id, sp = 0;
        if ((c->order[k]->last->ntargets && exits[e]) || seen[e])
            continue;
        seen[e] = 1;
        stack[sp++] = e;
        while (sp) {
            uint32_t v = stack[sp - 1];
            struct kir_block *blk = b->f->blocks.data[v];
            if (next[v] < blk->preds.len) {
                uint32_t w = blk->preds.data[next[v]++]->id;
                if (c->pos[w] != NONE && !seen[w]) {
                    seen[w] = 1;
                    stack[sp++] = w;
                }
            } else {
                post[npost++] = v;
                sp--;
            }
        }
    }
    for (uint32_t k = 0; k < npost; k++)
        num[post[k]] = npost - k;
    num[root] = 0;
    uint32_t *dom = arena_array(b->arena, uint32_t, n + 1);
    for (uint32_t k = 0; k <= n; k++)
        dom[k] = NONE;
    dom[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = npost; k-- > 0;) {
            struct kir_block *blk = b->f->blocks.data[post[k]];
            uint32_t d = NONE;
            if (blk->last->ntargets == 0 || !exits[blk->id])
                d = root;
            for (uint32_t t = 0; t < blk->last->ntargets && d != root; t++) {
                uint32_t y = blk->last->targets[t]->id, x = d;
                if (dom[y] == NONE)
                    continue;
                if (x == NONE)
                    x = y;
                while (x != y) {
                    if (num[x] > num[y])
                        x = dom[x];
                    else
                        y = dom[y];
                }
                d = x;
            }
            if (dom[blk->id] != d) {
                dom[blk->id] = d;
                changed = true;
            }
        }
    }
    for (uint32_t k = 0; k < n; k++)
        c->ipdom[k] = dom[k] == root ? NONE : dom[k];
}

struct cfg *cfg_build(struct arena *a, struct kir_func *f) {
    uint32_t n = f->blocks.len;
    struct cfg *c = arena_new(a, struct cfg);
    c->func = f;
    c->order = arena_array(a, struct kir_block *, n + 1);
    c->pos = arena_array(a, uint32_t, n + 1);
    c->loop = arena_array(a, struct cfg_loop *, n + 1);
    c->idom = arena_array(a, uint32_t, n + 1);
    c->ipdom = arena_array(a, uint32_t, n + 1);
    struct builder b = {.arena = a, .cfg = c, .f = f};
    b.region = arena_array(a, uint32_t, n + 1);
    b.index = arena_array(a, uint32_t, n + 1);
    b.low = arena_array(a, uint32_t, n + 1);
    b.stack = arena_array(a, uint32_t, n + 1);
    b.on_stack = arena_array(a, uint8_t, n + 1);
    b.rpo_hint = arena_array(a, uint32_t, n + 1);
    uint32_t *rpo = arena_array(a, uint32_t, n + 1);
    uint32_t count = number_rpo(&b, rpo);
    for (uint32_t k = 0; k < n; k++) {
        c->pos[k] = c->idom[k] = c->ipdom[k] = NONE;
        b.region[k] = b.rpo_hint[k] == NONE ? NONE : 0;
    }
    lay_out(&b, rpo, count, 0, NONE, NULL);
    c->nblocks = b.next_pos;
    c->func_blocks = n;
    dominators(&b, rpo, count);
    postdominators(&b, count);
    return c;
}

static bool reaches(const uint32_t *tree, uint32_t x, uint32_t y) {
    for (; y != NONE; y = tree[y])
        if (x == y)
            return true;
    return false;
}

bool cfg_dominates(const struct cfg *c, const struct kir_block *x, const struct kir_block *y) {
    return reaches(c->idom, x->id, y->id);
}

bool cfg_postdominates(const struct cfg *c, const struct kir_block *x, const struct kir_block *y) {
    return reaches(c->ipdom, x->id, y->id);
}

bool cfg_in_loop(const struct cfg_loop *l, const struct cfg_loop *inner) {
    for (; inner; inner = inner->parent)
        if (inner == l)
            return true;
    return l == NULL;
}

struct cfg_loop *cfg_common_loop(struct cfg_loop *x, struct cfg_loop *y) {
    while (x != y) {
        if (!x || !y)
            return NULL;
        if (x->depth >= y->depth)
            x = x->parent;
        else
            y = y->parent;
    }
    return x;
}
