// Files of the host with less device code in them.
#ifndef KUDZU_BINUTILS_PRUNE_H
#define KUDZU_BINUTILS_PRUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assembler/targets.h"
#include "support/arena.h"
#include "support/vec.h"

// What stays. PTX of kudzu's objects is the code for a real architecture, too, where that has no
// cubin.
struct prune_target {
    struct target target;
    bool is_real; // sm_, not compute_
};
struct prune_choice {
    struct arena *arena;
    VEC(struct prune_target) targets;
    bool no_relocatable;    // cubins and bitcode that wait for a device link go
    uint32_t kept, removed; // entries, counted up
    const char *why;        // when a function below has returned false
};

// A container's bytes without the entries that are not wanted, which lie in the arena. NULL:
// damaged.
uint8_t *prune_container(struct prune_choice *c, const uint8_t *data, size_t size,
                         size_t *out_size);

// A relocatable object, or an archive of such, of which only containers become shorter; what refers
// to them is changed with them. Archives' other members stay as they are. NULL: c->why. In the
// arena.
uint8_t *prune_object(struct prune_choice *c, const uint8_t *data, size_t size, size_t *out_size);
uint8_t *prune_archive(struct prune_choice *c, const uint8_t *data, size_t size, size_t *out_size);

#endif
