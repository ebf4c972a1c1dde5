#include "cc/options/architectures.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "support/capability.h"

const struct architecture known_architectures[] = {
    {50, "sm_50", NULL}, {52, "sm_52", NULL}, {53, "sm_53", NULL},  {60, "sm_60", NULL},
    {61, "sm_61", NULL}, {62, "sm_62", NULL}, {70, "sm_70", NULL},  {72, "sm_72", NULL},
    {75, "sm_75", NULL}, {80, "sm_80", NULL}, {86, "sm_86", NULL},  {87, "sm_87", NULL},
    {89, "sm_89", NULL}, {90, "sm_90", NULL}, {90, "sm_90a", NULL},
};
const uint32_t known_architecture_count =
    sizeof known_architectures / sizeof known_architectures[0];

uint32_t architectures_first(int cuda_version) {
    return cuda_version >= 13000 ? 75 : 50;
}

static void add(struct architectures *a, struct arena *arena, struct architecture arch) {
    for (uint32_t i = 0; i < a->list.len; ++i)
        if (!strcmp(a->list.data[i].name, arch.name))
            return;
    vec_push(arena, &a->list, arch);
}

// Architectures that nvcc knows and clang does not: the code is made as for the last one before
// them, which they run. NULL: it is none of them. Version 13 has another number for 10.1.
static const struct newer {
    const char *digits, *compiled_as;
    int since, until;
} newer[] = {{"88", "sm_87", 13000, 0}, {"100", "sm_90", 0, 0}, {"101", "sm_90", 0, 13000},
             {"103", "sm_90", 0, 0},    {"110", "sm_90", 0, 0}, {"120", "sm_90", 0, 0},
             {"121", "sm_90", 0, 0}};

static const struct newer *find_newer(const char *digits) {
    for (size_t i = 0; i < sizeof newer / sizeof newer[0]; ++i) {
        size_t n = strlen(newer[i].digits);
        if (!strncmp(digits, newer[i].digits, n) &&
            (!digits[n] || (n > 2 && (!strcmp(digits + n, "a") || !strcmp(digits + n, "f")))))
            return &newer[i];
    }
    return NULL;
}

static bool knows_newer(int cuda_version, const struct newer *n) {
    return cuda_version >= n->since && (!n->until || cuda_version < n->until);
}

uint32_t architectures_numbers(int cuda_version, int *out) {
    uint32_t n = 0, clang = 0, later = 0;
    int last = (int)architectures_first(cuda_version) - 1;
    // Both lists ascend, so that the smaller of their next numbers is the next of all.
    while (clang < known_architecture_count || later < sizeof newer / sizeof newer[0]) {
        int a = clang < known_architecture_count ? (int)known_architectures[clang].number : INT_MAX;
        int b = later < sizeof newer / sizeof newer[0] ? atoi(newer[later].digits) : INT_MAX;
        bool known = a <= b || knows_newer(cuda_version, &newer[later]);
        int number = a <= b ? a : b;
        clang += a <= b;
        later += b < a;
        if (!known || number <= last)
            continue;
        last = number;
        if (out)
            out[n] = number;
        n++;
    }
    return n;
}

struct architecture architecture_named(const char *name) {
    for (uint32_t i = 0; i < known_architecture_count; ++i)
        if (!strcmp(name, known_architectures[i].name))
            return known_architectures[i];
    const struct newer *n = strncmp(name, "sm_", 3) ? NULL : find_newer(name + 3);
    return (struct architecture){n ? (uint32_t)strtoul(n->digits, NULL, 10) : 0, name,
                                 n ? n->compiled_as : NULL};
}

uint32_t architecture_number(const char *name) {
    return architecture_named(name).number;
}

const char *architecture_for_clang(const struct architecture *a) {
    return a->stand_in ? a->stand_in : a->name;
}

// Architectures before 5.0, which old Makefiles ask for and nvcc knew once. Code for 5.0 is what
// they mean: it has all that they have, and warps that run in lockstep.
static bool is_older(const char *digits) {
    static const char *const names[] = {"10", "11", "12", "13", "20", "21", "30", "32", "35", "37"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (!strcmp(digits, names[i]))
            return true;
    return false;
}

static const char *architecture_digits(const char *name) {
    static const char *const prefixes[] = {"compute_", "sm_", "lto_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; ++i)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return name + strlen(prefixes[i]);
    return NULL;
}

// The architecture that code for `name` is compiled for. False: an error was reported.
static bool find_architecture(const struct architectures *a, struct arena *arena, const char *name,
                              struct architecture *found) {
    const char *digits = architecture_digits(name);
    if (digits && a->cuda_version >= 13000 && *digits &&
        digits[strspn(digits, "0123456789")] == 0 &&
        strtoul(digits, NULL, 10) < architectures_first(a->cuda_version))
        return cc_error("CUDA 13 does not compile for '%s': its first architecture is sm_75 "
                        "(KUDZU_CUDA_VERSION=12.9 compiles for it)",
                        name);
    for (uint32_t i = 0; digits && i < known_architecture_count; ++i)
        if (!strcmp(digits, known_architectures[i].name + 3)) {
            *found = known_architectures[i];
            return true;
        }
    const struct newer *later = digits ? find_newer(digits) : NULL;
    if (later && knows_newer(a->cuda_version, later)) {
        *found = architecture_named(arena_printf(arena, "sm_%s", digits));
        return true;
    }
    if (digits && is_older(digits)) {
        cc_warning("'%s' is older than what is compiled for: code is made for sm_50", name);
        *found = architecture_named("sm_50");
        return true;
    }
    return cc_error("'%s' is not an architecture that is known: sm_%u to sm_121, native, all, "
                    "all-major (--list-gpu-arch shows them)",
                    name, architectures_first(a->cuda_version));
}

// A real architecture ("sm_86", not "compute_86") that code compiled for another is wanted for. No
// assembler that takes this code knows those before 5.0.
static void add_real(struct architectures *a, struct arena *arena, const char *compiled_for,
                     const char *name) {
    if (strncmp(name, "sm_", 3) || is_older(name + 3))
        return;
    for (uint32_t i = 0; i < a->real.len; ++i)
        if (!strcmp(a->real.data[i].name, name))
            return;
    vec_push(arena, &a->real, (struct real_architecture){compiled_for, name});
}

static bool add_named(struct architectures *a, struct arena *arena, const char *name) {
    struct architecture arch;
    if (!find_architecture(a, arena, name, &arch))
        return false;
    add(a, arena, arch);
    add_real(a, arena, arch.name, name);
    return true;
}

static void add_known(struct architectures *a, struct arena *arena, bool major_only) {
    uint32_t first = architectures_first(a->cuda_version);
    for (uint32_t i = 0; i < known_architecture_count; ++i)
        if (known_architectures[i].number >= first &&
            !strchr("abcdefghijklmnopqrstuvwxyz",
                    known_architectures[i].name[strlen(known_architectures[i].name) - 1]) &&
            (!major_only || known_architectures[i].number % 10 == 0 ||
             known_architectures[i].number == first))
            add_named(a, arena, known_architectures[i].name);
}

static uint32_t level_bit(const char *name) {
    static const struct {
        const char *name;
        enum kd_level level;
    } levels[] = {
        {"x86-64-v2", KD_LEVEL_X86_64_V2},           {"x86-64-v3", KD_LEVEL_X86_64_V3},
        {"x86-64-v4", KD_LEVEL_X86_64_V4},           {"aarch64", KD_LEVEL_AARCH64},
        {"aarch64-sve256", KD_LEVEL_AARCH64_SVE256}, {"aarch64-sve512", KD_LEVEL_AARCH64_SVE512}};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; ++i)
        if (!strcmp(name, levels[i].name))
            return 1u << levels[i].level;
    return 0;
}

// The items of "a,b", "[a,b]", with quotes around the whole or an item.
static cc_strings split_list(struct arena *arena, const char *text) {
    cc_strings items = {0};
    while (*text) {
        size_t n = strcspn(text, ",[]\"' ");
        if (n)
            vec_push(arena, &items, arena_strndup(arena, text, n));
        text += n + (text[n] != 0);
    }
    return items;
}

// What code compiled for `arch` shall become: native code of processors, or of GPUs. The virtual
// architecture decides what is compiled; naming an unknown real one is an error all the same.
static bool add_codes(struct architectures *a, struct arena *arena, const char *arch,
                      const cc_strings *codes) {
    struct architecture compiled, real;
    if (!find_architecture(a, arena, arch, &compiled))
        return false;
    add(a, arena, compiled);
    for (uint32_t i = 0; i < codes->len; ++i) {
        uint32_t bit = level_bit(codes->data[i]);
        a->native_levels |= bit;
        if (!bit && !find_architecture(a, arena, codes->data[i], &real))
            return false;
        add_real(a, arena, compiled.name, codes->data[i]);
    }
    return true;
}

// A -code item without -arch: real and virtual architectures both become PTX here; levels ask for
// native code.
static bool add_code(struct architectures *a, struct arena *arena, const char *name) {
    uint32_t bit = level_bit(name);
    a->native_levels |= bit;
    return bit || add_named(a, arena, name);
}

// What stands behind `key` in "arch=...,code=...", in either order, up to the other key.
static cc_strings values_of(struct arena *arena, const char *spec, const char *key,
                            const char *other) {
    const char *at = strstr(spec, key), *end = at ? strstr(at, other) : NULL;
    size_t n = at ? strlen(key) : 0;
    if (!at)
        return (cc_strings){0};
    return split_list(arena,
                      arena_strndup(arena, at + n, end ? (size_t)(end - at) - n : strlen(at + n)));
}

bool architectures_add_gencode(struct architectures *a, struct arena *arena, const char *spec) {
    cc_strings archs = values_of(arena, spec, "arch=", "code=");
    cc_strings codes = values_of(arena, spec, "code=", "arch=");
    if (!strstr(spec, "arch="))
        return cc_error("-gencode %s: expected arch=compute_XX,code=...", spec);
    if (archs.len != 1)
        return cc_error("-gencode %s: expected one virtual architecture after arch=", spec);
    const char *name = archs.data[0];
    if (!strstr(spec, "code="))
        return add_named(a, arena, name);
    if (!codes.len)
        return cc_error("-gencode %s: expected an architecture after code=", spec);
    return add_codes(a, arena, name, &codes);
}

// What the CPU device offers, or the last before that which is compiled for.
static bool add_device(struct architectures *a, struct arena *arena) {
    uint32_t wanted = capability_of_device()->number, best = 0;
    if (capability_unknown())
        return cc_error("KUDZU_COMPUTE_CAPABILITY is '%s', which no device has",
                        capability_unknown());
    if (wanted >= 100)
        return add_named(a, arena, arena_printf(arena, "sm_%u", wanted));
    for (uint32_t i = 0; i < known_architecture_count; ++i)
        if (known_architectures[i].number <= wanted &&
            known_architectures[i].number > known_architectures[best].number)
            best = i;
    return add_named(a, arena, known_architectures[best].name);
}

static bool add_set(struct architectures *a, struct arena *arena, const char *name, bool *known) {
    *known = true;
    if (!strcmp(name, "all") || !strcmp(name, "all-major"))
        add_known(a, arena, name[3] != 0);
    else if (!strcmp(name, "native"))
        return add_device(a, arena);
    else
        *known = false;
    return true;
}

bool architectures_add_arch(struct architectures *a, struct arena *arena, const char *arch,
                            const char *code) {
    cc_strings codes = {0};
    if (code)
        codes = split_list(arena, code);
    bool known = false;
    if (arch && !add_set(a, arena, arch, &known))
        return false;
    if (arch && !known)
        return code ? add_codes(a, arena, arch, &codes) : add_named(a, arena, arch);
    for (uint32_t i = 0; i < codes.len; ++i)
        if (!add_code(a, arena, codes.data[i]))
            return false;
    return true;
}

bool architectures_add_native(struct architectures *a, const char *levels) {
    while (*levels) {
        size_t n = strcspn(levels, ",");
        char name[32] = "";
        if (n < sizeof name)
            memcpy(name, levels, n);
        uint32_t bit = level_bit(name);
        if (!bit)
            return cc_error("--kudzu-native: '%.*s' is not x86-64-v2, x86-64-v3, x86-64-v4, "
                            "aarch64, aarch64-sve256 or aarch64-sve512",
                            (int)n, levels);
        a->native_levels |= bit;
        levels += n + (levels[n] == ',');
    }
    return true;
}

static int compare(const void *x, const void *y) {
    const struct architecture *a = x, *b = y;
    return a->number != b->number ? (a->number < b->number ? -1 : 1) : strcmp(a->name, b->name);
}

bool architectures_finish(struct architectures *a, struct arena *arena) {
    a->given = a->list.len != 0;
    if (!a->given && !add_device(a, arena))
        return false;
    qsort(a->list.data, a->list.len, sizeof a->list.data[0], compare);
    return true;
}

bool architecture_serves(const char *have, const char *want) {
    uint32_t number = architecture_number(have);
    bool specific = number && strchr("af", have[strlen(have) - 1]);
    return !strcmp(have, want) || (number && !specific && number <= architecture_number(want));
}
