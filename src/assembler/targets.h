// Architectures by which assemblers and linkers are told for which GPU to work.
#ifndef KUDZU_ASSEMBLER_TARGETS_H
#define KUDZU_ASSEMBLER_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

struct target {
    uint32_t number; // 90
    char suffix;     // 'a': that GPU alone; 'f': its family; 0
};

// "sm_90a", "compute_90a". False: there is none of that name.
bool target_find(const char *name, struct target *out);
// The sm_ names of all, oldest first; NULL ends them.
extern const char *const target_names[];

#endif
