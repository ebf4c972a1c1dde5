// PTX as an abstract syntax tree: what ptx_parse makes of text, with every name resolved.
// Everything lives in the arena that the parser was given.
//
// The tree is flat where that makes lowering simple: a function body is one array of
// statements in text order; { and } stand in it as statements and matter to the printer
// alone, because the parser has already resolved names by scope. Immediates are already
// converted to the bits of the operand's type.
#ifndef KUDZU_PTX_AST_H
#define KUDZU_PTX_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"
#include "support/arena.h"
#include "support/strbuf.h"
#include "support/vec.h"

struct ptx_func;
struct ptx_var;

// Position in the PTX text, both from 1.
struct ptx_pos {
    uint32_t line, col;
};

enum ptx_linkage {
    PTX_LINK_INTERNAL,
    PTX_LINK_VISIBLE,
    PTX_LINK_EXTERN,
    PTX_LINK_WEAK,
    PTX_LINK_COMMON
};

// One register. A range (.reg .b32 %r<10>) makes one for each name that is used; a vector
// register (.reg .v4 .f32 a) makes one a component, named a.x, a.y, ...
struct ptx_reg {
    const char *name;
    uint8_t type; // enum isa_type
    uint32_t id;  // dense in its function: 0 .. func->regs.len-1
    struct ptx_pos pos;
};

// A symbol's address within an initialiser: size bytes at offset become address + addend.
struct ptx_reloc {
    uint64_t offset;
    struct ptx_var *var; // exactly one of the two is set
    struct ptx_func *func;
    int64_t addend;
    uint8_t size;  // 4 or 8
    bool generic;  // generic(var): the generic address instead of that in its own space
    bool bytewise; // written as eight masked bytes: 0xFF(sym), 0xFF00(sym), ...
    struct ptx_pos pos;
};

// References: variables of 8 bytes, whose name in an instruction stands for the handle in it.
enum ptx_ref { PTX_REF_NONE, PTX_REF_TEXTURE, PTX_REF_SAMPLER, PTX_REF_SURFACE };
const char *ptx_ref_name(uint8_t ref); // "texref"

// A variable, a kernel's parameter, or a function's parameter or return value in .param space.
struct ptx_var {
    const char *name;
    uint8_t space;   // enum isa_space: GLOBAL, CONST, SHARED, LOCAL, PARAM
    uint8_t linkage; // enum ptx_linkage
    uint8_t type;    // element type; of a reference .u64
    uint8_t ref;     // enum ptx_ref
    uint8_t vec;     // 1, 2 or 4: elements are vectors of so many
    uint32_t align;  // bytes: stated, or that of the element
    bool align_stated;
    bool is_array, unsized; // unsized: the first dimension is [] (dynamic shared memory, extern)
    uint32_t ndims;
    const uint64_t *dims;
    uint64_t size;       // bytes; 0 when unsized
    bool managed;        // .attribute(.managed)
    bool is_ptr;         // kernel parameter with .ptr
    uint8_t ptr_space;   // of .ptr: enum isa_space
    uint32_t ptr_align;  // of .ptr, 0 when not stated
    const uint8_t *init; // size bytes, or NULL: zero
    VEC(struct ptx_reloc) relocs;
    struct ptx_func *func; // where it is declared; NULL at module level
    uint32_t id;           // position in module->vars, func->vars, func->params or func->rets
    uint32_t const_bank;   // .const[bank], 0 when not stated
    struct ptx_pos pos;
};

// A parameter of a function or prototype: .param space (var) or a register (reg).
struct ptx_param {
    struct ptx_var *var; // exactly one of the two is set
    struct ptx_reg *reg;
};

// Signature of an indirect call: .callprototype.
struct ptx_proto {
    const char *name;
    uint32_t nrets, nparams;
    struct ptx_param *rets, *params;
    bool noreturn;
    struct ptx_pos pos;
};

struct ptx_label {
    const char *name;
    uint32_t id;   // dense in its function: 0 .. func->nlabels-1
    uint32_t stmt; // the PTX_STMT_LABEL: index in func->body
    struct ptx_pos pos;
};

// .branchtargets (labels) or .calltargets (funcs).
struct ptx_targets {
    const char *name;
    uint32_t n;
    struct ptx_label **labels;
    struct ptx_func **funcs;
    struct ptx_pos pos;
};

enum ptx_operand_kind {
    PTX_OPERAND_REG,    // reg; `negated` for !p
    PTX_OPERAND_IMM,    // imm: the bits at the operand's type, zero-extended to 64
    PTX_OPERAND_SREG,   // sreg
    PTX_OPERAND_VEC,    // elems[0..n): {a, b}
    PTX_OPERAND_PAIR,   // elems[0] | elems[1]
    PTX_OPERAND_SINK,   // _
    PTX_OPERAND_SYM,    // address of var or func, plus offset, as a value
    PTX_OPERAND_ADDR,   // [ ... ]: base is reg, var, func or none; plus offset
    PTX_OPERAND_TEX,    // elems[0]: texture object; elems[1..n): coordinates; sampler or NULL
    PTX_OPERAND_LABEL,  // label (bra)
    PTX_OPERAND_TARGETS // targets (brx.idx)
};

// Base of PTX_OPERAND_ADDR: reg, else var, else func, else absolute address.
struct ptx_operand {
    uint8_t kind; // enum ptx_operand_kind
    uint8_t type; // enum isa_type at which the instruction reads or writes it
    uint8_t sreg; // enum isa_sreg
    bool negated;
    bool element;  // of a symbol: a[3], which is an address where an instruction wants one
    uint16_t part; // of a register, in video instructions: isa/video.h
    uint32_t n;
    uint64_t imm;
    int64_t offset;
    struct ptx_reg *reg;
    struct ptx_var *var;
    struct ptx_func *func;
    struct ptx_label *label;
    struct ptx_targets *targets;
    struct ptx_operand *elems;
    struct ptx_operand *sampler;
    struct ptx_pos pos;
};

// call: direct when callee is set, else through `target` with a prototype or call targets.
struct ptx_call {
    struct ptx_func *callee;
    struct ptx_operand target; // register, or a symbol
    struct ptx_proto *proto;
    struct ptx_targets *targets;
    uint32_t nrets, nargs;
    // Each is a .param variable (PTX_OPERAND_SYM with var), a register, or (arguments alone)
    // an immediate.
    struct ptx_operand *rets, *args;
};

enum { PTX_MAX_SLOTS = 14 };

// One instruction. `op` is what lowering looks at, and is finer than the text's opcode:
// mov with a vector on one side is ISA_OP_MOV_PACK or ISA_OP_MOV_UNPACK; bar.*, barrier.* and
// barrier.cta.* are ISA_OP_BAR_SYNC, _ARRIVE, _RED.
struct ptx_inst {
    uint16_t op;     // isa_op
    uint8_t ty, ty2; // enum isa_type: first and second type, ISA_VOID where there is none
    struct isa_mods mods;
    struct ptx_reg *guard; // @p, NULL when not predicated
    bool guard_negated;    // @!p
    uint8_t ndst;          // ops[0..ndst) are written
    uint8_t nops;          // operands in text order, destinations first; absent ones left out
    uint8_t npolicy;       // cache policies that follow in ops, for the printer alone
    struct ptx_operand *ops;
    struct ptx_call *call;         // ISA_OP_CALL alone; nops is 0 then
    uint32_t file, line;           // of the last .loc, 0 when there was none
    uint16_t form;                 // the form in the instruction table that matched (isa/grammar.h)
    uint8_t choice[PTX_MAX_SLOTS]; // the modifier taken in each slot, for the printer
    struct ptx_pos pos;
};

enum ptx_stmt_kind {
    PTX_STMT_INST,
    PTX_STMT_LABEL,
    PTX_STMT_OPEN,   // {
    PTX_STMT_CLOSE,  // }
    PTX_STMT_REG,    // reg_decl, for the printer
    PTX_STMT_VAR,    // var: .local, .shared, .param, .const, .global in a body
    PTX_STMT_LOC,    // .loc, for the printer: instructions carry it
    PTX_STMT_PRAGMA, // pragma
    PTX_STMT_PROTO,  // proto
    PTX_STMT_TARGETS // targets
};

struct ptx_reg_decl {
    const char *name;
    uint8_t type;
    uint8_t vec;             // 1, 2 or 4
    uint32_t range;          // %r<range>; 0: a single register
    struct ptx_reg *regs[4]; // single: regs[0 .. vec)
};

// Of a function's body. With the text of PTX_SCOPE_BEGIN or PTX_SCOPE_END, a blank and the name of
// a local variable it tells where the variable's scope in the source begins or ends; other
// compilers of PTX pass over it.
#define PTX_SCOPE_BEGIN "kudzu_scope_begin"
#define PTX_SCOPE_END "kudzu_scope_end"
struct ptx_pragma {
    const char *text;
    struct ptx_var *var; // NULL: it is no such one
    bool ends;
    uint32_t file, line; // of the last .loc, 0 when there was none
};

struct ptx_loc {
    uint32_t file, line, col;
    const char *inlined; // what follows the column, as text; NULL when nothing
};

struct ptx_stmt {
    uint8_t kind; // enum ptx_stmt_kind
    struct ptx_pos pos;
    union {
        struct ptx_inst *inst;
        struct ptx_label *label;
        struct ptx_reg_decl *reg;
        struct ptx_var *var;
        struct ptx_loc *loc;
        struct ptx_pragma *pragma;
        struct ptx_proto *proto;
        struct ptx_targets *targets;
    };
};

// One function or kernel; a declaration and its definition are one.
struct ptx_func {
    const char *name;
    bool is_entry, noreturn;
    bool has_body;          // else extern, or declared and never defined
    uint8_t linkage;        // enum ptx_linkage
    uint32_t id;            // position in module->funcs
    struct ptx_func *alias; // .alias name, alias: this name stands for that function
    uint32_t nrets, nparams;
    struct ptx_param *rets, *params;
    VEC(struct ptx_stmt) body;
    VEC(struct ptx_reg *) regs; // every register that is used or singly declared
    VEC(struct ptx_var *) vars; // every variable declared in the body (params not among them)
    uint32_t nlabels;
    // Performance directives; 0 (false) when not stated.
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnctapersm, maxnreg;
    uint32_t reqnctapercluster[3], maxclusterrank;
    bool explicitcluster;
    VEC(const char *) pragmas;
    struct ptx_pos pos;
};

// The function that a name stands for, aliases followed.
static inline struct ptx_func *ptx_func_target(struct ptx_func *f) {
    while (f->alias)
        f = f->alias;
    return f;
}

enum ptx_item_kind {
    PTX_ITEM_VAR,
    PTX_ITEM_VAR_DECL,  // .extern declaration of a var that is defined further on
    PTX_ITEM_FUNC_DECL, // func, prototype only
    PTX_ITEM_FUNC,      // func with its body
    PTX_ITEM_ALIAS,     // func (func->alias is the other one)
    PTX_ITEM_FILE,      // .file: index is its number
    PTX_ITEM_PRAGMA     // text
};

struct ptx_item {
    uint8_t kind; // enum ptx_item_kind
    uint32_t index;
    struct ptx_var *var;
    struct ptx_func *func;
    const char *text;
    struct ptx_pos pos;
};

// The linker's sign that a part of the module was written for a target before sm_70, where lanes of
// a warp run together (kir_module.lockstep).
#define PTX_LOCKSTEP "kudzu_lockstep"

struct ptx_module {
    struct arena *arena;
    unsigned version_major, version_minor; // .version 8.5
    unsigned sm;                           // .target sm_90: 90
    char features;                         // 'a' of sm_90a, 'f' of sm_100f, or 0
    bool debug;                            // .target ..., debug
    bool lockstep;                         // .pragma PTX_LOCKSTEP, or a target before sm_70
    bool tells_copies;                     // what waits for asynchronous copies is lowered, too
    bool has_scopes;                       // some pragmas tell of scopes
    bool keeps_loads;                      // those whose results nobody needs are lowered, too
    unsigned address_size;                 // 32 or 64
    VEC(struct ptx_item) items;            // in text order, for the printer
    VEC(struct ptx_func *) funcs;
    VEC(struct ptx_var *) vars; // module level
    VEC(const char *) files;    // by number; NULL where unused
};

// Parses PTX text (NUL-terminated or not) and resolves every name. NULL on an error: err then
// has one line a problem, such as "ptx:12:8: error: expected ',' after operand". What the parser
// accepts is well-formed by the instruction table: opcode, modifiers, operand count and types.
struct ptx_module *ptx_parse(struct arena *a, const char *text, size_t len, struct strbuf *err);

// Whether the calling thread's last text was refused for a .version that does not exist yet.
bool ptx_refused_version(void);

// Checks what needs the whole module: PTX version and target of each instruction, calls against
// signatures, state spaces of addresses, initialisers. false: messages in err, as above.
bool ptx_verify(const struct ptx_module *m, struct strbuf *err);

// Writes the module as PTX text; parsing that gives the same tree.
void ptx_print(const struct ptx_module *m, struct strbuf *out);
// One instruction, without guard's indentation and newline: "@%p1 add.s32 %r1, %r2, 3;".
void ptx_print_inst(const struct ptx_inst *i, struct strbuf *out);

// linker.c: several PTX texts to one, as nvlink does: definitions meet .extern declarations,
// one .weak copy is kept, internal names that collide are renamed. false, with messages in err,
// on a syntax error or an undefined or duplicate symbol.
bool ptx_link(const char *const *text, const size_t *len, size_t n, struct strbuf *out,
              struct strbuf *err);

#endif
