// What a warp has once (its maximum, the factor by which its sums are scaled) is a scalar, and a
// thread that deals with four rows computes four of them by the same steps: an exponential each,
// which takes as many instructions as one of a whole vector. Three and four such scalars become
// lanes of one vector, from where they begin to be alike to the last step that they share.
//
// A scalar is a value of type float, or the first lane of a vector of four where LLVM has an
// instruction for vectors alone (scalef, range). Each step has one result for the lanes, and what
// is used elsewhere is taken out of it. Nothing that touches memory changes its place among the
// others that do.
#include <string.h>

#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/llvm/abreast.h"
#include "codegen/llvm/block_graph.h"

enum { LANES = 4, LEAST_LANES = 3, LEAST_DEPTH = 6, LEAST_GAIN = 12, MOST_STEPS = 96 };
enum { LEAST = 24, MOST = 3000 };

struct step {
    LLVMValueRef lane[LANES];
    bool given;          // nothing is computed: the lanes are what stands there
    int op[3];           // steps before
    LLVMValueRef result; // the vector
};

struct pack {
    struct cg *c;
    struct arena arena;
    struct block_graph g;
    uint64_t *hash; // of the steps that lead to a node; 0: it is no step
    uint8_t *depth;
    unsigned lanes;
    struct step step[MOST_STEPS];
    unsigned nsteps;
    bool failed;
    bool *inside, *placed; // nodes that are lanes of steps; nodes that have got their place
    LLVMValueRef *list;    // the block's new order
    uint32_t len;
};

// ---- scalars and first lanes ----------------------------------------------------------------

static bool is_zero(LLVMValueRef v) {
    return LLVMIsAConstantInt(v) && !LLVMConstIntGetZExtValue(v);
}

static bool is_poison(LLVMValueRef v) {
    return LLVMIsAUndefValue(v) || LLVMIsAPoisonValue(v);
}

static bool is_float(LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMFloatTypeKind;
}

static bool is_four(LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind && LLVMGetVectorSize(t) == LANES &&
           is_float(LLVMGetElementType(t));
}

// Does a shuffle have nothing but the first operand's first lane in it?
static bool spreads_first(LLVMValueRef v) {
    unsigned n = LLVMGetNumMaskElements(v);
    for (unsigned k = 0; k < n; k++) {
        int m = LLVMGetMaskValue(v, k);
        if (m && m != LLVMGetUndefMaskElem())
            return false;
    }
    return true;
}

// The value that v's first lane is: a scalar, or a vector that has it first.
static LLVMValueRef source(LLVMValueRef v) {
    for (;;) {
        if (LLVMIsAExtractElementInst(v) && is_zero(LLVMGetOperand(v, 1)))
            v = LLVMGetOperand(v, 0);
        else if (LLVMIsAInsertElementInst(v) && is_zero(LLVMGetOperand(v, 2)))
            v = LLVMGetOperand(v, 1);
        else if (LLVMIsAShuffleVectorInst(v) && spreads_first(v))
            v = LLVMGetOperand(v, 0);
        else
            return v;
    }
}

// Is no lane of v used but the first?
static bool first_alone(LLVMValueRef v) {
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef i = LLVMGetUser(u);
        bool takes = LLVMIsAExtractElementInst(i) && is_zero(LLVMGetOperand(i, 1));
        bool spreads = LLVMIsAShuffleVectorInst(i) && LLVMGetOperand(i, 0) == v &&
                       is_poison(LLVMGetOperand(i, 1)) && spreads_first(i);
        if (!takes && !spreads)
            return false;
    }
    return true;
}

// ---- steps ----------------------------------------------------------------------------------

static const char *called(LLVMValueRef v) {
    size_t len;
    LLVMValueRef f = LLVMGetCalledValue(v);
    return LLVMIsAFunction(f) ? LLVMGetValueName2(f, &len) : "";
}

static bool is_vector_step(LLVMValueRef v) {
    return LLVMIsACallInst(v) && is_four(LLVMTypeOf(v)) &&
           (!strcmp(called(v), "llvm.x86.avx512.mask.scalef.ps.128") ||
            !strcmp(called(v), "llvm.x86.avx512.mask.range.ps.128")) &&
           first_alone(v);
}

static bool is_step(LLVMValueRef v) {
    if (LLVMCanValueUseFastMathFlags(v) && LLVMGetFastMathFlags(v))
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMFNeg:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMSelect:
        return is_float(LLVMTypeOf(v));
    case LLVMFCmp:
        return is_float(LLVMTypeOf(LLVMGetOperand(v, 0)));
    case LLVMCall:
        return !strcmp(called(v), "llvm.fma.f32") || !strcmp(called(v), "llvm.sqrt.f32") ||
               is_vector_step(v);
    default:
        return false;
    }
}

// Operands that are scalars: the others (a mask, a rounding) are constants.
static unsigned operand_count(LLVMValueRef v) {
    if (LLVMIsACallInst(v))
        return is_four(LLVMTypeOf(v)) ? 2 : LLVMGetNumArgOperands(v);
    return (unsigned)LLVMGetNumOperands(v);
}

static uint64_t mix(uint64_t h, uint64_t x) {
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

static uint64_t own_hash(LLVMValueRef v) {
    uint64_t h = mix(1, LLVMGetInstructionOpcode(v));
    if (LLVMIsAFCmpInst(v))
        h = mix(h, LLVMGetFCmpPredicate(v));
    if (LLVMIsACallInst(v)) {
        h = mix(h, (uintptr_t)LLVMGetCalledValue(v));
        for (unsigned k = operand_count(v); k < LLVMGetNumArgOperands(v); k++)
            h = mix(h, (uintptr_t)LLVMGetOperand(v, k));
    }
    return h | 1;
}

static void hash_steps(struct pack *p) {
    p->hash = arena_array(&p->arena, uint64_t, p->g.n);
    p->depth = arena_array(&p->arena, uint8_t, p->g.n);
    for (uint32_t k = 0; k < p->g.n; k++) {
        LLVMValueRef v = p->g.node[k].v;
        if (!is_step(v))
            continue;
        uint64_t h = own_hash(v);
        unsigned depth = 0;
        for (unsigned x = 0; x < operand_count(v); x++) {
            LLVMValueRef o = source(LLVMGetOperand(v, x));
            uint32_t n = block_graph_find(&p->g, o);
            bool step = n && p->hash[n - 1];
            h = mix(h, LLVMIsConstant(o) ? (uintptr_t)o : step ? p->hash[n - 1] : 0);
            if (step && p->depth[n - 1] > depth)
                depth = p->depth[n - 1];
        }
        p->hash[k] = h | 1;
        p->depth[k] = (uint8_t)(depth < UINT8_MAX ? depth + 1 : depth);
    }
}

static uint64_t hash_of(const struct pack *p, LLVMValueRef v) {
    uint32_t n = block_graph_find(&p->g, v);
    return n ? p->hash[n - 1] : 0;
}

static bool same(const struct pack *p, const LLVMValueRef *a, const LLVMValueRef *b) {
    return !memcmp(a, b, sizeof *a * p->lanes);
}

static bool same_kind(LLVMValueRef a, LLVMValueRef b) {
    if (LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b))
        return false;
    if (LLVMIsAFCmpInst(a))
        return LLVMGetFCmpPredicate(a) == LLVMGetFCmpPredicate(b);
    if (!LLVMIsACallInst(a))
        return true;
    if (LLVMGetCalledValue(a) != LLVMGetCalledValue(b))
        return false;
    for (unsigned k = operand_count(a); k < LLVMGetNumArgOperands(a); k++)
        if (LLVMGetOperand(a, k) != LLVMGetOperand(b, k))
            return false;
    return true;
}

// Are the lanes steps of one kind, each one of its own? What is the same in all lanes is none.
static bool alike(const struct pack *p, const LLVMValueRef *lane) {
    for (unsigned k = 0; k < p->lanes; k++) {
        if (!hash_of(p, lane[k]) || !same_kind(lane[0], lane[k]))
            return false;
        for (unsigned x = 0; x < k; x++)
            if (lane[x] == lane[k])
                return false;
    }
    return true;
}

// Can it be put into a vector's lane: a float, or the first lane of floats, or a constant?
static bool is_lane(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    return LLVMIsConstant(v) || is_float(vector ? LLVMGetElementType(t) : t);
}

static int add_step(struct pack *p, const struct step *s) {
    if (p->nsteps == MOST_STEPS) {
        p->failed = true;
        return 0;
    }
    p->step[p->nsteps] = *s;
    return (int)p->nsteps++;
}

// The step that makes these lanes. Steps come behind those that they need.
static int find_step(struct pack *p, const LLVMValueRef *lane) {
    for (unsigned k = 0; k < p->nsteps; k++)
        if (same(p, p->step[k].lane, lane))
            return (int)k;
    struct step s = {.given = !alike(p, lane)};
    memcpy(s.lane, lane, sizeof *lane * p->lanes);
    for (unsigned k = 0; s.given && k < p->lanes; k++)
        p->failed |= !is_lane(lane[k]);
    for (unsigned x = 0; !s.given && !p->failed && x < operand_count(lane[0]); x++) {
        LLVMValueRef o[LANES];
        for (unsigned k = 0; k < p->lanes; k++)
            o[k] = source(LLVMGetOperand(lane[k], x));
        s.op[x] = find_step(p, o);
    }
    return add_step(p, &s);
}

// ---- is it worth it, and can it be done? ----------------------------------------------------

// Is v, as it is or as another value's first lane, used by what is no step of these?
static bool is_used(const struct pack *p, LLVMValueRef v) {
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        uint32_t n = block_graph_find(&p->g, user);
        if (n && p->inside[n - 1])
            continue;
        if (!n || LLVMIsAPHINode(user) || source(user) != source(v) || is_used(p, user))
            return true;
    }
    return false;
}

static bool is_constant(const struct pack *p, const struct step *s) {
    for (unsigned k = 0; k < p->lanes; k++)
        if (!LLVMIsConstant(s->lane[k]))
            return false;
    return true;
}

static bool is_gain(const struct pack *p) {
    unsigned before = 0, after = 0;
    for (unsigned s = 0; s < p->nsteps; s++) {
        const struct step *x = &p->step[s];
        before += x->given ? 0 : p->lanes;
        after += !x->given ? 1 : is_constant(p, x) ? 0 : p->lanes;
        for (unsigned k = 0; !x->given && k < p->lanes; k++)
            after += is_used(p, x->lane[k]);
    }
    return after + LEAST_GAIN <= before;
}

// Has all that the steps need from elsewhere its place?
static bool steps_can_come(const struct pack *p) {
    for (unsigned s = 0; s < p->nsteps; s++)
        for (unsigned k = 0; p->step[s].given && k < p->lanes; k++) {
            uint32_t n = block_graph_find(&p->g, p->step[s].lane[k]);
            if (n && !p->placed[n - 1])
                return false;
        }
    return true;
}

static bool can_come(const struct pack *p, uint32_t k, bool after_write, bool after_read) {
    const struct block_node *x = &p->g.node[k];
    if ((x->kind != BLOCK_PURE && after_write) || (x->kind == BLOCK_WRITES && after_read))
        return false;
    for (uint32_t o = 0; o < x->nops; o++)
        if (!p->placed[x->ops[o]])
            return false;
    return true;
}

static void place(struct pack *p, uint32_t k) {
    p->placed[k] = true;
    p->list[p->len++] = p->g.node[k].v;
}

static void place_steps(struct pack *p) {
    for (uint32_t k = 0; k < p->g.n; k++)
        p->placed[k] |= p->inside[k];
    p->list[p->len++] = NULL;
}

// The first order in which everything finds its operands; NULL in it: the steps.
static bool find_order(struct pack *p) {
    bool steps = false;
    p->placed = arena_array(&p->arena, bool, p->g.n);
    p->list = arena_array(&p->arena, LLVMValueRef, p->g.n + 1);
    p->len = 0;
    for (uint32_t before = UINT32_MAX; p->len != before;) {
        bool write = false, read = false; // one of these waits
        before = p->len;
        for (uint32_t k = 0; k < p->g.n; k++) {
            if (p->placed[k] || p->inside[k])
                continue;
            if (k + 1 < p->g.n && can_come(p, k, write, read)) {
                place(p, k);
                continue;
            }
            write |= p->g.node[k].kind == BLOCK_WRITES;
            read |= p->g.node[k].kind == BLOCK_READS;
        }
        if (!steps && steps_can_come(p)) {
            place_steps(p);
            steps = true;
        }
    }
    for (uint32_t k = 0; k + 1 < p->g.n; k++)
        if (!p->placed[k])
            return false;
    place(p, p->g.n - 1);
    return steps;
}

// ---- vectors --------------------------------------------------------------------------------

// A vector of the lanes, of which the last ones are the first again where there are only three.
static LLVMValueRef give(struct pack *p, const struct step *s) {
    LLVMBuilderRef b = p->c->b;
    LLVMTypeRef t = LLVMTypeOf(s->lane[0]);
    bool number = LLVMGetTypeKind(t) != LLVMIntegerTypeKind;
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(number ? p->c->f32 : t, LANES));
    for (unsigned k = 0; k < LANES; k++) {
        LLVMValueRef x = s->lane[k < p->lanes ? k : 0];
        if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind)
            x = LLVMBuildExtractElement(b, x, cg_i32(p->c, 0), "");
        v = LLVMBuildInsertElement(b, v, x, cg_i32(p->c, k), "");
    }
    return v;
}

static LLVMValueRef call_step(struct pack *p, LLVMValueRef v, LLVMValueRef *args) {
    LLVMTypeRef four = LLVMVectorType(p->c->f32, LANES);
    if (!is_four(LLVMTypeOf(v)))
        return cg_call_intrinsic(p->c, strcmp(called(v), "llvm.fma.f32") ? "llvm.sqrt" : "llvm.fma",
                                 &four, 1, args, operand_count(v));
    for (unsigned k = operand_count(v); k < LLVMGetNumArgOperands(v); k++)
        args[k] = LLVMGetOperand(v, k);
    return LLVMBuildCall2(p->c->b, LLVMGetCalledFunctionType(v), LLVMGetCalledValue(v), args,
                          LLVMGetNumArgOperands(v), "");
}

static LLVMValueRef build_step(struct pack *p, const struct step *s) {
    LLVMValueRef v = s->lane[0], args[8];
    LLVMBuilderRef b = p->c->b;
    if (s->given)
        return give(p, s);
    for (unsigned o = 0; o < operand_count(v); o++)
        args[o] = p->step[s->op[o]].result;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMFNeg:
        return LLVMBuildFNeg(b, args[0], "");
    case LLVMFCmp:
        return LLVMBuildFCmp(b, LLVMGetFCmpPredicate(v), args[0], args[1], "");
    case LLVMSelect:
        return LLVMBuildSelect(b, args[0], args[1], args[2], "");
    case LLVMCall:
        return call_step(p, v, args);
    default:
        return LLVMBuildBinOp(b, LLVMGetInstructionOpcode(v), args[0], args[1], "");
    }
}

// A shuffle that has nothing but the first lane of a vector, of lane k of another one.
static LLVMValueRef spread(struct pack *p, LLVMValueRef shuffle, LLVMValueRef v, unsigned k) {
    LLVMValueRef mask[64];
    unsigned n = LLVMGetNumMaskElements(shuffle);
    for (unsigned x = 0; x < n; x++)
        mask[x] = cg_i32(p->c, k);
    return LLVMBuildShuffleVector(p->c->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(mask, n), "");
}

static void replace(struct pack *p, const struct step *s, unsigned k) {
    LLVMValueRef v = s->lane[k];
    if (!is_used(p, v))
        return;
    LLVMValueRef x = LLVMBuildExtractElement(p->c->b, s->result, cg_i32(p->c, k), "");
    if (!is_four(LLVMTypeOf(v))) {
        LLVMReplaceAllUsesWith(v, x);
        return;
    }
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        LLVMReplaceAllUsesWith(user,
                               LLVMIsAShuffleVectorInst(user) ? spread(p, user, s->result, k) : x);
    }
}

static void build_steps(struct pack *p) {
    for (unsigned s = 0; s < p->nsteps; s++)
        p->step[s].result = build_step(p, &p->step[s]);
    for (unsigned s = 0; s < p->nsteps; s++)
        for (unsigned k = 0; !p->step[s].given && k < p->lanes; k++)
            replace(p, &p->step[s], k);
}

static void rearrange(struct pack *p, LLVMBasicBlockRef b) {
    LLVMSetCurrentDebugLocation2(p->c->b, NULL);
    for (uint32_t k = 0; k < p->len; k++) {
        if (p->list[k])
            LLVMInstructionRemoveFromParent(p->list[k]);
        LLVMPositionBuilderAtEnd(p->c->b, b);
        if (p->list[k])
            LLVMInsertIntoBuilder(p->c->b, p->list[k]);
        else
            build_steps(p);
    }
    for (uint32_t k = p->g.n; k--;)
        if (p->inside[k]) {
            LLVMValueRef v = p->g.node[k].v;
            LLVMReplaceAllUsesWith(v, LLVMGetPoison(LLVMTypeOf(v)));
            LLVMInstructionEraseFromParent(v);
        }
}

// ---- which scalars --------------------------------------------------------------------------

static bool try_lanes(struct pack *p, const LLVMValueRef *last, unsigned lanes) {
    p->lanes = lanes;
    p->nsteps = 0;
    p->failed = false;
    find_step(p, last);
    if (p->failed)
        return false;
    p->inside = arena_array(&p->arena, bool, p->g.n);
    for (unsigned s = 0; s < p->nsteps; s++)
        for (unsigned k = 0; !p->step[s].given && k < lanes; k++) {
            bool *in = &p->inside[block_graph_find(&p->g, p->step[s].lane[k]) - 1];
            if (*in) // a step of two lanes: one of them needs the other
                return false;
            *in = true;
        }
    return is_gain(p) && find_order(p);
}

// The steps that end at node k and at those before it that are reached in the same way.
static bool try_node(struct pack *p, uint32_t k) {
    LLVMValueRef last[LANES];
    unsigned n = 0;
    for (uint32_t x = k + 1; x-- && n < LANES;)
        if (p->hash[x] == p->hash[k])
            last[n++] = p->g.node[x].v;
    for (unsigned x = 0; x < n / 2; x++) {
        LLVMValueRef v = last[x];
        last[x] = last[n - 1 - x];
        last[n - 1 - x] = v;
    }
    return n >= LEAST_LANES && try_lanes(p, last, n);
}

static bool pack_some(struct cg *c, LLVMBasicBlockRef b, uint32_t n) {
    struct pack p = {.c = c};
    bool found = false;
    p.g.arena = &p.arena;
    block_graph_make(&p.g, b, n);
    hash_steps(&p);
    for (uint32_t k = p.g.n; !found && k--;)
        if (p.hash[k] && p.depth[k] >= LEAST_DEPTH)
            found = try_node(&p, k);
    if (found)
        rearrange(&p, b);
    arena_free(&p.arena);
    return found;
}

static uint32_t count(LLVMBasicBlockRef b) {
    uint32_t n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        n++;
    return n;
}

void cg_compute_abreast(struct cg *c) {
    enum { TRIES = 8 };
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            uint32_t n = count(b);
            for (unsigned t = 0; t < TRIES && n >= LEAST && n <= MOST && pack_some(c, b, n); t++)
                n = count(b);
        }
}
