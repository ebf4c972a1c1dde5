// -arch, -code, -gencode: which architectures code is made for.
#ifndef KUDZU_CC_ARCHITECTURES_H
#define KUDZU_CC_ARCHITECTURES_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/generated_code.h"
#include "cc/processes/cc.h"

struct architecture {
    uint32_t number;  // 90 for sm_90
    const char *name; // "sm_90", "sm_90a"
    // What clang compiles it as when it does not know it: the code is that of an earlier
    // architecture, which it runs, __CUDA_ARCH__ and the target that the PTX names are its own.
    const char *stand_in; // NULL: clang knows it
};

// A GPU that the code of an architecture is wanted for (-code=sm_86, -arch=sm_90): what ptxas
// makes.
struct real_architecture {
    const char *compiled_for; // of one in the list
    const char *name;
};

// What was asked for, once complete: distinct architectures in ascending order, each of which is
// compiled to PTX, and processors for which native code is added to the image.
struct architectures {
    VEC(struct architecture) list;
    VEC(struct real_architecture) real;
    uint32_t native_levels; // bit (1 << enum kd_level)
    int cuda_version;       // whose architectures can be asked for: 12090, 13000
    bool given;             // by options; else the list has the CPU device's own
};

// One -gencode value: "arch=compute_80,code=[sm_80,compute_80]" and its other spellings.
bool architectures_add_gencode(struct architectures *a, struct arena *arena, const char *spec);
// -arch (NULL: none given) with -code (comma list, NULL: none given).
bool architectures_add_arch(struct architectures *a, struct arena *arena, const char *arch,
                            const char *code);
// --kudzu-native: a comma list of x86-64-v2, -v3, -v4, aarch64, aarch64-sve256, -sve512.
bool architectures_add_native(struct architectures *a, const char *levels);
// Sorts; without any architecture, the CPU device's own (sm_90, or as KUDZU_COMPUTE_CAPABILITY
// says). False: that variable names none; an error was reported.
bool architectures_finish(struct architectures *a, struct arena *arena);

// Whether code compiled for an architecture serves another: each serves the later ones, but those
// of one GPU alone (sm_90a) only themselves.
bool architecture_serves(const char *have, const char *want);
// 90 for "sm_90" and "sm_90a"; 0: not known.
uint32_t architecture_number(const char *name);
// The architecture of a name such as "sm_90a", which it keeps; not known: number 0.
struct architecture architecture_named(const char *name);
// The name by which clang compiles for it.
const char *architecture_for_clang(const struct architecture *a);

// The first architecture that a version of CUDA compiles for: 50, from 13 on 75.
uint32_t architectures_first(int cuda_version);
// The numbers of all architectures that a version of CUDA compiles for, ascending, each once (sm_90
// and sm_90a are 90). Returns how many; out may be NULL.
uint32_t architectures_numbers(int cuda_version, int *out);
// All that clang compiles for, ascending, from those of the oldest version on.
extern const struct architecture known_architectures[];
extern const uint32_t known_architecture_count;

#endif
