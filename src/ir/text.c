// Words of the IR's text form.
#include "ir/text.h"

static const char *const rnd_names[] = {"none", "rn",  "rz",  "rm",  "rp", "rna",
                                        "rni",  "rzi", "rmi", "rpi", "rs"};
_Static_assert(sizeof rnd_names / sizeof *rnd_names == ISA_RND_COUNT, "a name a rounding");
static const char *const cmp_names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                        "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                        "ltu", "leu", "gtu", "geu", "num", "nan"};
static const char *const bool_names[] = {"none", "and", "or", "xor", "popc"};
static const char *const half_names[] = {"none", "lo", "hi", "wide"};
static const char *const space_names[] = {"generic", "global", "shared", "const",
                                          "local",   "param",  "cluster"};
static const char *const sem_names[] = {"weak",    "relaxed", "acquire",  "release",
                                        "acq_rel", "sc",      "volatile", "mmio"};
static const char *const scope_names[] = {"none", "cta", "cluster", "gpu", "sys"};
static const char *const atom_names[] = {"none", "and", "or",  "xor", "cas", "exch",
                                         "add",  "inc", "dec", "min", "max"};
static const char *const mode_names[] = {
    "none",       "up",       "down",      "bfly",       "idx",     "all",       "any",
    "uni",        "ballot",   "match_any", "match_all",  "l.clamp", "l.wrap",    "r.clamp",
    "r.wrap",     "f4e",      "b4e",       "rc8",        "ecl",     "ecr",       "rc16",
    "finite",     "infinite", "number",    "notanumber", "normal",  "subnormal", "szext.clamp",
    "szext.wrap", "tex.1d",   "tex.2d",    "tex.3d",     "tex.a1d", "tex.a2d",   "tex.cube",
    "tex.acube",  "tex.2dms", "tex.a2dms", "tile",       "im2col",  "rows"};
_Static_assert(sizeof mode_names / sizeof *mode_names == ISA_MODE_COUNT, "a name a mode");
_Static_assert(sizeof cmp_names / sizeof *cmp_names == ISA_CMP_COUNT, "a name a comparison");
_Static_assert(sizeof space_names / sizeof *space_names == ISA_SPACE_COUNT, "a name a space");

#define ENUM(field, names)                                                                         \
    {#field, offsetof(struct isa_mods, field), names, sizeof names / sizeof *names, false}
#define NUMBER(field) {#field, offsetof(struct isa_mods, field), NULL, 256, false}
#define FLAG(field) {#field, offsetof(struct isa_mods, field), NULL, 2, true}
const struct kir_mod_field kir_mod_fields[] = {
    ENUM(rnd, rnd_names),
    ENUM(cmp, cmp_names),
    ENUM(boolop, bool_names),
    ENUM(half, half_names),
    ENUM(space, space_names),
    ENUM(space2, space_names),
    ENUM(sem, sem_names),
    ENUM(scope, scope_names),
    ENUM(atom, atom_names),
    ENUM(mode, mode_names),
    NUMBER(vec),
    NUMBER(mask),
    NUMBER(ty3),
    NUMBER(scale),
    FLAG(po),
    FLAG(ftz),
    FLAG(sat),
    FLAG(approx),
    FLAG(full),
    FLAG(nan),
    FLAG(relu),
    FLAG(satfinite),
    FLAG(xorsign_abs),
    FLAG(oob),
    FLAG(cc),
    FLAG(to),
    FLAG(uni),
    FLAG(aligned),
    FLAG(shiftamt),
    FLAG(nc),
    NUMBER(shape),
    NUMBER(frag),
    NUMBER(mat_d),
    NUMBER(mat_a),
    NUMBER(mat_b),
    NUMBER(mat_c),
    NUMBER(sparse),
    FLAG(col_a),
    FLAG(col_b),
    FLAG(trans),
    FLAG(a_shared),
};
const unsigned kir_mod_field_count = sizeof kir_mod_fields / sizeof *kir_mod_fields;

static const char *const type_names[] = {"void", "pred", "b16", "b32", "b64", "b128", "f32", "f64"};
static const char *const linkage_names[] = {"internal", "visible", "extern", "weak", "common"};

const char *kir_type_name(enum kir_type t) {
    return type_names[t];
}

const char *kir_linkage_name(enum kir_linkage l) {
    return linkage_names[l];
}

const char *kir_space_name(enum isa_space s) {
    return space_names[s];
}

static int find(const char *const *names, unsigned count, const char *s, size_t n) {
    for (unsigned k = 0; k < count; k++)
        if (names[k] && strlen(names[k]) == n && !memcmp(names[k], s, n))
            return (int)k;
    return -1;
}

int kir_type_by_name(const char *s, size_t n) {
    return find(type_names, sizeof type_names / sizeof *type_names, s, n);
}

int kir_linkage_by_name(const char *s, size_t n) {
    return find(linkage_names, sizeof linkage_names / sizeof *linkage_names, s, n);
}

int kir_op_by_name(const char *s, size_t n) {
    for (int k = 1; k < ISA_OP_COUNT; k++) {
        const char *name = isa_op_info[k].name;
        if (name && strlen(name) == n && !memcmp(name, s, n))
            return k;
    }
    return -1;
}

int kir_isa_type_by_name(const char *s, size_t n) {
    for (int k = 0; k < ISA_TYPE_COUNT; k++) {
        const char *name = isa_type_name((enum isa_type)k);
        if (name && strlen(name) == n && !memcmp(name, s, n))
            return k;
    }
    return -1;
}

int kir_sreg_by_name(const char *s, size_t n) {
    for (int k = 0; k < ISA_SREG_COUNT; k++) {
        const char *name = isa_sreg_name((enum isa_sreg)k);
        if (name && strlen(name) == n && !memcmp(name, s, n))
            return k;
    }
    return -1;
}

const char *kir_symbol_kind(const struct kir_symbol *s) {
    switch (s->space) {
    case ISA_SPACE_LOCAL:
        return "local";
    case ISA_SPACE_PARAM:
        return "param";
    case ISA_SPACE_SHARED:
        return "shared";
    case ISA_SPACE_GENERIC:
        return "func";
    default:
        return "var";
    }
}
