// Execution spaces that nvcc gives a declaration and clang does not. For clang functions that
// differ in them are different functions; then it refuses what nvcc accepts:
//
// - With -expt-relaxed-constexpr a function that is `constexpr __host__` can be called by code for
//   the device, and one that is `constexpr __device__` by code for the host (guide 18.8): both
//   become `__host__ __device__`.
// - A declaration without specifiers, a friend's most of all, stands for the function whose
//   definition has some (18.9.1).
// - A function that is the host's for the host's pass alone, as the macro before it says there, can
//   be called by code for the device, into which nvcc's host pass does not look so closely.
// - A deduction guide has none, and says for both sides which class is meant.
// - A consteval function of one side can be called on the other one (18.5.25.4).
// - `__host__ S() = default;` in a class is for both sides, with a warning: the specifier does not
//   count.
// - A member whose declaration has no specifiers and whose definition outside has some is for both
//   sides, with a warning. It is for the definition's side until the other one calls it: nvcc does
//   not mind what of the device's a function for both sides calls.
// - A specialisation of a function template may have fewer specifiers than the template.
//
// These are written with the specifiers, on the lines where they stand. Definitions of constant
// functions are seen in the text; other declarations clang's messages tell of, and there is another
// attempt.
#ifndef KUDZU_CC_DECLARED_SPACES_H
#define KUDZU_CC_DECLARED_SPACES_H

#include <stdint.h>

#include "cc/compat/device_launches.h"
#include "cc/processes/cc.h"

// What nvcc warns of where it gives a declaration spaces.
enum space_warning { SPACE_SILENT, SPACE_DEFAULTED, SPACE_REDECLARED };

// A name in a file's text before declared_spaces_rewrite: the nth such word on the line.
struct declared_space {
    const char *path, *name;
    uint32_t line, nth;
    unsigned spaces;  // that its declaration is given
    unsigned lacking; // what else it is given when the other side calls it
    enum space_warning warning;
    const char *shown; // the path as clang's message had it
    uint32_t column;
    bool friends; // it is a member of a class whose friends are declared once more, for the device
};

struct declared_spaces {
    VEC(struct declared_space) list;
};

// Replaces *text, of the file `path`, where `found` names declarations of it. False: it does not.
bool declared_spaces_rewrite(struct arena *arena, char **text, size_t *size,
                             const struct declared_spaces *found, const char *path);

// For -expt-relaxed-constexpr: constant functions of one side that the source and the files that it
// includes (see source_tokens.h) define. Were they left to messages, a call with a second choice
// among the functions of its own side, as a conversion and a built-in operator, would take that.
void declared_spaces_relax(struct arena *arena, const char *source, const cc_strings *options,
                           const struct device_launches *launches, struct declared_spaces *found);

// What clang's messages (in files) tell about the declarations joins `found`. `launches`: how the
// text that clang read differs from that of the files. False: there is nothing new.
bool declared_spaces_find(struct arena *arena, const cc_strings *diagnostics,
                          bool relaxed_constexpr, bool device_passed,
                          const struct device_launches *launches, struct declared_spaces *found);

// Appends the warnings that nvcc has for them, in clang's form.
void declared_spaces_warn(const struct declared_spaces *found, struct strbuf *messages);

// Says of constant functions that could not be called which option allows it.
void declared_spaces_advise(struct arena *arena, const cc_strings *diagnostics,
                            const struct device_launches *launches,
                            const struct declared_spaces *found);

#endif
