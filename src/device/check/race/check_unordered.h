// Which accesses of threads race: what a cell tells of the first one, and whether anything orders
// the second one behind it.
#ifndef KUDZU_DEVICE_CHECK_UNORDERED_H
#define KUDZU_DEVICE_CHECK_UNORDERED_H

#include "abi/check_meeting.h"
#include "device/check/check_cells.h"
#include "device/check/check_threads.h"

// What a cell tells of an access.
struct check_record {
    struct check_stamp stamp;
    uint32_t thread;
    uint32_t value; // that a store leaves in the four bytes
};

// Who has memory.
enum check_owners { CHECK_OF_BLOCK, CHECK_OF_CLUSTER, CHECK_OF_GRID };

static inline bool check_is_strong(const struct check_record *r) {
    return r->stamp.site->flags & KD_CHECK_STRONG;
}

// Is it what a copy writes that an mbarrier object tells of?
static inline bool check_is_by_object(const struct check_stamp *s) {
    return !(s->site->flags & KD_CHECK_STRONG) && s->site->kind == KD_CHECK_WRITE &&
           s->site->flags & KD_CHECK_BY_OBJECT;
}

// Is it what a product of a warpgroup reads? Its stamp is the first warp's, and has how many groups
// had ended.
static inline bool check_is_by_group(const struct check_stamp *s) {
    const uint16_t flags = KD_CHECK_BULK | KD_CHECK_BY_GROUP;
    return s->site->kind == KD_CHECK_READ && !(s->site->flags & KD_CHECK_STRONG) &&
           (s->site->flags & flags) == flags;
}

// Is it what tcgen05 reads until its thread's commit is done? Its stamp has how many had been made.
static inline bool check_is_by_commit(const struct check_stamp *s) {
    const uint16_t flags = KD_CHECK_BULK | KD_CHECK_BY_COMMIT;
    return s->site->kind == KD_CHECK_READ && !(s->site->flags & KD_CHECK_STRONG) &&
           (s->site->flags & flags) == flags;
}

// Is it over when somebody has waited, and no barrier tells of it?
static inline bool check_is_waited_for(const struct check_stamp *s) {
    return check_is_by_object(s) || check_is_by_group(s) || check_is_by_commit(s);
}

bool check_is_one_cluster(const struct kd_block *b, uint32_t one, uint32_t other);
// Does a thread know of x by more than barriers of the whole block?
bool check_knows(const struct check_threads *t, uint32_t thread, const struct check_record *x);
// Are the accesses x, which has been made, and y, which is about to be, of two threads that nothing
// orders?
bool check_unordered(const struct kd_block *b, const struct check_threads *t,
                     const struct check_record *x, const struct check_record *y,
                     enum check_owners owners);

#endif
