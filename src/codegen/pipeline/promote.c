// From variables to SSA values, by Cytron and others: Efficiently Computing Static Single
// Assignment Form and the Control Dependence Graph. Dominance frontiers are found once for all
// variables. Phis are records until one is used, so that those that nothing uses cost little.
#include "codegen/pipeline/promote.h"
#include "codegen/core/state.h"

#include <string.h>

#include "ir/dominators.h"
#include "ir/frontiers.h"
#include "support/vec.h"
#include "support/work.h"

enum { NONE = UINT32_MAX };

// A load or store of a variable.
struct access {
    LLVMValueRef inst;
    uint32_t var;
};

// What a variable holds: a value; a phi, plus one; neither: nobody has stored there.
struct def {
    LLVMValueRef v;
    uint32_t phi;
};

struct phi {
    uint32_t var, block, next; // next: of the block, plus one
    uint32_t first_operand;    // one for each edge to the block
    LLVMValueRef made;
};

struct undo {
    uint32_t var;
    struct def was;
};

struct promoter {
    struct cg *c;
    struct arena *a;
    LLVMValueRef *keys; // a hash table of blocks and variables
    uint32_t *numbers, slots;
    uint32_t nblocks, nvars;
    LLVMBasicBlockRef *block;
    LLVMValueRef *var;
    uint8_t *stays; // by variable: in memory
    bool any_stays;
    VEC(struct access) accesses;
    uint32_t *first_access; // by block
    uint32_t *first_succ, *succs, *first_pred, *preds;
    uint32_t *edge; // by place in succs: which of the preds it is
    uint32_t *idom, *order, nreached;
    uint32_t *child, *sibling; // the dominator tree; plus one
    uint32_t *in, *last;       // by block: the numbers of those that it dominates
    uint32_t *place, *around;  // see find_retreats
    struct frontiers frontiers;
    VEC(struct phi) phis;
    uint32_t *first_phi; // by block, plus one
    struct def *operands;
    VEC(uint32_t) todo; // phis that are made and whose operands may not be
    struct def *now;    // by variable
    VEC(struct undo) log;
};

// ---- numbers --------------------------------------------------------------------------------

static uint32_t *number_of(struct promoter *p, LLVMValueRef v) {
    uint64_t h = (uint64_t)(uintptr_t)v * 0x9e3779b97f4a7c15ull >> 24;
    for (;; h++) {
        uint32_t k = h & (p->slots - 1);
        if (!p->keys[k] || p->keys[k] == v)
            return &p->numbers[k];
    }
}

static void number(struct promoter *p, LLVMValueRef v, uint32_t n) {
    uint32_t *at = number_of(p, v);
    p->keys[at - p->numbers] = v;
    *at = n + 1;
}

static uint32_t block_number(struct promoter *p, LLVMBasicBlockRef b) {
    return *number_of(p, LLVMBasicBlockAsValue(b)) - 1;
}

// The variable that an instruction loads or stores, plus one.
static uint32_t variable_of(struct promoter *p, LLVMValueRef i, LLVMOpcode op) {
    if (op != LLVMLoad && op != LLVMStore)
        return 0;
    LLVMValueRef at = LLVMGetOperand(i, op == LLVMStore);
    return LLVMIsAAllocaInst(at) ? *number_of(p, at) : 0;
}

// ---- which variables ------------------------------------------------------------------------

static bool is_plain(LLVMValueRef i, LLVMValueRef alloca, LLVMTypeRef t) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if ((op != LLVMLoad && op != LLVMStore) || LLVMGetVolatile(i) ||
        LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
        return false;
    return op == LLVMLoad ? LLVMTypeOf(i) == t
                          : LLVMGetOperand(i, 0) != alloca && LLVMTypeOf(LLVMGetOperand(i, 0)) == t;
}

static bool is_promotable(LLVMValueRef alloca) {
    LLVMTypeRef t = LLVMGetAllocatedType(alloca);
    LLVMTypeKind k = LLVMGetTypeKind(t);
    LLVMValueRef n = LLVMGetOperand(alloca, 0);
    if (k == LLVMStructTypeKind || k == LLVMArrayTypeKind || !LLVMIsAConstantInt(n) ||
        LLVMConstIntGetZExtValue(n) != 1)
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(alloca); u; u = LLVMGetNextUse(u))
        if (!LLVMIsAInstruction(LLVMGetUser(u)) || !is_plain(LLVMGetUser(u), alloca, t))
            return false;
    return true;
}

static void find_variables(struct promoter *p, LLVMValueRef f) {
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f);
    uint32_t n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
        n += LLVMIsAAllocaInst(i) != NULL;
    p->nblocks = LLVMCountBasicBlocks(f);
    for (p->slots = 64; p->slots < 2 * (n + p->nblocks);)
        p->slots *= 2;
    p->keys = arena_array(p->a, LLVMValueRef, p->slots);
    p->numbers = arena_array(p->a, uint32_t, p->slots);
    p->var = arena_array(p->a, LLVMValueRef, n + 1);
    p->block = arena_array(p->a, LLVMBasicBlockRef, p->nblocks + 1);
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && is_promotable(i)) {
            number(p, i, p->nvars);
            p->var[p->nvars++] = i;
        }
}

static void find_accesses(struct promoter *p) {
    p->first_access = arena_array(p->a, uint32_t, p->nblocks + 1);
    for (uint32_t b = 0; b < p->nblocks; b++) {
        p->first_access[b] = p->accesses.len;
        for (LLVMValueRef i = LLVMGetFirstInstruction(p->block[b]); i;
             i = LLVMGetNextInstruction(i)) {
            uint32_t var = variable_of(p, i, LLVMGetInstructionOpcode(i));
            if (var)
                vec_push(p->a, &p->accesses, (struct access){i, var - 1});
        }
    }
    p->first_access[p->nblocks] = p->accesses.len;
}

// ---- empty blocks ---------------------------------------------------------------------------

// Where a block leads that does nothing but jump to one without phis; NULL: it is no such block.
static LLVMBasicBlockRef leads_to(LLVMBasicBlockRef b) {
    LLVMValueRef i = LLVMGetFirstInstruction(b);
    if (LLVMGetInstructionOpcode(i) != LLVMBr || LLVMGetNumSuccessors(i) != 1)
        return NULL;
    LLVMBasicBlockRef to = LLVMGetSuccessor(i, 0);
    return to == b || LLVMIsAPHINode(LLVMGetFirstInstruction(to)) ? NULL : to;
}

// By block number: where a jump there ends, plus one. What leads on in a circle stays.
static uint32_t *find_ends(struct promoter *p) {
    uint32_t *end = arena_array(p->a, uint32_t, p->nblocks + 1);
    uint32_t *way = arena_array(p->a, uint32_t, p->nblocks + 1);
    for (uint32_t b = 0; b < p->nblocks; b++) {
        uint32_t n = 0, at = b;
        for (LLVMBasicBlockRef to; !end[at] && (to = leads_to(p->block[at]));) {
            end[at] = at + 1; // until it is known: stops a circle
            way[n++] = at;
            at = block_number(p, to);
        }
        for (end[at] = end[at] ? end[at] : at + 1; n; n--)
            end[way[n - 1]] = end[at];
    }
    return end;
}

// Jumps to blocks that only jump on go where these go. LLVM would move such blocks' edges one by
// one, and go through all edges of the block behind them each time.
static void pass_empty_blocks(struct promoter *p) {
    const uint32_t *end = find_ends(p);
    for (uint32_t b = 0; b < p->nblocks; b++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(p->block[b]);
        for (unsigned k = 0, n = LLVMGetNumSuccessors(t); k < n; k++) {
            uint32_t to = block_number(p, LLVMGetSuccessor(t, k));
            if (end[to] != to + 1)
                LLVMSetSuccessor(t, k, p->block[end[to] - 1]);
        }
    }
    for (uint32_t b = 1; b < p->nblocks; b++)
        if (end[b] != b + 1 && !LLVMGetFirstUse(LLVMBasicBlockAsValue(p->block[b]))) {
            LLVMDeleteBasicBlock(p->block[b]);
            p->block[b] = NULL;
        }
}

static void number_blocks(struct promoter *p, LLVMValueRef f) {
    p->nblocks = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        number(p, LLVMBasicBlockAsValue(b), p->nblocks);
        p->block[p->nblocks++] = b;
    }
}

// ---- the graph ------------------------------------------------------------------------------

static void find_edges(struct promoter *p) {
    uint32_t n = p->nblocks, edges = 0;
    p->first_succ = arena_array(p->a, uint32_t, n + 1);
    p->first_pred = arena_array(p->a, uint32_t, n + 2);
    for (uint32_t b = 0; b < n; b++) {
        p->first_succ[b] = edges;
        edges += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(p->block[b]));
    }
    p->first_succ[n] = edges;
    p->succs = arena_array(p->a, uint32_t, edges + 1);
    p->preds = arena_array(p->a, uint32_t, edges + 1);
    p->edge = arena_array(p->a, uint32_t, edges + 1);
    for (uint32_t b = 0; b < n; b++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(p->block[b]);
        for (uint32_t k = p->first_succ[b]; k < p->first_succ[b + 1]; k++) {
            p->succs[k] = block_number(p, LLVMGetSuccessor(t, k - p->first_succ[b]));
            p->first_pred[p->succs[k] + 1]++;
        }
    }
    for (uint32_t b = 0; b < n; b++)
        p->first_pred[b + 1] += p->first_pred[b];
    uint32_t *next = arena_memdup(p->a, p->first_pred, (n + 1) * sizeof *next);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t k = p->first_succ[b]; k < p->first_succ[b + 1]; k++) {
            p->edge[k] = next[p->succs[k]]++;
            p->preds[p->edge[k]] = b;
        }
}

static void find_tree(struct promoter *p) {
    uint32_t n = p->nblocks;
    struct dominator_graph g = {n, 0, p->first_succ, p->succs, p->first_pred, p->preds};
    p->idom = arena_array(p->a, uint32_t, n + 1);
    p->order = arena_array(p->a, uint32_t, n + 1);
    p->child = arena_array(p->a, uint32_t, n + 1);
    p->sibling = arena_array(p->a, uint32_t, n + 1);
    p->nreached = dominators_find(p->a, &g, p->idom, p->order);
    for (uint32_t k = p->nreached; k-- > 1;) {
        uint32_t b = p->order[k];
        p->sibling[b] = p->child[p->idom[b]];
        p->child[p->idom[b]] = b + 1;
    }
}

// Numbers the tree so that those below a block have the numbers in[block] to last[block].
static void number_tree(struct promoter *p) {
    uint32_t *next = arena_array(p->a, uint32_t, p->nblocks + 1);
    p->in = arena_array(p->a, uint32_t, p->nblocks + 1);
    p->last = arena_array(p->a, uint32_t, p->nblocks + 1);
    for (uint32_t k = p->nreached; k-- > 0;) {
        uint32_t b = p->order[k];
        p->last[b]++;
        if (k)
            p->last[p->idom[b]] += p->last[b];
    }
    for (uint32_t k = 0; k < p->nreached; k++) {
        uint32_t b = p->order[k], above = p->idom[b];
        p->in[b] = k ? next[above] : 0;
        next[above] += k ? p->last[b] : 0;
        next[b] = p->in[b] + 1;
        p->last[b] += p->in[b] - 1;
    }
}

static bool is_below(const struct promoter *p, uint32_t b, uint32_t above) {
    return p->in[above] < p->in[b] && p->in[b] <= p->last[above];
}

// By place: the block, in reverse postorder: only what closes a loop goes back.
static uint32_t *blocks_by_place(struct promoter *p) {
    uint32_t *stack = arena_array(p->a, uint32_t, p->nblocks + 1), n = 0;
    uint32_t *next = arena_memdup(p->a, p->first_succ, (p->nblocks + 1) * sizeof *next);
    uint32_t *at = arena_array(p->a, uint32_t, p->nreached + 1), place = p->nreached;
    uint8_t *seen = arena_array(p->a, uint8_t, p->nblocks + 1);
    stack[n++] = 0;
    seen[0] = 1;
    while (n) {
        uint32_t b = stack[n - 1];
        if (next[b] == p->first_succ[b + 1]) {
            at[--place] = b;
            n--;
            continue;
        }
        uint32_t to = p->succs[next[b]++];
        if (!seen[to]) {
            seen[to] = 1;
            stack[n++] = to;
        }
    }
    return at;
}

// place: by block, its place in that order. around: by place,
// the last one in front of it to which an edge from there or from behind goes back; NONE: none
// does. Whoever comes from a place to one in front of it comes to one of those around it.
static void find_retreats(struct promoter *p) {
    uint32_t n = p->nreached, len = 0;
    uint32_t *stack = arena_array(p->a, uint32_t, n + 1);
    uint32_t *end = arena_array(p->a, uint32_t, n + 1); // by place: behind all that go back there
    p->place = arena_array(p->a, uint32_t, p->nblocks + 1);
    p->around = arena_array(p->a, uint32_t, n + 1);
    const uint32_t *at = blocks_by_place(p);
    for (uint32_t k = 0; k < n; k++)
        p->place[at[k]] = k;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t b = at[k];
        for (uint32_t e = p->first_pred[b]; e < p->first_pred[b + 1]; e++) {
            uint32_t from = p->place[p->preds[e]];
            if (p->idom[p->preds[e]] != NONE && from >= k && from + 1 > end[k])
                end[k] = from + 1;
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        while (len && end[stack[len - 1]] <= k)
            len--;
        p->around[k] = len ? stack[len - 1] : NONE;
        if (end[k])
            stack[len++] = k;
    }
}

// Dominance frontiers of all blocks.
static void find_frontiers(struct promoter *p) {
    p->frontiers = (struct frontiers){.a = p->a,
                                      .nblocks = p->nblocks,
                                      .nreached = p->nreached,
                                      .order = p->order,
                                      .idom = p->idom,
                                      .first_pred = p->first_pred,
                                      .preds = p->preds};
    frontiers_find(&p->frontiers);
}

// ---- phis -----------------------------------------------------------------------------------

// Of a variable.
struct uses {
    uint32_t first; // in a list of blocks that store to it, one variable's side by side
    uint32_t least,
        most;       // what dominates all blocks that load it before they store has these below
    uint32_t place; // the last place of such a block
    bool loaded;    // there are such blocks
    uint32_t kept;  // one that stores and dominates all of them, the nearest one; NONE: none
};

static void add_load(struct promoter *p, struct uses *u, uint32_t b) {
    u->least = u->loaded && u->least < p->in[b] ? u->least : p->in[b];
    u->most = u->loaded && u->most > p->in[b] ? u->most : p->in[b];
    u->place = u->loaded && u->place > p->place[b] ? u->place : p->place[b];
    u->loaded = true;
}

// The blocks that store to a variable, each once; uses: by variable, one more at the end.
static uint32_t *find_uses(struct promoter *p, struct uses *uses) {
    uint32_t *stores = arena_array(p->a, uint32_t, p->accesses.len + 1), all = 0;
    uint32_t *last = arena_array(p->a, uint32_t, p->nvars + 1); // a block that stores, plus one
    uint32_t *count = arena_array(p->a, uint32_t, p->nvars + 1);
    for (int round = 0; round < 2; round++) {
        memset(last, 0, p->nvars * sizeof *last);
        for (uint32_t b = 0; b < p->nblocks; b++)
            for (uint32_t k = p->first_access[b]; k < p->first_access[b + 1]; k++) {
                uint32_t v = p->accesses.data[k].var;
                if (last[v] == b + 1 || p->idom[b] == NONE)
                    continue;
                if (LLVMIsALoadInst(p->accesses.data[k].inst)) {
                    add_load(p, &uses[v], b);
                    continue;
                }
                last[v] = b + 1;
                if (round)
                    stores[uses[v].first + --count[v]] = b;
                else
                    count[v]++;
            }
        for (uint32_t v = 0; v <= p->nvars && !round; v++) {
            uses[v].first = all;
            all += v < p->nvars ? count[v] : 0;
        }
    }
    for (uint32_t v = 0; v < p->nvars; v++) {
        struct uses *u = &uses[v];
        u->kept = NONE;
        for (uint32_t k = u->first; k < u[1].first; k++)
            if (p->in[stores[k]] < u->least && u->most <= p->last[stores[k]] &&
                (u->kept == NONE || p->in[stores[k]] > p->in[u->kept]))
                u->kept = stores[k];
    }
    return stores;
}

// Can a load see what the variable holds where b begins? No way leads around a store that dominates
// the loads to a block that it does not dominate, and from there to a load. Going back needs an
// edge that goes back. (May say yes where the answer is no.)
static bool may_be_seen(const struct promoter *p, const struct uses *u, uint32_t b) {
    if (u->kept != NONE && !is_below(p, b, u->kept))
        return false;
    if (p->place[b] <= u->place)
        return true;
    uint32_t k = p->around[p->place[b]];
    while (k != NONE && k > u->place) {
        work_spend(1);
        k = p->around[k];
    }
    return k != NONE && (u->kept == NONE || k > p->place[u->kept]);
}

// Where loops are entered in many places each variable has a phi in each block: more work for LLVM
// than loads and stores. Such variables stay in memory, in functions with so many phis' operands.
enum { MANY_OPERANDS = 1 << 11, FEW_OPERANDS = 32, OPERANDS_OF_ACCESS = 8 };

static uint32_t *count_accesses(struct promoter *p) {
    uint32_t *n = arena_array(p->a, uint32_t, p->nvars + 1);
    for (uint32_t k = 0; k < p->accesses.len; k++)
        n[p->accesses.data[k].var]++;
    return n;
}

static uint32_t take_phis_back(struct promoter *p, uint32_t v, uint32_t phis) {
    uint32_t operands = p->phis.data[phis].first_operand;
    while (p->phis.len > phis) {
        struct phi *x = &p->phis.data[--p->phis.len];
        p->first_phi[x->block] = x->next;
    }
    p->stays[v] = p->any_stays = true;
    return operands;
}

// In the frontiers of the blocks that store, and of those with phis.
static void place_phis(struct promoter *p) {
    struct uses *uses = arena_array(p->a, struct uses, p->nvars + 1);
    const uint32_t *stores = find_uses(p, uses), *accesses = count_accesses(p);
    uint32_t operands = 0, n;
    uint32_t *placed = arena_array(p->a, uint32_t, p->nblocks + 1);
    uint32_t *queued = arena_array(p->a, uint32_t, p->nblocks + 1);
    uint32_t *todo = arena_array(p->a, uint32_t, p->nblocks + 1);
    p->first_phi = arena_array(p->a, uint32_t, p->nblocks + 1);
    p->stays = arena_array(p->a, uint8_t, p->nvars + 1);
    for (uint32_t v = 0; v < p->nvars; v++) {
        uint32_t before = operands, phis = p->phis.len;
        uint32_t most = FEW_OPERANDS + OPERANDS_OF_ACCESS * accesses[v];
        n = 0;
        for (uint32_t k = uses[v].first; k < uses[v + 1].first && uses[v].loaded; k++) {
            queued[stores[k]] = v + 1;
            todo[n++] = stores[k];
        }
        while (n && !(operands > MANY_OPERANDS && operands - before > most))
            for (const struct frontier *at = frontier_first(&p->frontiers, todo[--n]); at;
                 at = frontier_next(&p->frontiers, at)) {
                uint32_t b = at->block;
                work_spend(1);
                if (uses[v].kept != NONE && p->frontiers.turn[b] < p->frontiers.turn[uses[v].kept])
                    break; // nothing that follows lies below what is kept
                if (placed[b] == v + 1)
                    continue;
                placed[b] = v + 1;
                if (!may_be_seen(p, &uses[v], b))
                    continue;
                vec_push(p->a, &p->phis, (struct phi){v, b, p->first_phi[b], operands, NULL});
                p->first_phi[b] = p->phis.len;
                operands += p->first_pred[b + 1] - p->first_pred[b];
                if (queued[b] != v + 1) {
                    queued[b] = v + 1;
                    todo[n++] = b;
                }
            }
        if (operands > MANY_OPERANDS && operands - before > most)
            operands = take_phis_back(p, v, phis);
    }
    work_spend(operands);
    p->operands = arena_array(p->a, struct def, operands + 1);
}

// ---- values ---------------------------------------------------------------------------------

static LLVMValueRef make_phi(struct promoter *p, uint32_t k) {
    struct phi *x = &p->phis.data[k];
    if (!x->made) {
        LLVMPositionBuilderBefore(p->c->b, LLVMGetFirstInstruction(p->block[x->block]));
        LLVMSetCurrentDebugLocation2(p->c->b, NULL);
        x->made = LLVMBuildPhi(p->c->b, LLVMGetAllocatedType(p->var[x->var]), "");
        vec_push(p->a, &p->todo, k);
    }
    return x->made;
}

static LLVMValueRef value_of(struct promoter *p, struct def d, uint32_t var) {
    return d.phi ? make_phi(p, d.phi - 1)
           : d.v ? d.v
                 : LLVMGetUndef(LLVMGetAllocatedType(p->var[var]));
}

static void set(struct promoter *p, uint32_t var, struct def d) {
    vec_push(p->a, &p->log, (struct undo){var, p->now[var]});
    p->now[var] = d;
}

// The loads of a block are what the variables hold; then what goes along its edges.
static void enter(struct promoter *p, uint32_t b) {
    for (uint32_t k = p->first_phi[b]; k; k = p->phis.data[k - 1].next)
        set(p, p->phis.data[k - 1].var, (struct def){NULL, k});
    for (uint32_t k = p->first_access[b]; k < p->first_access[b + 1]; k++) {
        struct access *x = &p->accesses.data[k];
        if (p->stays[x->var])
            continue;
        if (LLVMIsALoadInst(x->inst))
            LLVMReplaceAllUsesWith(x->inst, value_of(p, p->now[x->var], x->var));
        else
            set(p, x->var, (struct def){LLVMGetOperand(x->inst, 0), 0});
        LLVMInstructionEraseFromParent(x->inst);
    }
    for (uint32_t e = p->first_succ[b]; e < p->first_succ[b + 1]; e++) {
        uint32_t to = p->succs[e];
        for (uint32_t k = p->first_phi[to]; k; k = p->phis.data[k - 1].next) {
            struct phi *x = &p->phis.data[k - 1];
            p->operands[x->first_operand + p->edge[e] - p->first_pred[to]] = p->now[x->var];
        }
    }
}

// The dominator tree from its root on: what is stored is seen below.
static void rename_all(struct promoter *p) {
    uint32_t n = 0;
    uint32_t *stack = arena_array(p->a, uint32_t, p->nblocks + 1);
    uint32_t *mark = arena_array(p->a, uint32_t, p->nblocks + 1);
    p->now = arena_array(p->a, struct def, p->nvars + 1);
    enter(p, 0);
    stack[n++] = 0;
    while (n) {
        uint32_t next = p->child[stack[n - 1]];
        if (next) {
            p->child[stack[n - 1]] = p->sibling[next - 1];
            mark[n] = p->log.len;
            enter(p, next - 1);
            stack[n++] = next - 1;
            continue;
        }
        for (n--; n && p->log.len > mark[n];) {
            struct undo *u = &p->log.data[--p->log.len];
            p->now[u->var] = u->was;
        }
    }
}

static void finish_phis(struct promoter *p) {
    for (uint32_t n = 0; n < p->todo.len; n++) {
        struct phi x = p->phis.data[p->todo.data[n]];
        for (uint32_t e = p->first_pred[x.block]; e < p->first_pred[x.block + 1]; e++) {
            struct def d = p->operands[x.first_operand + e - p->first_pred[x.block]];
            LLVMValueRef v = value_of(p, d, x.var);
            LLVMAddIncoming(x.made, &v, &p->block[p->preds[e]], 1);
        }
    }
}

// What all edges bring alike; NULL: they do not. What comes along an edge of itself does not count,
// and beside a constant neither does what nobody has stored.
static LLVMValueRef common_operand(LLVMValueRef phi) {
    LLVMValueRef same = NULL, undefined = NULL;
    for (unsigned k = 0, n = LLVMCountIncoming(phi); k < n; k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        if (LLVMIsUndef(v)) {
            undefined = v;
        } else if (v != phi) {
            if (same && v != same)
                return NULL;
            same = v;
        }
    }
    if (!same)
        return undefined;
    return undefined && !LLVMIsConstant(same) ? NULL : same;
}

static void drop_phis(struct promoter *p) {
    for (uint32_t n = 0; n < p->todo.len; n++) {
        LLVMValueRef phi = p->phis.data[p->todo.data[n]].made, v = common_operand(phi);
        if (!v)
            continue;
        LLVMReplaceAllUsesWith(phi, v);
        LLVMInstructionEraseFromParent(phi);
    }
}

// Blocks that nothing leads to.
static void drop_unreached(struct promoter *p) {
    for (uint32_t b = 0; b < p->nblocks; b++)
        for (uint32_t k = p->first_access[b]; k < p->first_access[b + 1] && p->idom[b] == NONE;
             k++) {
            LLVMValueRef i = p->accesses.data[k].inst;
            if (p->stays[p->accesses.data[k].var])
                continue;
            if (LLVMIsALoadInst(i))
                LLVMReplaceAllUsesWith(i, LLVMGetUndef(LLVMTypeOf(i)));
            LLVMInstructionEraseFromParent(i);
        }
}

static bool promote(struct cg *c, LLVMValueRef f) {
    struct arena a = {0};
    struct promoter p = {.c = c, .a = &a};
    find_variables(&p, f);
    number_blocks(&p, f);
    pass_empty_blocks(&p);
    number_blocks(&p, f);
    if (p.nvars) {
        find_accesses(&p);
        find_edges(&p);
        find_tree(&p);
        number_tree(&p);
        find_retreats(&p);
        find_frontiers(&p);
        place_phis(&p);
        drop_unreached(&p);
        rename_all(&p);
        finish_phis(&p);
        drop_phis(&p);
        for (uint32_t v = 0; v < p.nvars; v++)
            if (!p.stays[v])
                LLVMInstructionEraseFromParent(p.var[v]);
    }
    arena_free(&a);
    return !p.any_stays;
}

bool cg_promote(struct cg *c) {
    bool all = true;
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            all &= promote(c, f);
    return all;
}
