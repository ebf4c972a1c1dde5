// The tokens of a source and of the files that it includes from beside it or from directories of
// -I, with the macros of these
// files replaced where that takes no more than text: what a file means to clang is clang's to say,
// but some rules can be seen in the text alone.
#ifndef KUDZU_CC_SOURCE_TOKENS_H
#define KUDZU_CC_SOURCE_TOKENS_H

#include <stdint.h>
#include <string.h>

#include "cc/processes/cc.h"
#include "support/vec.h"

enum { DEVICE = 1, HOST = 2, GLOBAL = 4 }; // execution spaces

struct token {
    const char *s;
    uint32_t n, line, column;
};
typedef VEC(struct token) token_list;

struct macro {
    const char *name; // in the text
    uint32_t length;
    unsigned spaces;
    bool takes_arguments;
    token_list parameters, body;
};

struct source_tokens {
    struct arena *arena;
    const cc_strings *options; // the preprocessor's
    cc_strings files;
    VEC(token_list) read; // of each file
    VEC(struct macro) macros;
    uint32_t *slots, slot_count; // numbers of macros, from 1, where the hashes of their names say
    token_list tokens;           // of the file at hand
};

// Reads the source and what it includes. `options`: of the preprocessor, for -I; may be NULL.
void source_tokens_read(struct source_tokens *s, struct arena *arena, const char *source,
                        const cc_strings *options);
// The same with this text in place of the source's, whose tokens, as they stand, are at hand then.
void source_tokens_read_text(struct source_tokens *s, struct arena *arena, const char *source,
                             const cc_strings *options, const char *text);
// Makes the k-th file the one at hand.
void source_tokens_select(struct source_tokens *s, uint32_t k, bool replace_macros);

static inline bool token_is(const struct source_tokens *s, uint32_t i, const char *what) {
    size_t n = strlen(what);
    return i < s->tokens.len && s->tokens.data[i].n == n && !memcmp(s->tokens.data[i].s, what, n);
}

bool token_is_name(const struct source_tokens *s, uint32_t i);
// Whether the "[" at i begins a lambda.
bool token_begins_lambda(const struct source_tokens *s, uint32_t i);
// The execution spaces that the word at i stands for, by itself or as a macro.
unsigned token_spaces(const struct source_tokens *s, uint32_t i);
// Whether the token at i is the word, or a macro whose body has it.
bool token_stands_for(const struct source_tokens *s, uint32_t i, const char *word);
// The bracket that closes the one at i; the number of tokens where there is none.
uint32_t token_match(const struct source_tokens *s, uint32_t i, const char *open,
                     const char *close);

// What braces enclose.
enum source_scope { OUTSIDE, IN_HOST, IN_DEVICE };

struct source_scopes {
    enum source_scope stack[256];
    uint32_t depth, statement; // where the statement at hand begins
};

// Steps over the token at i. To be called for each token in turn.
void source_scopes_step(struct source_scopes *scopes, const struct source_tokens *s, uint32_t i);

static inline enum source_scope source_scope_now(const struct source_scopes *scopes) {
    return scopes->stack[scopes->depth];
}

#endif
