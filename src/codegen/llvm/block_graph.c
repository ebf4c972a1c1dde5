// The graph of a basic block: which instructions need which, and what they do with memory.
#include <string.h>

#include "codegen/llvm/block_graph.h"

uint32_t block_graph_find(const struct block_graph *g, LLVMValueRef v) {
    return number_table_find(&g->numbers, v);
}

// ---- what an instruction does with memory ---------------------------------------------------

// The effects that LLVM states of an intrinsic: two bits a sort of memory, the upper one for
// writing.
static enum block_kind kind_of_call(const struct block_graph *g, LLVMValueRef v) {
    size_t len;
    LLVMValueRef f = LLVMGetCalledValue(v);
    const char *name = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &len) : "";
    if (strncmp(name, "llvm.", 5))
        return BLOCK_WRITES;
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, g->memory_kind);
    if (!a)
        return BLOCK_WRITES;
    uint64_t effects = LLVMGetEnumAttributeValue(a), writing = 0xaaaaaaaaull;
    return effects & writing ? BLOCK_WRITES : effects ? BLOCK_READS : BLOCK_PURE;
}

static enum block_kind kind_of(const struct block_graph *g, LLVMValueRef v) {
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
        return LLVMGetVolatile(v) || LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic
                   ? BLOCK_WRITES
                   : BLOCK_READS;
    case LLVMCall:
        return kind_of_call(g, v);
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
        return BLOCK_PURE;
    default:
        return BLOCK_WRITES;
    }
}

// ---- the graph ------------------------------------------------------------------------------

static void collect(struct block_graph *g, LLVMBasicBlockRef b, uint32_t n) {
    g->node = arena_array(g->arena, struct block_node, n);
    g->numbers = number_table_new(g->arena, n);
    for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
        if (LLVMIsAPHINode(v))
            continue;
        g->node[g->n++] = (struct block_node){.v = v, .kind = (uint8_t)kind_of(g, v)};
        number_table_add(&g->numbers, v);
    }
}

static bool has(const uint32_t *list, uint32_t n, uint32_t x) {
    for (uint32_t k = 0; k < n; k++)
        if (list[k] == x)
            return true;
    return false;
}

static void connect(struct block_graph *g) {
    for (uint32_t k = 0; k < g->n; k++) {
        struct block_node *x = &g->node[k];
        int nops = LLVMGetNumOperands(x->v);
        x->ops = arena_array(g->arena, uint32_t, (unsigned)nops + 1);
        for (int p = 0; p < nops; p++) {
            LLVMValueRef v = LLVMGetOperand(x->v, (unsigned)p);
            uint32_t of = LLVMIsAInstruction(v) ? block_graph_find(g, v) : 0;
            if (of && !has(x->ops, x->nops, of - 1))
                x->ops[x->nops++] = of - 1;
        }
        x->ops_left = x->nops;
        for (uint32_t p = 0; p < x->nops; p++)
            g->node[x->ops[p]].nusers++;
    }
    for (uint32_t k = 0; k < g->n; k++) {
        struct block_node *x = &g->node[k];
        x->users = arena_array(g->arena, uint32_t, x->nusers + 1);
        x->users_left = x->nusers;
        for (LLVMUseRef u = LLVMGetFirstUse(x->v); u; u = LLVMGetNextUse(u))
            if (!block_graph_find(g, LLVMGetUser(u))) {
                x->users_left++;
                break;
            }
        x->nusers = 0;
    }
    for (uint32_t k = 0; k < g->n; k++)
        for (uint32_t p = 0; p < g->node[k].nops; p++) {
            struct block_node *x = &g->node[g->node[k].ops[p]];
            x->users[x->nusers++] = k;
        }
}

void block_graph_make(struct block_graph *g, LLVMBasicBlockRef b, uint32_t n) {
    g->memory_kind = LLVMGetEnumAttributeKindForName("memory", 6);
    collect(g, b, n);
    connect(g);
}

void block_graph_put(struct block_graph *g, uint32_t k) {
    struct block_node *x = &g->node[k];
    x->done = true;
    for (uint32_t p = 0; p < x->nops; p++)
        g->node[x->ops[p]].users_left--;
    for (uint32_t u = 0; u < x->nusers; u++)
        g->node[x->users[u]].ops_left--;
}

bool block_graph_is_vector(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind && !LLVMIsACmpInst(v);
}
