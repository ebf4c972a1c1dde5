// What clang reads in another way than nvcc: launches with spaces inside their brackets (`<< <`),
// alignments after specifiers, launches in device code (device_launches.h), declarations that lack
// execution spaces (declared_spaces.h), loops' pragmas (unroll_counts.h), words that are left out
// (lenient_words.h).
#ifndef KUDZU_CC_LAUNCH_TOKENS_H
#define KUDZU_CC_LAUNCH_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "cc/compat/declared_spaces.h"
#include "cc/compat/device_launches.h"
#include "cc/compat/lenient_words.h"
#include "cc/compat/unroll_counts.h"
#include "cc/processes/cc.h"
#include "support/arena.h"

// A file that is not on disk, with its text as clang reads it but for lenient words.
struct memory_text {
    const char *path; // as clang names it, without "." and ".." in it
    const char *text;
};
typedef VEC(struct memory_text) memory_texts;

// What earlier attempts have found, in the source and other files.
struct rewrites {
    const struct device_launches *launches;
    const struct declared_spaces *spaces;
    const struct unroll_counts *counts;
    const struct lenient_words *words;
    const memory_texts *memory; // NULL: all files are on disk
    const cc_strings *spelled;  // launch_tokens_find; NULL: the source alone
};

// Files beside the source whose launches or alignments are written as clang does not read them,
// which its messages (in `diagnostics`) name: they join `files`, for another attempt. False: there
// is nothing new.
bool launch_tokens_find(struct arena *arena, const char *source, const cc_strings *diagnostics,
                        cc_strings *files);

// Whether the file is one of those in memory, by any path that leads to it.
const struct memory_text *memory_text_find(struct arena *arena, const struct rewrites *found,
                                           const char *path);

// When the source has such places: the path of an overlay file (-ivfsoverlay) under which it is
// read as clang wants it, with every line where it was. NULL: there is nothing to change, or it
// cannot be read (then clang says so).
const char *launch_tokens_overlay(struct arena *arena, const char *source,
                                  const struct rewrites *found);

// The file's text as clang reads it under that overlay. False: it cannot be read.
bool launch_tokens_read(struct arena *arena, const char *path, const struct rewrites *found,
                        char **text, size_t *size);

// The file's text before declarations get execution spaces. False: it cannot be read.
bool launch_tokens_text(struct arena *arena, const char *path, const struct device_launches *found,
                        char **text, size_t *size);

// The same as in an overlay for text in memory, which is changed or replaced; `found` may be NULL.
// False: there was nothing to do.
bool launch_tokens_rewrite(struct arena *arena, char **text, size_t *size, bool everywhere,
                           const struct device_launches *found, const char *path);

#endif
