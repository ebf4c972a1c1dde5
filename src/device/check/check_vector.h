// What a thread of a grid knows of the accesses of others: vectors of clocks, which are shared for
// as long as nobody changes them.
#ifndef KUDZU_DEVICE_CHECK_VECTOR_H
#define KUDZU_DEVICE_CHECK_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

struct check_vector; // NULL: nothing is known

// Whose clock an entry tells of: a thread by its number in the block, a warp behind those, or all
// threads of the block. Those of threads and warps count what they have told others; that of all
// counts barriers of the block.
enum {
    CHECK_WHO_WARP = 1024,
    CHECK_WHO_ALL = 2048,
    CHECK_WHO_COPIES = 4096, // behind it, by a thread's number: its copies that an object tells of
    CHECK_WHO_PRODUCTS = 8192, // behind it, by its first warp: a warpgroup's groups of products
    CHECK_WHO_COMMITS = 16384  // behind it, by a thread's number: what it has committed (tcgen05)
};

struct check_vector *check_vector_ref(struct check_vector *v);
void check_vector_unref(struct check_vector *v);
// Of one owner, who drops it, and has none then.
void check_vector_drop(struct check_vector **v);
// All below `time` of that clock is known. Where there is no memory, or too much has been
// taken, the vector knows everything.
void check_vector_put(struct check_vector **v, uint32_t block, uint32_t who, uint32_t time);
void check_vector_join(struct check_vector **v, struct check_vector *from);
// Is what happened at `time` of that clock known?
bool check_vector_knows(const struct check_vector *v, uint32_t block, uint32_t who, uint32_t time);

#endif
