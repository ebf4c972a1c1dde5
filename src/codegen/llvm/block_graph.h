#ifndef KUDZU_CODEGEN_BLOCK_GRAPH_H
#define KUDZU_CODEGEN_BLOCK_GRAPH_H

#include "codegen/core/state.h"
#include "codegen/llvm/number_table.h"

// What the instructions of one basic block need of each other, for passes that put them into
// another order. Phis are left out.
enum block_kind { BLOCK_PURE, BLOCK_READS, BLOCK_WRITES }; // what one does with memory

struct block_node {
    LLVMValueRef v;
    uint32_t *ops, *users; // in this block, each once
    uint32_t nops, nusers;
    uint32_t ops_left, users_left; // of users, one stands for all outside of the block
    uint8_t kind;
    bool done;
};

struct block_graph {
    struct arena *arena;
    struct block_node *node; // in the order that there is
    uint32_t n;
    struct number_table numbers; // of instructions: their nodes
    unsigned memory_kind;
};

// n: how many instructions the block has at most. What it allocates is in g->arena.
void block_graph_make(struct block_graph *g, LLVMBasicBlockRef b, uint32_t n);

// The node of v, plus one; 0: v is no instruction of the block, or a phi.
uint32_t block_graph_find(const struct block_graph *g, LLVMValueRef v);

// Node k comes now: of its operands one user less is left, and its users miss one operand less.
void block_graph_put(struct block_graph *g, uint32_t k);

bool block_graph_is_vector(LLVMValueRef v);

#endif
