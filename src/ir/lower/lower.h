// Lowering PTX to kernel IR: what its files share. The order in which they work:
//
//   from_ptx.c       the module: variables, signatures, then each function, then clean-ups
//   lower_vars.c     module variables, initialisers, and what each variable of a function becomes
//   lower_func.c     a body: blocks, guards, operands; ends in SSA construction
//   lower_inst.c     one instruction
//   lower_async.c    mbarrier objects, asynchronous copies, clusters
//   lower_tensor_memory.c   tcgen05
//   lower_call.c     calls, and .param variables of functions and call sequences
//   shared_layout.c  offsets of shared variables, kernel by kernel
#ifndef KUDZU_IR_LOWER_H
#define KUDZU_IR_LOWER_H

#include "ir/ir.h"
#include "ir/ssa.h"
#include "isa/grammar.h"
#include "ptx/ast.h"

// How a parameter or return value of a function is passed.
struct lower_param {
    bool aggregate; // by the address of a slot
    uint8_t type;   // enum kir_type of a scalar, KIR_B64 for an aggregate
    uint64_t size;
    uint32_t align;
    const struct ptx_param *ast;
};

struct lower_sig {
    uint32_t nparams, nrets;
    struct lower_param *params, *rets;
    struct kir_proto proto; // addresses of returned aggregates first, then the parameters
};

// What a variable became.
enum lower_place {
    LOWER_SYMBOL, // module variable, local variable, kernel parameter: memory at sym
    LOWER_VALUE,  // a scalar in .param space that is never looked at piecewise: variable `var`
    LOWER_ADDRESS // an aggregate parameter or return value: variable `var` is its address
};
struct lower_var {
    uint8_t place; // enum lower_place
    uint32_t var;
    struct kir_symbol *sym;
};

struct lower_module {
    const struct ptx_module *ast;
    struct kir_module *m;
    struct strbuf *err;
    struct arena tmp;
    struct kir_func **funcs;       // by AST id
    struct kir_symbol **func_syms; // by AST id: the function's address; made when needed
    struct lower_sig *sigs;        // by AST id
    struct kir_symbol **vars;      // by AST id: module level
};

struct lower_func {
    struct lower_module *lm;
    const struct ptx_func *ast;
    struct lower_sig *sig;
    struct kir_func *f;
    struct kir_block *cur;                  // NULL: what follows is not reachable
    struct kir_block **labels;              // by label id
    struct kir_vars vars;                   // registers first, by id
    uint32_t carry;                         // the variable for the carry flag
    struct lower_var *body, *params, *rets; // by AST id
    const struct ptx_inst *inst;            // being lowered
    struct kir_value *guard;                // when it is to be lowered to selects
};

// Records "ptx:line:col: error: ..." and returns false.
bool lower_error(struct lower_module *lm, struct ptx_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

// lower_vars.c
bool lower_module_vars(struct lower_module *lm);
bool lower_initialisers(struct lower_module *lm);
struct kir_symbol *lower_func_symbol(struct lower_module *lm, const struct ptx_func *f);
bool lower_func_vars(struct lower_func *lf);
struct lower_var lower_find_var(struct lower_func *lf, const struct ptx_var *v);

// lower_func.c
bool lower_body(struct lower_module *lm, const struct ptx_func *ast, struct kir_func *f);
// Appends an instruction at the current line.
struct kir_inst *lower_emit(struct lower_func *lf, isa_op op, enum isa_type ty, unsigned nops,
                            unsigned nres, const uint8_t *types);
struct kir_value *lower_emit1(struct lower_func *lf, isa_op op, enum isa_type ty,
                              enum kir_type result, unsigned nops, struct kir_value *const *ops);
void lower_assign(struct lower_func *lf, uint32_t var, struct kir_value *value);
struct kir_value *lower_read(struct lower_func *lf, uint32_t var);
struct kir_value *lower_symaddr(struct lower_func *lf, struct kir_symbol *sym, int64_t offset);
// v zero-extended or truncated to a type's width.
struct kir_value *lower_resize(struct lower_func *lf, struct kir_value *v, enum kir_type to);
// Writes a destination register (or nothing, for _), under the guard if there is one.
void lower_write(struct lower_func *lf, const struct ptx_operand *dst, struct kir_value *value);
// The value of a source operand that is no vector and no address.
bool lower_operand(struct lower_func *lf, const struct ptx_operand *o, struct kir_value **out);
// The handle in a reference (.texref and its kind).
bool lower_handle(struct lower_func *lf, const struct ptx_operand *o, struct kir_value **out);
// The address of [ ... ] and what is added to it; *space becomes that of a function's parameter.
bool lower_address(struct lower_func *lf, const struct ptx_operand *o, struct kir_value **base,
                   int64_t *offset, uint8_t *space);
struct kir_block *lower_block(struct lower_func *lf); // a new one, without label

// lower_inst.c
bool lower_inst(struct lower_func *lf, const struct ptx_inst *inst);
bool lower_is_pure(const struct ptx_inst *inst); // a guard becomes a select

// lower_async.c
bool lower_async(struct lower_func *lf);
bool lower_query_cancel(struct lower_func *lf);
bool lower_mapa(struct lower_func *lf);
bool lower_getctarank(struct lower_func *lf);
struct kir_value *lower_to_generic(struct lower_func *lf, struct kir_value *v, uint8_t space);
// [ ... ] as a generic address; a register's offset is added.
bool lower_generic_address(struct lower_func *lf, const struct ptx_operand *o, uint8_t space,
                           struct kir_value **out);
// Ends the block: a jump to `yes` if p, else to `no`; p NULL: always.
void lower_jump(struct lower_func *lf, struct kir_value *p, struct kir_block *yes,
                struct kir_block *no);
// rank_masks.c: of a function in SSA form
void lower_rank_masks(struct kir_func *f);
// lower_tensor_memory.c: tcgen05
bool lower_tensor_memory(struct lower_func *lf);
// lower_composite.c: what sm_100 has in one instruction and kernel IR in several
bool lower_composite(struct lower_func *lf);

// lower_image.c: tex, tld4, txq, istypep, suld, sust, sured, suq
bool lower_image(struct lower_func *lf);

// lower_call.c
void lower_signature(struct lower_module *lm, uint32_t nrets, const struct ptx_param *rets,
                     uint32_t nparams, const struct ptx_param *params, struct lower_sig *sig);
void lower_entry_params(struct lower_func *lf);
bool lower_call(struct lower_func *lf, const struct ptx_call *call);
bool lower_ret(struct lower_func *lf);
// ld.param and st.param of a variable that is a value; true when that is what it was.
bool lower_param_load(struct lower_func *lf, const struct ptx_inst *inst);
bool lower_param_store(struct lower_func *lf, const struct ptx_inst *inst, bool *ok);

// shared_layout.c
void kir_layout_shared(struct kir_module *m);

#endif
