#include "ir/frontiers.h"

#include <stdbool.h>
#include <string.h>

#include "support/work.h"

static uint32_t new_item(struct frontiers *f, uint32_t block, uint32_t next) {
    work_spend(1);
    vec_push(f->a, &f->items, (struct frontier){block, next});
    return f->items.len;
}

// To where edges lead from each block to one that it does not dominate.
static void find_own(struct frontiers *f) {
    for (uint32_t k = 1; k < f->nreached; k++) {
        uint32_t to = f->order[k];
        for (uint32_t e = f->first_pred[to]; e < f->first_pred[to + 1]; e++) {
            uint32_t b = f->preds[e], first = f->first[b];
            if (f->turn[b] != UINT32_MAX && b != f->idom[to] &&
                !(first && f->items.data[first - 1].block == to))
                f->first[b] = new_item(f, to, first);
        }
    }
}

// Both lists as one. It ends with what is left of one of them, or with what they have in common.
static uint32_t merge(struct frontiers *f, uint32_t x, uint32_t y) {
    uint32_t begin = f->items.len, rest = 0;
    while (x != y && x && y) {
        struct frontier fx = f->items.data[x - 1], fy = f->items.data[y - 1];
        bool same = fx.block == fy.block;
        if (same && (!fx.next || !fy.next)) {
            x = fx.next ? x : 0;
            y = fx.next ? 0 : y;
            break;
        }
        bool of_x = same || f->turn[fx.block] > f->turn[fy.block];
        new_item(f, of_x ? fx.block : fy.block, 0);
        x = of_x ? fx.next : x;
        y = of_x && !same ? y : fy.next;
    }
    rest = x ? x : y;
    for (uint32_t k = f->items.len; k-- > begin;) {
        f->items.data[k].next = rest;
        rest = k + 1;
    }
    return rest;
}

// A block's list without what `above` is the dominator of, which comes behind it in order.
static uint32_t leave_below(struct frontiers *f, uint32_t list, uint32_t above) {
    uint32_t begin = f->items.len, kept = list, at = list;
    for (; at && f->turn[f->items.data[at - 1].block] > f->turn[above];
         at = f->items.data[at - 1].next)
        if (f->idom[f->items.data[at - 1].block] == above)
            kept = f->items.data[at - 1].next; // what follows it is shared
    for (at = list; at != kept; at = f->items.data[at - 1].next)
        if (f->idom[f->items.data[at - 1].block] != above)
            new_item(f, f->items.data[at - 1].block, 0);
    for (uint32_t k = f->items.len; k-- > begin;) {
        f->items.data[k].next = kept;
        kept = k + 1;
    }
    return kept;
}

// Those above a block that has `to` in its frontier have it, too, up to the one that dominates
// `to`.
void frontiers_find(struct frontiers *f) {
    f->first = arena_array(f->a, uint32_t, f->nblocks + 1);
    f->turn = arena_array(f->a, uint32_t, f->nblocks + 1);
    memset(f->turn, 0xff, f->nblocks * sizeof *f->turn);
    for (uint32_t k = 0; k < f->nreached; k++)
        f->turn[f->order[k]] = k;
    find_own(f);
    for (uint32_t k = f->nreached; k-- > 1;) {
        uint32_t b = f->order[k], above = f->idom[b];
        f->first[above] = merge(f, f->first[above], leave_below(f, f->first[b], above));
    }
}
