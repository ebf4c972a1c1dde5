#include "device/memory/range_tree.h"

#include <stddef.h>

// Shape depends on the bases alone, so that the tree of a program is the same in every run that
// has the same addresses: a mix of the base is as good as a random number.
static uint32_t mix(uint64_t base) {
    base ^= base >> 33;
    base *= 0xff51afd7ed558ccdu;
    base ^= base >> 33;
    base *= 0xc4ceb9fe1a85ec53u;
    return (uint32_t)(base >> 32);
}

static void update(struct range *r) {
    r->largest = r->size;
    if (r->left && r->left->largest > r->largest)
        r->largest = r->left->largest;
    if (r->right && r->right->largest > r->largest)
        r->largest = r->right->largest;
}

// Everything that begins before `base` goes to *left, the rest to *right.
static void split(struct range *r, uint64_t base, struct range **left, struct range **right) {
    if (!r) {
        *left = *right = NULL;
    } else if (r->base < base) {
        split(r->right, base, &r->right, right);
        *left = r;
        update(r);
    } else {
        split(r->left, base, left, &r->left);
        *right = r;
        update(r);
    }
}

static struct range *join(struct range *left, struct range *right) {
    if (!left || !right)
        return left ? left : right;
    if (left->priority > right->priority) {
        left->right = join(left->right, right);
        update(left);
        return left;
    }
    right->left = join(left, right->left);
    update(right);
    return right;
}

void range_insert(struct range **root, struct range *r) {
    struct range *left, *right;
    r->priority = mix(r->base);
    r->left = r->right = NULL;
    update(r);
    split(*root, r->base, &left, &right);
    *root = join(join(left, r), right);
}

void range_remove(struct range **root, struct range *r) {
    struct range *left, *rest, *self, *right;
    split(*root, r->base, &left, &rest);
    split(rest, r->base + 1, &self, &right);
    *root = join(left, right);
}

struct range *range_floor(struct range *root, uint64_t address) {
    struct range *best = NULL;
    while (root) {
        if (root->base <= address) {
            best = root;
            root = root->right;
        } else {
            root = root->left;
        }
    }
    return best;
}

struct range *range_find(struct range *root, uint64_t address) {
    struct range *r = range_floor(root, address);
    return r && address - r->base < r->size ? r : NULL;
}

struct range *range_first_fit(struct range *root, uint64_t size) {
    while (root && root->largest >= size) {
        if (root->left && root->left->largest >= size)
            root = root->left;
        else if (root->size >= size)
            return root;
        else
            root = root->right;
    }
    return NULL;
}

struct range *range_after(struct range *root, uint64_t address) {
    struct range *best = NULL;
    while (root) {
        if (root->base > address) {
            best = root;
            root = root->left;
        } else {
            root = root->right;
        }
    }
    return best;
}
