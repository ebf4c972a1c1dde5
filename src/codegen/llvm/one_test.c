// A block of threads that is one team is emitted as one way through the kernel, with a test at each
// access: whether the sum behind its index wraps, and whether a line is stored past the caches.
// Each parts the code; LLVM keeps what it knows in one piece in registers, and all else goes to the
// stack and back. Where what the tests ask follows from numbers that are there when the block
// begins, all of them are asked at once there, and a copy of the way runs without them.
#include <string.h>

#include "codegen/ahead/cg_stream.h"
#include "codegen/core/state.h"
#include "codegen/llvm/cold.h"
#include "codegen/llvm/number_table.h"
#include "codegen/llvm/one_test.h"

enum { LEAST_TESTS = 12, MOST_INSTRUCTIONS = 8000, VALUES = 32768 };
enum { MOST_DEPTH = 24, MOST_STEPS = 200 }; // of what leads to a test

struct copied {
    LLVMBasicBlockRef b, copy;
    uint8_t taken; // of the copy's successors the one that it goes to, plus one; 0: it asks
    bool past;     // what it asks is whether a line is stored past the caches
    bool in_loop, seen, open;
};

struct once {
    struct cg *c;
    struct arena arena;
    struct copied *block;
    uint32_t n;
    struct number_table numbers; // of blocks
    LLVMBasicBlockRef head, rest;
    LLVMValueRef *from, *to; // a hash table: values and their copies
    uint32_t tests;
};

static struct copied *find_block(const struct once *o, LLVMBasicBlockRef b) {
    uint32_t n = number_table_find(&o->numbers, b);
    return n ? &o->block[n - 1] : NULL;
}

static bool in_loop(const struct once *o, LLVMBasicBlockRef b) {
    const struct copied *x = find_block(o, b);
    return x && x->in_loop;
}

// ---- the loop over blocks of threads --------------------------------------------------------

static void add_block(struct once *o, LLVMBasicBlockRef b) {
    o->block[o->n++].b = b;
    number_table_add(&o->numbers, b);
}

static void find_blocks(struct once *o, LLVMValueRef f) {
    uint32_t n = LLVMCountBasicBlocks(f) + 1;
    o->block = arena_array(&o->arena, struct copied, n);
    o->numbers = number_table_new(&o->arena, n);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        add_block(o, b);
}

// Is there one block alone that is gone back to? Each edge is looked at once, without recursion.
static bool find_head(struct once *o, LLVMValueRef f) {
    uint32_t *stack = arena_array(&o->arena, uint32_t, o->n + 1), depth = 1;
    uint32_t *next = arena_array(&o->arena, uint32_t, o->n + 1);
    stack[0] = number_table_find(&o->numbers, LLVMGetEntryBasicBlock(f)) - 1;
    o->block[stack[0]].seen = o->block[stack[0]].open = true;
    while (depth) {
        struct copied *x = &o->block[stack[depth - 1]];
        LLVMValueRef last = LLVMGetBasicBlockTerminator(x->b);
        if (next[stack[depth - 1]] == LLVMGetNumSuccessors(last)) {
            x->open = false;
            depth--;
            continue;
        }
        LLVMBasicBlockRef s = LLVMGetSuccessor(last, next[stack[depth - 1]]++);
        struct copied *y = find_block(o, s);
        if (y->open && o->head && o->head != s)
            return false;
        if (y->open)
            o->head = s;
        if (y->seen)
            continue;
        y->seen = y->open = true;
        stack[depth++] = (uint32_t)(y - o->block);
    }
    return o->head;
}

// The blocks that the head leads to and from which it is reached again.
static void find_loop(struct once *o) {
    uint32_t *list = arena_array(&o->arena, uint32_t, o->n + 1), n = 0;
    for (uint32_t k = 0; k < o->n; k++)
        o->block[k].seen = false;
    find_block(o, o->head)->seen = true;
    for (list[n++] = number_table_find(&o->numbers, o->head) - 1; n;) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(o->block[list[--n]].b);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(last); s++) {
            struct copied *x = find_block(o, LLVMGetSuccessor(last, s));
            if (!x->seen)
                list[n++] = (uint32_t)(x - o->block);
            x->seen = true;
        }
    }
    find_block(o, o->head)->in_loop = true;
    for (bool any = true; any;) {
        any = false;
        for (uint32_t k = o->n; k--;) {
            struct copied *x = &o->block[k];
            LLVMValueRef last = LLVMGetBasicBlockTerminator(x->b);
            for (unsigned s = 0; x->seen && !x->in_loop && s < LLVMGetNumSuccessors(last); s++)
                any |= x->in_loop = in_loop(o, LLVMGetSuccessor(last, s));
        }
    }
}

static bool is_small(const struct once *o) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < o->n; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(o->block[k].b); i && o->block[k].in_loop;
             i = LLVMGetNextInstruction(i))
            n++;
    return n <= MOST_INSTRUCTIONS;
}

// Nothing that the loop makes is used behind it but through phis.
static bool is_closed(const struct once *o) {
    for (uint32_t k = 0; k < o->n; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(o->block[k].b); i && o->block[k].in_loop;
             i = LLVMGetNextInstruction(i))
            for (LLVMUseRef u = LLVMGetFirstUse(i); u; u = LLVMGetNextUse(u)) {
                LLVMValueRef user = LLVMGetUser(u);
                if (!LLVMIsAPHINode(user) && !in_loop(o, LLVMGetInstructionParent(user)))
                    return false;
            }
    return true;
}

// ---- values and their copies ----------------------------------------------------------------

static uint32_t place_of(const struct once *o, LLVMValueRef v) {
    uint64_t h = (uint64_t)(uintptr_t)v * 0x9e3779b97f4a7c15ull >> 20;
    while (o->from[h & (VALUES - 1)] && o->from[h & (VALUES - 1)] != v)
        h++;
    return (uint32_t)(h & (VALUES - 1));
}

static void forget_copies(struct once *o) {
    o->from = arena_array(&o->arena, LLVMValueRef, VALUES);
    o->to = arena_array(&o->arena, LLVMValueRef, VALUES);
}

static void note_copy(struct once *o, LLVMValueRef v, LLVMValueRef copy) {
    uint32_t p = place_of(o, v);
    o->from[p] = v;
    o->to[p] = copy;
}

static LLVMValueRef copy_of(const struct once *o, LLVMValueRef v) {
    uint32_t p = place_of(o, v);
    return o->from[p] ? o->to[p] : v;
}

// ---- tests ----------------------------------------------------------------------------------

static bool stores_past(struct once *o, LLVMBasicBlockRef b) {
    unsigned kind = LLVMGetMDKindIDInContext(o->c->ctx, "nontemporal", 11);
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAStoreInst(i) && LLVMGetMetadata(i, kind))
            return true;
    return false;
}

// The successor that a branch has when all is as usual, plus one; 0: not known. *past: it stores
// past the caches, and the other one does the same through them.
static uint8_t usual_successor(struct once *o, LLVMValueRef last, bool *past) {
    if (!LLVMIsABranchInst(last) || !LLVMIsConditional(last) ||
        LLVMGetSuccessor(last, 0) == LLVMGetSuccessor(last, 1))
        return 0;
    *past = cg_may_store_past(o->c, last);
    for (unsigned s = 0; s < 2; s++)
        if (*past ? stores_past(o, LLVMGetSuccessor(last, 1 - s)) : cg_is_rare(o->c, last, s))
            return (uint8_t)(2 - s);
    return 0;
}

static bool is_arithmetic(LLVMValueRef v) {
    return cg_is_arithmetic(v) && LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind;
}

// Does v follow by arithmetic from what is there when the loop's iteration begins, in so many
// steps?
static bool is_early(const struct once *o, LLVMValueRef v, unsigned depth, unsigned *steps) {
    if (!LLVMIsAInstruction(v) || !in_loop(o, LLVMGetInstructionParent(v)))
        return true;
    if (LLVMIsAPHINode(v))
        return LLVMGetInstructionParent(v) == o->head;
    if (!depth || !*steps || !is_arithmetic(v))
        return false;
    --*steps;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_early(o, LLVMGetOperand(v, (unsigned)k), depth - 1, steps))
            return false;
    return true;
}

static void find_tests(struct once *o) {
    for (uint32_t k = 0; k < o->n; k++) {
        struct copied *x = &o->block[k];
        LLVMValueRef last = LLVMGetBasicBlockTerminator(x->b);
        uint8_t usual = x->in_loop ? usual_successor(o, last, &x->past) : 0;
        unsigned steps = MOST_STEPS;
        if (!usual || !is_early(o, LLVMGetCondition(last), MOST_DEPTH, &steps))
            continue;
        x->taken = usual;
        o->tests++;
    }
}

// v, as a value of which LLVM does not know that it is the same: what the tests need is made again
// on the way. Else all of that would wait in memory.
static LLVMValueRef apart(struct once *o, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) < 32)
        return v;
    LLVMTypeRef f = LLVMFunctionType(t, &t, 1, false);
    LLVMValueRef same =
        LLVMGetInlineAsm(f, "", 0, "=r,0", 4, false, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(o->c->b, f, same, &v, 1, "");
}

// v, made where the builder stands.
static LLVMValueRef make_early(struct once *o, LLVMValueRef v) {
    bool phi = LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == o->head;
    if (!phi && (!LLVMIsAInstruction(v) || !in_loop(o, LLVMGetInstructionParent(v))))
        return v;
    LLVMValueRef copy = copy_of(o, v);
    if (copy != v)
        return copy;
    if (phi) {
        copy = apart(o, v);
    } else {
        copy = LLVMInstructionClone(v);
        for (int k = 0; k < LLVMGetNumOperands(v); k++)
            LLVMSetOperand(copy, (unsigned)k, make_early(o, LLVMGetOperand(v, (unsigned)k)));
        LLVMInsertIntoBuilder(o->c->b, copy);
    }
    note_copy(o, v, copy);
    return copy;
}

// Are all tests of one sort answered as usual? NULL: there are none. A test that does not come to
// be made in this iteration may have no answer, which then says nothing of the others.
static LLVMValueRef all_as_usual(struct once *o, bool past) {
    LLVMValueRef all = NULL;
    for (uint32_t k = 0; k < o->n; k++) {
        if (!o->block[k].taken || o->block[k].past != past)
            continue;
        LLVMValueRef t = LLVMGetCondition(LLVMGetBasicBlockTerminator(o->block[k].b));
        t = LLVMBuildFreeze(o->c->b, make_early(o, t), "");
        if (o->block[k].taken == 2)
            t = LLVMBuildNot(o->c->b, t, "");
        all = all ? LLVMBuildAnd(o->c->b, all, t, "") : t;
    }
    return all;
}

// ---- the copy -------------------------------------------------------------------------------

// A phi that has `now` where it has `was`.
static void rename_incoming(struct once *o, LLVMValueRef phi, LLVMBasicBlockRef was,
                            LLVMBasicBlockRef now) {
    LLVMPositionBuilderBefore(o->c->b, phi);
    LLVMValueRef x = LLVMBuildPhi(o->c->b, LLVMTypeOf(phi), "");
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        LLVMBasicBlockRef b = LLVMGetIncomingBlock(phi, k);
        if (b == was)
            b = now;
        LLVMAddIncoming(x, &v, &b, 1);
    }
    LLVMReplaceAllUsesWith(phi, x);
    LLVMInstructionEraseFromParent(phi);
}

// What follows the head's phis gets a block of its own.
static void split_head(struct once *o) {
    o->rest = LLVMAppendBasicBlockInContext(o->c->ctx, LLVMGetBasicBlockParent(o->head), "rest");
    LLVMValueRef i = LLVMGetFirstInstruction(o->head), next;
    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    LLVMSetCurrentDebugLocation2(o->c->b, NULL);
    LLVMPositionBuilderAtEnd(o->c->b, o->rest);
    for (; i; i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(o->c->b, i);
    }
    LLVMValueRef last = LLVMGetBasicBlockTerminator(o->rest);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(last); s++)
        for (i = LLVMGetFirstInstruction(LLVMGetSuccessor(last, s)); i && LLVMIsAPHINode(i);
             i = next) {
            next = LLVMGetNextInstruction(i);
            rename_incoming(o, i, o->head, o->rest);
        }
    struct copied *head = find_block(o, o->head);
    add_block(o, o->rest);
    o->block[o->n - 1].in_loop = true;
    o->block[o->n - 1].taken = head->taken;
    o->block[o->n - 1].past = head->past;
    head->taken = 0;
    head->in_loop = false;
}

// What the tests ask is known in the copy.
static void note_answers(struct once *o) {
    for (uint32_t k = 0; k < o->n; k++)
        if (o->block[k].taken)
            note_copy(o, LLVMGetCondition(LLVMGetBasicBlockTerminator(o->block[k].b)),
                      LLVMConstInt(LLVMInt1TypeInContext(o->c->ctx), o->block[k].taken == 1, 0));
}

// Lines that are stored past the caches are not asked for before: what is asked for in their place,
// always the same, need not be, either.
static bool asks_for_nothing(const struct once *o, LLVMValueRef i) {
    size_t len;
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    if (!f || !LLVMIsAFunction(f) || strncmp(LLVMGetValueName2(f, &len), "llvm.prefetch", 13))
        return false;
    LLVMValueRef p = LLVMGetOperand(i, 0);
    while (LLVMIsAGetElementPtrInst(p))
        p = LLVMGetOperand(p, 0);
    if (!LLVMIsASelectInst(p) || !LLVMIsAConstantInt(copy_of(o, LLVMGetOperand(p, 0))))
        return false;
    bool first = LLVMConstIntGetZExtValue(copy_of(o, LLVMGetOperand(p, 0)));
    return LLVMIsAArgument(LLVMGetOperand(p, first ? 1 : 2));
}

static void copy_instructions(struct once *o, struct copied *x) {
    LLVMPositionBuilderAtEnd(o->c->b, x->copy);
    for (LLVMValueRef i = LLVMGetFirstInstruction(x->b); i; i = LLVMGetNextInstruction(i)) {
        if (copy_of(o, i) != i || asks_for_nothing(o, i))
            continue;
        LLVMValueRef last = LLVMGetBasicBlockTerminator(x->b), copy;
        if (i == last && x->taken) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(last, x->taken - 1u);
            struct copied *y = find_block(o, to);
            LLVMBuildBr(o->c->b, y->in_loop ? y->copy : to);
            return;
        }
        copy =
            LLVMIsAPHINode(i) ? LLVMBuildPhi(o->c->b, LLVMTypeOf(i), "") : LLVMInstructionClone(i);
        if (!LLVMIsAPHINode(i))
            LLVMInsertIntoBuilder(o->c->b, copy);
        note_copy(o, i, copy);
    }
}

// Does the copy of x still lead to s?
static bool leads_to(const struct copied *x, LLVMBasicBlockRef s) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(x->b);
    return !x->taken || LLVMGetSuccessor(last, x->taken - 1u) == s;
}

// Gives phi, in block b or its copy, what comes from copies of blocks.
static void add_incoming(struct once *o, LLVMValueRef phi, LLVMValueRef to, LLVMBasicBlockRef b) {
    unsigned n = LLVMCountIncoming(phi);
    for (unsigned k = 0; k < n; k++) {
        const struct copied *from = find_block(o, LLVMGetIncomingBlock(phi, k));
        if (!from || !from->in_loop || !leads_to(from, b))
            continue;
        LLVMValueRef v = copy_of(o, LLVMGetIncomingValue(phi, k));
        LLVMBasicBlockRef f = from->copy;
        LLVMAddIncoming(to, &v, &f, 1);
    }
}

static void connect_copy(struct once *o, struct copied *x) {
    for (LLVMValueRef i = LLVMGetFirstInstruction(x->b); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef copy = copy_of(o, i);
        if (copy == i || !LLVMIsAInstruction(copy)) // a branch or a test that is no more
            continue;
        if (LLVMIsAPHINode(i)) {
            add_incoming(o, i, copy, x->b);
            continue;
        }
        for (int k = 0; k < LLVMGetNumOperands(i); k++) {
            LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
            if (!LLVMValueIsBasicBlock(v))
                LLVMSetOperand(copy, (unsigned)k, copy_of(o, v));
        }
        for (unsigned s = 0; LLVMIsATerminatorInst(i) && s < LLVMGetNumSuccessors(i); s++) {
            struct copied *y = find_block(o, LLVMGetSuccessor(i, s));
            LLVMSetSuccessor(copy, s, y->in_loop ? y->copy : y->b);
        }
    }
}

// Copies that nothing leads to have phis of nothing, which are not allowed.
static void fill_empty(struct once *o) {
    for (uint32_t k = 0; k < o->n; k++)
        for (LLVMValueRef i = o->block[k].in_loop ? LLVMGetFirstInstruction(o->block[k].copy)
                                                  : NULL,
                          next;
             i && LLVMIsAPHINode(i); i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMCountIncoming(i))
                continue;
            LLVMReplaceAllUsesWith(i, LLVMGetPoison(LLVMTypeOf(i)));
            LLVMInstructionEraseFromParent(i);
        }
}

// The loop, as it is when the tests are answered as `taken` says: where it begins.
static LLVMBasicBlockRef copy_loop(struct once *o) {
    LLVMValueRef f = LLVMGetBasicBlockParent(o->head);
    forget_copies(o);
    note_answers(o);
    for (uint32_t k = 0; k < o->n; k++)
        if (o->block[k].in_loop)
            o->block[k].copy = LLVMAppendBasicBlockInContext(o->c->ctx, f, "usual");
    for (uint32_t k = 0; k < o->n; k++)
        if (o->block[k].in_loop)
            copy_instructions(o, &o->block[k]);
    for (uint32_t k = 0; k < o->n; k++)
        if (o->block[k].in_loop)
            connect_copy(o, &o->block[k]);
    for (uint32_t k = 0; k < o->n; k++) // the head, and what comes behind the loop
        for (LLVMValueRef i = LLVMGetFirstInstruction(o->block[k].b);
             i && LLVMIsAPHINode(i) && !o->block[k].in_loop; i = LLVMGetNextInstruction(i))
            add_incoming(o, i, i, o->block[k].b);
    fill_empty(o);
    return find_block(o, o->rest)->copy;
}

// Storing through the caches is always right: that copy's tests need no answer.
static void store_in_caches(struct once *o) {
    for (uint32_t k = 0; k < o->n; k++)
        if (o->block[k].taken && o->block[k].past)
            o->block[k].taken = (uint8_t)(3 - o->block[k].taken);
}

static void make_copies(struct once *o) {
    LLVMBuilderRef b = o->c->b;
    split_head(o);
    forget_copies(o);
    LLVMPositionBuilderAtEnd(b, o->head);
    LLVMValueRef sums = all_as_usual(o, false), past = all_as_usual(o, true);
    LLVMBasicBlockRef usual = copy_loop(o);
    if (sums && past) {
        LLVMValueRef f = LLVMGetBasicBlockParent(o->head);
        LLVMBasicBlockRef which = LLVMAppendBasicBlockInContext(o->c->ctx, f, "which");
        store_in_caches(o);
        LLVMBasicBlockRef cached = copy_loop(o);
        LLVMPositionBuilderAtEnd(b, which);
        LLVMBuildCondBr(b, past, usual, cached);
        usual = which;
    }
    LLVMPositionBuilderAtEnd(b, o->head);
    LLVMBuildCondBr(b, sums ? sums : past, usual, o->rest);
}

static bool test_once(struct cg *c, LLVMValueRef f) {
    struct once o = {.c = c};
    bool done = false;
    find_blocks(&o, f);
    if (find_head(&o, f)) {
        find_loop(&o);
        find_tests(&o);
        done = o.tests >= LEAST_TESTS && is_small(&o) && is_closed(&o);
    }
    if (done)
        make_copies(&o);
    arena_free(&o.arena);
    return done;
}

bool cg_test_once(struct cg *c) {
    bool any = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        any |= !LLVMIsDeclaration(f) && test_once(c, f);
    return any;
}
