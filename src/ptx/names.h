// Names and what they stand for, by scope. A name in an inner scope hides one further out.
#ifndef KUDZU_PTX_NAMES_H
#define KUDZU_PTX_NAMES_H

#include "ptx/ast.h"

enum ptx_name_kind { PTX_NAME_VAR, PTX_NAME_FUNC, PTX_NAME_REG, PTX_NAME_RANGE, PTX_NAME_VECREG };

struct ptx_name {
    const char *text;
    uint32_t hash;
    uint32_t depth; // of its scope; 0: module
    uint8_t kind;   // enum ptx_name_kind
    union {
        struct ptx_var *var;
        struct ptx_func *func;
        struct ptx_reg *reg;
        struct ptx_reg_decl *decl; // RANGE, VECREG
    };
    struct ptx_name *next;  // same bucket, newer first
    struct ptx_name *older; // in the same scope
};

enum { PTX_NAME_BUCKETS = 4096, PTX_MAX_SCOPES = 64 };

struct ptx_names {
    struct ptx_name **buckets;
    struct ptx_name *newest[PTX_MAX_SCOPES]; // of each open scope
    uint32_t depth;
};

void ptx_names_init(struct ptx_names *n, struct arena *a);
bool ptx_names_open(struct ptx_names *n); // false: too many scopes
void ptx_names_close(struct ptx_names *n);
// Adds a name to the scope of that depth (the current one, or one further out for what is made
// on use). The caller has checked that it is new there.
struct ptx_name *ptx_names_add(struct ptx_names *n, struct arena *a, const char *text, uint8_t kind,
                               uint32_t depth);
// The innermost entry of that name, NULL when there is none. Registers of a range are not made
// here: see PTX_NAME_RANGE.
struct ptx_name *ptx_names_find(const struct ptx_names *n, const char *text, size_t len);
uint32_t ptx_hash(const char *text, size_t len);

#endif
