#include "device/check/race/check_race_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "device/check/check_streams.h"
#include "isa/isa.h"

static void place(const uint32_t *ntid, const uint32_t *nctaid, uint32_t block, uint32_t t,
                  char *text, size_t size) {
    uint32_t x = ntid[0], y = ntid[1], gx = nctaid[0], gy = nctaid[1];
    snprintf(text, size,
             "thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") in block (%" PRIu32 ",%" PRIu32
             ",%" PRIu32 ")",
             t % x, t / x % y, t / x / y, block % gx, block / gx % gy, block / gx / gy);
}

static const char *kind_of(const struct kd_check_site *s) {
    return s->kind == KD_CHECK_READ ? "Read" : s->kind == KD_CHECK_WRITE ? "Write" : "Atomic";
}

// The access that was made is one of another operation.
void check_race_report_other(const struct kd_block *b, const struct check_record *old,
                             const struct check_record *new, uint64_t address) {
    const struct check_stamp *then = &old->stamp, *now = &new->stamp;
    struct check_item item, own;
    char what[96], one[128], other[128] = "a copy or set";
    if (!check_streams_item(then->grid, &item) || !check_streams_item(now->grid, &own))
        return;
    bool is_move = check_is_move(then->site);
    struct check_report r = {.what = what,
                             .site = now->site,
                             .thread = new->thread,
                             .b = b,
                             .other = is_move ? item.site : then->site,
                             .call = is_move ? item.call : NULL};
    snprintf(what, sizeof what, "Error: Race reported between %s access and %s access%s",
             kind_of(now->site), kind_of(then->site), is_move ? check_move_words(then->site) : "");
    place(b->ntid, b->nctaid, (uint32_t)now->block, new->thread, one, sizeof one);
    if (!is_move)
        place(item.ntid, item.nctaid, then->block, old->thread, other, sizeof other);
    snprintf(r.lines[0], CHECK_LINE, "by %s, and %s%s", one, other,
             is_move ? "" : " of another launch");
    check_order_line(&own, &item, r.lines[1]);
    snprintf(r.lines[2], CHECK_LINE, "at global memory 0x%" PRIx64, address);
    check_report(&r);
}

void check_race_report(const struct kd_block *b, const struct check_record *old,
                       const struct check_record *new, uint64_t address, const char *why) {
    const struct check_stamp *then = &old->stamp, *now = &new->stamp;
    char what[64], one[128], other[128];
    uint64_t shared = address - (uint64_t)(uintptr_t)b->shared;
    struct check_report r = {
        .what = what, .site = now->site, .thread = new->thread, .b = b, .other = then->site};
    snprintf(what, sizeof what, "Error: Race reported between %s access and %s access",
             kind_of(now->site), kind_of(then->site));
    place(b->ntid, b->nctaid, then->block, old->thread, other, sizeof other);
    place(b->ntid, b->nctaid, now->block, new->thread, one, sizeof one);
    snprintf(r.lines[0], CHECK_LINE, "by %s, and %s", one, other);
    if (shared < b->shared_window_bytes)
        snprintf(r.lines[1], CHECK_LINE, "at shared memory + 0x%" PRIx64, shared);
    else if (check_in_cluster(b, address))
        snprintf(r.lines[1], CHECK_LINE, "at shared memory of another block of the cluster");
    else
        snprintf(r.lines[1], CHECK_LINE, "at global memory 0x%" PRIx64, address);
    if (why)
        snprintf(r.lines[2], CHECK_LINE, "%s", why);
    else if (check_is_strong(old) && check_is_strong(new))
        snprintf(r.lines[2], CHECK_LINE, "both are atomic, but in a scope without the other block");
    check_report(&r);
}

// A thread's access to the shared memory of the block with a number, which ends before it, or could
// have.
void check_race_report_ended(const struct kd_block *b, const struct check_record *x, uint32_t block,
                             bool has_ended) {
    uint32_t nx = b->nctaid[0], ny = b->nctaid[1], of = x->stamp.block;
    uint32_t ctaid[3] = {of % nx, of / nx % ny, of / nx / ny};
    struct check_report r = {.what = "Invalid access to shared memory of another block of the "
                                     "cluster",
                             .site = x->stamp.site,
                             .thread = x->thread,
                             .b = b,
                             .ctaid = ctaid};
    snprintf(r.lines[0], CHECK_LINE,
             "%s block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), whose memory it is, %s",
             has_ended ? "the" : "nothing keeps the", block % nx, block / nx % ny, block / nx / ny,
             has_ended ? "has ended" : "from ending before");
    check_report(&r);
}

// A thread has not waited for what is written where it is about to access something.
static void report_early(const struct kd_block *b, uint32_t thread, const struct kd_check_site *now,
                         const struct kd_check_site *then, const char *where, const char *why) {
    char one[128];
    struct check_report r = {.what = "Error: Race reported between Read access and Write access",
                             .site = now,
                             .other = then,
                             .thread = thread,
                             .b = b};
    place(b->ntid, b->nctaid, (uint32_t)check_threads_of((struct kd_block *)b)->block, thread, one,
          sizeof one);
    snprintf(r.lines[0], CHECK_LINE, "by %s", one);
    snprintf(r.lines[1], CHECK_LINE, "%s", where);
    snprintf(r.lines[2], CHECK_LINE, "%s", why);
    check_report(&r);
}

void check_race_report_sum(const struct kd_block *b, uint32_t thread,
                           const struct kd_check_site *reads, const struct kd_check_site *product) {
    report_early(b, thread, reads, product, "at a register of the sum of a wgmma.mma_async",
                 "no wgmma.wait_group of the thread has waited for its group");
}

void check_race_report_tensor(const struct kd_block *b, uint32_t thread,
                              const struct kd_check_site *at, const struct kd_check_site *product) {
    report_early(b, thread, at, product, "at tensor memory",
                 "no wait for a tcgen05.commit behind it is known to the thread");
}
