// One prefetch instruction.
#include "codegen/ahead/cg_prefetch_at.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"

void cg_prefetch_to(struct cg *c, LLVMValueRef p, bool is_store, enum cg_cache where) {
    LLVMValueRef args[4] = {p, cg_i32(c, is_store), cg_i32(c, where), cg_i32(c, 1)};
    cg_call_intrinsic(c, "llvm.prefetch", &c->ptr, 1, args, 4);
}

// Where the first cache has few places for lines under way, what is asked for takes them from loads
// until it is there; what the second cache is asked for does so only while there are some.
void cg_prefetch_line(struct cg *c, LLVMValueRef p, bool is_store, enum cg_cache where) {
    bool second = where == CG_FIRST_CACHE && c->target.second_cache;
    cg_prefetch_to(c, p, is_store && !second, second ? CG_SECOND_CACHE : where);
}

void cg_prefetch_at(struct cg *c, LLVMValueRef p, LLVMValueRef by, bool is_store) {
    cg_prefetch_line(c, LLVMBuildGEP2(c->b, c->i8, p, &by, 1, ""), is_store, CG_FIRST_CACHE);
}

void cg_prefetch_near(struct cg *c, LLVMValueRef p, LLVMValueRef by, bool is_store) {
    cg_prefetch_to(c, LLVMBuildGEP2(c->b, c->i8, p, &by, 1, ""), is_store, CG_FIRST_CACHE);
}
