// What clang said, message by message, from the files that its passes wrote it to.
#ifndef KUDZU_CC_CLANG_MESSAGES_H
#define KUDZU_CC_CLANG_MESSAGES_H

#include <stdint.h>

#include "cc/processes/cc.h"

struct clang_message {
    const char *path; // as clang names the file
    uint32_t line, column;
    bool note, error; // otherwise a warning
    const char *text; // without "error: " before it, and without colours
};
typedef VEC(struct clang_message) clang_messages;

// Those with a place, in their order. Lines of source that clang shows are left out.
void clang_messages_read(struct arena *arena, const cc_strings *files, clang_messages *out);

// "error: path:1:2: text", as the plugin's messages come, in clang's form; another line as it is.
const char *clang_message_place_first(struct arena *arena, const char *line);

// Takes the escape sequences of coloured messages out of a text.
void clang_messages_uncolour(char *text);

// Whether a message of the kind, "error: " or "warning: ", names no place: those of the plugin,
// which knows lines when clang keeps them.
bool clang_messages_lack_places(struct arena *arena, const cc_strings *files, const char *kind);

#endif
