// Precompiled headers: cuda_runtime.h, parsed ahead for the most usual options, and with it sets of
// optional headers (header_sets.h). It takes three quarters of the time of a small compilation
// otherwise.
//
// They lie in lib/pch, one for each pass, standard, set and kind of optimisation, beside files
// that tell when they may be used:
//
//   key          which clang and which headers they belong to. Lines: first clang and kudzu's
//                headers; then "option <o>" for each option that shows clang the standard
//                directories, "include <spelling>" for what headers include by that spelling,
//                "optional <spelling>" for what optional headers include besides,
//                "file <size> <seconds> <nanoseconds> <path>" for each file read or made
//   identifiers  all names in these headers, one a line
//   identifiers-optional  the same of optional headers
//   identifiers-rtc       the same of what programs compiled at run time start with
//
// One is used only if none of its files has changed, no directory of the user's has a header of
// one of the spellings, and no macro of the user's is named in the headers. clang checks the
// options that change its language; when it refuses, the pass runs again without.
#ifndef KUDZU_CC_PRECOMPILED_H
#define KUDZU_CC_PRECOMPILED_H

#include "cc/options/options.h"
#include "cc/processes/toolchain.h"

enum cc_pass { CC_DEVICE_PASS, CC_HOST_PASS, CC_RTC_PASS };

// The list of names for precompiled_usable_rtc.
const char *precompiled_rtc_identifiers(const struct toolchain *t, struct arena *arena);

// The same for a program compiled at run time, in which no directory of the user's comes before
// kudzu's headers.
bool precompiled_usable_rtc(const struct toolchain *t, struct arena *arena,
                            const struct cc_options *o);

// Where the precompiled headers lie, and the path of the one of this kind.
const char *precompiled_directory(const struct toolchain *t, struct arena *arena);
const char *precompiled_path(const struct toolchain *t, struct arena *arena,
                             const struct cc_options *o, enum cc_pass pass, unsigned set);

// The key's first line; NULL: clang is not there.
const char *precompiled_key_line(const struct toolchain *t, struct arena *arena);
// The key's line for a file as it is now; NULL: it is not there.
const char *precompiled_key_file(struct arena *arena, const char *path);
// The text of the key if it is of this clang, behind its first line; else NULL.
char *precompiled_read_key(const struct toolchain *t, struct arena *arena);
// Whether all files that the key names are there and unchanged.
bool precompiled_is_fresh(struct arena *arena, const char *key);

// Headers that were precompiled, and what could change what they mean.
struct header_part {
    const char *key;         // the text
    const char *includes;    // the word of the lines with spellings of #include
    const char *identifiers; // the file
    const char *own;         // the directory of kudzu's headers
};

// Whether no option, no variable of the environment and none of the macros that the source defines
// ahead of them reaches these headers.
bool precompiled_fits(struct arena *arena, const struct header_part *p, const struct cc_options *o,
                      const cc_strings *defined);

// Whether options and environment allow precompiled headers at all.
bool precompiled_usable(const struct toolchain *t, struct arena *arena, const struct cc_options *o);

// The set of optional headers (header_sets.h) that a usable compilation of the source can start
// with.
unsigned precompiled_set(const struct toolchain *t, struct arena *arena, const struct cc_options *o,
                         const char *source);

// The precompiled header that fits the options of a usable compilation, NULL: none. For the device
// pass `arch` is its architecture.
const char *precompiled_header(const struct toolchain *t, struct arena *arena,
                               const struct cc_options *o, enum cc_pass pass, const char *arch,
                               unsigned set);

// Whether the pass's precompiled header is one for other options than these, which no header
// depends on (-rdc=true, -G, -fPIC): clang must not compare, and what it predefines is to be said
// behind the header.
bool precompiled_stands_for(const struct cc_options *o, enum cc_pass pass);
// Whether host code is for a shared library (-fPIC).
bool precompiled_is_shared(const struct cc_options *o);

// Whether a pass failed because of its precompiled header, by what it printed.
bool precompiled_header_refused(struct arena *arena, const cc_strings *diagnostics);

// What was found out about clang when the headers were precompiled: options for the directories of
// standard headers. False: the key is of another clang.
bool precompiled_directories(const struct toolchain *t, struct arena *arena, cc_strings *out);

#endif
