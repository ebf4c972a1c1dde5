// Disjoint address ranges in a balanced tree (a treap), ordered by base: lookup by address and
// first fit by size, both in O(log n). Nodes belong to the caller and may be embedded.
#ifndef KUDZU_DEVICE_RANGE_TREE_H
#define KUDZU_DEVICE_RANGE_TREE_H

#include <stdint.h>

struct range {
    uint64_t base, size;
    uint64_t largest; // size of the largest range in this subtree
    uint32_t priority;
    struct range *left, *right;
};

void range_insert(struct range **root, struct range *r);
void range_remove(struct range **root, struct range *r);
// The range that contains `address`; the last one that begins at or before it; the first (lowest)
// of at least `size` bytes. NULL: none.
struct range *range_find(struct range *root, uint64_t address);
struct range *range_floor(struct range *root, uint64_t address);
struct range *range_first_fit(struct range *root, uint64_t size);
// The first range that begins after `address`.
struct range *range_after(struct range *root, uint64_t address);

#endif
