#include "device/check/race/check_tensor.h"

#include <stdlib.h>
#include <string.h>

#include "device/check/race/check_race_report.h"
#include "device/helpers/async.h"
#include "isa/tensor_memory.h"

enum { COLUMN_MASK = 0xffff, LANE_SHIFT = 16 };

// Who has written each column last; site NULL: nobody.
struct check_columns {
    struct column {
        const struct kd_check_site *site;
        uint32_t block, thread, time; // time: what the block had committed
    } columns[TENSOR_COLUMNS];
};

void check_tensor_begin(struct check_threads *t) {
    if (t->tensor)
        memset(t->tensor, 0, sizeof *t->tensor);
}

static void write_columns(struct check_threads *of, uint32_t place, uint32_t n,
                          const struct column *by) {
    uint32_t first = place & COLUMN_MASK;
    if (of && !of->tensor)
        of->tensor = calloc(1, sizeof *of->tensor);
    for (uint32_t k = first; of && of->tensor && k < TENSOR_COLUMNS && k - first < n; k++)
        of->tensor->columns[k] = *by;
}

// The other block of the pair, if it is there.
static struct check_threads *peer_of(const struct kd_block *b) {
    uint32_t rank = b->cluster_rank ^ 1;
    struct kd_block *peer =
        rank < b->cluster_blocks ? cluster_block((struct kd_block *)b, rank) : NULL;
    return peer ? check_threads_of(peer) : NULL;
}

// Does some lane of the thread's warp know that it is done?
static bool is_known(const struct kd_block *b, const struct check_threads *t, uint32_t thread,
                     const struct column *c) {
    uint32_t first = thread / KD_WARP * KD_WARP;
    for (uint32_t k = first; k < first + KD_WARP && k < b->nthreads; k++)
        if (check_order_knows(t, k, c->block, CHECK_WHO_COMMITS + c->thread, UINT32_MAX, c->time))
            return true;
    return false;
}

// Of accesses to 16 lanes columns in the middle may be left out: the first one counts.
static void access_columns(struct kd_block *b, const struct check_threads *t, uint32_t thread,
                           const uint64_t *args, const struct kd_check_site *place) {
    uint32_t first = args[0] & COLUMN_MASK, n = args[1] & COLUMN_MASK;
    n = (uint32_t)args[1] >> LANE_SHIFT == KD_WARP ? n : 1;
    for (uint32_t k = first; k < first + n && k < TENSOR_COLUMNS; k++) {
        const struct column *c = &t->tensor->columns[k];
        if (!c->site || is_known(b, t, thread, c))
            continue;
        check_race_report_tensor(b, thread, place, c->site);
        return;
    }
}

void check_tensor_operation(struct kd_block *b, uint32_t thread, uint32_t code,
                            const uint64_t *args, const struct kd_check_site *place,
                            const struct kd_check_site *writes) {
    struct check_threads *t = check_threads_of(b);
    struct column by = {writes, (uint32_t)t->block, thread, t->commits};
    struct isa_tensor_product p;
    bool pair = false;
    uint32_t at = 0, n = 0, op = code & KD_ASYNC_OP_MASK;
    if (op == KD_ASYNC_TENSOR_AT && t->tensor)
        access_columns(b, t, thread, args, place);
    if (op == KD_ASYNC_TENSOR_MMA && writes &&
        !isa_tensor_product_of((uint32_t)args[0], args + 1, &p) && !isa_tensor_half_lanes(&p)) {
        at = p.d;
        n = isa_tensor_columns_of_d(&p);
        pair = p.pair;
    } else if (op == KD_ASYNC_TENSOR_COPY && writes) {
        at = (uint32_t)args[1];
        n = isa_tensor_copy_columns((uint32_t)args[0]);
        pair = isa_tensor_copies_to_pair((uint32_t)args[0]);
    }
    if (op == KD_ASYNC_TENSOR_DEALLOC && t->tensor) { // nobody waits for them any more
        at = (uint32_t)args[0];
        n = (uint32_t)args[1];
        by.site = NULL;
    }
    write_columns(n ? t : NULL, at, n, &by);
    write_columns(n && pair ? peer_of(b) : NULL, at, n, &by);
}
