#ifndef KUDZU_CODEGEN_CG_CHECK_SHADOW_H
#define KUDZU_CODEGEN_CG_CHECK_SHADOW_H

#include "codegen/core/state.h"

// Accesses of so many bytes by the active lanes, whose bits that nobody has decided are looked at.
struct cg_shadow {
    LLVMValueRef address; // an i64, or a vector
    uint32_t bytes;
    bool same;                     // all lanes have one address
    LLVMValueRef page, one_page;   // the file's own
    LLVMValueRef loaded;           // ... a lane's bits
    LLVMBasicBlockRef clean, bits; // ... where they are known; bits: NULL: nowhere but in `clean`
    LLVMBasicBlockRef ask, done;   // where the device is to be called, and what follows
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
