// The grammar of every instruction form, generated from instructions.py: what the PTX parser,
// verifier and printer read.
#ifndef KUDZU_ISA_GRAMMAR_H
#define KUDZU_ISA_GRAMMAR_H

#include <stddef.h>

#include "isa/isa.h"

// Where a modifier's value goes: an offset in struct isa_mods, or one of these.
enum { ISA_FIELD_NONE = 0xff, ISA_FIELD_TYPE = 0xfe, ISA_FIELD_TYPE2 = 0xfd };

struct isa_set {
    uint8_t field, value;
};

struct isa_choice {
    const char *text; // without the dot
    struct isa_set set;
};

// One place for a modifier: exactly one of the choices, or none when optional.
struct isa_slot {
    bool optional;
    uint8_t nchoices;
    const struct isa_choice *choices;
};

enum isa_operand_kind {
    ISA_OPERAND_DST,     // register
    ISA_OPERAND_SRC,     // register, immediate, special register, symbol
    ISA_OPERAND_PRED,    // predicate that may be negated
    ISA_OPERAND_PAIR,    // d|p: types `rule` and `pair_rule`
    ISA_OPERAND_ADDR,    // [a]
    ISA_OPERAND_TEX,     // [a, c]: a texture object and coordinates of type `rule`
    ISA_OPERAND_GEOM,    // geom(e): as many elements as the geometry has dimensions
    ISA_OPERAND_IMM,     // immediate
    ISA_OPERAND_VEC_DST, // {a, b}, always
    ISA_OPERAND_VEC_SRC,
    ISA_OPERAND_FRAG_DST, // a warp's piece of matrix `name` (d, a, b, c): see isa/matrix.h
    ISA_OPERAND_FRAG_SRC,
    ISA_OPERAND_LABEL,
    ISA_OPERAND_TARGETS,
    ISA_OPERAND_CALL,
    ISA_OPERAND_TENSOR, // [tm, c]: a tensor map and mods.vec coordinates
    ISA_OPERAND_IM2COL, // {i, ...}: mods.vec - 2 offsets
    ISA_OPERAND_SELECT, // {byte, thread}: where a matrix's scales are
    ISA_OPERAND_POLICY, // cache policy: parsed, no part of the instruction's meaning
};

// Which part of a register an operand of a video instruction is (%r1.b0, %r1.h10): what may stand
// after its dot.
enum isa_part {
    ISA_PART_NONE,
    ISA_PART_SEL,   // b0 ... b3, h0, h1: one byte or half
    ISA_PART_HSEL,  // h and two digits, 0 to 3: halves of the first two operands
    ISA_PART_BSEL,  // b and four digits, 0 to 7: bytes of the first two operands
    ISA_PART_HMASK, // h0, h1, h10: halves that are written
    ISA_PART_BMASK  // b0 ... b3210: bytes that are written
};

// An operand's type: a fixed one, or one of these.
enum { ISA_RULE_TYPE = 0x80, ISA_RULE_TYPE2, ISA_RULE_WIDE };

struct isa_operand_form {
    const char *name;
    uint8_t kind; // enum isa_operand_kind
    uint8_t rule; // enum isa_type or ISA_RULE_*
    uint8_t pair_rule;
    bool optional;      // may be left out
    bool pair_optional; // d{|p}
    bool vec;           // a vector when mods.vec is set
    uint8_t part;       // enum isa_part
    bool part_optional; // may be the whole register
    bool negatable;     // {-}a
};

struct isa_form {
    const char *text;   // in the manual's notation
    const char *opcode; // up to the first dot
    uint16_t op;        // isa_op
    uint8_t ptx, sm;    // least PTX version (times ten) and target
    bool relaxed;       // registers may be wider than the type
    uint8_t nslots, noperands, nsets;
    const struct isa_slot *slots;
    const struct isa_operand_form *operands;
    const struct isa_set *sets; // before the modifiers
};

extern const struct isa_form isa_forms[]; // by opcode, then in the order of the table
extern const size_t isa_form_count;

// The forms of an opcode: index of the first in isa_forms, and how many. 0: no such opcode.
size_t isa_find_forms(const char *opcode, size_t len, size_t *first);

// PTX that is not built yet: what kind of instructions `text` (opcode with its modifiers) belongs
// to, or NULL.
const char *isa_unsupported(const char *text, size_t len);

// The type that a rule gives, for an instruction with types ty and ty2.
enum isa_type isa_rule_type(uint8_t rule, enum isa_type ty, enum isa_type ty2);
// Twice as wide as an integer type.
enum isa_type isa_type_wide(enum isa_type t);
// The type called `name` (no dot), ISA_VOID when there is none.
enum isa_type isa_type_find(const char *name, size_t len);
// The special register called `name` ("%tid.x"), ISA_SREG_NONE when there is none.
enum isa_sreg isa_sreg_find(const char *name, size_t len);
unsigned isa_sreg_bits(enum isa_sreg r); // 32 or 64, 1 for a predicate

// Applies one setting to an instruction's types and modifiers.
void isa_apply(struct isa_set s, uint8_t *ty, uint8_t *ty2, struct isa_mods *mods);

#endif
