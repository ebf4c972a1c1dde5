// Accesses that kernels are about to make. What is reported goes on as it would without: memory
// that is not there ends the launch.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abi/check_meeting.h"
#include "abi/check_shadow.h"
#include "device/check/check_image.h"
#include "device/check/check_threads.h"
#include "device/code/module.h"
#include "device/exec/block.h"
#include "device/helpers/runtime.h"
#include "device/internal.h"
#include "device/sched/op.h"
#include "isa/isa.h"

struct lane_access {
    const struct kd_block *b;
    const struct kd_check_site *site;
    uint32_t thread;
    uint64_t address, bytes;
    uint32_t origin;
};

static const void *from(const void *what, int32_t distance) {
    return (const uint8_t *)what + distance;
}

static const struct kd_check_module *module_of(const struct kd_check_site *s) {
    return from(s, s->module);
}

// ---- what an address may be ---------------------------------------------------------------

// Where something lies that a pointer points into.
struct extent {
    const char *what, *name; // "variable", "tile"
    uint64_t base, size;
    enum check_state state; // CHECK_UNKNOWN: alive
};

static bool is_gone(const struct extent *e) {
    return e->state == CHECK_FREED || e->state == CHECK_PLANNED;
}

static const char *name_of(const struct kd_check_variable *v) {
    return v->name ? from(v, v->name) : NULL;
}

// Offsets in shared memory.
static struct extent shared_variable(const struct kd_block *b, const struct kd_check_variable *v) {
    struct extent e = {"shared variable", name_of(v), v->offset, v->size, CHECK_ALIVE};
    if (v->dynamic) {
        e.base = b->dynamic_shared;
        e.size = b->dynamic_shared_bytes;
    }
    return e;
}

static const struct kd_check_variable *list_of(const struct kd_check_site *s, int32_t at) {
    return from(module_of(s), at);
}

static bool covers(const struct extent *e, uint64_t address, uint64_t bytes) {
    return address - e->base <= e->size && bytes <= e->size - (address - e->base);
}

// The shared variable that contains an offset whose variable is not known: of those that lie there
// (kernels' variables may overlap) the one that reaches furthest.
static bool find_shared(const struct lane_access *a, uint64_t offset, struct extent *out) {
    const struct kd_check_module *m = module_of(a->site);
    const struct kd_check_variable *list = list_of(a->site, m->shared);
    bool found = false;
    for (uint32_t k = 0; k < m->nshared; k++) {
        struct extent e = shared_variable(a->b, &list[k]);
        if (!covers(&e, offset, 1) || (found && e.base + e.size <= out->base + out->size))
            continue;
        *out = e;
        found = true;
    }
    return found;
}

// The offset in a block's window of a generic address; false: it is in none of the cluster's.
static bool in_shared(const struct kd_block *b, uint64_t address, uint64_t *offset) {
    uint64_t at = address - (uint64_t)(uintptr_t)b->shared;
    if (at < b->shared_window_bytes) {
        *offset = at;
        return true;
    }
    at = address - (uint64_t)(uintptr_t)b->cluster_shared;
    *offset = at % KD_CLUSTER_STRIDE;
    return b->cluster_blocks > 1 && at / KD_CLUSTER_STRIDE < b->cluster_blocks &&
           *offset < b->shared_window_bytes;
}

static uint64_t local_base(const struct lane_access *a) {
    return (uint64_t)(uintptr_t)(a->b->local + a->thread * a->b->local_stride);
}

// ---- reports ------------------------------------------------------------------------------

static const char *space_name(enum isa_space s) {
    static const char *const names[] = {
        [ISA_SPACE_GLOBAL] = "__global__",  [ISA_SPACE_SHARED] = "__shared__",
        [ISA_SPACE_CONST] = "__constant__", [ISA_SPACE_LOCAL] = "__local__",
        [ISA_SPACE_PARAM] = "__param__",    [ISA_SPACE_CLUSTER] = "__shared__",
    };
    return names[s] ? names[s] : "__global__";
}

static void describe(const struct extent *e, uint64_t address, uint64_t bytes, char *line) {
    char name[200] = "";
    const char *where = address < e->base ? "before" : "after";
    uint64_t away = address < e->base              ? e->base - address
                    : address >= e->base + e->size ? address - (e->base + e->size) + 1
                                                   : 1;
    if (e->name)
        snprintf(name, sizeof name, " %s", e->name);
    if (is_gone(e))
        snprintf(line, CHECK_LINE,
                 "and is %" PRIu64 " bytes into the %s %s%s at 0x%" PRIx64 " of size %" PRIu64
                 " bytes",
                 address - e->base, e->state == CHECK_FREED ? "freed" : "planned", e->what, name,
                 e->base, e->size);
    else
        snprintf(line, CHECK_LINE,
                 "and is %" PRIu64 " bytes %s the %s%s at 0x%" PRIx64 " of size %" PRIu64 " bytes",
                 away, where, e->what, name, e->base, e->size);
    (void)bytes;
}

static atomic_bool told;

bool check_access_told(void) {
    return atomic_load(&told);
}

static const char *const kinds[] = {
    [KD_CHECK_READ] = "read", [KD_CHECK_WRITE] = "write", [KD_CHECK_ATOMIC] = "atomic"};

// why: "is out of bounds". e: what the pointer pointed into; NULL: nobody knows.
static void report(const struct lane_access *a, enum isa_space space, const char *why,
                   const struct extent *e) {
    char what[128];
    struct extent nearest = {"nearest allocation", NULL, 0, 0, CHECK_ALIVE};
    struct check_report r = {.what = what, .site = a->site, .thread = a->thread, .b = a->b};
    snprintf(what, sizeof what, "Invalid %s %s of size %" PRIu64 " bytes", space_name(space),
             kinds[a->site->kind], a->bytes);
    snprintf(r.lines[0], CHECK_LINE, "Access at 0x%" PRIx64 " %s", a->address, why);
    atomic_store(&told, true);
    bool outside = a->site->align <= 1 || a->address % a->site->align == 0;
    if (!e && outside && space == ISA_SPACE_GLOBAL &&
        check_nearest(a->address, &nearest.base, &nearest.size))
        e = &nearest;
    if (e)
        describe(e, a->address, a->bytes, r.lines[1]);
    if (e && e->state == CHECK_FREED) {
        r.call = check_life_freed_by(e->base);
        r.frames_of = "the call that frees it";
    }
    check_report(&r);
}

static const char *why_gone(const struct extent *e) {
    return e->state == CHECK_FREED ? "is to memory that has been freed"
                                   : "is to memory that its graph has not allocated";
}

static void compare(const struct lane_access *a, enum isa_space space, const struct extent *e) {
    if (is_gone(e))
        report(a, space, why_gone(e), e);
    else if (!covers(e, a->address, a->bytes))
        report(a, space, "is out of bounds", e);
}

// Of a local variable, without what the compiler put behind it. name: of 64 bytes.
static void variable_name(const struct kd_check_variable *v, char *name) {
    snprintf(name, 64, "%.*s", (int)strcspn(name_of(v), "$."), name_of(v));
}

static void report_ended(const struct lane_access *a, const struct check_ended *ended) {
    char what[128], name[64] = "";
    const struct kd_check_site *end = ended->site;
    struct check_report r = {.what = what, .site = a->site, .thread = a->thread, .b = a->b};
    if (end->bytes)
        variable_name(&list_of(end, module_of(end)->local)[end->bytes - 1], name);
    snprintf(what, sizeof what, "Invalid __local__ %s of size %" PRIu64 " bytes",
             kinds[a->site->kind], a->bytes);
    snprintf(r.lines[0], CHECK_LINE,
             "Access at 0x%" PRIx64 " is to a local variable whose scope has ended", a->address);
    snprintf(r.lines[1], CHECK_LINE,
             "and is %" PRId64 " bytes into the variable %s of size %" PRIu64 " bytes",
             (int64_t)(a->address - ended->from), name, ended->to - ended->from);
    if (end->file)
        snprintf(r.lines[2], CHECK_LINE, "which ended at %s:%" PRIu32,
                 (const char *)from(end, end->file), end->line);
    atomic_store(&told, true);
    check_report(&r);
}

// ---- each space ---------------------------------------------------------------------------

static void check_shared(struct lane_access *a, uint64_t offset) {
    const struct kd_check_module *m = module_of(a->site);
    struct extent e;
    uint32_t k = a->origin & ~KD_CHECK_SHARED;
    a->address = offset;
    if (a->origin >= KD_CHECK_SHARED && k < m->nshared) {
        e = shared_variable(a->b, &list_of(a->site, m->shared)[k]);
        compare(a, ISA_SPACE_SHARED, &e);
    } else if (find_shared(a, offset, &e)) {
        compare(a, ISA_SPACE_SHARED, &e);
    } else {
        report(a, ISA_SPACE_SHARED, "is out of bounds", NULL);
    }
}

// The local variable or parameter that the origin names; NULL: it names none.
static const struct kd_check_variable *local_variable(const struct lane_access *a,
                                                      struct extent *e) {
    const struct kd_check_module *m = module_of(a->site);
    uint32_t k = a->origin & ((1u << KD_CHECK_LOCAL_INDEX) - 1);
    if (a->origin < KD_CHECK_LOCAL || a->origin >= KD_CHECK_SHARED || k >= m->nlocal)
        return NULL;
    const struct kd_check_variable *v = &list_of(a->site, m->local)[k];
    e->base = (uint64_t)((a->origin & ~KD_CHECK_LOCAL) >> KD_CHECK_LOCAL_INDEX) * 8;
    e->size = v->size;
    return v;
}

static void check_local(struct lane_access *a, uint64_t offset) {
    struct extent e = {"local memory", NULL, 0, a->b->local_stride, CHECK_ALIVE};
    char name[64];
    a->address = offset;
    const struct kd_check_variable *v = local_variable(a, &e);
    if (v) {
        variable_name(v, name);
        bool own = strncmp(name, "__local_depot", strlen("__local_depot")) != 0;
        e.what = own ? "local variable" : "local variables";
        e.name = own ? name : NULL;
    }
    compare(a, ISA_SPACE_LOCAL, &e);
    const struct check_ended *ended =
        covers(&e, offset, a->bytes)
            ? check_scopes_find((struct kd_block *)a->b, a->thread, offset, a->bytes)
            : NULL;
    if (ended)
        report_ended(a, ended);
}

static void check_parameter(struct lane_access *a) {
    struct extent e = {"parameters", NULL, 0, a->b->launch->kernel->info->param_bytes, CHECK_ALIVE};
    const struct kd_check_variable *v = local_variable(a, &e);
    if (v) {
        e.what = "parameter";
        e.name = name_of(v);
    }
    compare(a, ISA_SPACE_PARAM, &e);
}

// Memory of a launch that no allocation holds: parameters, what grids synchronise by.
static bool is_of_launch(const struct lane_access *a) {
    const struct kd_block *b = a->b;
    const struct kd_launch *l = b->launch;
    uint64_t params = (uint64_t)(uintptr_t)b->params, size = l->kernel->info->param_bytes;
    return (a->address - params < size && a->bytes <= size - (a->address - params)) ||
           (b->grid_workspace &&
            a->address - b->grid_workspace < sizeof(struct kd_grid_workspace)) ||
           l->kernel->module->launches || l->multi;
}

static void check_variable(struct lane_access *a, uint32_t k) {
    const struct kd_check_variable *v = &list_of(a->site, module_of(a->site)->vars)[k];
    struct extent e = {"variable", name_of(v), (uint64_t)(uintptr_t)a->b->vars[k], v->size,
                       CHECK_ALIVE};
    compare(a, a->site->space == ISA_SPACE_CONST ? ISA_SPACE_CONST : ISA_SPACE_GLOBAL, &e);
}

static void check_generic(struct lane_access *a) {
    uint64_t offset;
    uint32_t kind = a->origin & KD_CHECK_VARIABLE;
    if (a->origin == KD_CHECK_MIXED)
        kind = a->origin = KD_CHECK_NONE;
    if (kind == KD_CHECK_LOCAL ||
        (!a->origin && a->b->local && a->address - local_base(a) < a->b->local_stride)) {
        check_local(a, a->address - local_base(a));
        return;
    }
    if (!a->origin && a->b->local &&
        a->address - (uint64_t)(uintptr_t)a->b->local < a->b->local_stride * a->b->nthreads) {
        report(a, ISA_SPACE_LOCAL, "is to local memory of another thread", NULL);
        return;
    }
    if (kind == KD_CHECK_SHARED || (!a->origin && in_shared(a->b, a->address, &offset))) {
        if (!in_shared(a->b, a->address, &offset))
            offset = a->address - (uint64_t)(uintptr_t)a->b->shared;
        check_shared(a, offset);
        return;
    }
    if (kind == KD_CHECK_VARIABLE && (a->origin & ~KD_CHECK_VARIABLE) < module_of(a->site)->nvars) {
        check_variable(a, a->origin & ~KD_CHECK_VARIABLE);
        return;
    }
    uint32_t number = a->origin ? a->origin : check_find(a->b, a->address);
    const struct check_block *k = check_block_of(number);
    if (k) {
        struct extent e = {"allocation", NULL, k->base, k->size, k->state};
        compare(a, ISA_SPACE_GLOBAL, &e);
    } else if (!check_there(a->address, a->bytes) && !is_of_launch(a)) {
        report(a, ISA_SPACE_GLOBAL, "is out of bounds", NULL);
    }
}

// An address of shared::cluster, whose forms abi/generated_code.h tells.
static uint64_t cluster_to_generic(const struct kd_block *b, uint64_t address) {
    uint32_t a = (uint32_t)address, rank = (a >> KD_CLUSTER_RANK_BIT) - 1;
    if (rank >= KD_CLUSTER_MAX_BLOCKS)
        return (uint64_t)(uintptr_t)b->shared + (uint64_t)(int64_t)(int32_t)a;
    return (uint64_t)(uintptr_t)b->cluster_shared + (uint64_t)rank * KD_CLUSTER_STRIDE +
           a % KD_CLUSTER_MAPPED;
}

uint64_t check_generic_address(const struct kd_block *b, const struct kd_check_site *site,
                               uint64_t address) {
    address += (uint64_t)site->offset;
    if (site->space == ISA_SPACE_SHARED)
        return (uint64_t)(uintptr_t)b->shared + address;
    return site->space == ISA_SPACE_CLUSTER ? cluster_to_generic(b, address) : address;
}

bool check_in_cluster(const struct kd_block *b, uint64_t address) {
    uint64_t offset;
    return b->cluster_blocks > 1 && in_shared(b, address, &offset);
}

void check_printed(struct kd_block *b, uint32_t thread, uint64_t address) {
    uint64_t offset;
    struct lane_access a = {.b = b, .thread = thread, .address = address, .bytes = 1};
    bool local =
        b->local && address - (uint64_t)(uintptr_t)b->local < b->local_stride * b->nthreads;
    const struct check_threads *t = check_threads_of(b);
    if (!address || !t || local || in_shared(b, address, &offset) || is_of_launch(&a))
        return;
    const struct check_block *k = check_block_of(check_find(b, address));
    if (k ? k->state == CHECK_ALIVE : check_there(address, 1))
        return;
    struct check_report r = {.what = "Invalid __global__ read of size 1 bytes",
                             .site = t->place[thread / KD_WARP],
                             .thread = thread,
                             .b = b};
    struct extent e = {.state = k ? k->state : CHECK_ALIVE};
    snprintf(r.lines[0], CHECK_LINE, "Access at 0x%" PRIx64 " %s", address,
             k ? why_gone(&e) : "is out of bounds");
    snprintf(r.lines[1], CHECK_LINE, "where a string begins that is printed");
    check_report(&r);
}

void check_submitted(struct kd_block *b, uint32_t thread, uint64_t address, bool writes,
                     uint64_t bytes) {
    const struct check_threads *t = check_threads_of(b);
    const struct check_block *k = bytes ? check_block_of(check_find(b, address)) : NULL;
    struct extent e = {"allocation", NULL, k ? k->base : 0, k ? k->size : 0,
                       k ? k->state : CHECK_ALIVE};
    bool right = k ? !is_gone(&e) && covers(&e, address, bytes) : check_there(address, bytes);
    if (!t || !bytes || right)
        return;
    char what[96];
    struct check_report r = {
        .what = what, .site = t->place[thread / KD_WARP], .thread = thread, .b = b};
    snprintf(what, sizeof what, "Invalid __global__ %s of size %" PRIu64 " bytes",
             writes ? "write" : "read", bytes);
    snprintf(r.lines[0], CHECK_LINE, "Access at 0x%" PRIx64 " %s", address,
             is_gone(&e) ? why_gone(&e) : "is out of bounds");
    if (k)
        describe(&e, is_gone(&e) ? address : address + bytes - 1, bytes, r.lines[1]);
    snprintf(r.lines[k ? 2 : 1], CHECK_LINE, "by a copy or set that the kernel submits");
    atomic_store(&told, true);
    check_report(&r);
}

void check_moved_by_device(struct kd_block *b, uint32_t thread, const struct kd_check_site *site,
                           uint64_t begin, uint64_t address, uint64_t bytes) {
    struct lane_access a = {b, site, thread, address, bytes, KD_CHECK_NONE};
    struct extent e;
    uint64_t offset;
    if (!begin || !in_shared(b, begin, &offset) || !find_shared(&a, offset, &e)) {
        check_generic(&a);
        return;
    }
    a.address = offset + (address - begin);
    compare(&a, ISA_SPACE_SHARED, &e);
}

static void check_lane(struct lane_access *a) {
    enum isa_space space = (enum isa_space)a->site->space;
    if (a->site->kind == KD_CHECK_FREE) {
        check_heap_bad((struct kd_block *)a->b, a->thread, a->address, a->site);
        return;
    }
    if (a->site->align > 1 && a->address % a->site->align) {
        report(a, space ? space : ISA_SPACE_GLOBAL, "is misaligned", NULL);
        return;
    }
    switch (space) {
    case ISA_SPACE_SHARED:
        check_shared(a, a->address);
        break;
    case ISA_SPACE_LOCAL:
        check_local(a, a->address);
        break;
    case ISA_SPACE_PARAM:
        check_parameter(a);
        break;
    case ISA_SPACE_CLUSTER:
        a->address = cluster_to_generic(a->b, a->address);
        check_generic(a);
        break;
    default:
        check_generic(a);
        break;
    }
}

// ---- what generated code calls ------------------------------------------------------------

// What an origin names, in the addresses of the site's space; false: it takes a closer look.
static bool extent_of(const struct kd_block *b, const struct kd_check_site *s, uint32_t origin,
                      struct extent *e) {
    bool global = s->space == ISA_SPACE_GLOBAL || s->space == ISA_SPACE_GENERIC ||
                  s->space == ISA_SPACE_CONST;
    const struct kd_check_module *m = module_of(s);
    uint32_t k = origin & ~KD_CHECK_VARIABLE;
    if (origin < KD_CHECK_LOCAL && global) {
        const struct check_block *a = check_block_of(origin);
        if (!a || atomic_load_explicit(&a->state, memory_order_relaxed) != CHECK_ALIVE)
            return false;
        e->base = a->base;
        e->size = a->size;
        return true;
    }
    if (origin >= KD_CHECK_VARIABLE && global && k < m->nvars) {
        e->base = (uint64_t)(uintptr_t)b->vars[k];
        e->size = list_of(s, m->vars)[k].size;
        return true;
    }
    if (origin < KD_CHECK_SHARED || s->space != ISA_SPACE_SHARED || k >= m->nshared)
        return false;
    *e = shared_variable(b, &list_of(s, m->shared)[k]);
    return true;
}

// All lanes inside what their pointer names: nothing else is asked of most accesses.
static bool all_inside(const struct kd_block *b, const struct kd_check_site *s, uint32_t mask,
                       uint32_t code, const uint64_t *addresses, uint32_t origin) {
    struct extent e;
    if (!s->bytes || s->kind == KD_CHECK_FREE || !extent_of(b, s, origin, &e) || e.size < s->bytes)
        return false;
    uint64_t from_base = (uint64_t)s->offset - e.base, most = e.size - s->bytes, bad = 0;
    uint64_t low = s->align - 1;
    if (code & KD_CHECK_SAME_ADDRESS)
        return addresses[0] + from_base <= most && !((addresses[0] + (uint64_t)s->offset) & low);
    for (uint32_t l = 0; l < (code & KD_CHECK_WIDTH); l++) {
        bool out =
            (addresses[l] + from_base > most) | (((addresses[l] + (uint64_t)s->offset) & low) != 0);
        bad |= (uint64_t)out << l;
    }
    return !(bad & mask);
}

// The lanes whose bits are not all decided.
static uint32_t undecided(uint32_t mask, const uint64_t *bits, bool same) {
    uint32_t lanes = 0;
    for (uint32_t m = same && !bits[0] ? 0 : mask; m; m &= m - 1)
        lanes |= bits[same ? 0 : __builtin_ctz(m)] ? m & -m : 0;
    return lanes;
}

static void tell_init(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                      const struct kd_check_site *s, const uint64_t *addresses,
                      const uint64_t *more) {
    bool same = code & KD_CHECK_SAME_ADDRESS, same_more = code & KD_CHECK_SAME_MORE;
    if (mask)
        check_block_begins(b);
    if (s->kind == KD_CHECK_SHADOW_STORE)
        mask = check_init_stored(b, thread, mask, same, s, addresses, more, same_more);
    if (kd_check_needs_bits(s->kind))
        mask = undecided(mask, more, same_more);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t address = addresses[code & KD_CHECK_SAME_ADDRESS ? 0 : l] + (uint64_t)s->offset;
        check_init_tell(b, thread + l, s, address, more[code & KD_CHECK_SAME_MORE ? 0 : l]);
    }
}

void kd_rt_check_access(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                        uint64_t site, const uint64_t *addresses, const uint32_t *origins,
                        const uint64_t *more) {
    const struct kd_check_site *s = (const struct kd_check_site *)(uintptr_t)site; // NOLINT
    if (s->kind == KD_CHECK_TAKEN) {
        for (uint32_t m = mask; m; m &= m - 1)
            check_heap_taken(addresses[code & KD_CHECK_SAME_ADDRESS ? 0 : __builtin_ctz(m)], s);
        return;
    }
    if (s->kind == KD_CHECK_SCOPE_BEGIN || s->kind == KD_CHECK_SCOPE_END) {
        check_scopes_tell(b, thread, mask, code, s, addresses, more);
        return;
    }
    if (s->kind == KD_CHECK_MEET_SYNCED) {
        check_race_synced(b, thread, mask, code, more);
        return;
    }
    if (s->kind == KD_CHECK_PRODUCT) {
        uint32_t l = mask ? (uint32_t)__builtin_ctz(mask) : 0;
        check_async_product(b, thread, mask, s, addresses[code & KD_CHECK_SAME_ADDRESS ? 0 : l],
                            more[code & KD_CHECK_SAME_MORE ? 0 : l]);
        return;
    }
    if (s->kind == KD_CHECK_SUM) {
        check_sums_read(b, thread, mask, code, s, more);
        return;
    }
    if (s->kind >= KD_CHECK_ORDER_RELEASE) {
        check_order_tell(b, thread, mask, code, s, addresses, more);
        return;
    }
    if (s->kind >= KD_CHECK_MEET_BARRIER) {
        check_sync_tell(b, thread, mask, code, s, addresses, more);
        return;
    }
    if (s->kind >= KD_CHECK_SHADOW_STORE) {
        tell_init(b, thread, mask, code, s, addresses, more);
        return;
    }
    bool one_origin = code & KD_CHECK_SAME_ORIGIN || (code & KD_CHECK_WIDTH) == 1;
    bool memory = mask && !(code & KD_CHECK_IS_INSIDE) && !(s->flags & KD_CHECK_INSIDE) &&
                  (check_tools() & CHECK_MEMORY) &&
                  !(one_origin && all_inside(b, s, mask, code, addresses, origins[0]));
    for (uint32_t m = memory ? mask : 0; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t n = s->bytes ? s->bytes : more[code & KD_CHECK_SAME_MORE ? 0 : l];
        struct lane_access a = {
            b,          s,
            thread + l, addresses[code & KD_CHECK_SAME_ADDRESS ? 0 : l] + (uint64_t)s->offset,
            n,          origins[one_origin ? 0 : l]};
        if (n)
            check_lane(&a);
    }
    if (mask && (s->flags & KD_CHECK_ORDERED) && !check_is_apart(b, s))
        check_races(b, s, thread, mask, code, addresses, more);
}

void kd_rt_check_origin(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                        const uint64_t *addresses, uint32_t *origins) {
    uint32_t bytes = code >> KD_CHECK_SHADOW_BYTES;
    if (bytes == KD_CHECK_TEXELS) {
        check_image_texels(b, thread, mask, (uint64_t *)(void *)origins);
        return;
    }
    if (bytes == KD_CHECK_GROUP) {
        check_sums_number(b, thread, mask, (uint64_t *)(void *)origins);
        return;
    }
    if (bytes & KD_CHECK_LINES) {
        check_async_lines(b, mask, bytes, addresses, (uint64_t *)(void *)origins);
        return;
    }
    if (code == 1 && mask) {
        origins[0] = check_find_again(b, addresses[0]);
        return;
    }
    if (bytes && mask)
        check_block_begins(b);
    if (bytes) {
        check_init_lanes(mask, addresses, bytes, (uint64_t *)(void *)origins);
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        origins[l] = check_find(b, addresses[l]);
    }
}
