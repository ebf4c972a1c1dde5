#ifndef KUDZU_CODEGEN_CG_MODULE_H
#define KUDZU_CODEGEN_CG_MODULE_H

#include "codegen/core/state.h"

void cg_error(struct cg *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
LLVMTypeRef cg_scalar_type(struct cg *c, enum kir_type t);
LLVMTypeRef cg_vec_type(struct cg *c, enum kir_type t); // a scalar type at width 1
LLVMTypeRef cg_vec_of(struct cg *c, LLVMTypeRef t);
LLVMTypeRef cg_int_type(struct cg *c, unsigned bits);
LLVMTypeRef cg_mask_type(struct cg *c);
LLVMValueRef cg_i32(struct cg *c, uint64_t v);
LLVMValueRef cg_i64(struct cg *c, uint64_t v);
LLVMValueRef cg_call_intrinsic(struct cg *c, const char *name, LLVMTypeRef *overload,
                               unsigned noverload, LLVMValueRef *args, unsigned nargs);
LLVMValueRef cg_call_rt(struct cg *c, const char *name, LLVMValueRef *args, unsigned nargs);
void cg_declare_functions(struct cg *c);

// A function of the module's own that many places call, with vectors in registers; code that is
// made once compiles faster than code that stands everywhere. *made: the caller writes its body,
// the builder stands at the beginning. cg_end_own goes back to where the builder stood.
struct cg_own {
    LLVMValueRef f;
    LLVMBasicBlockRef from; // NULL: the function was there
};
enum cg_own_effect {
    CG_ANY_EFFECT = -1,
    CG_READS_ARGS = 1,
    CG_WRITES_ARGS = 2,
    CG_CHANGES_ARGS = 3,
    CG_READS = 21
};
struct cg_own cg_own_function(struct cg *c, const char *name, LLVMTypeRef t,
                              enum cg_own_effect effect);
void cg_end_own(struct cg *c, const struct cg_own *own);
LLVMValueRef cg_call_own(struct cg *c, LLVMTypeRef t, LLVMValueRef f, LLVMValueRef *args,
                         unsigned n);
LLVMTypeRef cg_func_type(struct cg *c, const struct kir_func *f);
LLVMTypeRef cg_param_type(struct cg *c, const struct kir_func *f, uint32_t k);
LLVMTypeRef cg_result_type(struct cg *c, const struct kir_func *f, uint32_t k);

// A load of a field of struct kd_block.
LLVMValueRef cg_block_field(struct cg_func *g, size_t offset, LLVMTypeRef t, const char *name);

// A field of a structure of the device's, at p.
LLVMValueRef cg_field(struct cg *c, LLVMValueRef p, size_t offset);
void cg_set_field(struct cg *c, LLVMValueRef p, size_t offset, LLVMValueRef x);
LLVMValueRef cg_function_handle(struct cg *c, const struct kir_func *f);

#endif
