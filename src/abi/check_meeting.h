// What generated code tells of barriers and of operations of warps (passes/check/check_sync.c):
// kinds of sites beyond those of check_shadow.h, told by check.access. Its operands are what stands
// here as address and more; site.align is isa_op, and site.bytes as told below.
#ifndef KUDZU_DEVICE_CHECK_MEETING_H
#define KUDZU_DEVICE_CHECK_MEETING_H

#include "abi/generated_code.h"

enum {
    // A barrier of the block. address: its number; more: how many threads, 0: all.
    KD_CHECK_MEET_BARRIER = 32,
    // An operation of the lanes that more names. A shuffle's address: b, and c in the high half;
    // its site.bytes: enum isa_shfl_mode.
    KD_CHECK_MEET_WARP,
    // Where more is 1, the thread goes to its end and does nothing more that others can see.
    // site.bytes: 1 where it did something since it could have gone another way.
    KD_CHECK_MEET_END,
    // Something follows that the device does, and in which the thread may wait or fail.
    // site.cause: where the device itself tells of what is accessed, the site that it writes by,
    // of which cause is the one that it reads by.
    KD_CHECK_MEET_PLACE,
    // The lanes that more names have met in a __syncwarp: told behind it, for races.
    KD_CHECK_MEET_SYNCED,
    // What orders accesses, for races (check_order.c). site.bytes: enum kd_check_place, which says
    // what the address is. Releases are told in front of what makes them, and acquires behind it,
    // where more is 1. Strong writes release as accesses.
    KD_CHECK_ORDER_RELEASE,
    KD_CHECK_ORDER_ACQUIRE,
    KD_CHECK_ORDER_FENCE,
    // Groups of asynchronous copies: behind what ends one, and behind what waits for all but as
    // many as the address says. site.bytes: enum kd_check_wait.
    KD_CHECK_COPY_COMMIT,
    KD_CHECK_COPY_WAIT,
    // In front of a wgmma.mma. address: b's descriptor; more: a's. site.offset: isa_matrix_pack;
    // site.bytes: KD_CHECK_TRANS_*; site.cause: the site that it reads shared memory by.
    KD_CHECK_PRODUCT,
    // Groups of wgmma.mma, as those of copies.
    KD_CHECK_PRODUCTS_COMMIT,
    KD_CHECK_PRODUCTS_WAIT,
    // A sum of a wgmma.mma is about to be read. more: its number, what check.origin has answered by
    // KD_CHECK_GROUP and the address of the product's site; 0: it is no sum here.
    KD_CHECK_SUM
};
enum { KD_CHECK_TRANS_A = 1, KD_CHECK_TRANS_B = 2 };
enum kd_check_wait {
    KD_CHECK_WAIT_GROUPS,
    KD_CHECK_WAIT_READS, // of these groups
    KD_CHECK_WAIT_ALL
};
enum kd_check_place {
    KD_CHECK_AT_WORD,    // its address: of an atomic object
    KD_CHECK_AT_OBJECT,  // its address: of an mbarrier object
    KD_CHECK_AT_BARRIER, // its number: a barrier of the block, for some threads
    KD_CHECK_AT_CLUSTER  // nothing: the cluster's barrier
};
// Of a read's flags: it is by the read-only cache. (The bit tells something else of stores.)
enum { KD_CHECK_READ_ONLY = KD_CHECK_COMPUTED };
// Of the flags of what a bulk copy writes: who knows of it has seen that its mbarrier object tells
// so. (The bit tells something else of what is strong.) The release that tells the object has
// KD_CHECK_BULK.
enum { KD_CHECK_BY_OBJECT = KD_CHECK_ACQUIRE };
// Of the flags of what tcgen05.mma and tcgen05.cp read: it goes on until an mbarrier object has
// told that what was committed is done. The commit's release has KD_CHECK_COMMIT. (The bits tell
// something else of what is strong, and of copies.)
enum { KD_CHECK_BY_COMMIT = KD_CHECK_RELEASE, KD_CHECK_COMMIT = KD_CHECK_COPY };
// Of the flags of what a wgmma.mma reads: it goes on until its group has been waited for.
enum { KD_CHECK_BY_GROUP = KD_CHECK_ACQUIRE };

#endif
