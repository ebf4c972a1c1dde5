// How much work a kernel's compilation may take: quick code or better, and what LLVM is asked for.
#include "codegen/pipeline/passes.h"
#include "codegen/pipeline/promote.h"
#include "codegen/pipeline/traits.h"

// With KD_SPEC_QUICK code has to be there soon. It has the same mode, so that a launch can change
// from it to better code between two blocks, but no teams, vectors no wider than registers where
// the kernel does not ask for them, hardly any of LLVM's passes, and the fast instruction selection
// and register allocation: it takes a third to a twentieth of the time.
static bool is_surely_quick(const struct cg *c) {
    enum { SMALL = 24 }; // may turn out to be small: see is_large
    return (c->spec.flags & KD_SPEC_QUICK) &&
           ((c->spec.flags & KD_SPEC_ALWAYS_QUICK) || func_instructions(c->kernel) > SMALL);
}

// What is known before there is code: see make_values.
static enum cg_effort first_effort(const struct calls *k) {
    enum { MANY_LOOPS = 64, MOST_LOOPS = 128, LARGE = 1500, LONG_BLOCK = 30000 };
    uint32_t blocks = 0, loops = 0, longest = 0;
    for (uint32_t n = 0; n < k->list.len; n++) {
        const struct kir_func *f = k->list.data[n];
        blocks += f->blocks.len;
        for (uint32_t b = 0; b < f->blocks.len; b++) {
            uint32_t length = 0;
            for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
                length++;
            longest = length > longest ? length : longest;
            for (uint32_t t = 0; t < f->blocks.data[b]->last->ntargets; t++)
                loops += f->blocks.data[b]->last->targets[t]->id <= b;
        }
    }
    // LLVM selects the instructions of a block all at once, in more than linear time, and follows
    // values through loops one behind the other in the square of their number.
    return blocks > LARGE || longest > LONG_BLOCK || loops > MOST_LOOPS ? CG_EFFORT_LITTLE
           : loops > MANY_LOOPS                                         ? CG_EFFORT_NO_COUNTING
                                                                        : CG_EFFORT_ALL;
}

void choose_effort(struct pipeline *p) {
    struct cg *c = p->c;
    c->effort = first_effort(&p->calls);
    c->quick = is_surely_quick(c) || c->effort >= CG_EFFORT_LITTLE;
    c->pw.quick = c->quick;
}

// A kernel so small that the better code is there in a few milliseconds gets that at once.
enum { SMALL_INSTRUCTIONS = 64 };

static bool is_large(LLVMModuleRef m) {
    unsigned n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (++n > SMALL_INSTRUCTIONS)
                    return true;
    return false;
}

// Variables times blocks, of each function: as many phis may come of them.
static uint64_t most_phis(LLVMModuleRef m) {
    uint64_t all = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        uint64_t variables = 0;
        if (LLVMIsDeclaration(f))
            continue;
        LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f);
        for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
            variables += LLVMIsAAllocaInst(i) != NULL;
        all += variables * LLVMCountBasicBlocks(f);
    }
    return all;
}

// Are there more phis than so many?
static bool has_phis(LLVMModuleRef m, uint32_t most) {
    uint32_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i);
                 i = LLVMGetNextInstruction(i))
                if (++n > most)
                    return true;
    return false;
}

// A block of threads that is one team has variables for each of its groups, and one long way with
// hardly a phi where all of its steps are written out.
void make_values(struct pipeline *p) {
    struct cg *c = p->c;
    enum { MANY = 100000, TOO_MANY = 1000000, FEW = 1000 };
    uint64_t phis = most_phis(c->mod);
    if (phis > MANY || c->effort >= CG_EFFORT_LITTLE || c->quick)
        c->keeps_variables = !cg_promote(c);
    if (c->keeps_variables || (phis > TOO_MANY && c->effort < CG_EFFORT_LITTLE &&
                               (!c->one_team || has_phis(c->mod, FEW))))
        c->effort = CG_EFFORT_LITTLE;
}

void settle_quick(struct pipeline *p) {
    struct cg *c = p->c;
    if (c->effort >= CG_EFFORT_LITTLE || (c->spec.flags & KD_SPEC_ALWAYS_QUICK) ||
        ((c->spec.flags & KD_SPEC_QUICK) && (c->lane_calls || is_large(c->mod))))
        c->quick = true;
    if (c->quick && c->effort < CG_EFFORT_LITTLE) // otherwise nothing better comes
        p->info->flags |= KD_CODE_QUICK;
}
