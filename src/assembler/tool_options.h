// Command lines of CUDA's tools: "--name value", "--name=value", "-short=value", "-O3", and files
// with more of them (--options-file, -optf).
#ifndef KUDZU_ASSEMBLER_TOOL_OPTIONS_H
#define KUDZU_ASSEMBLER_TOOL_OPTIONS_H

#include "assembler/tool_log.h"
#include "support/arena.h"
#include "support/vec.h"

enum tool_option_kind {
    TOOL_FLAG,   // takes no value
    TOOL_SWITCH, // true or false, or no value: true
    TOOL_VALUE,  // takes one
    TOOL_JOINED, // takes one, which may follow a short name of one letter without a space: -O3
};

struct tool_option {
    const char *name, *brief; // without dashes; brief may be NULL
    enum tool_option_kind kind;
    int id;           // 0: accepted without effect
    const char *help; // NULL: as told for those without effect
};

// The function that is told of each option with a number (value "" for a flag), and of each file
// (number 0). False: it has reported an error.
typedef bool (*tool_option_taken)(void *user, int id, const char *value);

struct tool_options {
    struct arena *arena;
    struct tool_log *log;
    const struct tool_option *options;
    size_t n;
    tool_option_taken take;
    void *user;
};

// False: an option is not known, has no value or a wrong one, or a file of options cannot be read.
bool tool_options_read(const struct tool_options *o, int argc, const char *const *argv);
// On stdout, by name.
void tool_options_help(const struct tool_option *options, size_t n);
// Splits text as files of options are: at white space, but not in quotes; a backslash takes the
// next character as it is.
typedef VEC(const char *) tool_words;
void tool_words_split(struct arena *arena, const char *text, tool_words *words);

#endif
