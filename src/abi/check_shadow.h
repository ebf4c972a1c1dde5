// What generated code tells and asks of memory that nobody has written (passes/check/check_init.c),
// by the helpers of abi/generated_code.h: kinds of sites beyond enum kd_check_kind, whose
// check.access has what stands here for its last operand.
#ifndef KUDZU_DEVICE_CHECK_SHADOW_H
#define KUDZU_DEVICE_CHECK_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/generated_code.h"

enum {
    KD_CHECK_SHADOW_STORE = 16,  // the bits of what is stored that nobody has written
    KD_CHECK_SHADOW_CLEAN,       // so many bytes have been written
    KD_CHECK_SHADOW_CLEAN_ALL,   // the allocation, by something that is not followed
    KD_CHECK_SHADOW_BRANCH,      // the bits of a condition
    KD_CHECK_SHADOW_ADDRESS,     // the bits of an address
    KD_CHECK_SHADOW_OFF,         // something is written, nobody knows where: nothing is reported
    KD_CHECK_SHADOW_UPDATE,      // as STORE; what was there is part of what is stored
    KD_CHECK_SHADOW_READ,        // the bits of what is loaded
    KD_CHECK_SHADOW_CLEAN_LOCAL, // the thread's local memory, by something that is not followed
    KD_CHECK_SHADOW_FROM,  // where the bits were loaded that the next STORE hands on, if there are
                           // any
    KD_CHECK_SHADOW_CHOSEN // those of what the STORE before stored that are more than a copy
};
// Is nothing told of where there are no bits?
static inline bool kd_check_needs_bits(uint32_t kind) {
    return kind == KD_CHECK_SHADOW_BRANCH || kind == KD_CHECK_SHADOW_ADDRESS ||
           kind == KD_CHECK_SHADOW_READ || kind == KD_CHECK_SHADOW_FROM ||
           kind == KD_CHECK_SHADOW_CHOSEN;
}
// Of the flags of a STORE's site: a FROM is told of in front of it.
enum { KD_CHECK_HANDED_ON = KD_CHECK_STRONG };
// In `code` of kd_rt_check_origin: how many bytes' bits are asked for instead of a number; results
// have 64 bits each then.
enum { KD_CHECK_SHADOW_BYTES = 16 };
// In place of a count of bytes: whether the components of texels that each result of a thread's last
// fetch follows from are written, whatever the addresses are: 16 bits for each of four results, set
// where one is not.
enum { KD_CHECK_TEXELS = 9 };
// The same: one more than the groups of products that the thread has ended, from bit
// KD_CHECK_GROUP_SHIFT on.
enum { KD_CHECK_GROUP = 10, KD_CHECK_GROUP_SHIFT = 48 };
// In place of a count of bytes, with the descriptor of a matrix in shared memory that a wgmma.mma
// reads in place of an address: a bit for each of 64 rows of a, or columns of b, whether something
// of it is undecided. Beside it how many eights of these the matrix has, less one.
enum {
    KD_CHECK_LINES = 0x8000,
    KD_CHECK_LINES_TRANS = 0x4000,
    KD_CHECK_LINES_ELEMENT = 12, // from this bit on: the logarithm of an element's bytes
    KD_CHECK_LINES_FIRST = 8,    // the same: the first line, in units of 64
    KD_CHECK_LINES_EIGHTS = 31
};

#endif
