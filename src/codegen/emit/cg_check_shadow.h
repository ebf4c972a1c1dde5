#ifndef KUDZU_CODEGEN_CG_CHECK_SHADOW_H
#define KUDZU_CODEGEN_CG_CHECK_SHADOW_H

#include "codegen/core/state.h"
#include "codegen/emit/cg_check_span.h"

// Accesses of so many bytes by the active lanes, whose bits that nobody has decided are looked at.
struct cg_shadow {
    struct kir_value *of; // the address
    LLVMValueRef address; // ... with what is added to it: an i64, or a vector
    LLVMValueRef offset;  // ... which is the same for all lanes; NULL: nothing
    uint32_t bytes;
    bool same;   // all lanes have one address
    bool shared; // the addresses are generic ones of the block's shared memory
    // The file's own: where all is decided (NULL: nowhere), and where bits are known (NULL:
    // nowhere).
    LLVMBasicBlockRef clean, bits;
    bool has_span;
    struct cg_span span;
    LLVMValueRef first;          // span: of the first address; else of none
    LLVMValueRef page, one_page; // of memory that is not shared
    LLVMValueRef places;         // of bits: the first one's, or the lanes'
    LLVMValueRef loaded;         // a lane's bits
    LLVMBasicBlockRef ask, done; // where the device is to be called, and what follows
};
// Loads: code for what the device need not be asked, and code that has asked it ends with `load`,
// whose result is bits of 64 a lane.
void cg_shadow_begin(struct cg_func *g, struct cg_shadow *s);
LLVMValueRef cg_shadow_load(struct cg_func *g, struct cg_shadow *s, LLVMValueRef asked);
// Stores: ends where the device is to be told; the result is what follows. dirty: some bits of what
// is stored are not decided.
LLVMBasicBlockRef cg_shadow_store(struct cg_func *g, struct cg_shadow *s, struct kir_inst *i,
                                  LLVMValueRef dirty);

#endif
