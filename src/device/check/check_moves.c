// Copies and sets of the host, and of kernels, among the cells of what kernels access. What they
// write is not looked at: sets of one value in two streams are told of.
#include <inttypes.h>
#include <stdio.h>

#include "device/check/check_cells.h"
#include "device/check/check_children.h"
#include "device/check/check_streams.h"
#include "device/check/check_threads.h"
#include "device/check/host/check_host.h"
#include "device/memory/memory.h"
#include "device/sched/op.h"
#include "isa/isa.h"

enum { ROW = 64 };                    // bytes
static struct kd_spinlock moves_lock; // one copy at a time
static struct check_stamps *stamps;   // theirs
static const struct kd_check_site reads = {.kind = KD_CHECK_READ},
                                  writes = {.kind = KD_CHECK_WRITE},
                                  frees = {.kind = KD_CHECK_WRITE},
                                  takes = {.kind = KD_CHECK_WRITE},
                                  values = {.kind = KD_CHECK_WRITE,
                                            .flags = KD_CHECK_STRONG | ISA_SCOPE_SYS
                                                                           << KD_CHECK_SCOPE_SHIFT};

// No memory is accessed.
static bool is_of_pool(const struct kd_check_site *site) {
    return site == &frees || site == &takes;
}

bool check_is_move(const struct kd_check_site *site) {
    return site == &reads || site == &writes || site == &values || is_of_pool(site);
}

const char *check_move_words(const struct kd_check_site *site) {
    return site == &frees    ? " by the freeing of the block"
           : site == &takes  ? " by the allocation of the block"
           : site == &values ? " of a value by a stream"
                             : " of a copy or set";
}

enum who { WEAK, STRONG, READER, WHO = READER + CHECK_READERS };
struct move {
    const struct op *op;
    struct check_stamp stamp;
    uint32_t number; // of the stamp
    uint32_t held;   // of it, in advance
    struct {
        uint32_t number;       // another stamp
        bool over;             // its operation is before this one
    } seen[WHO];               // last, of each array of names
    uint32_t gone, gone_times; // another stamp that cells have named no more
    bool races;
    struct check_stamp other; // with this access
    uint32_t lane;
    uint64_t at;
};

static bool is_over(struct move *m, enum who who, uint32_t name) {
    uint32_t number = name >> CHECK_LANE_BITS;
    if (!number)
        return true;
    if (number != m->seen[who].number) {
        const struct check_stamp *s = check_stamp_of(number);
        bool over = s->grid == m->stamp.grid;
        if (!over && !check_child_related(m->op, s, &over))
            over = check_streams_before(m->op, s->grid);
        m->seen[who].number = number;
        m->seen[who].over = over;
    }
    return m->seen[who].over;
}

static void look(struct move *m, enum who who, uint32_t name, uint64_t at) {
    if (!name || m->races || is_over(m, who, name))
        return;
    const struct check_stamp *s = check_stamp_of(name >> CHECK_LANE_BITS);
    if (s->site == &values) { // the program may ask for it by copies
        check_streams_told(m->op, s->grid);
        return;
    }
    if (!(s->bytes & m->stamp.bytes) ||
        check_child_knows(m->op, s, s->warp * KD_WARP + name % KD_WARP))
        return;
    m->races = true;
    m->other = *s;
    m->lane = name % KD_WARP;
    m->at = at;
}

static void put(struct move *m, uint32_t *name) {
    uint32_t old = *name, own = m->number << CHECK_LANE_BITS;
    if (old == own || !m->held)
        return;
    *name = own;
    m->held--;
    old >>= CHECK_LANE_BITS;
    if (old != m->gone) {
        check_stamp_drop(stamps, m->gone, m->gone_times);
        m->gone = old;
        m->gone_times = 0;
    }
    m->gone_times += old > 0;
}

static void touch(struct move *m, struct check_cells *c, uint32_t k, uint64_t at) {
    if (m->stamp.site == &values) {
        put(m, &c->strong[k]);
        return;
    }
    look(m, WEAK, c->weak[k], at);
    look(m, STRONG, c->strong[k], at);
    if (m->stamp.site != &reads) {
        look(m, READER, c->readers[0][k], at);
        look(m, READER + 1, c->readers[1][k], at);
        put(m, &c->weak[k]);
    } else if (is_over(m, READER, c->readers[0][k])) {
        put(m, &c->readers[0][k]);
    } else if (is_over(m, READER + 1, c->readers[1][k])) {
        put(m, &c->readers[1][k]);
    }
}

static void give(struct move *m) {
    if (m->number)
        check_stamp_release(stamps, m->number, m->held);
    m->number = m->held = 0;
}

// The cells of a row can name the access.
static void take(struct move *m, uint8_t bytes) {
    enum { HELD = 4096 }; // at once
    if (m->held >= ROW / 4 && m->stamp.bytes == (bytes & 15))
        return;
    give(m);
    m->stamp.bytes = bytes & 15;
    m->number = check_stamp_make(stamps, &m->stamp);
    if (!m->number)
        return;
    m->held = HELD;
    check_stamp_hold(stamps, m->number, m->held);
}

// Bytes from `from` on, which lie in one row.
static void touch_row(struct move *m, struct check_cells *c, uint64_t from, uint64_t end) {
    struct kd_spinlock *lock = check_race_lock(from);
    kd_lock(lock);
    check_names_add(check_names_of(from), CHECK_NAMES_ALL);
    for (uint64_t at = from & ~(uint64_t)3, next; at < end; at = next) {
        uint64_t first = at < from ? from - at : 0, last = end - at < 4 ? end - at : 4;
        bool whole = first == 0 && last == 4;
        next = whole ? end & ~(uint64_t)3 : at + 4;
        take(m, (uint8_t)((1u << last) - (1u << first)));
        for (; at < next; at += 4)
            touch(m, c, (uint32_t)(at >> 2) % CHECK_CELLS, at + first);
    }
    kd_unlock(lock);
}

static void touch_all(struct move *m, uint64_t address, uint64_t size) {
    struct kd_memory found;
    bool is_word = m->stamp.site == &values;
    if (!size || (!is_word && !is_of_pool(m->stamp.site) && !kd_memory_find(address, &found)))
        return;
    for (uint64_t at = address, end; at < address + size; at = end) {
        struct check_cells *c = check_cells_of(at);
        if (check_host_follow() && !is_word && !is_of_pool(m->stamp.site))
            check_host_touched(at);
        end = (at & ~(uint64_t)(ROW - 1)) + ROW;
        end = end < address + size ? end : address + size;
        if (c)
            touch_row(m, c, at, end);
    }
}

static void report(const struct move *m) {
    bool is_write = m->stamp.site != &reads, other_writes = m->other.site->kind != KD_CHECK_READ;
    struct check_item now, then;
    char what[96];
    if (!check_streams_item(m->stamp.grid, &now) || !check_streams_item(m->other.grid, &then))
        return;
    bool is_copy = check_is_move(m->other.site);
    const struct kd_check_site *other = is_copy ? then.site : m->other.site;
    struct check_report r = {.what = what,
                             .site = now.site ? now.site : other,
                             .other = now.site ? other : NULL,
                             .call = now.call};
    snprintf(what, sizeof what, "Error: Race reported between %s access%s and %s access",
             is_write ? "Write" : "Read", check_move_words(m->stamp.site),
             other_writes ? "Write" : "Read");
    check_order_line(&now, &then, r.lines[0]);
    snprintf(r.lines[1], CHECK_LINE, "at global memory 0x%" PRIx64, m->at);
    check_report(&r);
}

static void move(const struct op *op, const struct kd_check_site *site, uint64_t address,
                 uint64_t size) {
    struct move m = {.op = op, .stamp = {.site = site, .grid = op->number}};
    kd_lock(&moves_lock);
    if (check_stamps_enter(&stamps, op->number)) {
        touch_all(&m, address, size);
        give(&m);
        check_stamp_drop(stamps, m.gone, m.gone_times);
        check_stamps_leave(op->number);
    }
    kd_unlock(&moves_lock);
    if (m.races)
        report(&m);
}

void check_moved(const struct op *op, uint64_t to, uint64_t from, uint64_t size) {
    if (!op->number)
        return;
    if (from)
        move(op, &reads, from, size);
    move(op, &writes, to, size);
}

void check_moved_pool(const struct op *op, enum check_pool how, uint64_t address, uint64_t size) {
    if (op->number)
        move(op, how == CHECK_POOL_TAKES ? &takes : &frees, address, size);
}

void check_moved_value(const struct op *op, uint64_t address, uint64_t size) {
    if (op->number)
        move(op, &values, address, size);
}

static uint32_t writer(uint32_t name) {
    uint32_t number = name >> CHECK_LANE_BITS;
    return number ? check_stamp_of(number)->grid : 0;
}

struct check_writers check_moved_writers(const struct op *op, uint64_t address) {
    struct check_writers w = {0};
    if (!op->number)
        return w;
    kd_lock(&moves_lock);
    if (check_stamps_enter(&stamps, op->number)) {
        struct check_cells *c = check_cells_of(address);
        struct kd_spinlock *row = check_race_lock(address);
        uint32_t k = (uint32_t)(address >> 2) % CHECK_CELLS;
        kd_lock(row);
        if (c)
            w = (struct check_writers){writer(c->weak[k]), writer(c->strong[k])};
        kd_unlock(row);
        check_stamps_leave(op->number);
    }
    kd_unlock(&moves_lock);
    return w;
}

void check_order_line(const struct check_item *now, const struct check_item *then, char *line) {
    if (now->parent || then->parent)
        snprintf(line, CHECK_LINE,
                 "a kernel has launched one of them, or both: nothing orders them");
    else if (now->queue == then->queue && now->in_graph)
        snprintf(line, CHECK_LINE, "no edge of the graph orders them");
    else if (now->queue == then->queue)
        snprintf(line, CHECK_LINE,
                 "one launch may begin before the other has ended, and does not wait for it");
    else
        snprintf(line, CHECK_LINE,
                 "in streams %" PRIu64 " and %" PRIu64 ", which no event or call orders",
                 now->queue, then->queue);
}
