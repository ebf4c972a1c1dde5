// What generated code tells of barriers and of operations of warps (passes/check_sync.c): kinds of
// sites beyond those of check_shadow.h, told by check.access. Its operands are what stands here as
// address and more; site.align is enum isa_op, and site.bytes as told below.
#ifndef KUDZU_DEVICE_CHECK_MEETING_H
#define KUDZU_DEVICE_CHECK_MEETING_H

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
    KD_CHECK_MEET_PLACE,
    // The lanes that more names have met in a __syncwarp: told behind it, for races.
    KD_CHECK_MEET_SYNCED
};

#endif
