// Copies and sets, cut into units that workers share. A unit is a run of whole rows, or a piece
// of the only row.
#include "device/sched/copy.h"

#include <stdio.h>
#include <string.h>

#include "device/check/check.h"
#include "device/check/order/check_values.h"
#include "device/check/schedule/check_schedule.h"
#include "device/exec/runner.h"
#include "device/internal.h"
#include "device/memory/rights.h"
#include "device/memory/sparse.h"

enum { IMMEDIATE_BYTES = COPY_AT_ONCE, COPY_STACK_SHIFT = 16 };
static const uint64_t UNIT_BYTES = 512 << 10;

// What a copy and a set have in common: bytes in rows in slices.
struct shape {
    uint64_t width, height, depth;
    uint64_t pieces;        // of a row; 1 unless there is one row only
    uint64_t rows_per_unit; // when pieces is 1
};

static struct shape shape_of(const struct op *op) {
    struct shape s;
    if (op->kind == OP_COPY) {
        s.width = op->copy.width, s.height = op->copy.height, s.depth = op->copy.depth;
    } else {
        s.width = op->set.width * op->set.element;
        s.height = op->set.height, s.depth = op->set.depth;
    }
    uint64_t rows = s.height * s.depth;
    s.pieces = rows == 1 ? (s.width + UNIT_BYTES - 1) / UNIT_BYTES : 1;
    s.rows_per_unit = s.width && s.width < UNIT_BYTES ? UNIT_BYTES / s.width : 1;
    if (s.pieces == 0)
        s.pieces = 1;
    return s;
}

static void plan(struct op *op) {
    struct shape s = shape_of(op);
    uint64_t rows = s.height * s.depth;
    op->units = rows == 1 ? s.pieces : (rows + s.rows_per_unit - 1) / s.rows_per_unit;
    op->chunk = 1;
    op->immediate = s.width == 0 || rows == 0 || s.width <= IMMEDIATE_BYTES / rows;
}

// Rows that lie back to back are one long row.
static void merge_rows(uint64_t *width, uint64_t *height, uint64_t *depth, bool rows_touch,
                       bool slices_touch) {
    if (*height > 1 && !rows_touch)
        return;
    uint64_t row = *width * *height;
    if (*depth > 1 && !slices_touch)
        return;
    *width = row * *depth;
    *height = *depth = 1;
}

void copy_plan(struct op *op) {
    struct kd_copy *c = &op->copy;
    uint64_t slice = c->width * c->height;
    if (c->dst_level || c->src_level) {
        plan(op);
        return;
    }
    merge_rows(&c->width, &c->height, &c->depth,
               c->dst_pitch == c->width && c->src_pitch == c->width,
               c->dst_slice == slice && c->src_slice == slice);
    plan(op);
}

void set_plan(struct op *op) {
    struct kd_set *s = &op->set;
    uint64_t row = s->width * s->element;
    merge_rows(&s->width, &s->height, &s->depth, s->pitch == row, s->slice == row * s->height);
    plan(op);
}

static void fill(uint8_t *p, const struct kd_set *s, uint64_t bytes) {
    uint8_t first = (uint8_t)s->value;
    bool same = s->element == 1 || (first == (uint8_t)(s->value >> 8) &&
                                    (s->element == 2 || s->value == first * 0x01010101u));
    if (same) {
        memset(p, first, bytes);
    } else if (s->element == 2) {
        uint16_t v = (uint16_t)s->value;
        for (uint64_t i = 0; i < bytes; i += 2)
            memcpy(p + i, &v, 2);
    } else {
        for (uint64_t i = 0; i < bytes; i += 4)
            memcpy(p + i, &s->value, 4);
    }
}

// Are races with it looked for?
static bool is_followed(const struct op *op) {
    return check_streams_follow() || (op->number && op->check.parent);
}

static void move(const struct op *op, uint64_t dst, uint64_t src, uint64_t bytes) {
    const struct kd_copy *c = &op->copy;
    if (is_followed(op))
        check_moved(op, dst, src, bytes);
    check_life_used(src, bytes, false, c->call);
    check_life_used(dst, bytes, true, c->call);
    memmove((void *)(uintptr_t)dst, (const void *)(uintptr_t)src, bytes);
    if (is_followed(op))
        check_values_changed(op, dst, bytes);
    check_init_copy(dst, src, bytes, c->call);
    if (check_tools() & CHECK_RACE)
        check_schedule_copied(dst, src, bytes, c->call);
}

// A side of a copy: the address of byte x of row y of slice z, and how many of *bytes lie there in
// a piece. 0: no memory is mapped there.
static uint64_t side_at(const struct kd_image_level *l, const uint32_t from[3], uint64_t linear,
                        uint64_t x, uint64_t y, uint64_t z, uint64_t *bytes) {
    if (!l)
        return linear + x;
    x += from[0];
    uint64_t at = kd_image_address(l, x, y + from[1], z + from[2]), run = kd_image_run(l, x, at);
    if (*bytes > run)
        *bytes = run;
    return kd_sparse_is_resident(l->sparse, at) ? at : 0;
}

// Part of a row of or to a sparse array: what is read where nothing is mapped is zero, what would
// be written there is dropped.
static void move_in_tiles(const struct op *op, uint64_t y, uint64_t z, uint64_t x, uint64_t bytes) {
    const struct kd_copy *c = &op->copy;
    uint64_t to = (uint64_t)(uintptr_t)c->dst + z * c->dst_slice + y * c->dst_pitch;
    uint64_t from = (uint64_t)(uintptr_t)c->src + z * c->src_slice + y * c->src_pitch;
    while (bytes) {
        uint64_t n = bytes;
        uint64_t dst = side_at(c->dst_level, c->dst_from, to, x, y, z, &n);
        uint64_t src = side_at(c->src_level, c->src_from, from, x, y, z, &n);
        if (dst && src) {
            move(op, dst, src, n);
        } else if (dst) {
            if (is_followed(op))
                check_moved(op, dst, 0, n);
            memset((void *)(uintptr_t)dst, 0, n);
            check_init_set(dst, n, true);
        }
        x += n;
        bytes -= n;
    }
}

// `bytes` of row `row`, from byte `at` on.
static void run_row(const struct op *op, uint64_t row, uint64_t at, uint64_t bytes) {
    if (op->kind == OP_COPY) {
        const struct kd_copy *c = &op->copy;
        uint64_t y = row % c->height, z = row / c->height;
        if (c->dst_level || c->src_level) {
            move_in_tiles(op, y, z, at, bytes);
            return;
        }
        move(op, (uint64_t)(uintptr_t)c->dst + z * c->dst_slice + y * c->dst_pitch + at,
             (uint64_t)(uintptr_t)c->src + z * c->src_slice + y * c->src_pitch + at, bytes);
    } else {
        const struct kd_set *s = &op->set;
        uint64_t y = row % s->height, z = row / s->height;
        uint64_t to = (uint64_t)(uintptr_t)s->dst + z * s->slice + y * s->pitch + at;
        if (s->frees && (s->value == CHECK_GRAPH_FREES || s->value == CHECK_GRAPH_TAKES)) {
            check_life_changes(op, to, bytes);
            return;
        }
        if (s->frees) {
            check_moved_pool(op, (enum check_pool)s->value, to, bytes);
            return;
        }
        if (is_followed(op))
            check_moved(op, to, 0, bytes);
        check_life_used(to, bytes, true, s->call);
        fill((uint8_t *)(uintptr_t)to, s, bytes);
        if (is_followed(op))
            check_values_changed(op, to, bytes);
        check_init_set(to, bytes, true);
    }
}

struct piece {
    const struct op *op;
    uint64_t first, n;
};

static void run_units(void *arg) {
    const struct piece *p = arg;
    struct shape s = shape_of(p->op);
    uint64_t rows = s.height * s.depth;
    if (s.width == 0 || rows == 0)
        return;
    for (uint64_t u = p->first; u < p->first + p->n; u++) {
        if (rows == 1) {
            uint64_t at = u * UNIT_BYTES, left = s.width - at;
            run_row(p->op, 0, at, left < UNIT_BYTES ? left : UNIT_BYTES);
            continue;
        }
        for (uint64_t row = u * s.rows_per_unit; row < (u + 1) * s.rows_per_unit && row < rows;
             row++)
            run_row(p->op, row, 0, s.width);
    }
}

static void report_fault(struct runner *r, struct kd_context *c, enum op_kind kind) {
    if (!context_begin_fault(c))
        return;
    struct kd_fault_record f = {.fault = r->fault.fault,
                                .address_known = r->fault.address_known,
                                .address = r->fault.address};
    const char *what = kind == OP_COPY ? "copy" : "memory set";
    snprintf(f.kernel, sizeof f.kernel, "(%s)", what);
    snprintf(f.text, sizeof f.text, "a %s touched memory that is not there: address 0x%llx", what,
             (unsigned long long)f.address);
    context_end_fault(c, &f);
}

void copy_run(struct runner *r, struct op *op, uint64_t first, uint64_t n) {
    struct piece piece = {op, first, n};
    if (context_faulted(op->context))
        return;
    rights_enter(-1);
    if (runner_call(r, COPY_STACK_SHIFT, run_units, &piece) == OUTCOME_FAULT)
        report_fault(r, op->context, (enum op_kind)op->kind);
}

void copy_run_immediate(struct op *op) {
    struct runner *r = runner_get();
    if (r)
        copy_run(r, op, 0, op->units);
    else {
        struct piece piece = {op, 0, op->units};
        run_units(&piece);
    }
}

struct flat {
    void *dst;
    const void *src;
    uint64_t bytes;
    const struct host_call *call;
};

static void run_flat(void *arg) {
    const struct flat *f = arg;
    memmove(f->dst, f->src, f->bytes);
    check_init_copy((uint64_t)(uintptr_t)f->dst, (uint64_t)(uintptr_t)f->src, f->bytes, f->call);
    if (check_tools() & CHECK_RACE)
        check_schedule_copied((uint64_t)(uintptr_t)f->dst, (uint64_t)(uintptr_t)f->src, f->bytes,
                              f->call);
}

void copy_at_once(struct kd_context *c, const struct kd_copy *copy) {
    struct runner *r = runner_get();
    struct flat f = {copy->dst, copy->src, copy->width, copy->call};
    rights_enter(-1);
    if (!r)
        run_flat(&f);
    else if (runner_call(r, COPY_STACK_SHIFT, run_flat, &f) == OUTCOME_FAULT)
        report_fault(r, c, OP_COPY);
}
