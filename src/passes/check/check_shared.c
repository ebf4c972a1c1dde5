// Two threads race in shared memory only between two barriers of their block. So accesses are taken
// in groups: those to one variable that may be made behind one barrier before the next. A group
// that only reads, or only has atomic accesses, is of no concern. Where the device can compute all
// places of a group from the numbers of threads (check_steps.h), it finds out when the kernel is
// launched. All else is followed.
#include "passes/check/check_shared.h"

#include "isa/ops/cluster.h"
#include "isa/ops/tensor.h"
#include "passes/check/check.h"
#include "passes/check/check_sets.h"

enum { MOST_USES = 1024, MOST_VARIABLES = 60, WORDS = MOST_USES / 64 };

struct group {
    uint64_t members[WORDS], starts;
    bool weak, writes, goes_on;
    bool program; // there is one
};
struct finder {
    struct arena *a;
    const struct kir_func *f;
    struct check_shared_use *uses;
    uint32_t n;
    uint64_t *starts, *sets; // by use
    struct check_uniform u;
    VEC(struct group) groups;
};

// ---- where a use points -----------------------------------------------------------------------

static const uint64_t OTHER = UINT64_C(1) << 62; // what is no shared memory

static bool source(void *user, const struct kir_inst *i, uint64_t *set) {
    const struct kir_module *m = ((const struct finder *)user)->f->module;
    *set = OTHER;
    if (i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM)
        return true;
    if (i->op != ISA_OP_SYMADDR)
        return false;
    if (i->sym->space == ISA_SPACE_SHARED)
        *set = CHECK_SET_UNKNOWN;
    // Dynamic ones all lie at one place.
    for (uint32_t k = 0; i->sym->space == ISA_SPACE_SHARED && k < m->shared.len; k++)
        if (m->shared.data[k] == i->sym || (m->shared.data[k]->dynamic && i->sym->dynamic)) {
            *set = k < MOST_VARIABLES ? UINT64_C(1) << k : CHECK_SET_UNKNOWN;
            break;
        }
    return true;
}

// Variables of which a use may be of one. Those that overlap in memory are of different kernels.
static void find_sets(struct finder *x) {
    const uint64_t *sets = check_sets_find(x->a, x->f, source, x);
    for (uint32_t k = 0; k < x->n; k++) {
        const struct kir_value *v = x->uses[k].m.address;
        uint64_t set = v->kind == KIR_VALUE_INST ? sets[v->id] : 0;
        // Addresses of 32 bits have no sets.
        bool all = set & CHECK_SET_UNKNOWN || !(set & ~(x->uses[k].shared ? OTHER : 0));
        x->sets[k] = all ? UINT64_MAX : set;
    }
}

// ---- groups -----------------------------------------------------------------------------------

// By use: behind which barriers it may be made. Uses stand in the order of blocks and instructions.
static void find_starts(struct finder *x) {
    uint32_t number = 0, next = 0;
    for (uint32_t b = 0; b < x->f->blocks.len; b++) {
        uint64_t starts = x->u.starts[b];
        for (const struct kir_inst *i = x->f->blocks.data[b]->first; i; i = i->next) {
            uint32_t k = next;
            if (k < x->n && x->uses[k].m.i != i)
                k = x->n;
            for (; k < x->n && x->uses[k].m.i == i; k++, next++)
                x->starts[k] = x->uses[k].goes_on ? UINT64_MAX : starts;
            starts = check_starts_behind(i, starts, &number);
        }
    }
    for (uint32_t k = next; k < x->n; k++) // none, unless they stand otherwise
        x->starts[k] = UINT64_MAX;
}

static void add_group(struct finder *x, const struct group *new) {
    // As long as nothing that is weak is there beside what writes, no two accesses race.
    if (!new->writes || !new->weak)
        return;
    for (uint32_t k = 0; k < x->groups.len; k++) {
        struct group *g = &x->groups.data[k];
        if (!memcmp(g->members, new->members, sizeof g->members)) {
            g->starts |= new->starts;
            return;
        }
    }
    vec_push(x->a, &x->groups, *new);
}

static void find_groups(struct finder *x) {
    uint32_t variables = x->f->module->shared.len;
    variables = variables < MOST_VARIABLES ? variables : MOST_VARIABLES;
    for (uint32_t s = 0; s <= x->u.n; s++)
        for (uint32_t v = 0; v <= variables; v++) { // the last one: others
            struct group g = {.starts = UINT64_C(1) << s};
            uint64_t bit = UINT64_C(1) << (v < variables ? v : MOST_VARIABLES);
            for (uint32_t k = 0; k < x->n; k++) {
                const struct check_shared_use *u = &x->uses[k];
                if (!(x->starts[k] >> s & 1) || !(x->sets[k] & bit))
                    continue;
                g.members[k / 64] |= UINT64_C(1) << k % 64;
                g.writes |= u->m.how & KD_STEP_WRITES;
                g.weak |= !(u->m.how & KD_STEP_STRONG);
                g.goes_on |= u->goes_on;
            }
            add_group(x, &g);
        }
}

static bool has(const struct group *g, uint32_t use) {
    return g->members[use / 64] >> use % 64 & 1;
}

static void follow(struct finder *x, const struct group *g) {
    for (uint32_t k = 0; k < x->n; k++)
        if (has(g, k))
            x->uses[k].races = CHECK_RACES;
}

// ---- programs ---------------------------------------------------------------------------------

static bool make(struct finder *x, struct check_steps *s, const struct group *g,
                 struct check_program *p) {
    const struct check_member **m = arena_array(x->a, const struct check_member *, x->n);
    uint32_t n = 0;
    for (uint32_t k = 0; k < x->n; k++)
        if (has(g, k))
            m[n++] = &x->uses[k].m;
    return !g->goes_on && check_steps_add(s, m, n, g->starts, p);
}

// Accesses that share a group, or have groups that share others, are decided together.
static uint32_t join(struct finder *x, struct check_program *single, struct check_program *programs,
                     uint32_t most) {
    uint32_t n = 0;
    for (uint32_t first = 0; first < x->groups.len; first++) {
        if (!x->groups.data[first].program)
            continue;
        struct group all = x->groups.data[first];
        bool fits = n < most;
        struct check_program *p = &programs[fits ? n : 0];
        for (bool again = true; again;) {
            again = false;
            for (uint32_t k = first; k < x->groups.len; k++) {
                struct group *g = &x->groups.data[k];
                bool common = false;
                for (uint32_t u = 0; u < x->n; u++)
                    common |= has(g, u) && has(&all, u) && x->uses[u].races != CHECK_RACES;
                if (!g->program || !common)
                    continue;
                g->program = false;
                again = true;
                for (uint32_t w = 0; w < WORDS; w++)
                    all.members[w] |= g->members[w];
                for (uint32_t w = 0; fits && w < single[k].steps.len; w++)
                    vec_push(x->a, &p->steps, single[k].steps.data[w]);
            }
        }
        x->groups.data[first].program = false;
        for (uint32_t u = 0; u < x->n; u++)
            if (has(&all, u) && x->uses[u].races != CHECK_RACES)
                x->uses[u].races = fits ? (int)n : CHECK_RACES;
        if (fits && p->steps.len) {
            vec_push(x->a, &p->steps, (struct kd_check_step){.op = KD_STEP_END});
            n++;
        }
    }
    return n;
}

// Functions beside the kernel may do anything, and so may other blocks of its cluster.
static bool is_closed(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            bool calls = i->op == ISA_OP_CALL && !(i->callee && i->callee->is_extern);
            bool spreads = check_by_device_of(i).accesses && i->mods.mask;
            if (calls || spreads || i->op == ISA_OP_TCGEN05_COMMIT || i->op == ISA_OP_MAPA ||
                i->op == ISA_OP_BARRIER_CLUSTER_ARRIVE || i->op == ISA_OP_BARRIER_CLUSTER_WAIT ||
                i->mods.space == ISA_SPACE_CLUSTER || i->mods.space2 == ISA_SPACE_CLUSTER)
                return false;
        }
    return true;
}

uint32_t check_shared(struct arena *arena, const struct kir_func *f, struct check_shared_use *uses,
                      uint32_t n, struct check_program *programs, uint32_t most) {
    struct finder x = {.a = arena, .f = f, .uses = uses, .n = n};
    struct check_steps steps;
    for (uint32_t k = 0; k < n; k++)
        uses[k].races = CHECK_RACES;
    if (!n || n > MOST_USES || !is_closed(f) || !check_uniform_find(arena, f, &x.u))
        return 0;
    x.starts = arena_array(arena, uint64_t, n);
    x.sets = arena_array(arena, uint64_t, n);
    find_sets(&x);
    find_starts(&x);
    find_groups(&x);
    for (uint32_t k = 0; k < n; k++)
        uses[k].races = CHECK_NO_RACES;
    check_steps_begin(&steps, arena, f, &x.u);
    struct check_program *single = arena_array(arena, struct check_program, x.groups.len + 1);
    for (uint32_t k = 0; k < x.groups.len; k++) {
        x.groups.data[k].program = make(&x, &steps, &x.groups.data[k], &single[k]);
        if (!x.groups.data[k].program)
            follow(&x, &x.groups.data[k]);
    }
    // What may be other memory, too, is followed there.
    for (uint32_t k = 0; k < n; k++)
        if (!uses[k].shared && x.sets[k] & OTHER)
            uses[k].races = CHECK_RACES;
    return join(&x, single, programs, most);
}
