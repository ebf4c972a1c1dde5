// What the parser's files share. A syntax error is recorded and leaves by longjmp: within a
// function body to the next statement, else out of ptx_parse.
#ifndef KUDZU_PTX_PARSER_H
#define KUDZU_PTX_PARSER_H

#include <setjmp.h>

#include "isa/grammar.h"
#include "ptx/ast.h"
#include "ptx/lexer.h"
#include "ptx/names.h"

enum { PTX_MAX_ERRORS = 20, PTX_MAX_DEPTH = 64, PTX_MAX_OPERANDS = 32 };

// A label that is used before it is known.
struct ptx_pending {
    struct ptx_label **where;
    const char *name;
    uint32_t scope;
    struct ptx_pos pos;
};

// brx.idx and call may name their targets before they are declared.
struct ptx_pending_targets {
    struct ptx_targets **where;
    const char *name;
    struct ptx_pos pos;
};

struct ptx_scoped_label {
    struct ptx_label *label;
    uint32_t hash, scope;
    struct ptx_scoped_label *next; // same hash bucket
};

struct ptx_parser {
    struct arena *arena;
    struct strbuf *err;
    struct ptx_module *module;
    struct ptx_lexer lexer;
    struct ptx_token tok; // the one looked at
    struct ptx_names names;
    unsigned errors;
    bool parts;     // operands of a video instruction: %r1.b0, -%r2
    unsigned depth; // of nested expressions and initialisers
    jmp_buf *recover;
    // Within a function body.
    struct ptx_func *func;
    struct ptx_loc loc;          // of the last .loc
    VEC(uint32_t) scope_parents; // by scope number
    VEC(uint32_t) open_scopes;
    VEC(struct ptx_pending) pending;
    VEC(struct ptx_pending_targets) pending_targets;
    VEC(struct ptx_targets *) targets;
    VEC(struct ptx_proto *) protos;
    struct ptx_scoped_label **labels; // of the function, by hash
    uint32_t nlabels, label_buckets;  // a power of two
};

// ---- parse.c: tokens and errors
void ptx_error_at(struct ptx_parser *p, struct ptx_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
// Records the error and leaves the statement.
_Noreturn void ptx_fail(struct ptx_parser *p, struct ptx_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void ptx_expected(struct ptx_parser *p, const char *what); // ... at the current token
void ptx_next(struct ptx_parser *p);
bool ptx_at(const struct ptx_parser *p, char punct);
bool ptx_at_directive(const struct ptx_parser *p, const char *name); // with the dot
bool ptx_accept(struct ptx_parser *p, char punct);
bool ptx_accept_directive(struct ptx_parser *p, const char *name);
void ptx_expect(struct ptx_parser *p, char punct, const char *where);
char *ptx_expect_name(struct ptx_parser *p, const char *what);
uint64_t ptx_expect_u32(struct ptx_parser *p, const char *what);
// The next token, without taking it.
struct ptx_token ptx_peek(const struct ptx_parser *p);

// ---- parse_constant.c: constant expressions
enum ptx_constant_kind { PTX_CONST_INT, PTX_CONST_F32, PTX_CONST_F64 };
struct ptx_constant {
    uint8_t kind;
    bool is_unsigned;
    uint64_t bits; // of the integer, f32 or f64
};
struct ptx_constant ptx_parse_constant(struct ptx_parser *p);
int64_t ptx_parse_int(struct ptx_parser *p); // an integer constant expression
// Converts to the bits of a value of type t. false: that constant cannot stand for that type.
bool ptx_constant_bits(struct ptx_constant c, enum isa_type t, uint64_t *bits);
bool ptx_at_constant(const struct ptx_parser *p); // can one start here?

// ---- parse_decl.c: variables, parameters, registers
enum isa_type ptx_parse_type(struct ptx_parser *p); // .u32
// Variables of one declaration, after their linkage and state space: added to module or function.
void ptx_parse_vars(struct ptx_parser *p, enum isa_space space, enum ptx_linkage linkage);
// ( .param .b32 a, ... ): NULL list when there are no parentheses.
struct ptx_param *ptx_parse_params(struct ptx_parser *p, uint32_t *n, bool is_entry);
void ptx_parse_reg_decl(struct ptx_parser *p);
struct ptx_reg *ptx_new_reg(struct ptx_parser *p, const char *name, enum isa_type t);
bool ptx_space_directive(const struct ptx_parser *p, enum isa_space *space);
void ptx_parse_attributes(struct ptx_parser *p, bool *managed);
void ptx_parse_sampler(struct ptx_parser *p, struct ptx_var *v); // sampler.c
void ptx_parse_init(struct ptx_parser *p, struct ptx_var *v);    // parse_init.c

// ---- parse_function.c
void ptx_parse_function(struct ptx_parser *p, enum ptx_linkage linkage, bool is_entry);
void ptx_skip_section(struct ptx_parser *p);

// ---- parse_instruction.c, parse_operand.c, match.c
void ptx_parse_instruction(struct ptx_parser *p);
// An immediate's constant waits in imm, its kind in `n`, until the form is known.
void ptx_parse_operand(struct ptx_parser *p, struct ptx_operand *o);
void ptx_parse_call(struct ptx_parser *p, struct ptx_inst *i);
void ptx_label_reference(struct ptx_parser *p, struct ptx_label **where);
void ptx_targets_reference(struct ptx_parser *p, struct ptx_targets **where);
// Finds the form of opcode + modifiers + operands, checks and completes the instruction.
void ptx_match(struct ptx_parser *p, const struct ptx_token *opcode, struct ptx_inst *i);
// Can a register of type `reg` stand for type t?
bool ptx_type_fits(enum isa_type reg, enum isa_type t, bool relaxed);

#endif
