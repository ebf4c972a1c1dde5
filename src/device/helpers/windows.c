// Windows of memory for which a run of blocks keeps what it would do to the words, as histograms
// add to them: a locked instruction costs as much as twenty others, and more when other workers go
// to the same words. Code looks into windows that are open; what is rare is done here.
#include "device/helpers/runtime.h"

#include <stdbool.h>
#include <string.h>

enum {
    LINE = 64,
    FIRST_BYTES = 1024,      // of a window at the beginning of an array
    MOST_AROUND = 8192,      // of a window around a word of no known array
    OPENING = 48,            // groups of lanes that have to hit, for opening it anew
    NEVER = INT32_MIN / 2,   // no run has so many hits
    WORDS_OF_LINE = LINE / 8 // of 64 bits
};

static uint64_t down(uint64_t x, uint64_t unit) {
    return x & ~(unit - 1);
}

static uint64_t up(uint64_t x, uint64_t unit) {
    return down(x + unit - 1, unit);
}

static uint64_t lesser(uint64_t x, uint64_t y) {
    return x < y ? x : y;
}

// What leaves any word as it is; of words of 32 bits, two.
static uint64_t neutral(uint32_t op, uint32_t bytes) {
    bool wide = bytes == 8;
    switch ((enum kd_red)op) {
    case KD_AND:
    case KD_UMIN:
        return UINT64_MAX;
    case KD_MIN:
        return wide ? INT64_MAX : 0x7fffffff7fffffff;
    case KD_MAX:
        return wide ? 1ULL << 63 : 0x8000000080000000;
    default:
        return 0;
    }
}

static void clear(struct kd_window *w, uint64_t from, uint64_t to) {
    uint64_t none = neutral(w->op, w->bytes);
    for (uint64_t at = down(from, 8); at < to; at += 8)
        memcpy(w->values + at, &none, sizeof none);
}

// ---- combining with memory ----------------------------------------------------------------

#define COMBINE(name, word, sword)                                                                 \
    static bool name##_changes(uint32_t op, word old, word x, word *new) {                         \
        switch ((enum kd_red)op) {                                                                 \
        case KD_AND:                                                                               \
            *new = old &x;                                                                         \
            break;                                                                                 \
        case KD_OR:                                                                                \
            *new = old | x;                                                                        \
            break;                                                                                 \
        case KD_MIN:                                                                               \
            *new = (sword)x < (sword)old ? x : old;                                                \
            break;                                                                                 \
        case KD_MAX:                                                                               \
            *new = (sword)x > (sword)old ? x : old;                                                \
            break;                                                                                 \
        case KD_UMIN:                                                                              \
            *new = x < old ? x : old;                                                              \
            break;                                                                                 \
        default:                                                                                   \
            *new = x > old ? x : old;                                                              \
            break;                                                                                 \
        }                                                                                          \
        return *new != old;                                                                        \
    }                                                                                              \
    static void name(uint32_t op, uint64_t address, word x) {                                      \
        word *p = (word *)(uintptr_t)address, new;                                                 \
        if (op == KD_ADD) {                                                                        \
            __atomic_fetch_add(p, x, __ATOMIC_RELAXED);                                            \
            return;                                                                                \
        }                                                                                          \
        if (op == KD_XOR) {                                                                        \
            __atomic_fetch_xor(p, x, __ATOMIC_RELAXED);                                            \
            return;                                                                                \
        }                                                                                          \
        word old = __atomic_load_n(p, __ATOMIC_RELAXED);                                           \
        while (                                                                                    \
            name##_changes(op, old, x, &new) &&                                                    \
            !__atomic_compare_exchange_n(p, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))  \
            ;                                                                                      \
    }

COMBINE(combine32, uint32_t, int32_t)
COMBINE(combine64, uint64_t, int64_t)

// Words of values, with memory from `address` on, by `step` bytes.
static void combine_words(uint32_t op, uint32_t bytes, const uint8_t *values, uint32_t n,
                          uint64_t address, uint32_t step) {
    uint64_t none = neutral(op, bytes);
    for (uint32_t k = 0; k < n; k++, values += bytes, address += step) {
        if (bytes == 4) {
            uint32_t x;
            memcpy(&x, values, sizeof x);
            if (x != (uint32_t)none)
                combine32(op, address, x);
        } else {
            uint64_t x;
            memcpy(&x, values, sizeof x);
            if (x != none)
                combine64(op, address, x);
        }
    }
}

void kd_rt_flush_window(struct kd_window *w) {
    uint64_t none = neutral(w->op, w->bytes), x[WORDS_OF_LINE], differs;
    for (uint64_t at = 0; at < w->size; at += LINE) {
        memcpy(x, w->values + at, sizeof x);
        differs = 0;
        for (unsigned k = 0; k < WORDS_OF_LINE; k++)
            differs |= x[k] ^ none;
        if (!differs)
            continue;
        combine_words(w->op, w->bytes, w->values + at, LINE / w->bytes, w->start + at, w->bytes);
        clear(w, at, at + LINE);
    }
}

void kd_rt_flush_cell(struct kd_cell *cell) {
    uint64_t none = neutral(cell->op, cell->bytes);
    if (!cell->address)
        return;
    combine_words(cell->op, cell->bytes, cell->values, cell->lanes, cell->address, 0);
    for (uint32_t at = 0; at < cell->lanes * cell->bytes; at += 8)
        memcpy(cell->values + at, &none, sizeof none);
}

// ---- opening ------------------------------------------------------------------------------

static bool is_other(const struct kd_window *w, uint32_t op, uint32_t bytes) {
    return w->size && (w->op != op || w->bytes != bytes);
}

static bool is_other_cell(const struct kd_cell *cell, uint32_t op, uint32_t bytes) {
    return cell->address && (cell->op != op || cell->bytes != bytes);
}

static bool touch(uint64_t start, uint64_t size, uint64_t address, uint32_t bytes) {
    return address < start + size && start < address + bytes;
}

static void close_cells(struct kd_reds *r, uint32_t op, uint32_t bytes, uint64_t start,
                        uint64_t size) {
    for (uint32_t k = 0; k < r->ncells; k++) {
        struct kd_cell *o = &r->cells[k];
        if (!is_other_cell(o, op, bytes) || !touch(start, size, o->address, o->bytes))
            continue;
        kd_rt_flush_cell(o);
        o->address = 0;
    }
}

// The words from `end` on leave the window.
static void shrink(struct kd_window *w, uint64_t end) {
    kd_rt_flush_window(w);
    w->limit = (uint32_t)down(end - w->start, w->bytes);
    w->size = w->limit;
}

static void close_window(struct kd_window *w) {
    w->size = 0;
    w->credit = NEVER;
}

static void grow(struct kd_window *w, uint64_t to) {
    uint64_t from = w->size, size = lesser(to > 2 * from ? up(to, LINE) : 2 * from, w->limit);
    clear(w, up(from, LINE), up(size, LINE));
    w->size = size;
}

// Leaves what o has to it, but for what lies behind `start` where that is the beginning of an
// array. `end`: of what is left. false: nothing is.
static bool part(struct kd_window *w, struct kd_window *o, uint64_t address, bool array,
                 uint64_t *end) {
    if (o->start >= address + w->bytes) {
        *end = lesser(*end, o->start);
        return true;
    }
    if (o->start + o->size <= address) {
        uint64_t behind = up(o->start + o->size, w->bytes);
        w->start = w->start < behind ? behind : w->start;
        o->limit = (uint32_t)lesser(o->limit, down(w->start - o->start, o->bytes));
        return w->start <= address;
    }
    if (!array || w->start <= o->start || w->start > address)
        return false;
    shrink(o, w->start);
    return true;
}

static void open_window(struct kd_reds *r, struct kd_window *w, uint64_t address, uint64_t base) {
    if (w->size && address >= w->start && address - w->start + w->bytes <= w->limit) {
        grow(w, address - w->start + w->bytes);
        return;
    }
    if (w->credit < 0)
        return;
    if (w->size) {
        kd_rt_flush_window(w);
        w->credit -= OPENING;
        w->size = 0;
    }
    bool array = base && address - base < w->capacity - LINE;
    uint64_t most = array ? w->capacity : lesser(w->capacity, MOST_AROUND);
    w->start = array ? down(base, w->bytes) : down(address - most / 2, LINE);
    uint64_t end = w->start + most;
    for (uint32_t k = 0; k < r->nwindows; k++)
        if (is_other(&r->windows[k], w->op, w->bytes) &&
            !part(w, &r->windows[k], address, array, &end)) {
            close_window(w);
            return;
        }
    w->limit = (uint32_t)down(end - w->start, w->bytes);
    if (address - w->start + w->bytes > w->limit) {
        close_window(w);
        return;
    }
    uint64_t least = array ? FIRST_BYTES : most, needed = address - w->start + w->bytes;
    w->size = lesser(needed > least ? up(needed, LINE) : least, w->limit);
    clear(w, 0, up(w->size, LINE));
}

void kd_rt_open_window(struct kd_reds *r, uint32_t which, uint64_t address, uint64_t base) {
    struct kd_window *w = &r->windows[which];
    if (address >= w->start && address + w->bytes <= w->start + w->size)
        return;
    open_window(r, w, address, base);
    close_cells(r, w->op, w->bytes, w->start, w->size);
}

// ---- words that are not a window's --------------------------------------------------------

void kd_rt_move_cell(struct kd_reds *r, uint32_t which, uint64_t address) {
    struct kd_cell *cell = &r->cells[which];
    kd_rt_flush_cell(cell);
    close_cells(r, cell->op, cell->bytes, address, cell->bytes);
    for (uint32_t k = 0; k < r->nwindows; k++) {
        struct kd_window *o = &r->windows[k];
        if (!is_other(o, cell->op, cell->bytes) || !touch(o->start, o->size, address, cell->bytes))
            continue;
        shrink(o, address > o->start ? address : o->start);
        if (!o->size)
            close_window(o);
    }
    cell->address = address;
}

void kd_rt_settle_others(struct kd_reds *r, uint32_t op, uint32_t bytes, const uint64_t *addresses,
                         uint32_t n) {
    for (uint32_t k = 0; k < r->nwindows; k++) {
        struct kd_window *o = &r->windows[k];
        bool hit = false;
        for (uint32_t l = 0; l < n && is_other(o, op, bytes); l++)
            hit |= touch(o->start, o->size, addresses[l], bytes);
        if (hit)
            kd_rt_flush_window(o);
    }
    for (uint32_t k = 0; k < r->ncells; k++) {
        struct kd_cell *o = &r->cells[k];
        bool hit = false;
        for (uint32_t l = 0; l < n && is_other_cell(o, op, bytes); l++)
            hit |= touch(o->address, o->bytes, addresses[l], bytes);
        if (hit)
            kd_rt_flush_cell(o);
    }
}
