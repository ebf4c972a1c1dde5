// Compiles test cases to machine code in memory.
#ifndef KUDZU_TESTS_POINTWISE_JIT_H
#define KUDZU_TESTS_POINTWISE_JIT_H

#include "abi/generated_code.h"
#include "pointwise_cases.h"

// Operand k's lanes lie at src[k], result k's go to dst[k], as arrays of the representation
// (a predicate is one byte).
typedef void pw_function(const void *const *src, void *const *dst);

struct pw_jit;

// NULL when this machine cannot run the level. optimise: LLVM's passes run before code generation.
struct pw_jit *pw_jit_new(enum kd_level level);
void pw_jit_free(struct pw_jit *j);
// Compiles case k for lanes[k]; functions[k] is NULL where pw_emit refused (its reason is printed).
void pw_jit_compile(struct pw_jit *j, struct pw_case *const *cases, const unsigned *lanes,
                    unsigned count, bool optimise, pw_function **functions);

#endif
