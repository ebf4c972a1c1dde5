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

#include "codegen/depth_first.h"

enum { LEAST = 400, MANY_USERS = 16, REGISTERS = 32 };
enum { LINE = 64, LINES_AHEAD = 24, LEAST_STORES = 24, LEAST_BETWEEN = 20, BURST = 8 };

enum kind { PURE, READS, WRITES };

struct node {
    LLVMValueRef v;
    uint32_t *ops, *users; // in this block, each once
    uint32_t nops, nusers;
    uint32_t ops_left, users_left; // of users, one stands for all outside of the block
    uint8_t kind;
    bool done, prefetch;
    uint32_t asks; // a store asks for the lines of another one, plus one
    bool told;     // it follows from arithmetic alone
    bool in_burst; // it is one of several stores that go out together
};

struct order {
    struct arena arena;
    struct node *node;
    uint32_t n, *slot, slots; // a hash table: instruction to node, plus one
    uint32_t *out, len;
    uint32_t *stack, *next_op, depth;
    unsigned memory_kind;
    bool bursts;
};

static uint32_t *slot_of(const struct order *o, LLVMValueRef v) {
    uint64_t h = (uint64_t)(uintptr_t)v * 0x9e3779b97f4a7c15ull >> 20;
    for (;; h++) {
        uint32_t *s = &o->slot[h & (o->slots - 1)];
        if (!*s || o->node[*s - 1].v == v)
            return s;
    }
}

// ---- what an instruction does with memory ---------------------------------------------------

// The effects that LLVM states of an intrinsic: two bits a sort of memory, the upper one for
// writing.
static enum kind kind_of_call(const struct order *o, LLVMValueRef v) {
    size_t len;
    LLVMValueRef f = LLVMGetCalledValue(v);
    const char *name = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &len) : "";
    if (strncmp(name, "llvm.", 5))
        return WRITES;
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, o->memory_kind);
    if (!a)
        return WRITES;
    uint64_t effects = LLVMGetEnumAttributeValue(a), writing = 0xaaaaaaaaull;
    return effects & writing ? WRITES : effects ? READS : PURE;
}

static enum kind kind_of(const struct order *o, LLVMValueRef v) {
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
        return LLVMGetVolatile(v) || LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic ? WRITES
                                                                                       : READS;
    case LLVMCall:
        return kind_of_call(o, v);
    case LLVMFNeg:
    case LLVMAdd:
    case LLVMFAdd:
    case LLVMSub:
    case LLVMFSub:
    case LLVMMul:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMGetElementPtr:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMFreeze:
        return PURE;
    default:
        return WRITES;
    }
}

static bool is_prefetch(LLVMValueRef v) {
    size_t len;
    LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
    return f && LLVMIsAFunction(f) && !strncmp(LLVMGetValueName2(f, &len), "llvm.prefetch", 13);
}

// ---- the graph ------------------------------------------------------------------------------

static void collect(struct order *o, LLVMBasicBlockRef b, uint32_t n) {
    o->node = arena_array(&o->arena, struct node, n);
    for (o->slots = 64; o->slots < 2 * n;)
        o->slots *= 2;
    o->slot = arena_array(&o->arena, uint32_t, o->slots);
    for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
        if (LLVMIsAPHINode(v))
            continue;
        struct node *x = &o->node[o->n];
        *x = (struct node){.v = v, .kind = (uint8_t)kind_of(o, v), .prefetch = is_prefetch(v)};
        uint32_t *s = slot_of(o, v);
        *s = ++o->n;
    }
}

static bool has(const uint32_t *list, uint32_t n, uint32_t x) {
    for (uint32_t k = 0; k < n; k++)
        if (list[k] == x)
            return true;
    return false;
}

static void connect(struct order *o) {
    for (uint32_t k = 0; k < o->n; k++) {
        struct node *x = &o->node[k];
        int nops = LLVMGetNumOperands(x->v);
        x->ops = arena_array(&o->arena, uint32_t, (unsigned)nops + 1);
        for (int p = 0; p < nops; p++) {
            LLVMValueRef v = LLVMGetOperand(x->v, (unsigned)p);
            uint32_t of = LLVMIsAInstruction(v) ? *slot_of(o, v) : 0;
            if (of && !has(x->ops, x->nops, of - 1))
                x->ops[x->nops++] = of - 1;
        }
        x->ops_left = x->nops;
        for (uint32_t p = 0; p < x->nops; p++)
            o->node[x->ops[p]].nusers++;
    }
    for (uint32_t k = 0; k < o->n; k++) {
        struct node *x = &o->node[k];
        x->users = arena_array(&o->arena, uint32_t, x->nusers + 1);
        x->users_left = x->nusers;
        for (LLVMUseRef u = LLVMGetFirstUse(x->v); u; u = LLVMGetNextUse(u))
            if (!*slot_of(o, LLVMGetUser(u))) {
                x->users_left++;
                break;
            }
        x->nusers = 0;
    }
    for (uint32_t k = 0; k < o->n; k++)
        for (uint32_t p = 0; p < o->node[k].nops; p++) {
            struct node *x = &o->node[o->node[k].ops[p]];
            x->users[x->nusers++] = k;
        }
}

static bool is_vector(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind && !LLVMIsACmpInst(v);
}

// Are so many vectors alive somewhere, in the order that there is, that registers run out?
static bool is_crowded(struct order *o, unsigned registers) {
    uint32_t *last = arena_array(&o->arena, uint32_t, o->n), alive = 0;
    for (uint32_t k = 0; k < o->n; k++)
        for (uint32_t p = 0; p < o->node[k].nops; p++)
            last[o->node[k].ops[p]] = k;
    for (uint32_t k = 0; k < o->n; k++) {
        const struct node *x = &o->node[k];
        for (uint32_t p = 0; p < x->nops; p++)
            alive -= last[x->ops[p]] == k && is_vector(o->node[x->ops[p]].v);
        alive += x->nusers && is_vector(x->v);
        if (alive > registers)
            return true;
    }
    return false;
}

// ---- the order ------------------------------------------------------------------------------

static void put(struct order *o, uint32_t k) {
    struct node *x = &o->node[k];
    x->done = true;
    o->out[o->len++] = k;
    for (uint32_t p = 0; p < x->nops; p++)
        o->node[x->ops[p]].users_left--;
    for (uint32_t u = 0; u < x->nusers; u++)
        o->node[x->users[u]].ops_left--;
}

// Can k come now, and does nothing else need one of its operands?
static bool frees_one(const struct order *o, uint32_t k) {
    const struct node *x = &o->node[k];
    if (x->done || x->kind != PURE || x->ops_left)
        return false;
    for (uint32_t p = 0; p < x->nops; p++)
        if (o->node[x->ops[p]].users_left == 1)
            return true;
    return false;
}

static void put_users(struct order *o, uint32_t k) {
    const struct node *x = &o->node[k];
    for (uint32_t u = 0; u < x->nusers && x->nusers <= MANY_USERS; u++)
        if (frees_one(o, x->users[u]))
            put(o, x->users[u]);
}

// k, whose operands are there, and what has become ready to free one of them, or what came with it.
static void put_with_ready(struct order *o, uint32_t k) {
    uint32_t seen = o->len;
    put(o, k);
    for (; seen < o->len; seen++) {
        const struct node *x = &o->node[o->out[seen]];
        for (uint32_t p = 0; p < x->nops; p++)
            put_users(o, x->ops[p]);
        put_users(o, o->out[seen]);
    }
}

// k, after everything that it needs.
static void put_cone(struct order *o, uint32_t k) {
    if (o->node[k].done)
        return;
    o->stack[0] = k;
    o->next_op[0] = 0;
    for (o->depth = 1; o->depth;) {
        uint32_t at = o->stack[o->depth - 1];
        const struct node *x = &o->node[at];
        uint32_t p = o->next_op[o->depth - 1]++;
        if (x->done || p > x->nops) {
            o->depth--;
        } else if (p == x->nops) {
            put_with_ready(o, at);
            o->depth--;
        } else if (!o->node[x->ops[p]].done) {
            o->stack[o->depth] = x->ops[p];
            o->next_op[o->depth++] = 0;
        }
    }
}

// Is what k needs arithmetic alone, as far as this block computes it?
static bool is_arithmetic(const struct order *o, uint32_t k, unsigned depth) {
    const struct node *x = &o->node[k];
    for (uint32_t p = 0; p < x->nops; p++)
        if (!depth || o->node[x->ops[p]].kind != PURE || !is_arithmetic(o, x->ops[p], depth - 1))
            return false;
    return true;
}

static void put_prefetches(struct order *o) {
    enum { MAX_DEPTH = 8 };
    for (uint32_t k = 0; k < o->n; k++)
        if (o->node[k].prefetch && is_arithmetic(o, k, MAX_DEPTH))
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
    for (uint32_t k = 0; k < o->n; k++) {
        struct node *x = &o->node[k];
        x->told = x->kind == PURE;
        for (uint32_t p = 0; p < x->nops; p++)
            x->told &= o->node[x->ops[p]].told;
    }
}

// Is it known where the store goes?
static bool is_told(const struct order *o, uint32_t k) {
    uint32_t node = *slot_of(o, LLVMGetOperand(o->node[k].v, 1));
    return !node || o->node[node - 1].told;
}

// Stores wait for their lines, one after the other. A block asks for all of them when it begins
// (cg_prefetch.c), but of rows that lie a power of two apart few stay in the first cache: where
// there is much to compute between them each store asks for one that comes some stores later. And
// they go out several at a time: between stores to lines that lie a power of two apart other
// stores, of spilled registers mostly, take the time of an access to the second cache each.
static void ask_ahead(struct order *o) {
    uint32_t *at = arena_array(&o->arena, uint32_t, o->n + 1), n = 0;
    for (uint32_t k = 0; k < o->n; k++)
        if (stored_bytes(o->node[k].v) >= LINE)
            at[n++] = k;
    if (n < LEAST_STORES || o->n / n < LEAST_BETWEEN)
        return;
    find_told(o);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t ahead = LINES_AHEAD / (stored_bytes(o->node[at[k]].v) / LINE);
        ahead = k + (ahead > BURST ? ahead : BURST);
        if (ahead < n && is_told(o, at[ahead]))
            o->node[at[k]].asks = at[ahead] + 1;
        o->node[at[k]].in_burst = o->bursts;
    }
}

// Where the lines lie that store k asks for; NULL: it asks for none.
static LLVMValueRef asked_by(const struct order *o, uint32_t k) {
    uint32_t asks = o->node[k].asks;
    return asks ? LLVMGetOperand(o->node[asks - 1].v, 1) : NULL;
}

static void put_asked(struct order *o, uint32_t k) {
    LLVMValueRef p = asked_by(o, k);
    uint32_t node = p ? *slot_of(o, p) : 0;
    if (node)
        put_cone(o, node - 1);
}

// Such stores from k on, between which nothing else touches memory.
static uint32_t burst_from(const struct order *o, uint32_t k, uint32_t *burst) {
    uint32_t n = 0;
    while (k < o->n && n < BURST && o->node[k].in_burst) {
        burst[n++] = k++;
        while (k < o->n && (o->node[k].done || o->node[k].kind == PURE))
            k++;
    }
    return n;
}

// What the stores need comes before all of them.
static void put_burst(struct order *o, const uint32_t *burst, uint32_t n) {
    for (uint32_t s = 0; s < n; s++) {
        const struct node *x = &o->node[burst[s]];
        for (uint32_t p = 0; p < x->nops; p++)
            put_cone(o, x->ops[p]);
        put_asked(o, burst[s]);
    }
    for (uint32_t s = 0; s < n; s++)
        put(o, burst[s]);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t p = 0; p < o->node[burst[s]].nops; p++)
            put_users(o, o->node[burst[s]].ops[p]);
}

static void find_order(struct order *o) {
    uint32_t loads = 0, burst[BURST];
    o->out = arena_array(&o->arena, uint32_t, o->n);
    o->stack = arena_array(&o->arena, uint32_t, o->n + 1);
    o->next_op = arena_array(&o->arena, uint32_t, o->n + 1);
    put_prefetches(o);
    for (uint32_t k = 0; k < o->n; k++) {
        if (o->node[k].kind != WRITES || o->node[k].done)
            continue;
        for (uint32_t p = 0; p < o->node[k].nops; p++)
            put_cone(o, o->node[k].ops[p]);
        // Before the last one, which ends the block, what other blocks need.
        for (; loads < k; loads++)
            if (o->node[loads].kind == READS)
                put_cone(o, loads);
        for (uint32_t p = 0; k + 1 == o->n && p < k; p++)
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
    unsigned bytes = p ? stored_bytes(o->node[o->node[k].asks - 1].v) : 0;
    for (unsigned at = 0; at < bytes; at += LINE) {
        LLVMValueRef by = cg_i64(c, at);
        args[0] = at ? LLVMBuildGEP2(c->b, c->i8, p, &by, 1, "") : p;
        cg_call_intrinsic(c, "llvm.prefetch", &c->ptr, 1, args, 4);
    }
}

static void rearrange(struct cg *c, LLVMBasicBlockRef b, const struct order *o) {
    LLVMSetCurrentDebugLocation2(c->b, NULL);
    for (uint32_t k = 0; k < o->len; k++) {
        LLVMInstructionRemoveFromParent(o->node[o->out[k]].v);
        LLVMPositionBuilderAtEnd(c->b, b);
        ask(c, o, o->out[k]);
        LLVMInsertIntoBuilder(c->b, o->node[o->out[k]].v);
    }
}

static void order_block(struct cg *c, LLVMBasicBlockRef b, uint32_t n) {
    struct order o = {.memory_kind = LLVMGetEnumAttributeKindForName("memory", 6),
                      .bursts = c->pw.level == KD_LEVEL_X86_64_V4};
    collect(&o, b, n);
    connect(&o);
    if (is_crowded(&o, REGISTERS)) {
        ask_ahead(&o);
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
