#include "cc/lenient_words.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cc/clang_messages.h"
#include "cc/launch_tokens.h"
#include "cc/source_tokens.h"
#include "support/strbuf.h"

static bool is_word_char(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t word_length(const char *at) {
    size_t n = 0;
    while (is_word_char(at[n]))
        n++;
    return n;
}

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " \t\r\n");
}

static const char *line_start(const char *text, uint32_t line) {
    while (--line && text)
        text = (text = strchr(text, '\n')) ? text + 1 : NULL;
    return text;
}

// One file may have several names, and clang chooses another one than we.
static const char *full_path(struct arena *arena, const char *path) {
    char full[PATH_MAX];
    return realpath(path, full) ? arena_strdup(arena, full) : path;
}

// ---- Words of a line ----------------------------------------------------------------------

static bool is_same_word(const char *at, const char *word, size_t n) {
    return word_length(at) == n && !memcmp(at, word, n);
}

// How often the word at `at` stands before it on its line.
static uint32_t count_before(const char *line, const char *at) {
    size_t n = word_length(at);
    uint32_t count = 0;
    for (const char *s = line; s < at; s += word_length(s) ? word_length(s) : 1)
        count += is_same_word(s, at, n);
    return count;
}

static const char *find_word(const char *text, const struct lenient_word *w) {
    size_t n = strlen(w->word);
    uint32_t nth = w->nth;
    const char *s = line_start(text, w->line);
    for (; s && *s && *s != '\n'; s += word_length(s) ? word_length(s) : 1)
        if (is_same_word(s, w->word, n) && nth-- == 0)
            return s;
    return NULL;
}

// ---- Rewriting ----------------------------------------------------------------------------

// Behind the arrow of `this->`; NULL: it is another use of `this`.
static const char *behind_arrow(const char *word) {
    const char *arrow = skip_blanks(word + 4);
    const char *name = skip_blanks(arrow + 2);
    return !strncmp(arrow, "->", 2) && word_length(name) ? arrow + 2 : NULL;
}

// What stands for the word at `at`, and the position behind it.
static const char *put_instead(struct strbuf *out, const char *at, enum lenient_kind kind) {
    const char *end = kind == LENIENT_THIS ? behind_arrow(at) : at + word_length(at);
    if (!end)
        return at;
    switch (kind) {
    case LENIENT_TEMPLATE:
        strbuf_puts(out, "template ");
        strbuf_append(out, at, (size_t)(end - at));
        break;
    case LENIENT_THIS:
        strbuf_puts(out, "__kudzu_class<decltype(*this)>::type::");
        for (const char *s = at; s < end; s++) // lines stay
            if (*s == '\n')
                strbuf_puts(out, "\n");
        break;
    case LENIENT_CONSTANT:
        strbuf_puts(out, "/*constexpr*/");
        break;
    }
    return end;
}

struct place {
    const char *at;
    enum lenient_kind kind;
};

static int compare_places(const void *a, const void *b) {
    const char *x = ((const struct place *)a)->at, *y = ((const struct place *)b)->at;
    return (x > y) - (x < y);
}

bool lenient_words_rewrite(struct arena *arena, char **text, size_t *size,
                           const struct lenient_words *found, const char *path) {
    VEC(struct place) places = {0};
    const char *full = found->list.len ? full_path(arena, path) : path;
    for (uint32_t i = 0; i < found->list.len; i++) {
        const struct lenient_word *w = &found->list.data[i];
        const char *at = strcmp(w->path, full) ? NULL : find_word(*text, w);
        if (at)
            vec_push(arena, &places, ((struct place){at, w->kind}));
    }
    if (!places.len)
        return false;
    qsort(places.data, places.len, sizeof places.data[0], compare_places);
    struct strbuf out = {0};
    const char *from = *text;
    for (uint32_t i = 0; i < places.len; i++) {
        strbuf_append(&out, from, (size_t)(places.data[i].at - from));
        from = put_instead(&out, places.data[i].at, places.data[i].kind);
    }
    strbuf_append(&out, from, *size - (size_t)(from - *text));
    *size = out.len;
    *text = arena_strndup(arena, strbuf_str(&out), out.len);
    strbuf_free(&out);
    return true;
}

// ---- Messages -----------------------------------------------------------------------------

struct search {
    struct arena *arena;
    const struct rewrites *read;
    const char *path; // of the last file that a message was about
    char *text;       // as clang read it
};

static bool open_file(struct search *s, const char *path) {
    size_t size;
    if (!s->path || strcmp(s->path, path) != 0)
        s->path = launch_tokens_read(s->arena, path, s->read, &s->text, &size) ? path : NULL;
    return s->path != NULL;
}

static bool begins_with(const char *text, const char *what) {
    return !strncmp(text, what, strlen(what));
}

static const char *place_of(struct search *s, const struct clang_message *m) {
    const char *line = open_file(s, m->path) ? line_start(s->text, m->line) : NULL;
    return line && m->column <= strcspn(line, "\n") ? line + m->column - 1 : NULL;
}

// `f<...>(`, `operator()<...>(`: a template's argument list that was taken for a comparison.
static bool is_template_call(const char *at) {
    if (is_same_word(at, "operator", 8))
        at = skip_blanks(at + 8) + 1; // behind "("
    at = skip_blanks(at + word_length(at));
    at = skip_blanks(at + (*at == ')'));
    size_t n = strcspn(at, ";{}>");
    return *at == '<' && at[n] == '>' && *skip_blanks(at + n + 1) == '(';
}

static bool ends_statement(const struct source_tokens *s, uint32_t i) {
    return token_is(s, i, ";") || token_is(s, i, "{") || token_is(s, i, "}");
}

// The `constexpr` of the function around `at`, if that is a template or in one.
static const char *constant_around(struct search *s, const char *at) {
    struct source_tokens t;
    const char *word = NULL;
    bool in_template = false;
    uint32_t i = 0, depth = 0;
    source_tokens_read_text(&t, s->arena, s->path, NULL, s->text);
    while (i < t.tokens.len && t.tokens.data[i].s < at)
        i++;
    while (i--) {
        depth += token_is(&t, i, "}");
        if (!token_is(&t, i, "{") || (depth && depth--))
            continue;
        for (uint32_t k = i; k && !ends_statement(&t, k - 1); k--) {
            bool own = token_is(&t, k - 1, "constexpr") && (k < 2 || !token_is(&t, k - 2, "if"));
            word = own && !word ? t.tokens.data[k - 1].s : word;
            in_template |= token_is(&t, k - 1, "template");
        }
    }
    return in_template ? word : NULL;
}

// The word that the message is about, if it is of one of the kinds.
static const char *word_of(struct search *s, const struct clang_message *m,
                           enum lenient_kind *kind) {
    bool name = begins_with(m->text, "use 'template' keyword to treat '") ||
                begins_with(m->text, "missing 'template' keyword prior to dependent template");
    bool call = begins_with(m->text, "reference to non-static member function must be called");
    bool self = begins_with(m->text, "use of 'this' pointer is only allowed within the evaluation");
    bool variable = begins_with(m->text, "variable of non-literal type '") &&
                    strstr(m->text, "cannot be defined in a constexpr function before");
    const char *at = name || call || self || variable ? place_of(s, m) : NULL;
    if (!at || !word_length(at))
        return NULL;
    *kind = self ? LENIENT_THIS : variable ? LENIENT_CONSTANT : LENIENT_TEMPLATE;
    if (variable)
        return constant_around(s, at);
    if (self)
        return is_same_word(at, "this", 4) && behind_arrow(at) ? at : NULL;
    return name || is_template_call(at) ? at : NULL;
}

static bool is_listed(const struct lenient_words *found, const struct lenient_word *w) {
    for (uint32_t i = 0; i < found->list.len; i++) {
        const struct lenient_word *o = &found->list.data[i];
        if (o->line == w->line && o->nth == w->nth && o->kind == w->kind &&
            !strcmp(o->word, w->word) && !strcmp(o->path, w->path))
            return true;
    }
    return false;
}

bool lenient_words_find(struct arena *arena, const cc_strings *diagnostics,
                        const struct rewrites *read, struct lenient_words *found) {
    struct lenient_words before = *found;
    struct rewrites same = *read;
    struct search s = {.arena = arena, .read = &same};
    clang_messages messages = {0};
    same.words = &before; // what joins `found` now is not in the text
    clang_messages_read(arena, diagnostics, &messages);
    for (uint32_t i = 0; i < messages.len; i++) {
        enum lenient_kind kind;
        const char *at = word_of(&s, &messages.data[i], &kind), *line = at;
        if (!at)
            continue;
        while (line > s.text && line[-1] != '\n')
            line--;
        struct lenient_word w = {.path = full_path(arena, s.path),
                                 .word = arena_strndup(arena, at, word_length(at)),
                                 .line = 1,
                                 .nth = count_before(line, at),
                                 .kind = kind};
        for (const char *c = s.text; c < line; c++)
            w.line += *c == '\n';
        if (!is_listed(found, &w))
            vec_push(arena, &found->list, w);
    }
    return found->list.len != before.list.len;
}
