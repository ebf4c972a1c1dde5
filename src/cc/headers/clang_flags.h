// The command lines of clang for each pass.
#ifndef KUDZU_CC_CLANG_FLAGS_H
#define KUDZU_CC_CLANG_FLAGS_H

#include "cc/compat/declared_spaces.h"
#include "cc/compat/device_launches.h"
#include "cc/compat/launch_tokens.h"
#include "cc/compat/lenient_words.h"
#include "cc/compat/unroll_counts.h"
#include "cc/options/options.h"
#include "cc/processes/command.h"
#include "cc/processes/toolchain.h"

struct compilation {
    const struct cc_options *options;
    const struct toolchain *toolchain;
    struct arena *arena;
    cc_strings standard_directories;        // options, where clang's own search is not right
    struct device_launches device_launches; // what earlier attempts have found
    struct declared_spaces declared_spaces; // the same
    struct unroll_counts unroll_counts;     // the same
    struct lenient_words lenient_words;     // the same
    cc_strings spelled_files;               // the same (launch_tokens_find)
    const char *own_libcudacxx; // of a program compiled at run time: where its libcu++ is found,
                                // ahead of kudzu's headers (NULL: it brings none)
    bool own_names; // an earlier attempt has found that `texture` and `surface` are the program's
                    // own
    bool group_atomics;    // the same: <cooperative_groups.h> has to bring <cuda/atomic>
    bool no_hints;         // an earlier attempt made clang crash: alignment is not told to it
    bool host_calls;       // an earlier attempt has found nothing but what host_calls.h tells of
    bool device_operators; // an earlier attempt has found operators that are ambiguous
    bool late_templates;   // an earlier attempt has found errors in templates that may not be used
    bool with_lines;       // an earlier attempt had messages without places: the passes know lines
    bool color;            // diagnostics go to a terminal in the end
    bool precompiled;      // precompiled headers may be used (precompiled.h)
    bool precompiling;     // they are being made
};

// The machine that host code is for; all of clang's commands that compile or link it have these.
void clang_host_machine(struct command *cmd, const struct cc_options *o);

// Prepares what all passes share (where standard headers are).
bool compilation_init(struct compilation *c, const struct cc_options *o, const struct toolchain *t,
                      struct arena *arena);

// For programs compiled at run time: reads no file but the precompiled headers' key.
void compilation_init_rtc(struct compilation *c, const struct cc_options *o,
                          const struct toolchain *t, struct arena *arena);

// What earlier attempts have found, together.
struct rewrites compilation_rewrites(const struct compilation *c);

// Device pass for one architecture, up to `-S`, `-emit-llvm -c` or what the caller adds.
void clang_device_pass(struct command *cmd, const struct compilation *c,
                       const struct architecture *arch, const char *source);
// A program compiled at run time, from `source` up to what the caller adds: no implicit header but
// the device language, and nothing of the C library (kudzu/rtc_language.h). system_headers: whether
// the system's headers are found, after all others; programs supply those that they are told are
// missing (Jitify), and do not find them with NVRTC either.
void clang_rtc_pass(struct command *cmd, const struct compilation *c,
                    const struct architecture *arch, const char *source, bool system_headers);
// Host pass of a .cu file. `image`: the container to embed, NULL: none; with -rdc it is bitcode.
void clang_host_pass(struct command *cmd, const struct compilation *c, const char *source,
                     const char *image);
// A C or C++ file; `language` is clang's -x.
void clang_plain_pass(struct command *cmd, const struct compilation *c, const char *source,
                      enum cc_language language);
// -M..., for the pass that writes `object` (NULL: the rule goes to -MF, or -o).
void clang_dependency_flags(struct command *cmd, const struct compilation *c, const char *source,
                            const char *object);
// Options of a device code generator run on bitcode: as clang_device_pass, without a source.
void clang_device_bitcode(struct command *cmd, const struct compilation *c,
                          const struct architecture *arch);

#endif
