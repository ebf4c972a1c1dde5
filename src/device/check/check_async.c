// Copies of tensors, and bulk copies to several blocks of a cluster: what the device accesses for a
// thread, at the place that code has told last. What other bulk copies access code tells of; they
// are here for what nobody has written alone.
#include "abi/check_meeting.h"
#include "abi/check_shadow.h"
#include "device/check/check_intervals.h"
#include "device/check/check_threads.h"
#include "device/check/race/check_tensor.h"
#include "device/helpers/async.h"
#include "device/helpers/tensor_memory.h"
#include "device/memory/alias.h"
#include "isa/matrix.h"

struct range {
    uint64_t from, end; // the same: nothing
};
struct watched {
    struct async_watch watch; // first
    struct kd_block *b;
    struct check_threads *t; // NULL: races are not looked for
    uint32_t thread, atom;   // atom: enum kd_async_atom, of a reduction
    bool commits;            // objects are told what was committed (tcgen05)
    // Where it is; what it writes and reads. NULL: code has told of what it accesses.
    const struct kd_check_site *place, *writes, *reads;
    uint64_t begin;                        // of the box in shared memory; 0: nothing so far
    const struct kd_check_site *on_global; // of what follows
    struct range global;                   // of the tensor, that has not been told of
    struct range shared;                   // of the box, so far
};

static const struct kd_check_site *next_site(const struct kd_check_site *s) {
    return s->cause ? (const struct kd_check_site *)(const void *)((const char *)s + s->cause)
                    : NULL;
}

// ---- races --------------------------------------------------------------------------------

static void access_now(const struct watched *w, const struct kd_check_site *site, struct range r) {
    uint64_t bytes = r.end - r.from;
    if (w->t && bytes)
        check_race_cells(w->b, w->t, site, w->thread, 1, 0, &r.from, &bytes);
}

// It goes on until the thread has waited.
static void begin_copy(const struct watched *w, const struct kd_check_site *site, struct range r) {
    struct check_copy c = {.site = site, .address = r.from, .bytes = (uint32_t)(r.end - r.from)};
    if (w->t && c.bytes && site->flags & KD_CHECK_COPY)
        check_copies_add(w->b, w->t, w->thread, c);
}

// Rows of a tensor come in pieces that lie behind each other.
static void end_run(struct watched *w) {
    access_now(w, w->on_global, w->global);
    begin_copy(w, w->on_global, w->global);
    w->global = (struct range){0};
}

static void look_at_races(struct watched *w, const struct kd_check_site *on_global,
                          struct range global, const struct kd_check_site *on_shared,
                          struct range shared) {
    w->on_global = on_global;
    if (global.from && global.from == w->global.end) {
        w->global.end = global.end;
    } else if (global.from) {
        end_run(w);
        w->global = global;
    }
    access_now(w, on_shared, shared);
    if (w->shared.from == w->shared.end)
        w->shared = shared;
    w->shared.from = shared.from < w->shared.from ? shared.from : w->shared.from;
    w->shared.end = shared.end > w->shared.end ? shared.end : w->shared.end;
}

// ---- memory -------------------------------------------------------------------------------

static void look_at_memory(const struct watched *w, const struct kd_check_site *site,
                           struct range r, uint64_t begin) {
    if (check_tools() & CHECK_MEMORY && r.from != r.end)
        check_moved_by_device(w->b, w->thread, site, begin, r.from, r.end - r.from);
}

// ---- what nobody has written --------------------------------------------------------------

static void look_at_bits(const struct watched *w, enum async_move how,
                         const struct async_piece *p) {
    bool reduces = how == ASYNC_COMBINE || how == ASYNC_REDUCE;
    if (!(check_tools() & CHECK_INIT))
        return;
    if (!p->from)
        check_init_set(p->to, p->to_bytes, true);
    else if (!reduces && p->to_bytes == p->from_bytes)
        check_init_moved(w->b, p->to, p->from, p->to_bytes);
    else if (!reduces || (w->atom != KD_ATOM_AND && w->atom != KD_ATOM_OR)) // a bit may decide
        check_init_combined(w->b, p->to, p->to_bytes, reduces, p->from, p->from_bytes, w->place);
}

// ---- what the copy tells ------------------------------------------------------------------

// The member's memory has cells and bits by the address at which the program knows it.
static void access_member(const struct watched *w, const struct async_piece *p) {
    const struct kd_check_site *site = p->to ? w->writes : w->reads;
    uint64_t at = physical_alias(p->to ? p->to : p->from);
    if (p->to && check_tools() & CHECK_INIT)
        check_init_set(at, p->to_bytes, true);
    if (!w->t)
        return;
    access_now(w, site, (struct range){at, at + (p->to ? p->to_bytes : p->from_bytes)});
    if (!p->to && site->flags & KD_CHECK_STRONG)
        check_order_read(w->b, w->t, w->thread, site, at);
}

static void moves(struct async_watch *watch, enum async_move how, const struct async_piece *p) {
    struct watched *w = (struct watched *)watch;
    if (how == ASYNC_OPERAND) {
        enum { PIECE = 16 };
        uint64_t end = p->from + p->from_bytes;
        for (uint64_t at = p->from / PIECE * PIECE; w->t && w->reads && at < end; at += PIECE)
            check_race_by_warp(w->b, w->t, w->reads, w->thread, at);
        return;
    }
    if (how == ASYNC_MEMBERS) {
        if (w->writes)
            access_member(w, p);
        return;
    }
    bool loads = how == ASYNC_LOAD, spreads = how == ASYNC_SPREAD;
    struct range to = {p->to, p->to + p->to_bytes}, from = {p->from, p->from + p->from_bytes};
    if (w->writes && spreads) {
        access_now(w, w->writes, to);
    } else if (w->writes && how > ASYNC_SPREAD) {
        enum { LINE = 128 }; // where a box begins; a swizzle stays inside it
        const struct kd_check_site *on_shared = loads ? w->writes : w->reads;
        const struct kd_check_site *on_global = loads ? w->reads : w->writes;
        struct range shared = loads ? to : from, global = loads ? from : to;
        if (!global.from)
            global.end = 0;
        if (!w->begin)
            w->begin = shared.from / LINE * LINE;
        look_at_memory(w, on_global, global, 0);
        look_at_memory(w, on_shared, shared, w->begin);
        look_at_races(w, on_global, global, on_shared, shared);
    }
    look_at_bits(w, how, p);
}

static void signals(struct async_watch *watch, uint64_t object) {
    struct watched *w = (struct watched *)watch;
    end_run(w);
    if (w->t)
        check_order_signal(w->b, w->thread, object, w->commits ? KD_CHECK_COMMIT : KD_CHECK_BULK);
}

// ---- products -----------------------------------------------------------------------------

struct product {
    struct kd_block *b;
    struct check_threads *t;
    const struct kd_check_site *reads;
    uint32_t thread;
};

static void look_at_piece(void *ctx, uint32_t address) {
    const struct product *p = ctx;
    if (address < p->b->shared_window_bytes)
        check_race_by_warp(p->b, p->t, p->reads, p->thread,
                           (uint64_t)(uintptr_t)p->b->shared + address);
}

// Once for a warp, of whose lanes code may tell in groups.
void check_async_product(struct kd_block *b, uint32_t thread, uint32_t mask,
                         const struct kd_check_site *site, uint64_t descriptor_b,
                         uint64_t descriptor_a) {
    struct check_threads *t = thread < MAX_UNITS && mask & 1 ? check_threads_of(b) : NULL;
    struct product p = {b, t, next_site(site), thread};
    if (!t || !t->has_cells || thread % KD_WARP || b->launch->multi)
        return;
    struct isa_matrix x = isa_matrix_unpack((uint64_t)site->offset);
    check_intervals_stop(b, t);
    isa_wgmma_pieces(&x, thread / KD_WARP, descriptor_a, site->bytes & KD_CHECK_TRANS_A,
                     descriptor_b, site->bytes & KD_CHECK_TRANS_B, look_at_piece, &p);
}

struct line_bits {
    const struct kd_block *b;
    uint32_t element, first; // bytes; the line of bit 0
    bool trans;
    uint64_t undecided;
};

// 16 bytes of one line, or one element of each of several.
static void look_at_lines(void *ctx, uint32_t address, unsigned line) {
    enum { PIECE = 16, LINES = 64 };
    struct line_bits *l = ctx;
    uint32_t each = l->trans ? l->element : PIECE;
    for (uint32_t k = 0; k < PIECE; k += each, line++) {
        uint64_t at = (uint64_t)(uintptr_t)l->b->shared + address + k;
        bool inside = line >= l->first && line < l->first + LINES &&
                      address + PIECE <= l->b->shared_window_bytes;
        if (inside && (check_init_bits(at, each < 8 ? each : 8) ||
                       (each > 8 && check_init_bits(at + 8, each - 8))))
            l->undecided |= UINT64_C(1) << (line - l->first);
    }
}

void check_async_lines(struct kd_block *b, uint32_t mask, uint32_t code,
                       const uint64_t *descriptors, uint64_t *lines) {
    struct line_bits l = {.b = b,
                          .element = 1u << (code >> KD_CHECK_LINES_ELEMENT & 3),
                          .first = (code >> KD_CHECK_LINES_FIRST & 3) * 64,
                          .trans = code & KD_CHECK_LINES_TRANS};
    if (mask)
        check_block_begins(b);
    for (uint32_t m = mask, last = 0; m; m &= m - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(m);
        if (m == mask || descriptors[k] != descriptors[last]) {
            l.undecided = 0;
            isa_wgmma_lines(descriptors[k], l.trans, 8 * ((code & KD_CHECK_LINES_EIGHTS) + 1),
                            l.element, look_at_lines, &l);
        }
        lines[k] = l.undecided;
        last = k;
    }
}

// ---- copies -------------------------------------------------------------------------------

// Are waits for commits seen, of which the site tells?
static bool is_seen(const struct kd_check_site *reads) {
    return reads && reads->flags & KD_CHECK_BY_COMMIT;
}

uint64_t check_async_execute(struct kd_block *b, uint32_t thread, uint32_t code,
                             const uint64_t *args, struct async_outcome *out) {
    struct check_threads *t = thread < MAX_UNITS ? check_threads_of(b) : NULL;
    struct watched w = {.watch = {moves, signals},
                        .b = b,
                        .thread = thread,
                        .atom = code >> KD_ASYNC_ATOM_SHIFT & 15,
                        .commits = (code & KD_ASYNC_OP_MASK) == KD_ASYNC_ARRIVE_BLOCKS,
                        .place = t ? t->place[thread / KD_WARP] : NULL};
    bool is_place = w.place && w.place->kind == KD_CHECK_MEET_PLACE;
    w.writes = is_place ? next_site(w.place) : NULL;
    w.reads = w.writes ? next_site(w.writes) : NULL;
    // As check_races. What a commit tells, it tells of kernels and of functions.
    bool followed = w.commits || (w.reads && w.place->flags & KD_CHECK_ORDERED);
    if (is_place && followed && check_tools() & CHECK_RACE && t->has_cells && !b->launch->multi) {
        w.t = t;
        check_intervals_stop(b, t);
    }
    bool tensor = tensor_memory_operation(code);
    if (tensor && is_place && w.place->flags & KD_CHECK_ORDERED && check_tools() & CHECK_RACE &&
        t->has_cells && !b->launch->multi)
        check_tensor_operation(b, thread, code, args, w.place, is_seen(w.reads) ? w.reads : NULL);
    uint64_t r = tensor ? tensor_memory_execute(b, thread, code, args, out, &w.watch)
                        : async_execute(b, code, args, out, &w.watch);
    if (w.on_global)
        end_run(&w);
    if (w.on_global && w.reads->flags & KD_CHECK_COPY)
        begin_copy(&w, w.reads, w.shared);
    return r;
}
