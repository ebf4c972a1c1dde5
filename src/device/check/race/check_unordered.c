#include "device/check/race/check_unordered.h"

#include "device/check/check_children.h"
#include "device/check/check_vector.h"
#include "device/sched/op.h"
#include "isa/isa.h"

// Threads that write what another one writes there race, but nobody can see it.
static bool leave_the_same(const struct check_record *a, const struct check_record *b) {
    uint32_t mask = 0;
    for (int k = 0; k < 4; k++)
        mask |= a->stamp.bytes & b->stamp.bytes & 1 << k ? 0xffu << 8 * k : 0;
    return a->stamp.has_value && b->stamp.has_value && !((a->value ^ b->value) & mask);
}

// The number of a block's cluster among the grid's.
static uint32_t cluster_of(const struct kd_block *b, uint32_t block) {
    uint32_t nx = b->nctaid[0], ny = b->nctaid[1];
    uint32_t x = block % nx / b->cluster_dim[0], y = block / nx % ny / b->cluster_dim[1];
    uint32_t z = block / nx / ny / b->cluster_dim[2];
    return x + nx / b->cluster_dim[0] * (y + ny / b->cluster_dim[1] * z);
}

bool check_is_one_cluster(const struct kd_block *b, uint32_t one, uint32_t other) {
    return b->cluster_blocks > 1 && cluster_of(b, one) == cluster_of(b, other);
}

// Does an access's scope reach threads of another one's block?
static bool reaches(const struct kd_block *b, const struct check_stamp *s,
                    const struct check_stamp *other) {
    uint32_t scope = s->site->flags >> KD_CHECK_SCOPE_SHIFT;
    if (scope >= ISA_SCOPE_GPU || s->grid != other->grid)
        return scope >= ISA_SCOPE_GPU;
    return s->block == other->block ||
           (scope == ISA_SCOPE_CLUSTER && check_is_one_cluster(b, s->block, other->block));
}

// Are both atomic, as the other sees it?
static bool are_strong(const struct kd_block *b, const struct check_record *x,
                       const struct check_record *y) {
    return check_is_strong(x) && check_is_strong(y) && reaches(b, &x->stamp, &y->stamp) &&
           reaches(b, &y->stamp, &x->stamp);
}

// Does a thread know of x by more than barriers of the whole block?
bool check_knows(const struct check_threads *t, uint32_t thread, const struct check_record *x) {
    const struct check_stamp *s = &x->stamp;
    if (check_is_by_group(s))
        return check_order_knows(t, thread, s->block, check_who_multiplies(s->warp), UINT32_MAX,
                                 s->warp_syncs);
    if (check_is_by_commit(s))
        return check_order_knows(t, thread, s->block, CHECK_WHO_COMMITS + x->thread, UINT32_MAX,
                                 s->warp_syncs);
    if (check_is_by_object(s)) // no barrier tells of it
        return check_order_knows(t, thread, s->block, CHECK_WHO_COPIES + x->thread, UINT32_MAX,
                                 s->warp_syncs);
    return check_order_knows(t, thread, s->block, x->thread, s->epoch, s->warp_syncs);
}

// Are the accesses x, which has been made, and y, which is about to be, of two threads that nothing
// orders?
bool check_unordered(const struct kd_block *b, const struct check_threads *t,
                     const struct check_record *x, const struct check_record *y,
                     enum check_owners owners) {
    const struct check_stamp *a = &x->stamp, *n = &y->stamp;
    if (!(a->bytes & n->bytes) || are_strong(b, x, y) || leave_the_same(x, y))
        return false;
    if (a->grid != n->grid) // is_over has looked
        return !check_child_knows(launch_op(b->launch), a, x->thread);
    if (a->goes_on && a->block == n->block)
        return !check_is_waited_for(a) || !check_knows(t, y->thread, x);
    if (a->block != n->block) {
        if (owners == CHECK_OF_BLOCK ||
            (owners == CHECK_OF_CLUSTER && !check_is_one_cluster(b, a->block, n->block)))
            return false;
    } else if (x->thread == y->thread || a->epoch != n->epoch ||
               (a->warp == n->warp && (n->site->flags & KD_CHECK_LOCKSTEP ||
                                       a->warp_syncs < check_known_to(t, y->thread, x->thread)))) {
        return false;
    }
    return !check_knows(t, y->thread, x);
}
