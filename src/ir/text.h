// Words of the IR's text form, shared by its printer and its parser.
#ifndef KUDZU_IR_TEXT_H
#define KUDZU_IR_TEXT_H

#include "ir/ir.h"

// One field of struct isa_mods: how it is called, and the names of its values (NULL: a number
// when `bytes` says so, else a flag).
struct kir_mod_field {
    const char *name;
    size_t offset;
    const char *const *values;
    unsigned nvalues;
    bool is_flag;
};
extern const struct kir_mod_field kir_mod_fields[];
extern const unsigned kir_mod_field_count;

const char *kir_type_name(enum kir_type t);       // "b32"
const char *kir_linkage_name(enum kir_linkage l); // "visible"
const char *kir_space_name(enum isa_space s);     // "global"
// -1 when the word is none of them.
int kir_type_by_name(const char *s, size_t n);
int kir_linkage_by_name(const char *s, size_t n);
int kir_op_by_name(const char *s, size_t n);
int kir_isa_type_by_name(const char *s, size_t n);
int kir_sreg_by_name(const char *s, size_t n);

// How a symbol is named in an instruction: which list it stands in.
const char *kir_symbol_kind(const struct kir_symbol *s); // "local" "param" "shared" "var" "func"

#endif
