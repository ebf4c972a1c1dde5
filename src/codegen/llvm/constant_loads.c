// A vector of constants is a place in memory in the end. LLVM's instruction selection looks at what
// stands there, element by element, again and again, whenever it asks what is known of the bits of
// a value; and the fast instruction selection knows no vectors of constants at all, but loads it
// knows. Shifts keep theirs, which are part of the instruction, and so do products by powers of
// two, which are shifts, and those of types that machines have no product of. Uses that follow each
// other closely in a block share a load; farther apart its register would have to be saved.
#include "codegen/llvm/constant_loads.h"
#include "codegen/core/state.h"

#include <stdint.h>

enum { INITIAL_SLOTS = 64, CLOSE = 16 };

// The last load of a constant, in which block, and at which of the instructions.
struct last_load {
    LLVMValueRef load;
    LLVMBasicBlockRef block;
    uint64_t at;
};

struct table {
    LLVMValueRef *constant, *place;
    struct last_load *last;
    uint32_t n, slots; // a power of two
    uint64_t at;       // instructions that were looked at
    bool counts;       // only which ones there are
};

static uint32_t slot_of(const struct table *t, LLVMValueRef constant) {
    uint64_t h = (uint64_t)(uintptr_t)constant * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(h >> 32) & (t->slots - 1);
    while (t->constant[at] && t->constant[at] != constant)
        at = (at + 1) & (t->slots - 1);
    return at;
}

static void grow(struct cg *c, struct table *t) {
    struct table old = *t;
    t->slots = old.slots ? old.slots * 2 : INITIAL_SLOTS;
    t->constant = arena_array(c->arena, LLVMValueRef, t->slots);
    t->place = arena_array(c->arena, LLVMValueRef, t->slots);
    t->last = arena_array(c->arena, struct last_load, t->slots);
    for (uint32_t k = 0; k < old.slots; k++) {
        if (!old.constant[k])
            continue;
        uint32_t at = slot_of(t, old.constant[k]);
        t->constant[at] = old.constant[k];
        t->place[at] = old.place[k];
        t->last[at] = old.last[k];
    }
}

static LLVMValueRef place_of(struct cg *c, struct table *t, LLVMValueRef constant) {
    if (t->n * 2 >= t->slots)
        grow(c, t);
    uint32_t at = slot_of(t, constant);
    if (t->constant[at])
        return t->place[at];
    t->constant[at] = constant;
    t->n++;
    if (t->counts)
        return NULL;
    LLVMValueRef g = LLVMAddGlobal(c->mod, LLVMTypeOf(constant), "constant");
    LLVMSetInitializer(g, constant);
    LLVMSetGlobalConstant(g, c->quick);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetAlignment(g, 64);
    return t->place[at] = g;
}

// An expression, such as an address, is not computed where a constant stands in memory.
static bool holds_expression(LLVMValueRef v) {
    for (unsigned k = 0; k < LLVMGetVectorSize(LLVMTypeOf(v)); k++) {
        LLVMValueRef e = LLVMGetAggregateElement(v, k);
        if (!e || !(LLVMIsAConstantInt(e) || LLVMIsAConstantFP(e) || LLVMIsUndef(e)))
            return true;
    }
    return false;
}

static bool is_vector_of_numbers(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind ||
        !(LLVMIsAConstantDataVector(v) || (LLVMIsAConstantVector(v) && !holds_expression(v))))
        return false;
    LLVMTypeRef e = LLVMGetElementType(t);
    LLVMTypeKind k = LLVMGetTypeKind(e);
    bool whole = k == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(e) >= 8;
    if (whole && LLVMConstAllOnes(t) == v)
        return false; // xor with it is `not`, which selection knows
    return whole || k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind;
}

static bool is_power_of_two(LLVMValueRef element) {
    uint64_t x = LLVMIsAConstantInt(element) ? LLVMConstIntGetZExtValue(element) : 0;
    return !(x & (x - 1));
}

// A product that is one instruction, by numbers that are not all powers of two.
static bool multiplies(LLVMValueRef i) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(i)));
    for (int k = 0; k < 2 && (bits == 16 || bits == 32); k++) {
        LLVMValueRef x = LLVMGetOperand(i, (unsigned)k);
        unsigned n = is_vector_of_numbers(x) ? LLVMGetVectorSize(LLVMTypeOf(x)) : 0;
        for (unsigned e = 0; e < n; e++)
            if (!is_power_of_two(LLVMGetAggregateElement(x, e)))
                return true;
    }
    return false;
}

static bool computes(LLVMValueRef i) {
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
        return true;
    case LLVMMul:
        return LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind && multiplies(i);
    default:
        return false;
    }
}

static void load_operands(struct cg *c, struct table *t, LLVMValueRef i) {
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef x = LLVMGetOperand(i, (unsigned)k);
        if (!is_vector_of_numbers(x))
            continue;
        LLVMValueRef place = place_of(c, t, x);
        if (t->counts)
            continue;
        LLVMBasicBlockRef b = LLVMGetInstructionParent(i);
        struct last_load *last = &t->last[slot_of(t, x)];
        if (!last->load || last->block != b || t->at - last->at > CLOSE) {
            LLVMPositionBuilderBefore(c->b, i);
            last->load = LLVMBuildLoad2(c->b, LLVMTypeOf(x), place, "");
            LLVMSetAlignment(last->load, 64);
            last->block = b;
        }
        last->at = t->at;
        LLVMSetOperand(i, (unsigned)k, last->load);
    }
}

static void load_all(struct cg *c, struct table *t) {
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (t->at++, computes(i))
                    load_operands(c, t, i);
}

void cg_load_constants(struct cg *c) {
    struct table t = {0};
    load_all(c, &t);
}

void cg_load_many_constants(struct cg *c) {
    enum { MANY = 128 };
    struct table all = {.counts = true};
    load_all(c, &all);
    if (all.n > MANY)
        cg_load_constants(c);
}
