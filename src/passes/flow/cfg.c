// Layout, loops and dominators. The layout is made by taking strongly connected components
// in topological order; inside a component the edges to its header are removed and the rest
// is laid out the same way. So every control-flow graph gets a layout, irreducible ones too.
// Where each loop is entered at one block alone the components are those of Tarjan's Testing Flow
// Graph Reducibility, found in one walk for all levels; their order is that of a depth-first walk.
#include "passes/flow/cfg.h"

#include <string.h>

#include "ir/dominators.h"
#include "ir/order.h"

enum { NONE = UINT32_MAX };

struct builder {
    struct arena *arena, *tmp;
    struct cfg *cfg;
    struct kir_func *f;
    uint32_t *blocks; // all of them, those of a component side by side, at each level
    uint32_t *region; // which nested region a block belongs to now
    uint32_t *index, *low;
    uint8_t *on_stack;
    uint32_t *stack, sp;
    uint32_t *path, *edge; // how a block was reached, and its edges still to follow
    uint32_t *found;       // blocks, component by component in reverse topological order
    uint32_t nfound;
    VEC(uint32_t) starts; // where components begin there
    uint32_t counter, next_region, next_pos;
    uint64_t nested; // blocks of all loops so far
    uint32_t *rpo_hint;
};

// Blocks [first, end) of b->blocks, which are to be laid out inside `loop`.
struct component {
    uint32_t first, end;
    uint32_t header_around;
    struct cfg_loop *loop;
};

typedef VEC(struct component) component_list;

static void enter_block(struct builder *b, uint32_t v) {
    b->index[v] = b->low[v] = ++b->counter;
    b->stack[b->sp++] = v;
    b->on_stack[v] = 1;
    b->edge[v] = b->f->blocks.data[v]->last->ntargets;
}

static void leave_block(struct builder *b, uint32_t v) {
    if (b->low[v] != b->index[v])
        return;
    vec_push(b->tmp, &b->starts, b->nfound);
    uint32_t w;
    do {
        w = b->stack[--b->sp];
        b->on_stack[w] = 0;
        b->found[b->nfound++] = w;
    } while (w != v);
}

// Tarjan's algorithm from `from` on, with a path of its own: functions have any number of blocks.
static void connect(struct builder *b, uint32_t from, uint32_t region, uint32_t header) {
    uint32_t n = 0;
    b->path[n++] = from;
    enter_block(b, from);
    while (n) {
        uint32_t v = b->path[n - 1];
        if (b->edge[v]) {
            uint32_t w = b->f->blocks.data[v]->last->targets[--b->edge[v]]->id;
            if (b->region[w] != region || w == header)
                continue;
            if (!b->index[w]) {
                b->path[n++] = w;
                enter_block(b, w);
            } else if (b->on_stack[w] && b->index[w] < b->low[v]) {
                b->low[v] = b->index[w];
            }
            continue;
        }
        leave_block(b, v);
        n--;
        if (n && b->low[v] < b->low[b->path[n - 1]])
            b->low[b->path[n - 1]] = b->low[v];
    }
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

// What is inside a component, as components of their own; `first` starts it.
static void split(struct builder *b, const struct component *all, uint32_t first, uint32_t header,
                  struct cfg_loop *loop, component_list *todo) {
    uint32_t *blocks = b->blocks + all->first, n = all->end - all->first;
    uint32_t region = b->region[first];
    b->nfound = b->starts.len = 0;
    for (uint32_t k = 0; k < n; k++)
        b->index[blocks[k]] = 0;
    connect(b, first, region, header);
    for (uint32_t k = 0; k < n; k++)
        if (!b->index[blocks[k]])
            connect(b, blocks[k], region, header);
    memcpy(blocks, b->found, n * sizeof *blocks);
    vec_push(b->tmp, &b->starts, n);
    // The region's first block must come first even when its component is not the last that was
    // found. What is pushed last is laid out first.
    uint32_t first_scc = NONE;
    for (uint32_t s = 0; s + 1 < b->starts.len; s++) {
        struct component c = {all->first + b->starts.data[s], all->first + b->starts.data[s + 1],
                              header, loop};
        for (uint32_t k = c.first; k < c.end && first_scc == NONE; k++)
            if (b->blocks[k] == first)
                first_scc = s;
        if (first_scc != s)
            vec_push(b->tmp, todo, c);
    }
    vec_push(b->tmp, todo,
             (struct component){all->first + b->starts.data[first_scc],
                                all->first + b->starts.data[first_scc + 1], header, loop});
}

static void lay_out_component(struct builder *b, const struct component *c, component_list *todo) {
    const uint32_t *blocks = b->blocks + c->first;
    uint32_t n = c->end - c->first;
    struct kir_block *only = b->f->blocks.data[blocks[0]];
    if (n == 1 && (only->id == c->header_around || !has_edge(only, only))) {
        place(b, blocks[0], c->loop);
        return;
    }
    uint32_t region = ++b->next_region;
    b->nested += n;
    for (uint32_t k = 0; k < n; k++)
        b->region[blocks[k]] = region;
    struct cfg_loop *l = arena_new(b->arena, struct cfg_loop);
    uint32_t header = choose_header(b, blocks, n, region, &l->irreducible);
    l->parent = c->loop;
    l->outermost = c->loop ? c->loop->outermost : l;
    l->header = b->f->blocks.data[header];
    l->depth = c->loop ? c->loop->depth + 1 : 1;
    l->in_irreducible = l->irreducible || (c->loop && c->loop->in_irreducible);
    l->index = b->cfg->loops.len;
    l->first = b->next_pos;
    l->last = b->next_pos + n - 1;
    vec_push(b->arena, &b->cfg->loops, l);
    split(b, c, header, header, l, todo);
}

static bool lay_out_any(struct builder *b, uint32_t n) {
    component_list todo = {0};
    split(b, &(struct component){.end = n}, 0, NONE, NULL, &todo);
    while (todo.len) {
        struct component c = todo.data[--todo.len];
        if (b->nested > CFG_MOST_NESTED)
            return false;
        lay_out_component(b, &c, &todo);
    }
    return true;
}

// ---- loops that are entered at one block ----------------------------------------------------

// By block; a loop is named by its header.
struct loop_tree {
    bool *is_header;
    uint32_t *joined;       // a block or inner loop that it was put into, towards the outermost one
    uint32_t *around;       // the loop around it, of headers the one around theirs
    uint32_t *size;         // of headers: blocks
    uint32_t *first, *next; // what is in a loop, but its header; what follows it there; NONE
};

static uint32_t outermost(uint32_t *joined, uint32_t v) {
    while (joined[v] != v)
        v = joined[v] = joined[joined[v]];
    return v;
}

// Finds headers. False: an edge goes back to a block that does not dominate its source.
static bool find_headers(struct builder *b, const uint32_t *rpo, uint32_t count, bool *is_header) {
    const struct cfg *c = b->cfg;
    for (uint32_t k = 0; k < count; k++) {
        const struct kir_block *from = b->f->blocks.data[rpo[k]];
        for (uint32_t t = 0; t < from->last->ntargets; t++) {
            const struct kir_block *to = from->last->targets[t];
            if (b->rpo_hint[to->id] > k)
                continue;
            if (!cfg_dominates(c, to, from))
                return false;
            is_header[to->id] = true;
        }
    }
    return true;
}

// What lies on a way from a loop's header back to it, for inner loops first.
static void join_loops(struct builder *b, struct loop_tree *t, const uint32_t *rpo,
                       uint32_t count) {
    for (uint32_t k = count; k-- > 0;) {
        uint32_t header = rpo[k], n = 0, v = header;
        t->size[header] = 1;
        if (!t->is_header[header])
            continue;
        do {
            const struct kir_block *x = b->f->blocks.data[v];
            for (uint32_t p = 0; p < x->preds.len; p++) {
                uint32_t q = x->preds.data[p]->id;
                // Into the header only what goes back.
                if (b->rpo_hint[q] == NONE || b->rpo_hint[q] < k)
                    continue;
                q = outermost(t->joined, q);
                if (q == header)
                    continue;
                t->joined[q] = t->around[q] = header;
                t->size[header] += t->size[q];
                b->stack[n++] = q;
            }
            v = n ? b->stack[--n] : NONE;
        } while (v != NONE);
    }
}

static struct cfg_loop *begin_loop(struct builder *b, const struct loop_tree *t, uint32_t header,
                                   struct cfg_loop *around) {
    struct cfg_loop *l = arena_new(b->arena, struct cfg_loop);
    l->parent = around;
    l->outermost = around ? around->outermost : l;
    l->header = b->f->blocks.data[header];
    l->depth = around ? around->depth + 1 : 1;
    l->index = b->cfg->loops.len;
    l->first = b->next_pos;
    l->last = b->next_pos + t->size[header] - 1;
    vec_push(b->arena, &b->cfg->loops, l);
    return l;
}

static void place_loops(struct builder *b, const struct loop_tree *t, uint32_t v) {
    struct cfg_loop *l = NULL;
    uint32_t depth = 0;
    while (v != NONE) {
        if (t->is_header[v]) {
            l = begin_loop(b, t, v, l);
            b->path[depth++] = v;
        }
        place(b, v, l);
        v = t->is_header[v] ? t->first[v] : t->next[v];
        for (; v == NONE && depth; l = l->parent)
            v = t->next[b->path[--depth]];
    }
}

// False: the function has other loops, and nothing is placed.
static bool lay_out_reducible(struct builder *b, const uint32_t *rpo, uint32_t count) {
    uint32_t n = b->f->blocks.len, outside = n;
    struct loop_tree t = {.is_header = arena_array(b->tmp, bool, n + 1)};
    if (!find_headers(b, rpo, count, t.is_header))
        return false;
    t.joined = arena_array(b->tmp, uint32_t, n + 1);
    t.around = arena_array(b->tmp, uint32_t, n + 1);
    t.size = arena_array(b->tmp, uint32_t, n + 1);
    t.first = arena_array(b->tmp, uint32_t, n + 1);
    t.next = arena_array(b->tmp, uint32_t, n + 1);
    for (uint32_t v = 0; v <= n; v++) {
        t.joined[v] = v;
        t.around[v] = outside;
        t.first[v] = NONE;
    }
    join_loops(b, &t, rpo, count);
    for (uint32_t k = count; k-- > 0;) {
        uint32_t v = rpo[k], around = t.around[v];
        t.next[v] = t.first[around];
        t.first[around] = v;
        b->nested += t.is_header[v] ? t.size[v] : 0;
    }
    place_loops(b, &t, t.first[outside]);
    return true;
}

static bool lay_out(struct builder *b, const uint32_t *rpo, uint32_t count) {
    return lay_out_reducible(b, rpo, count) ? b->nested <= CFG_MOST_NESTED : lay_out_any(b, count);
}

// ---- trees ----------------------------------------------------------------------------------

// Numbers the blocks reachable from the entry in reverse postorder.
static uint32_t number_rpo(struct builder *b, uint32_t *rpo) {
    uint32_t n = b->f->blocks.len;
    uint32_t *stack = arena_array(b->tmp, uint32_t, n + 1);
    uint32_t *next = arena_array(b->tmp, uint32_t, n + 1);
    uint8_t *seen = arena_array(b->tmp, uint8_t, n + 1);
    uint32_t *post = arena_array(b->tmp, uint32_t, n + 1);
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

// Numbers a tree's nodes so that those below a node have the numbers in[node] to last[node].
// order: parents come before what is below them.
static void number_tree(struct builder *b, const uint32_t *parent, const uint32_t *order,
                        uint32_t count, uint32_t **in, uint32_t **last) {
    uint32_t n = b->f->blocks.len, roots = 1;
    uint32_t *size = arena_array(b->tmp, uint32_t, n + 1);
    uint32_t *next = arena_array(b->tmp, uint32_t, n + 1);
    *in = arena_array(b->arena, uint32_t, n + 1);
    *last = arena_array(b->arena, uint32_t, n + 1);
    for (uint32_t k = count; k-- > 0;) {
        size[order[k]]++;
        if (parent[order[k]] != NONE)
            size[parent[order[k]]] += size[order[k]];
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t v = order[k], *free_number = parent[v] == NONE ? &roots : &next[parent[v]];
        (*in)[v] = *free_number;
        (*last)[v] = *free_number + size[v] - 1;
        next[v] = *free_number + 1;
        *free_number += size[v];
    }
}

static void dominators(struct builder *b, const struct kir_edges *e, const uint32_t *rpo,
                       uint32_t count) {
    struct cfg *c = b->cfg;
    uint32_t n = b->f->blocks.len;
    struct dominator_graph g = {n, 0, e->first_succ, e->succs, e->first_pred, e->preds};
    dominators_find(b->tmp, &g, c->idom, arena_array(b->tmp, uint32_t, n));
    c->idom[0] = NONE;
    number_tree(b, c->idom, rpo, count, &c->dom_in, &c->dom_last);
}

// Blocks from which an exit can be reached.
static uint8_t *blocks_with_exit(struct builder *b, uint32_t count) {
    struct cfg *c = b->cfg;
    uint8_t *exits = arena_array(b->tmp, uint8_t, b->f->blocks.len + 1);
    uint32_t *todo = arena_array(b->tmp, uint32_t, b->f->blocks.len + 1), n = 0;
    for (uint32_t k = 0; k < count; k++)
        if (c->order[k]->last->ntargets == 0) {
            exits[c->order[k]->id] = 1;
            todo[n++] = c->order[k]->id;
        }
    while (n) {
        const struct kir_block *x = b->f->blocks.data[todo[--n]];
        for (uint32_t p = 0; p < x->preds.len; p++) {
            uint32_t y = x->preds.data[p]->id;
            if (c->pos[y] == NONE || exits[y])
                continue;
            exits[y] = 1;
            todo[n++] = y;
        }
    }
    return exits;
}

// Postdominators: dominators of the reversed graph, whose root is a virtual exit, node n. A block
// from which no exit can be reached counts as an exit.
static void postdominators(struct builder *b, const struct kir_edges *e, uint32_t count) {
    struct cfg *c = b->cfg;
    uint32_t n = b->f->blocks.len, ends = 0, edges = 0;
    const uint8_t *exits = blocks_with_exit(b, count);
    uint32_t *first_succ = arena_array(b->tmp, uint32_t, n + 2);
    uint32_t *succs = arena_array(b->tmp, uint32_t, e->first_pred[n] + n + 1);
    uint32_t *first_pred = arena_array(b->tmp, uint32_t, n + 2);
    uint32_t *preds = arena_array(b->tmp, uint32_t, e->first_succ[n] + n + 1);
    for (uint32_t v = 0; v < n; v++) {
        first_succ[v] = edges;
        first_pred[v] = ends;
        if (c->pos[v] == NONE)
            continue;
        for (uint32_t k = e->first_pred[v]; k < e->first_pred[v + 1]; k++)
            if (c->pos[e->preds[k]] != NONE)
                succs[edges++] = e->preds[k];
        for (uint32_t k = e->first_succ[v]; k < e->first_succ[v + 1]; k++)
            preds[ends++] = e->succs[k];
        if (e->first_succ[v] == e->first_succ[v + 1] || !exits[v])
            preds[ends++] = n;
    }
    first_succ[n] = edges;
    first_pred[n] = first_pred[n + 1] = ends;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t v = c->order[k]->id;
        if (c->order[k]->last->ntargets == 0 || !exits[v])
            succs[edges++] = v;
    }
    first_succ[n + 1] = edges;
    struct dominator_graph g = {n + 1, n, first_succ, succs, first_pred, preds};
    uint32_t *dom = arena_array(b->tmp, uint32_t, n + 1);
    uint32_t *order = arena_array(b->tmp, uint32_t, n + 1);
    uint32_t found = dominators_find(b->tmp, &g, dom, order);
    for (uint32_t k = 0; k < n; k++)
        c->ipdom[k] = dom[k] == n ? NONE : dom[k];
    // Behind the virtual exit, which comes first.
    number_tree(b, c->ipdom, order + 1, found - 1, &c->pdom_in, &c->pdom_last);
}

// Which of a block's preds an edge to it is, and the other way round.
static void match_edges(struct builder *b, const struct kir_edges *e) {
    struct cfg *c = b->cfg;
    uint32_t n = b->f->blocks.len, edges = e->first_succ[n], preds = e->first_pred[n];
    c->first_edge = arena_memdup(b->arena, e->first_succ, (n + 1) * sizeof *e->first_succ);
    c->first_pred = arena_memdup(b->arena, e->first_pred, (n + 1) * sizeof *e->first_pred);
    c->edge_pred = arena_array(b->arena, uint32_t, edges + 1);
    c->pred_edge = arena_array(b->arena, uint32_t, preds + 1);
    // The edges by the block that they lead to, those of one block side by side.
    uint32_t *first = arena_array(b->tmp, uint32_t, n + 2);
    uint32_t *from = arena_array(b->tmp, uint32_t, edges + 1);
    uint32_t *edge = arena_array(b->tmp, uint32_t, edges + 1);
    uint32_t *next = arena_array(b->tmp, uint32_t, n + 1); // by block: its next edge there
    for (uint32_t k = 0; k < edges; k++)
        first[e->succs[k] + 2]++;
    for (uint32_t v = 1; v < n + 2; v++)
        first[v] += first[v - 1];
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t k = e->first_succ[v]; k < e->first_succ[v + 1]; k++) {
            uint32_t at = first[e->succs[k] + 1]++;
            from[at] = v;
            edge[at] = k;
        }
    for (uint32_t to = 0; to < n; to++) {
        for (uint32_t k = first[to + 1]; k-- > first[to];)
            next[from[k]] = k;
        for (uint32_t p = e->first_pred[to]; p < e->first_pred[to + 1]; p++) {
            uint32_t v = e->preds[p], k = edge[next[v]++];
            c->edge_pred[k] = p - e->first_pred[to];
            c->pred_edge[p] = k - e->first_succ[v];
        }
    }
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
    struct arena tmp = {0};
    struct builder b = {.arena = a, .tmp = &tmp, .cfg = c, .f = f};
    b.region = arena_array(&tmp, uint32_t, n + 1);
    b.index = arena_array(&tmp, uint32_t, n + 1);
    b.low = arena_array(&tmp, uint32_t, n + 1);
    b.stack = arena_array(&tmp, uint32_t, n + 1);
    b.path = arena_array(&tmp, uint32_t, n + 1);
    b.edge = arena_array(&tmp, uint32_t, n + 1);
    b.found = arena_array(&tmp, uint32_t, n + 1);
    b.on_stack = arena_array(&tmp, uint8_t, n + 1);
    b.rpo_hint = arena_array(&tmp, uint32_t, n + 1);
    uint32_t *rpo = arena_array(&tmp, uint32_t, n + 1);
    uint32_t count = number_rpo(&b, rpo);
    for (uint32_t k = 0; k < n; k++) {
        c->pos[k] = c->idom[k] = c->ipdom[k] = NONE;
        b.region[k] = b.rpo_hint[k] == NONE ? NONE : 0;
    }
    struct kir_edges e = kir_edges_of(f, &tmp);
    dominators(&b, &e, rpo, count);
    b.blocks = arena_memdup(&tmp, rpo, count * sizeof *rpo);
    if (!lay_out(&b, rpo, count)) {
        arena_free(&tmp);
        return NULL;
    }
    c->nblocks = b.next_pos;
    c->func_blocks = n;
    match_edges(&b, &e);
    postdominators(&b, &e, count);
    arena_free(&tmp);
    return c;
}

// Blocks that are not in a tree have the number 0.
static bool is_below(const uint32_t *in, const uint32_t *last, uint32_t x, uint32_t y) {
    return x == y || (in[x] && in[x] <= in[y] && in[y] <= last[x]);
}

bool cfg_dominates(const struct cfg *c, const struct kir_block *x, const struct kir_block *y) {
    return is_below(c->dom_in, c->dom_last, x->id, y->id);
}

bool cfg_postdominates(const struct cfg *c, const struct kir_block *x, const struct kir_block *y) {
    return is_below(c->pdom_in, c->pdom_last, x->id, y->id);
}

// What is inside a loop lies within its part of the layout.
bool cfg_in_loop(const struct cfg_loop *l, const struct cfg_loop *inner) {
    return !l || (inner && l->first <= inner->first && inner->first <= l->last);
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
