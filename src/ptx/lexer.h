// PTX text to tokens, one at a time. Copying a struct ptx_lexer saves its place.
#ifndef KUDZU_PTX_LEXER_H
#define KUDZU_PTX_LEXER_H

#include "ptx/ast.h"

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_NAME,      // identifier with what hangs on it: add.s32, %tid.x, foo, _
    PTX_TOKEN_DIRECTIVE, // .reg, .L2::128B
    PTX_TOKEN_INT,       // value
    PTX_TOKEN_F32,       // 0f...: value is the bits
    PTX_TOKEN_F64,       // 0d... or decimal: value is the bits
    PTX_TOKEN_STRING,    // text without the quotes, escapes untouched
    PTX_TOKEN_PUNCT,     // one character
    PTX_TOKEN_BAD        // text tells what is wrong
};

struct ptx_token {
    uint8_t kind;
    bool is_unsigned; // integer with suffix U
    char punct;       // PTX_TOKEN_PUNCT
    const char *text;
    uint32_t len;
    uint64_t value;
    struct ptx_pos pos;
};

struct ptx_lexer {
    const char *at, *end;
    const char *line_start;
    uint32_t line;
};

void ptx_lexer_init(struct ptx_lexer *l, const char *text, size_t len);
struct ptx_token ptx_lexer_next(struct ptx_lexer *l);

#endif
