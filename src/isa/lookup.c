// Finding forms, types and special registers by name.
#include <string.h>

#include "isa/grammar.h"

static int compare(const char *name, size_t len, const char *opcode) {
    int c = strncmp(name, opcode, len);
    return c ? c : -(int)(opcode[len] != 0);
}

size_t isa_find_forms(const char *opcode, size_t len, size_t *first) {
    size_t lo = 0, hi = isa_form_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (compare(opcode, len, isa_forms[mid].opcode) > 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    *first = lo;
    size_t n = 0;
    while (lo + n < isa_form_count && !compare(opcode, len, isa_forms[lo + n].opcode))
        n++;
    return n;
}

enum isa_type isa_type_wide(enum isa_type t) {
    switch (t) {
    case ISA_U16:
        return ISA_U32;
    case ISA_U32:
        return ISA_U64;
    case ISA_S16:
        return ISA_S32;
    case ISA_S32:
        return ISA_S64;
    default:
        return t;
    }
}

enum isa_type isa_rule_type(uint8_t rule, enum isa_type ty, enum isa_type ty2) {
    switch (rule) {
    case ISA_RULE_TYPE:
        return ty;
    case ISA_RULE_TYPE2:
        return ty2;
    case ISA_RULE_WIDE:
        return isa_type_wide(ty);
    default:
        return (enum isa_type)rule;
    }
}

enum isa_type isa_type_find(const char *name, size_t len) {
    for (int t = ISA_VOID + 1; t < ISA_TYPE_COUNT; t++) {
        const char *n = isa_type_name((enum isa_type)t);
        if (strlen(n) == len && !memcmp(n, name, len))
            return (enum isa_type)t;
    }
    return ISA_VOID;
}

enum isa_sreg isa_sreg_find(const char *name, size_t len) {
    for (int r = ISA_SREG_NONE + 1; r < ISA_SREG_COUNT; r++) {
        const char *n = isa_sreg_name((enum isa_sreg)r);
        if (strlen(n) == len && !memcmp(n, name, len))
            return (enum isa_sreg)r;
    }
    return ISA_SREG_NONE;
}

unsigned isa_sreg_bits(enum isa_sreg r) {
    switch (r) {
    case ISA_SREG_CLOCK64:
    case ISA_SREG_GLOBALTIMER:
    case ISA_SREG_GRIDID:
    case ISA_SREG_CURRENT_GRAPH_EXEC:
        return 64;
    case ISA_SREG_IS_EXPLICIT_CLUSTER:
        return 1;
    default:
        return r >= ISA_SREG_PM0_64 && r <= ISA_SREG_PM7_64 ? 64 : 32;
    }
}

void isa_apply(struct isa_set s, uint8_t *ty, uint8_t *ty2, struct isa_mods *mods) {
    if (s.field == ISA_FIELD_TYPE)
        *ty = s.value;
    else if (s.field == ISA_FIELD_TYPE2)
        *ty2 = s.value;
    else if (s.field != ISA_FIELD_NONE)
        ((uint8_t *)mods)[s.field] = s.value;
}
