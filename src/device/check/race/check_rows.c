#include "device/check/race/check_rows.h"

#include <string.h>

enum { ROW_CELLS = 1 << (CHECK_ROW_BITS - 2) };
typedef uint32_t four __attribute__((vector_size(16)));
// How many lanes the one that accesses a cell is behind the first.
static const uint32_t check_lanes_on[3][ROW_CELLS] __attribute__((aligned(16))) = {
    {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
     16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
    {0, 0, 1, 1, 2,  2,  3,  3,  4,  4,  5,  5,  6,  6,  7,  7,
     8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15},
    {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
     4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7},
};

static void look_at(struct check_visit *v, uint32_t number) {
    const struct check_stamp *s = check_stamp_of(number);
    if (v->seen == number)
        return;
    v->seen = number;
    v->seen_over = check_visit_is_over(v, s);
    v->seen_own = check_visit_is_of_warp(v, s) && !s->goes_on;
}

// Is what a cell names none any more, or what the lane itself has done?
static bool is_quiet(struct check_visit *v, uint32_t name, uint32_t lane) {
    uint32_t number = name >> CHECK_LANE_BITS;
    if (!number)
        return true;
    look_at(v, number);
    return v->seen_over || (v->seen_own && name % KD_WARP == lane);
}

// What the names of a row's cells tell: all are quiet; each is another lane's; they have to be
// looked at one by one. *one: all have one stamp.
enum names { QUIET, BUSY, MIXED };
static enum names look_at_row(struct check_visit *v, const uint32_t *names,
                              const struct check_row *r, bool *one) {
    const uint32_t *on = check_lanes_on[r->shift];
    uint32_t first = names[0], apart = 0, shifted = 0, k = 0;
    four a = {0}, s = {0};
    for (; k + 4 <= r->n; k += 4) {
        four name, lane;
        memcpy(&name, names + k, sizeof name);
        memcpy(&lane, on + k, sizeof lane);
        a |= name ^ first;
        s |= (name - lane) ^ first;
    }
    for (; k < r->n; k++) {
        apart |= names[k] ^ first;
        shifted |= (names[k] - on[k]) ^ first;
    }
    apart |= a[0] | a[1] | a[2] | a[3];
    shifted |= s[0] | s[1] | s[2] | s[3];
    *one = !(apart >> CHECK_LANE_BITS);
    if (!*one)
        return MIXED;
    if (!(first >> CHECK_LANE_BITS))
        return QUIET;
    look_at(v, first >> CHECK_LANE_BITS);
    if (v->seen_over || !v->seen_own)
        return v->seen_over ? QUIET : BUSY;
    return shifted ? MIXED : first % KD_WARP == r->lane ? QUIET : BUSY;
}

// array: of the names.
static bool are_quiet(struct check_visit *v, uint32_t array, const uint32_t *names,
                      const struct check_row *r, bool *one) {
    *one = true;
    if (!check_visit_may_name(v, array))
        return true;
    enum names all = look_at_row(v, names, r, one);
    for (uint32_t k = 0; all == MIXED && k < r->n; k++)
        if (!is_quiet(v, names[k], r->lane + check_lanes_on[r->shift][k]))
            return false;
    return all != BUSY;
}

static void put_lane(struct check_visit *v, uint32_t *name, uint32_t lane) {
    uint32_t own = v->number << CHECK_LANE_BITS | lane;
    if (*name == own)
        return;
    check_visit_drop(v, *name, 1);
    *name = own;
    v->held--;
}

// one: the names have one stamp.
static void put_row(struct check_visit *v, uint32_t *names, const struct check_row *r, bool one) {
    const uint32_t *on = check_lanes_on[r->shift];
    uint32_t own = v->number << CHECK_LANE_BITS | r->lane, k = 0;
    for (; !one && k < r->n; k++)
        put_lane(v, &names[k], r->lane + on[k]);
    if (!one || (names[0] == own && names[r->n - 1] == own + on[r->n - 1]))
        return;
    check_visit_drop(v, names[0], r->n);
    v->held -= r->n;
    for (; k + 4 <= r->n; k += 4) {
        four lane;
        memcpy(&lane, on + k, sizeof lane);
        lane += own;
        memcpy(names + k, &lane, sizeof lane);
    }
    for (; k < r->n; k++)
        names[k] = own + on[k];
}

static void read_row(struct check_visit *v, const struct check_row *r) {
    struct check_cells *c = v->cells;
    bool one;
    for (int n = 0; n < CHECK_READERS; n++) {
        uint32_t *names = &c->readers[n][r->k];
        check_names_add(v->names, (uint8_t)(CHECK_NAMES_READER << n));
        enum names all = look_at_row(v, names, r, &one);
        if (all == QUIET && check_visit_hold(v, r->n))
            put_row(v, names, r, one);
        if (all == QUIET)
            return;
        if (all == BUSY)
            continue;
        for (uint32_t k = 0; k < r->n; k++) {
            uint32_t lane = r->lane + check_lanes_on[r->shift][k], *name = &c->readers[0][r->k + k];
            if (!is_quiet(v, *name, lane)) {
                name = &c->readers[1][r->k + k];
                check_names_add(v->names, CHECK_NAMES_READER << 1);
            }
            if (is_quiet(v, *name, lane) && check_visit_hold(v, 1))
                put_lane(v, name, lane);
        }
        return;
    }
}

bool check_rows_look(struct check_visit *v, const struct check_row *r, const uint64_t *values,
                     bool one_value) {
    struct check_cells *c = v->cells;
    bool reads = v->now.stamp.site->kind == KD_CHECK_READ, strong = check_is_strong(&v->now);
    bool one_weak, one_strong, one;
    if (!are_quiet(v, CHECK_NAMES_WEAK, &c->weak[r->k], r, &one_weak) ||
        !are_quiet(v, CHECK_NAMES_STRONG, &c->strong[r->k], r, &one_strong))
        return false;
    if (reads) {
        read_row(v, r);
        return true;
    }
    for (int n = 0; n < CHECK_READERS; n++)
        if (!are_quiet(v, (uint32_t)CHECK_NAMES_READER << n, &c->readers[n][r->k], r, &one))
            return false;
    if (!check_visit_hold(v, r->n))
        return true;
    check_names_add(v->names, strong ? CHECK_NAMES_STRONG : CHECK_NAMES_WEAK);
    put_row(v, strong ? &c->strong[r->k] : &c->weak[r->k], r, strong ? one_strong : one_weak);
    uint32_t *left = strong ? &c->strong_value[r->k] : &c->weak_value[r->k];
    for (uint32_t k = 0; v->now.stamp.has_value && k < r->n; k++) {
        uint64_t value = values[one_value ? 0 : check_lanes_on[r->shift][k]];
        left[k] = (uint32_t)(r->shift && k % 2 ? value >> 32 : value);
    }
    return true;
}
