// Kernel IR: PTX in SSA form over a control-flow graph. One module is one PTX module.
//
// An instruction is a PTX opcode (isa_op) with its types and modifiers, operands that
// are values, and results that are values. Predicated instructions do not exist: lowering
// turns them into selects or branches. Nothing here says how lanes are grouped; that
// begins in the passes. Everything lives in the module's arena.
//
// Conventions, opcode by opcode (operand order is PTX's unless said):
//   pointwise     result is computed at the instruction's type, then extended to the result
//                 value's width: sign-extended for .s types, else zero-extended. An operand
//                 wider than the type is truncated. mul/mad.wide results have twice the width.
//                 setp has 1 or 2 results (q is the complement); with mods.boolop a third
//                 operand, the predicate to combine with. mad.cc, addc ...: the carry is an
//                 ordinary PRED value: mods.cc adds it as the last result; addc, subc, madc
//                 take it as the last operand.
//   mov           one operand, one result.  mov.pack: n operands -> 1; mov.unpack: 1 -> n;
//                 mods.vec is n.
//   cvta          mods.space, mods.to. isspacep: mods.space -> PRED.
//   group.first   [x] -> x of a group's first lane, in all its lanes. A group is the lanes of one
//                 vector, or any thread for itself (the interpreter): a move. Nothing may depend
//                 on what it is but speed.
//   group.all     [PRED] -> PRED: where it is true, all lanes of the group that come here, and all
//                 groups that run together with it, have a true operand. It may be false
//                 elsewhere, too. The interpreter: a move. inst->flag set: it asks about bounds of
//                 indices, not about rows.
//   group.few     [PRED, n] -> PRED: where it is true, the operand is, and at most n lanes of the
//                 group come here. It may be false elsewhere, too. The interpreter: a move.
//   group.lowest  [PRED] -> PRED: the operand in one of the lanes that come here, false in the
//                 group's others. The interpreter: a move.
//   group.lane    [x] -> x of the one lane that comes here, in all of the group's. Only where no
//                 others come. The interpreter: a move.
//                 These three depend on who comes: nothing moves them to another block.
//   sreg          inst->sreg -> B32 or B64.
//   symaddr       inst->sym + inst->offset -> B64: the symbol's address in its own space.
//                 global, const: absolute (the same as generic). shared: offset in the block's
//                 window. local: offset in the thread's local memory (frame included). param
//                 (kernel parameter): offset in the parameter block. function: the function's
//                 handle. `inst->flag` set means generic(sym).
//   param         inst->index: the function's i-th parameter (functions only).
//   phi           operands parallel to block->preds; all phis stand first in their block.
//   ld            [addr] + inst->offset -> mods.vec or 1 results, extended like pointwise.
//   st            [addr, v...]; red: [addr, b, (c)]; atom: the same with one result
//                 (cas: b is the compare value, c the new one). mods.vec for vector forms.
//   tex           [object, values..., form] -> results: kd_rt_tex of abi/generated_code.h says
//                 what a form (a constant) is and how many values and results it has.
//   suld, sust    the same of kd_rt_surf: what reads, and what writes.
//   shfl          [a, b, c, membermask] -> d, optionally PRED. membermask absent: all active.
//   vote          [pred, membermask] -> PRED, or B32 for ballot. match: [a, membermask] -> B32,
//                 (all:) PRED. redux: [a, membermask]. activemask, elect: elect [membermask] ->
//                 B32, PRED. bar.warp.sync: [membermask].
//   bar.sync      [id] or [id, count]; bar.arrive: [id, count]; bar.red: [id, (count,) pred],
//                 inst->flag set if count is there; mods.boolop and/or -> PRED, popc -> B32.
//   mbarrier.test_wait, try_wait: [addr, state or parity] -> PRED. inst->flag set: blocks until the
//                 phase has ended; the result is true.
//   mbarrier.arrive: inst->index 1: that of a tcgen05.commit, for checks.
//   multimem.ld_reduce [addr] -> B64, multimem.st, multimem.red [addr, value in B64]: one element;
//                 mods.approx: sums of halves in single precision.
//   ldmatrix      [addr] + inst->offset -> registers. stmatrix: [addr, registers...].
//                 movmatrix: [a].
//   mma, wmma.mma [a..., b..., c..., (metadata, selector)] -> d...: the registers of each
//                 fragment, isa/matrix.h says how many. wmma.load: [addr, (stride)] +
//                 inst->offset -> a fragment; wmma.store: [addr, d..., (stride)].
//   wgmma.mma     [d..., a... or descriptor of a, descriptor of b, (metadata, selector),
//                 PRED scale-d, (scale-a, scale-b), (trans-a), (trans-b)] -> d....
//                 wgmma.fence, commit_group: none; wait_group: [n].
//   tcgen05.alloc [address in shared memory, columns], waits for room. dealloc: [place, columns].
//                 relinquish: [0]. at: [place, lanes << 16 | columns of a warp's access] -> B64,
//                 the generic address of its first word. cp: [isa_tensor_copy_code, place,
//                 descriptor]; shift: [place, (1: in a pair of blocks)]; mma:
//                 [isa_tensor_code, operands of isa_tensor_product_of...]; commit: [address,
//                 mask of blocks].
//   bra           targets[0]. cbr: [pred], targets[0] if true, [1] if false.
//   brx.idx       [index], targets[0..n); out of range is undefined behaviour.
//   call          direct: inst->callee; indirect: inst->callee NULL and operand 0 the handle,
//                 inst->proto the prototype. Then the arguments. Scalars (up to 64 bits) are
//                 values; an aggregate is the local-space address (B64) of a slot in the
//                 caller's frame. A returned aggregate is the address of a slot too, passed
//                 before the other arguments. Results: the scalar return values.
//   ret           operands: the scalar return values (none in kernels). exit: ends the thread.
//   trap, nanosleep [ns], membar/fence: side effects, no terminators.
//   griddepcontrol: mods.sem is ISA_SEM_RELEASE for launch_dependents, ISA_SEM_ACQUIRE for wait.
//   unreachable   a terminator; reaching it traps.
//   check.origin  [generic address] -> B32: the number of the allocation that the address lies in.
//   check.access  [address, origin, site, (more)]: the thread is about to access memory at address
//                 in the site's space, by a pointer into the allocation with that number. site: the
//                 address of a struct kd_check_site (abi/generated_code.h). more: how many bytes,
//                 where the site does not say, else what is stored.
//   check.scope   the scope of the local variable whose address it has begins, or ends where
//                 inst->index is 1. Lowering makes it for checks, which replace it.
//   check.sync    the thread has passed a barrier: inst->index, enum kd_check_sync.
#ifndef KUDZU_IR_IR_H
#define KUDZU_IR_IR_H

#include <stddef.h>

#include "isa/isa.h"
#include "support/arena.h"
#include "support/strbuf.h"
#include "support/vec.h"

// Types of values: width, and for F32/F64 the hint that they live in float registers
// (the bits are what counts; validator and interpreter look at the width alone).
enum kir_type { KIR_VOID, KIR_PRED, KIR_B16, KIR_B32, KIR_B64, KIR_B128, KIR_F32, KIR_F64 };
unsigned kir_type_bits(enum kir_type t); // 1 for KIR_PRED

struct kir_inst;
struct kir_block;
struct kir_func;

enum kir_value_kind { KIR_VALUE_INST, KIR_VALUE_CONST, KIR_VALUE_UNDEF };

struct kir_value {
    uint8_t kind;         // enum kir_value_kind
    uint8_t type;         // enum kir_type
    uint16_t result;      // which result of `def` it is
    uint32_t id;          // dense within the function: 0 .. func->value_count-1
    struct kir_inst *def; // KIR_VALUE_INST
    union isa_bits bits;  // KIR_VALUE_CONST
};

// A variable: .global, .const, .shared, .local or a kernel parameter; or a function's address.
struct kir_reloc {
    uint64_t offset; // where in the initialiser, 8 bytes (or 4) are patched
    struct kir_symbol *sym;
    int64_t addend;
    bool generic;
    uint8_t size;
};

enum kir_linkage {
    KIR_LINK_INTERNAL,
    KIR_LINK_VISIBLE,
    KIR_LINK_EXTERN,
    KIR_LINK_WEAK,
    KIR_LINK_COMMON
};

struct kir_symbol {
    const char *name;
    uint8_t space;   // enum isa_space; ISA_SPACE_GENERIC for a function's address
    uint8_t linkage; // enum kir_linkage
    uint64_t size;   // bytes; 0 for an extern array (dynamic shared memory)
    uint32_t align;
    uint64_t offset; // shared, local, param: where it lies. Dynamic shared memory: see dynamic
    bool dynamic;    // extern .shared: address is the block's dynamic shared offset
    bool managed;
    bool scoped;         // local: it ends before its function does, as a check.scope tells
    int index;           // global, const: position in module->vars, else -1
    const uint8_t *init; // size bytes or NULL (zero)
    VEC(struct kir_reloc) relocs;
    struct kir_func *func; // a function's address
};

struct kir_inst {
    struct kir_inst *prev, *next;
    struct kir_block *block;
    uint16_t op;     // isa_op
    uint8_t ty, ty2; // enum isa_type
    struct isa_mods mods;
    uint8_t sreg; // enum isa_sreg
    bool flag;
    uint32_t index;
    int64_t offset;
    struct kir_symbol *sym;
    struct kir_func *callee;
    struct kir_proto *proto;
    uint32_t nops, nres, ntargets;
    struct kir_value **ops; // nops
    struct kir_value **res; // nres
    struct kir_block **targets;
    uint32_t file, line; // .loc; 0 when unknown
    uint32_t id;         // for passes
};

struct kir_block {
    struct kir_func *func;
    uint32_t id;                   // position in func->blocks
    const char *label;             // may be NULL
    struct kir_inst *first, *last; // last is the terminator
    VEC(struct kir_block *) preds; // one entry an edge; phi operands are parallel to it
};

// What cp.async.group does, by its index. flag: with bulk copies.
enum kir_copies {
    KIR_COPIES_COMMIT,
    KIR_COPIES_WAIT,
    KIR_COPIES_WAIT_READ, // until they have read
    KIR_COPIES_WAIT_ALL
};

// Signature of a function or of an indirect call.
struct kir_proto {
    uint32_t nparams, nrets; // after aggregates became addresses
    uint8_t *params, *rets;  // enum kir_type
};

struct kir_func {
    struct kir_module *module;
    const char *name;
    uint32_t index; // position in module->funcs
    bool is_kernel, is_extern, noreturn;
    uint8_t linkage;
    struct kir_proto proto;          // functions; kernels have none
    VEC(struct kir_symbol *) params; // kernels: space PARAM, offset in the parameter block
    uint32_t param_bytes;
    VEC(struct kir_block *) blocks;  // [0] is the entry, which has no predecessors
    VEC(struct kir_symbol *) locals; // laid out in a frame of frame_bytes
    uint32_t frame_bytes, frame_align;
    uint32_t value_count;
    // kernels
    uint32_t shared_static; // bytes of static shared memory, module-level part included
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; // 0: not stated
    uint32_t cluster[3], max_cluster;                       // .reqnctapercluster, .maxclusterrank
    bool cluster_required;                                  // .explicitcluster
};

struct kir_module {
    struct arena arena;
    uint64_t serial; // no other module of the process has it: a key for caches
    VEC(struct kir_func *) funcs;
    VEC(struct kir_symbol *) vars; // global and const variables, by index
    // Shared variables, those of functions too. Two that no kernel uses both may overlap.
    VEC(struct kir_symbol *) shared;
    uint32_t shared_bytes; // the most that any kernel needs
    unsigned ptx_major, ptx_minor, target_sm;
    // Code for targets before sm_70 was written for one program counter a warp: lanes run together,
    // meet again behind a branch, and come to barriers as a warp. A device that could run them
    // apart keeps to that (guide, Application Compatibility: Pascal's thread scheduling).
    bool lockstep;
    bool keeps_loads; // kir_remove_dead leaves those whose results nobody needs: checks are to come
    VEC(const char *) files; // .file, by number; NULL where unused
};

// build.c: making and changing IR. Nothing fails: memory is the arena's.
struct kir_module *kir_module_new(void);
uint64_t kir_module_serial(void); // a number that no other module has
void kir_module_free(struct kir_module *m);
struct kir_func *kir_func_new(struct kir_module *m, const char *name);
// What the function's address is: (index + 1) * 16, a kernel's KD_KERNEL_HANDLE + 16 n (abi.h).
uint64_t kir_function_handle(const struct kir_func *f);
struct kir_block *kir_block_new(struct kir_func *f, const char *label);
// Does any instruction of f have v for an operand?
bool kir_is_used(const struct kir_func *f, const struct kir_value *v);
struct kir_value *kir_const(struct kir_func *f, enum kir_type t, uint64_t bits);
struct kir_value *kir_undef(struct kir_func *f, enum kir_type t);
// An instruction with room for nops operands, results of the given types, ntargets targets;
// not yet in a block.
struct kir_inst *kir_inst_new(struct kir_func *f, isa_op op, enum isa_type ty, unsigned nops,
                              unsigned nres, const uint8_t *res_types, unsigned ntargets);
void kir_append(struct kir_block *b, struct kir_inst *i);
void kir_insert_before(struct kir_inst *pos, struct kir_inst *i);
void kir_insert_after(struct kir_inst *pos, struct kir_inst *i);
void kir_remove(struct kir_inst *i);
void kir_replace_uses(struct kir_func *f, struct kir_value *from, struct kir_value *to);
// The same for many values in one walk: to[id] takes the place of the value of this id, of n; NULL:
// it stays. What takes a place may be replaced in turn, never by itself.
void kir_replace_all(struct kir_func *f, struct kir_value *const *to, uint32_t n);
void kir_compute_preds(struct kir_func *f); // fills preds from terminators; only before phis exist
struct kir_func *kir_find_func(struct kir_module *m, const char *name);
bool kir_is_terminator(isa_op op);

// print.c, parse.c: the text form; parse(print(m)) is m again.
void kir_print_module(const struct kir_module *m, struct strbuf *out);
void kir_print_func(const struct kir_func *f, struct strbuf *out);
void kir_print_inst(const struct kir_inst *i, struct strbuf *out);
// NULL on a syntax error, with a message of line and column in err.
struct kir_module *kir_parse(const char *text, size_t len, struct strbuf *err);

// validate.c: true when every rule above holds; else messages in err.
bool kir_validate(const struct kir_module *m, struct strbuf *err);

// from_ptx.c: AST -> IR (SSA). NULL on an error, with a message in err.
struct ptx_module;
struct kir_module *kir_from_ptx(const struct ptx_module *ast, struct strbuf *err);

#endif
