// The order of a long basic block. A block of threads that is one team, with its loops written out,
// becomes thousands of instructions, step by step, and in each step group by group: after each step
// all values of the block are alive, many times more than there are registers. The same computation
// depth first, what a result needs just before it, works on a few vectors for many steps: the
// inner steps of a sorting network are done on 16 vectors at a time, as an expert would write them.
//
// What touches memory otherwise than by loading stays in its order. Before each such instruction
// come all loads that stood before it; everything else comes when it is needed, or as soon as its
// operands are there when it is the last that needs one of them. Only what asks for memory ahead of
// time (prefetches) comes first, if no load says where that is: between loads it would keep LLVM
// from making part of one, a word for all lanes, where a product needs it.
#include <string.h>

#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/llvm/block_graph.h"
#include "codegen/llvm/depth_first.h"

enum { LEAST = 400, MANY_USERS = 16, REGISTERS = 32 };
enum { LINE = 64, LINES_AHEAD = 24, LEAST_STORES = 24, LEAST_BETWEEN = 20, BURST = 8 };

struct extra {
    uint32_t asks; // a store asks for the lines of another one, plus one
    bool prefetch;
    bool told;     // it follows from arithmetic alone
    bool in_burst; // it is one of several stores that go out together
};

struct order {
    struct arena arena;
    struct block_graph g;
    struct extra *extra;
    uint32_t *out, len;
    uint32_t *stack, *next_op, depth;
    bool bursts;
};

static bool is_prefetch(LLVMValueRef v) {
    size_t len;
    LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
    return f && LLVMIsAFunction(f) && !strncmp(LLVMGetValueName2(f, &len), "llvm.prefetch", 13);
}

static void make_graph(struct order *o, LLVMBasicBlockRef b, uint32_t n) {
    o->g.arena = &o->arena;
    block_graph_make(&o->g, b, n);
    o->extra = arena_array(&o->arena, struct extra, n);
    for (uint32_t k = 0; k < o->g.n; k++)
        o->extra[k].prefetch = is_prefetch(o->g.node[k].v);
}

// Are so many vectors alive somewhere, in the order that there is, that registers run out?
static bool is_crowded(struct order *o, unsigned registers) {
    uint32_t *last = arena_array(&o->arena, uint32_t, o->g.n), alive = 0;
    for (uint32_t k = 0; k < o->g.n; k++)
        for (uint32_t p = 0; p < o->g.node[k].nops; p++)
            last[o->g.node[k].ops[p]] = k;
    for (uint32_t k = 0; k < o->g.n; k++) {
        const struct block_node *x = &o->g.node[k];
        for (uint32_t p = 0; p < x->nops; p++)
            alive -= last[x->ops[p]] == k && block_graph_is_vector(o->g.node[x->ops[p]].v);
        alive += x->nusers && block_graph_is_vector(x->v);
        if (alive > registers)
            return true;
    }
    return false;
}

// ---- the order ------------------------------------------------------------------------------

static void put(struct order *o, uint32_t k) {
    block_graph_put(&o->g, k);
    o->out[o->len++] = k;
}

// Can k come now, and does nothing else need one of its operands?
static bool frees_one(const struct order *o, uint32_t k) {
    const struct block_node *x = &o->g.node[k];
    if (x->done || x->kind != BLOCK_PURE || x->ops_left)
        return false;
    for (uint32_t p = 0; p < x->nops; p++)
        if (o->g.node[x->ops[p]].users_left == 1)
            return true;
    return false;
}

static void put_users(struct order *o, uint32_t k) {
    const struct block_node *x = &o->g.node[k];
    for (uint32_t u = 0; u < x->nusers && x->nusers <= MANY_USERS; u++)
        if (frees_one(o, x->users[u]))
            put(o, x->users[u]);
}

// k, whose operands are there, and what has become ready to free one of them, or what came with it.
static void put_with_ready(struct order *o, uint32_t k) {
    uint32_t seen = o->len;
    put(o, k);
    for (; seen < o->len; seen++) {
        const struct block_node *x = &o->g.node[o->out[seen]];
        for (uint32_t p = 0; p < x->nops; p++)
            put_users(o, x->ops[p]);
        put_users(o, o->out[seen]);
    }
}

// k, after everything that it needs.
static void put_cone(struct order *o, uint32_t k) {
    if (o->g.node[k].done)
        return;
    o->stack[0] = k;
    o->next_op[0] = 0;
    for (o->depth = 1; o->depth;) {
        uint32_t at = o->stack[o->depth - 1];
        const struct block_node *x = &o->g.node[at];
        uint32_t p = o->next_op[o->depth - 1]++;
        if (x->done || p > x->nops) {
            o->depth--;
        } else if (p == x->nops) {
            put_with_ready(o, at);
            o->depth--;
        } else if (!o->g.node[x->ops[p]].done) {
            o->stack[o->depth] = x->ops[p];
            o->next_op[o->depth++] = 0;
        }
    }
}

// Is what k needs arithmetic alone, as far as this block computes it?
static bool is_arithmetic(const struct order *o, uint32_t k, unsigned depth) {
    const struct block_node *x = &o->g.node[k];
    for (uint32_t p = 0; p < x->nops; p++)
        if (!depth || o->g.node[x->ops[p]].kind != BLOCK_PURE ||
            !is_arithmetic(o, x->ops[p], depth - 1))
            return false;
    return true;
}

static void put_prefetches(struct order *o) {
    enum { MAX_DEPTH = 8 };
    for (uint32_t k = 0; k < o->g.n; k++)
        if (o->extra[k].prefetch && is_arithmetic(o, k, MAX_DEPTH))
            put_cone(o, k);
}

// ---- lines of later stores -----------------------------------------------------------------

// How many bytes of global memory, where addresses are numbers, a store of a vector writes.
static unsigned stored_bytes(LLVMValueRef v) {
    if (!LLVMIsAStoreInst(v) || !LLVMIsAIntToPtrInst(LLVMGetOperand(v, 1)))
        return 0;
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(v, 0));
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return 0;
    LLVMTypeRef e = LLVMGetElementType(t);
    unsigned bits = LLVMGetTypeKind(e) == LLVMIntegerTypeKind  ? LLVMGetIntTypeWidth(e)
                    : LLVMGetTypeKind(e) == LLVMFloatTypeKind  ? 32
                    : LLVMGetTypeKind(e) == LLVMDoubleTypeKind ? 64
                                                               : 0;
    return LLVMGetVectorSize(t) * bits / 8;
}

// Which values are known without looking at memory, in which stores before them may be?
static void find_told(struct order *o) {
    for (uint32_t k = 0; k < o->g.n; k++) {
        const struct block_node *x = &o->g.node[k];
        bool told = x->kind == BLOCK_PURE;
        for (uint32_t p = 0; p < x->nops; p++)
            told &= o->extra[x->ops[p]].told;
        o->extra[k].told = told;
    }
}

static bool goes_past(struct cg *c, LLVMValueRef store) {
    return LLVMGetMetadata(store, LLVMGetMDKindIDInContext(c->ctx, "nontemporal", 11));
}

// Is it known where the store goes?
static bool is_told(const struct order *o, uint32_t k) {
    uint32_t node = block_graph_find(&o->g, LLVMGetOperand(o->g.node[k].v, 1));
    return !node || o->extra[node - 1].told;
}

// Stores wait for their lines, one after the other. A block asks for all of them when it begins
// (cg_prefetch.c), but of rows that lie a power of two apart few stay in the first cache: where
// there is much to compute between them each store asks for one that comes some stores later. And
// they go out several at a time: between stores to lines that lie a power of two apart other
// stores, of spilled registers mostly, take the time of an access to the second cache each.
static void ask_ahead(struct cg *c, struct order *o) {
    uint32_t *at = arena_array(&o->arena, uint32_t, o->g.n + 1), n = 0;
    for (uint32_t k = 0; k < o->g.n; k++)
        if (stored_bytes(o->g.node[k].v) >= LINE)
            at[n++] = k;
    if (n < LEAST_STORES || o->g.n / n < LEAST_BETWEEN)
        return;
    find_told(o);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t ahead = LINES_AHEAD / (stored_bytes(o->g.node[at[k]].v) / LINE);
        ahead = k + (ahead > BURST ? ahead : BURST);
        if (ahead < n && is_told(o, at[ahead]) && !goes_past(c, o->g.node[at[ahead]].v))
            o->extra[at[k]].asks = at[ahead] + 1;
        o->extra[at[k]].in_burst = o->bursts;
    }
}

// Where the lines lie that store k asks for; NULL: it asks for none.
static LLVMValueRef asked_by(const struct order *o, uint32_t k) {
    uint32_t asks = o->extra[k].asks;
    return asks ? LLVMGetOperand(o->g.node[asks - 1].v, 1) : NULL;
}

static void put_asked(struct order *o, uint32_t k) {
    LLVMValueRef p = asked_by(o, k);
    uint32_t node = p ? block_graph_find(&o->g, p) : 0;
    if (node)
        put_cone(o, node - 1);
}

// Such stores from k on, between which nothing else touches memory.
static uint32_t burst_from(const struct order *o, uint32_t k, uint32_t *burst) {
    uint32_t n = 0;
    while (k < o->g.n && n < BURST && o->extra[k].in_burst) {
        burst[n++] = k++;
        while (k < o->g.n && (o->g.node[k].done || o->g.node[k].kind == BLOCK_PURE))
            k++;
    }
    return n;
}

// What the stores need comes before all of them.
static void put_burst(struct order *o, const uint32_t *burst, uint32_t n) {
    for (uint32_t s = 0; s < n; s++) {
        const struct block_node *x = &o->g.node[burst[s]];
        for (uint32_t p = 0; p < x->nops; p++)
            put_cone(o, x->ops[p]);
        put_asked(o, burst[s]);
    }
    for (uint32_t s = 0; s < n; s++)
        put(o, burst[s]);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t p = 0; p < o->g.node[burst[s]].nops; p++)
            put_users(o, o->g.node[burst[s]].ops[p]);
}

static void find_order(struct order *o) {
    uint32_t loads = 0, burst[BURST];
    o->out = arena_array(&o->arena, uint32_t, o->g.n);
    o->stack = arena_array(&o->arena, uint32_t, o->g.n + 1);
    o->next_op = arena_array(&o->arena, uint32_t, o->g.n + 1);
    put_prefetches(o);
    for (uint32_t k = 0; k < o->g.n; k++) {
        if (o->g.node[k].kind != BLOCK_WRITES || o->g.node[k].done)
            continue;
        for (uint32_t p = 0; p < o->g.node[k].nops; p++)
            put_cone(o, o->g.node[k].ops[p]);
        // Before the last one, which ends the block, what other blocks need.
        for (; loads < k; loads++)
            if (o->g.node[loads].kind == BLOCK_READS)
                put_cone(o, loads);
        for (uint32_t p = 0; k + 1 == o->g.n && p < k; p++)
            put_cone(o, p);
        put_asked(o, k);
        uint32_t n = burst_from(o, k, burst);
        if (n)
            put_burst(o, burst, n);
        else
            put_cone(o, k);
    }
}

static void ask(struct cg *c, const struct order *o, uint32_t k) {
    LLVMValueRef p = asked_by(o, k), args[4] = {p, cg_i32(c, 1), cg_i32(c, 3), cg_i32(c, 1)};
    unsigned bytes = p ? stored_bytes(o->g.node[o->extra[k].asks - 1].v) : 0;
    for (unsigned at = 0; at < bytes; at += LINE) {
        LLVMValueRef by = cg_i64(c, at);
        args[0] = at ? LLVMBuildGEP2(c->b, c->i8, p, &by, 1, "") : p;
        cg_call_intrinsic(c, "llvm.prefetch", &c->ptr, 1, args, 4);
    }
}

static void rearrange(struct cg *c, LLVMBasicBlockRef b, const struct order *o) {
    LLVMSetCurrentDebugLocation2(c->b, NULL);
    for (uint32_t k = 0; k < o->len; k++) {
        LLVMInstructionRemoveFromParent(o->g.node[o->out[k]].v);
        LLVMPositionBuilderAtEnd(c->b, b);
        ask(c, o, o->out[k]);
        LLVMInsertIntoBuilder(c->b, o->g.node[o->out[k]].v);
    }
}

static void order_block(struct cg *c, LLVMBasicBlockRef b, uint32_t n) {
    struct order o = {.bursts = c->target.holds_line};
    make_graph(&o, b, n);
    if (is_crowded(&o, REGISTERS)) {
        ask_ahead(c, &o);
        find_order(&o);
        rearrange(c, b, &o);
    }
    arena_free(&o.arena);
}

void cg_order_depth_first(struct cg *c) {
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            uint32_t n = 0;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                n++;
            if (n >= LEAST)
                order_block(c, b, n);
        }
}
