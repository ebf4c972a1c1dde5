#include "device/sched/handout.h"

#include "device/code/kernel.h"
#include "device/internal.h"
#include "device/sched/op.h"

// ---- How many threads ---------------------------------------------------------------------

// With n threads work of W takes W / n + n * JOIN_NS, least for the root of W / JOIN_NS.
static uint64_t best_crew(double work_ns, uint64_t most) {
    uint64_t n = 1;
    while (n < most && (double)(n * n + n) * JOIN_NS < work_ns)
        n++;
    return n;
}

// Launches of little work are handed out in up to 64 pieces, each a bit of op->taken. Every thread
// has pieces of its own that it begins with, the same ones in every launch: the next launch of a
// stream often works on the same memory, which is in that core's cache then.
enum { PIECES = 64, PIECES_A_THREAD = 4, LEAST_PIECES = 8, MOST_NS = 64000 };
static void plan_pieces(struct op *op, double work_ns, uint64_t crew) {
    uint64_t most = op->units < PIECES ? op->units : PIECES, pieces = crew * PIECES_A_THREAD;
    op->pieces = 0;
    if (work_ns > MOST_NS)
        return;
    pieces = pieces < LEAST_PIECES ? LEAST_PIECES : pieces;
    pieces = pieces < most ? pieces : most;
    op->piece = (op->units + pieces - 1) / pieces;
    op->pieces = (uint8_t)((op->units + op->piece - 1) / op->piece);
}

// Larger launches are handed out in chunks. One takes the longer the more threads move the cache
// line of the counter, and else a small part of the launch, since blocks can be uneven.
enum { MOST_AT_ONCE = 32, LINE_NS = 125, PARTS = 32 };

static void plan_chunks(struct op *op, double work_ns, uint64_t crew) {
    double line = (double)crew * LINE_NS, part = work_ns / (double)(crew * PARTS);
    double n = (double)op->units * (line > part ? line : part) / work_ns + 1;
    op->most = n < MOST_AT_ONCE ? (uint32_t)n : MOST_AT_ONCE;
    if ((double)op->chunk > n && !(op->launch.code->info.flags & KD_CODE_STRIDES))
        op->chunk = (uint64_t)n;
}

int handout_plan(struct op *op, int workers) {
    uint64_t chunks = (op->units + op->chunk - 1) / op->chunk, most = (uint64_t)workers;
    uint64_t crew = chunks < most ? chunks : most;
    uint64_t ps = 0;
    if (op->kind == OP_LAUNCH && op->launch.may_group)
        ps = atomic_load_explicit(&op->launch.kernel->thread_ps, memory_order_relaxed);
    op->pieces = 0;
    op->most = MOST_AT_ONCE;
    if (ps) {
        double ns = (double)op->units * op->launch.nthreads * (double)ps * 1e-3;
        crew = best_crew(ns, crew);
        plan_pieces(op, ns, crew);
        plan_chunks(op, ns, crew);
    }
    atomic_store_explicit(&op->crew, (int)crew, memory_order_relaxed);
    return (int)crew;
}

void handout_learn(struct kd_kernel *k, uint64_t threads, uint64_t ns) {
    uint64_t ps = ns * 1000 / threads + 1, most = UINT32_MAX;
    uint64_t known = atomic_load_explicit(&k->thread_ps, memory_order_relaxed);
    // At once less than it was known to be, and slowly more: a launch of little work is the slower
    // the more threads share it, which must not ask for more.
    if (known && ps > known)
        ps = known + (ps - known + 15) / 16;
    atomic_store_explicit(&k->thread_ps, (uint32_t)(ps < most ? ps : most), memory_order_relaxed);
}

// ---- Pieces -------------------------------------------------------------------------------

static uint64_t all_pieces(const struct op *op) {
    return UINT64_MAX >> (PIECES - op->pieces);
}

static bool take_piece(struct op *op, unsigned worker, bool many, struct handout *h) {
    unsigned crew = (unsigned)atomic_load_explicit(&op->crew, memory_order_relaxed);
    unsigned own = worker % crew * op->pieces / crew;
    uint64_t taken = atomic_load_explicit(&op->taken, memory_order_relaxed), all = all_pieces(op);
    while (taken != all) {
        uint64_t left = all & ~taken, behind = left >> own << own;
        uint64_t bits = behind ? behind & -behind : left & -left;
        if (many)
            bits = left & ~(left + bits);
        if (!atomic_compare_exchange_weak_explicit(&op->taken, &taken, taken | bits,
                                                   memory_order_relaxed, memory_order_relaxed))
            continue;
        uint64_t n = (unsigned)__builtin_popcountll(bits) * op->piece;
        h->first = (unsigned)__builtin_ctzll(bits) * op->piece;
        h->n = op->units - h->first < n ? op->units - h->first : n;
        h->begins = taken == 0;
        h->ends = (taken | bits) == all;
        return true;
    }
    return false;
}

static bool take_all_pieces(struct op *op, struct handout *h) {
    uint64_t all = all_pieces(op);
    uint64_t left = all & ~atomic_fetch_or_explicit(&op->taken, all, memory_order_relaxed);
    uint64_t last = UINT64_C(1) << (op->pieces - 1);
    h->n = (unsigned)__builtin_popcountll(left) * op->piece;
    if (left & last)
        h->n -= op->pieces * op->piece - op->units;
    h->begins = left == all;
    h->ends = true;
    return left != 0;
}

// ---- Chunks -------------------------------------------------------------------------------

// Of op->taken: units taken from the beginning and, above them, from the end. Of operations with
// more units than MOST_PACKED it is one number. What several threads ask for in vain fits as well.
enum { END_SHIFT = 32, MOST_PACKED = 1 << 24 };

static uint64_t all_taken(const struct op *op, uint64_t taken) {
    return op->units > MOST_PACKED ? taken : (taken & UINT32_MAX) + (taken >> END_SHIFT);
}

static bool take_chunk(struct op *op, uint64_t want, bool from_end, struct handout *h) {
    uint64_t before = atomic_load_explicit(&op->taken, memory_order_relaxed);
    if (all_taken(op, before) >= op->units)
        return false;
    before = atomic_fetch_add_explicit(&op->taken, from_end ? want << END_SHIFT : want,
                                       memory_order_relaxed);
    if (all_taken(op, before) >= op->units)
        return false;
    uint64_t left = op->units - all_taken(op, before);
    h->n = left < want ? left : want;
    h->first = from_end                  ? op->units - (before >> END_SHIFT) - h->n
               : op->units > MOST_PACKED ? before
                                         : before & UINT32_MAX;
    h->begins = before == 0;
    h->ends = h->n == left;
    return true;
}

// Handing out blocks takes locked instructions, which wait for what the blocks have stored. Of a
// launch of few blocks several are handed out at a time, three quarters of a thread's part of what
// is left: fewer towards its end. Nothing is read here but the operation: without units of it in
// hand the kernel's code may be gone.
static uint64_t next_chunk(const struct op *op) {
    if (op->kind != OP_LAUNCH || op->chunk >= op->most || !op->launch.may_group)
        return op->chunk;
    uint64_t next = all_taken(op, atomic_load_explicit(&op->taken, memory_order_relaxed));
    uint64_t crew = (uint64_t)atomic_load_explicit(&op->crew, memory_order_relaxed);
    uint64_t n = next < op->units ? (op->units - next) * 3 / (crew * 4) : 0;
    return n < op->chunk ? op->chunk : n < op->most ? n : op->most;
}

// ---- Either -------------------------------------------------------------------------------

bool handout_left(const struct op *op) {
    uint64_t taken = atomic_load_explicit(&op->taken, memory_order_relaxed);
    return op->pieces ? taken != all_pieces(op) : all_taken(op, taken) < op->units;
}

bool handout_take(struct op *op, unsigned worker, bool from_end, bool many, struct handout *h) {
    return op->pieces ? take_piece(op, worker, many, h)
                      : take_chunk(op, next_chunk(op), from_end && op->units <= MOST_PACKED, h);
}

bool handout_take_rest(struct op *op, struct handout *h) {
    return op->pieces ? take_all_pieces(op, h) : take_chunk(op, op->units, false, h);
}
