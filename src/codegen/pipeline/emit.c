// From the analysed kernel to LLVM's IR, and from that to the object.
#include <stdlib.h>

#include "codegen/control/cg_func.h"
#include "codegen/core/cg_module.h"
#include "codegen/pipeline/analyse.h"
#include "codegen/pipeline/optimize.h"
#include "codegen/pipeline/passes.h"
#include "codegen/pipeline/traits.h"
#include "support/strbuf.h"

// LLVM takes some microseconds and kilobytes for each of its instructions: a kernel with more than
// this is interpreted.
enum { MOST_LLVM_INSTRUCTIONS = 1000000 };

void emit_all(struct pipeline *p) {
    struct cg *c = p->c;
    struct flow **fl = p->fl;
    c->one_team = is_one_team(c);
    debug_masks(c, fl[c->kernel->index]);
    c->fn = arena_array(c->arena, LLVMValueRef, c->ir->funcs.len + 1);
    cg_declare_functions(c);
    for (uint32_t n = 0; n < c->ir->funcs.len; n++)
        if (c->fn[n])
            cg_emit_function(c, c->ir->funcs.data[n], fl[n]);
    cg_emit_kernel(c, fl[c->kernel->index]);
}

void check_length(struct pipeline *p) {
    struct cg *c = p->c;
    c->failed = is_too_long(c, cg_count_instructions(c->mod), MOST_LLVM_INSTRUCTIONS,
                            "instructions of LLVM's");
}

void make_object(struct pipeline *p) {
    struct cg *c = p->c;
    c->failed = !cg_make_object(c, p->object, p->object_size, c->err);
    if (c->failed)
        return;
    if (c->large_frames <= KD_MOST_STACK_BYTES) {
        p->info->stack_bytes = (uint32_t)c->large_frames;
        return;
    }
    strbuf_printf(c->err, "kernel %s: its code needs %llu bytes of stack\n", c->kernel->name,
                  (unsigned long long)c->large_frames);
    free(*p->object);
    c->failed = true;
}
