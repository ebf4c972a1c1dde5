// Ends of a launch with a fault, at a line of the source.
#include <string.h>

#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_fault.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"

void cg_fault_if(struct cg_func *g, LLVMValueRef bad, enum kd_fault fault) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef yes = cg_new_block(g, "fault"), no = cg_new_block(g, "");
    LLVMBuildCondBr(c->b, bad, yes, no);
    LLVMPositionBuilderAtEnd(c->b, yes);
    LLVMValueRef args[3] = {g->blk, g->now.t0, cg_i32(c, fault)};
    cg_call_rt(c, "kd_rt_fault", args, 3);
    LLVMBuildUnreachable(c->b);
    LLVMPositionBuilderAtEnd(c->b, no);
}

LLVMValueRef cg_file_name(struct cg *c, const struct kir_inst *i) {
    const char *name = i->file < c->ir->files.len ? c->ir->files.data[i->file] : NULL;
    if (!i->line || !name)
        return LLVMConstNull(c->ptr);
    if (!c->file_names)
        c->file_names = arena_array(c->arena, LLVMValueRef, c->ir->files.len);
    LLVMValueRef *v = &c->file_names[i->file];
    if (!*v) {
        LLVMValueRef text =
            LLVMConstStringInContext2(c->ctx, name, strlen(name), /* DontNullTerminate */ 0);
        *v = LLVMAddGlobal(c->mod, LLVMTypeOf(text), "file");
        LLVMSetInitializer(*v, text);
        LLVMSetLinkage(*v, LLVMPrivateLinkage);
        LLVMSetGlobalConstant(*v, 1);
        LLVMSetUnnamedAddress(*v, LLVMGlobalUnnamedAddr);
        LLVMSetAlignment(*v, 1);
    }
    return *v;
}

void cg_fault_at(struct cg_func *g, const struct kir_inst *i, LLVMValueRef thread,
                 enum kd_fault fault, LLVMValueRef address) {
    struct cg *c = g->cg;
    LLVMValueRef file = cg_file_name(c, i);
    LLVMValueRef a[6] = {g->blk,
                         thread,
                         cg_i32(c, fault),
                         address ? address : cg_i64(c, 0),
                         file,
                         cg_i32(c, LLVMIsNull(file) ? 0 : i->line)};
    cg_call_rt(c, "kd_rt_fault_at", a, 6);
}
