#include "cc/compat/source_tokens.h"

#include <string.h>
#include <unistd.h>

#include "cc/processes/file_io.h"

enum { MOST_FILES = 256, MOST_TOKENS = 1 << 20, MOST_NESTED = 16 };
#define NOWHERE UINT32_MAX

// ---- Tokens -------------------------------------------------------------------------------

static bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool token_is_name(const struct source_tokens *s, uint32_t i) {
    return i < s->tokens.len && is_word(*s->tokens.data[i].s);
}

// ---- Macros by name -----------------------------------------------------------------------

// The slot of the macro that is called that, or the empty one for it: there are more slots than
// macros. Headers of a large project define thousands, and each name in them is looked up.
static uint32_t *slot_of(const struct source_tokens *s, const char *name, size_t n) {
    uint32_t hash = 2166136261U; // FNV-1a
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619U;
    for (uint32_t k = hash;; k++) {
        uint32_t *slot = &s->slots[k & (s->slot_count - 1)];
        const struct macro *m = *slot ? &s->macros.data[*slot - 1] : NULL;
        if (!m || (m->length == n && !memcmp(m->name, name, n)))
            return slot;
    }
}

static struct macro *macro_named(const struct source_tokens *s, const char *name, size_t n) {
    uint32_t number = s->slot_count ? *slot_of(s, name, n) : 0;
    return number ? &s->macros.data[number - 1] : NULL;
}

static void push_macro(struct source_tokens *s, struct macro m) {
    if (2 * s->macros.len >= s->slot_count) {
        s->slot_count = s->slot_count ? 2 * s->slot_count : 256;
        s->slots = arena_alloc(s->arena, s->slot_count * sizeof s->slots[0]);
        for (uint32_t k = 0; k < s->macros.len; k++)
            *slot_of(s, s->macros.data[k].name, s->macros.data[k].length) = k + 1;
    }
    uint32_t *slot = slot_of(s, m.name, m.length);
    vec_push(s->arena, &s->macros, m);
    *slot = s->macros.len;
}

// The execution spaces that a word stands for.
static unsigned spaces_of(const struct source_tokens *s, const char *word, size_t n) {
    static const struct {
        const char *name;
        unsigned spaces;
    } known[] = {{"__device__", DEVICE}, {"__host__", HOST}, {"__global__", GLOBAL}};
    for (size_t k = 0; k < 3; k++)
        if (strlen(known[k].name) == n && !memcmp(known[k].name, word, n))
            return known[k].spaces;
    const struct macro *m = macro_named(s, word, n);
    return m ? m->spaces : 0;
}

unsigned token_spaces(const struct source_tokens *s, uint32_t i) {
    return spaces_of(s, s->tokens.data[i].s, s->tokens.data[i].n);
}

// ---- Directives ---------------------------------------------------------------------------

static void add_file(struct source_tokens *s, const char *path) {
    for (uint32_t k = 0; k < s->files.len; k++)
        if (!strcmp(s->files.data[k], path))
            return;
    if (s->files.len < MOST_FILES)
        vec_push(s->arena, &s->files, path);
}

// In a directory of -I.
static void add_named_header(struct source_tokens *s, const char *name) {
    for (uint32_t k = 0; s->options && k < s->options->len; k++) {
        const char *directory = s->options->data[k];
        if (strncmp(directory, "-I", 2) != 0)
            continue;
        if (directory[2])
            directory += 2;
        else
            directory = k + 1 < s->options->len ? s->options->data[k + 1] : "";
        const char *path = arena_printf(s->arena, "%s/%s", directory, name);
        if (is_readable_file(path)) {
            add_file(s, path);
            return;
        }
    }
}

static void add_include(struct source_tokens *s, const char *from, const char *rest, size_t n) {
    const char *end = rest + n, *open = rest, *slash = strrchr(from, '/');
    while (open < end && *open != '"' && *open != '<')
        open++;
    bool quoted = open < end && *open == '"';
    const char *close =
        open < end ? memchr(open + 1, quoted ? '"' : '>', (size_t)(end - open - 1)) : NULL;
    if (!close)
        return;
    const char *name = arena_strndup(s->arena, open + 1, (size_t)(close - open - 1));
    const char *path = slash && *name != '/'
                           ? arena_printf(s->arena, "%.*s/%s", (int)(slash - from), from, name)
                           : name;
    if (quoted && is_readable_file(path))
        add_file(s, path);
    else
        add_named_header(s, name);
}

// Behind what is no code at `at`: a blank, a comment; or `at`.
static const char *skip_blank(const char *at) {
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    return *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n' ? at + 1 : at;
}

static const char *token_end(const char *at);

static token_list tokens_of(struct source_tokens *s, const char *at, const char *end) {
    token_list list = {0};
    for (const char *next; at < end; at = next) {
        next = *at == '\\' ? at + 1 : skip_blank(at);
        if (next == at) {
            next = token_end(at);
            vec_push(s->arena, &list, ((struct token){.s = at, .n = (uint32_t)(next - at)}));
        }
    }
    return list;
}

// #define NAME __host__ __device__, #define NAME(x) [=] __device__ { x; }: of several definitions
// the first that says something of execution spaces.
static void add_macro(struct source_tokens *s, const char *rest, size_t n) {
    const char *end = rest + n, *name = rest, *at;
    while (name < end && (*name == ' ' || *name == '\t'))
        name++;
    for (at = name; at < end && is_word(*at);)
        at++;
    struct macro m = {
        .name = name, .length = (uint32_t)(at - name), .takes_arguments = at < end && *at == '('};
    if (m.takes_arguments) {
        const char *close = memchr(at, ')', (size_t)(end - at));
        m.parameters = tokens_of(s, at + 1, close ? close : end);
        at = close ? close + 1 : end;
    }
    m.body = tokens_of(s, at, end);
    for (uint32_t i = 0; i < m.body.len; i++)
        m.spaces |= spaces_of(s, m.body.data[i].s, m.body.data[i].n);
    struct macro *other = macro_named(s, m.name, m.length);
    if (m.length && !other)
        push_macro(s, m);
    else if (m.length && !other->spaces && m.spaces)
        *other = m;
}

static void directive(struct source_tokens *s, const char *path, const char *line, size_t n) {
    size_t at = 1;
    while (at < n && (line[at] == ' ' || line[at] == '\t'))
        at++;
    if (n - at > 7 && !strncmp(line + at, "include", 7))
        add_include(s, path, line + at + 7, n - at - 7);
    else if (n - at > 6 && !strncmp(line + at, "define", 6))
        add_macro(s, line + at + 6, n - at - 6);
}

// ---- Reading ------------------------------------------------------------------------------

static const char *token_end(const char *at) {
    if (*at == '"' || *at == '\'') {
        char quote = *at++;
        while (*at && *at != quote && *at != '\n')
            at += *at == '\\' && at[1] ? 2 : 1;
        return at + (*at == quote);
    }
    if (is_word(*at)) {
        while (is_word(*at))
            at++;
        return at;
    }
    return at + (!strncmp(at, "->", 2) || !strncmp(at, "::", 2) ? 2 : 1);
}

static void read_tokens(struct source_tokens *s, const char *path, const char *text) {
    uint32_t line = 1;
    const char *start = text; // of the line
    bool begins = true;
    for (const char *at = text; *at;) {
        const char *next = skip_blank(at);
        if (next == at && *at == '#' && begins) {
            next = at + strcspn(at, "\n");
            while (next > at && next[-1] == '\\' && *next)
                next += 1 + strcspn(next + 1, "\n");
            directive(s, path, at, (size_t)(next - at));
        } else if (next == at) {
            next = token_end(at);
            struct token t = {at, (uint32_t)(next - at), line, (uint32_t)(at - start) + 1};
            vec_push(s->arena, &s->tokens, t);
            begins = false;
        }
        for (; at < next; at++)
            if (*at == '\n')
                line++, start = at + 1, begins = true;
    }
}

// ---- Macros -------------------------------------------------------------------------------

// The nth argument between the brackets at `open` and `close`, or all from there on.
static void argument(const token_list *t, uint32_t open, uint32_t close, uint32_t nth, bool rest,
                     uint32_t *begin, uint32_t *end) {
    int depth = 0;
    *begin = *end = open + 1;
    for (uint32_t i = open + 1; i < close; i++) {
        char c = t->data[i].n == 1 ? *t->data[i].s : 0;
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth == 0 && !(rest && nth == 0)) {
            if (nth-- == 0)
                return;
            *begin = i + 1;
        }
        *end = i + 1;
    }
    if (nth)
        *begin = *end;
}

static bool same(const struct token *t, const char *word, size_t n) {
    return t->n == n && !memcmp(t->s, word, n);
}

// The macro's body, arguments in the place of parameters.
static token_list substituted(struct source_tokens *s, const struct macro *m,
                              const token_list *from, uint32_t open, uint32_t close) {
    token_list out = {0};
    for (uint32_t i = 0; i < m->body.len; i++) {
        const struct token *t = &m->body.data[i];
        uint32_t nth = 0, k = 0, begin = 0, end = 0;
        bool found = false, rest = same(t, "__VA_ARGS__", 11);
        for (; k < m->parameters.len && !found; k++) {
            const struct token *p = &m->parameters.data[k];
            nth += same(p, ",", 1);
            found = rest ? *p->s == '.' : is_word(*p->s) && same(p, t->s, t->n);
        }
        if (found)
            argument(from, open, close, nth, rest, &begin, &end);
        else
            vec_push(s->arena, &out, *t);
        for (; begin < end; begin++)
            vec_push(s->arena, &out, from->data[begin]);
    }
    return out;
}

static uint32_t closing(const token_list *t, uint32_t i) {
    int depth = 0;
    for (; i < t->len; i++) {
        depth += same(&t->data[i], "(", 1) ? 1 : same(&t->data[i], ")", 1) ? -1 : 0;
        if (!depth)
            return i;
    }
    return 0;
}

// Appends the tokens to s->tokens, macros replaced. clang takes all that a macro expands to, its
// arguments too, to stand at the macro's name: `place`, where the tokens come from one.
static void expand(struct source_tokens *s, const token_list *from, const struct token *place,
                   unsigned depth) {
    for (uint32_t i = 0; i < from->len && s->tokens.len < MOST_TOKENS; i++) {
        struct token t = from->data[i];
        const struct macro *m =
            depth < MOST_NESTED && is_word(*t.s) ? macro_named(s, t.s, t.n) : NULL;
        bool called = m && i + 1 < from->len && same(&from->data[i + 1], "(", 1);
        uint32_t close = called && m->takes_arguments ? closing(from, i + 1) : 0;
        if (place) {
            t.line = place->line;
            t.column = place->column;
        }
        if (m && (close || !m->takes_arguments)) {
            token_list body = close ? substituted(s, m, from, i + 1, close) : m->body;
            expand(s, &body, &t, depth + 1);
            i = close ? close : i;
        } else {
            vec_push(s->arena, &s->tokens, t);
        }
    }
}

// ---- What tokens are ----------------------------------------------------------------------

// What ends an operand is indexed by "[".
bool token_begins_lambda(const struct source_tokens *s, uint32_t i) {
    return token_is(s, i, "[") && i &&
           !(token_is(s, i - 1, ")") || token_is(s, i - 1, "]") || token_is(s, i - 1, "[")) &&
           (!token_is_name(s, i - 1) || token_is(s, i - 1, "return") ||
            token_is(s, i - 1, "co_return"));
}

bool token_stands_for(const struct source_tokens *s, uint32_t i, const char *word) {
    const struct token *t = &s->tokens.data[i];
    const struct macro *m = token_is_name(s, i) ? macro_named(s, t->s, t->n) : NULL;
    for (uint32_t k = 0; m && k < m->body.len; k++)
        if (same(&m->body.data[k], word, strlen(word)))
            return true;
    return token_is(s, i, word);
}

uint32_t token_match(const struct source_tokens *s, uint32_t i, const char *open,
                     const char *close) {
    int depth = 0;
    for (; i < s->tokens.len; i++) {
        depth += token_is(s, i, open) ? 1 : token_is(s, i, close) ? -1 : 0;
        if (!depth)
            return i;
    }
    return i;
}

// ---- Scopes -------------------------------------------------------------------------------

// Execution spaces among the tokens of [from, to).
static unsigned spaces_between(const struct source_tokens *s, uint32_t from, uint32_t to) {
    unsigned spaces = 0;
    for (; from < to; from++)
        spaces |= token_spaces(s, from);
    return spaces;
}

// What the braces that follow the tokens of [from, i) enclose: a function or lambda has
// parentheses, or a lambda's brackets, before them. Of several lambdas in a statement the last one
// begins here.
static enum source_scope scope_of(const struct source_tokens *s, uint32_t from, uint32_t i,
                                  enum source_scope outer) {
    bool parentheses = false, type = false;
    uint32_t captures = NOWHERE;
    if (outer == IN_DEVICE)
        return outer;
    for (uint32_t k = from; k < i; k++) {
        if (token_begins_lambda(s, k))
            captures = k;
        parentheses |= token_is(s, k, "(");
        type |= !parentheses &&
                (token_is(s, k, "namespace") || token_is(s, k, "struct") ||
                 token_is(s, k, "class") || token_is(s, k, "union") || token_is(s, k, "enum"));
    }
    if (outer == IN_HOST && captures != NOWHERE)
        from = captures;
    else if (!parentheses)
        return outer == IN_HOST && !type ? IN_HOST : OUTSIDE;
    unsigned spaces = spaces_between(s, from, i);
    return (spaces & GLOBAL) || (spaces & (DEVICE | HOST)) == DEVICE ? IN_DEVICE : IN_HOST;
}

void source_scopes_step(struct source_scopes *scopes, const struct source_tokens *s, uint32_t i) {
    const uint32_t most = sizeof scopes->stack / sizeof scopes->stack[0] - 1;
    if (token_is(s, i, "{")) {
        enum source_scope inner = scope_of(s, scopes->statement, i, source_scope_now(scopes));
        scopes->depth += scopes->depth < most;
        scopes->stack[scopes->depth] = inner;
    } else if (token_is(s, i, "}")) {
        scopes->depth -= scopes->depth > 0;
    } else if (!token_is(s, i, ";")) {
        return;
    }
    scopes->statement = i + 1;
}

// ---- Files --------------------------------------------------------------------------------

static void read_files(struct source_tokens *s, struct arena *arena, const char *source,
                       const cc_strings *options, const char *given) {
    *s = (struct source_tokens){.arena = arena, .options = options};
    vec_push(arena, &s->files, source);
    for (uint32_t k = 0; k < s->files.len; k++) {
        char *text;
        size_t size;
        s->tokens = (token_list){0};
        if (given && k == 0)
            read_tokens(s, source, given);
        else if (is_readable_file(s->files.data[k]) &&
                 read_file(arena, s->files.data[k], &text, &size))
            read_tokens(s, s->files.data[k], text);
        vec_push(arena, &s->read, s->tokens);
    }
}

void source_tokens_read(struct source_tokens *s, struct arena *arena, const char *source,
                        const cc_strings *options) {
    read_files(s, arena, source, options, NULL);
}

void source_tokens_read_text(struct source_tokens *s, struct arena *arena, const char *source,
                             const cc_strings *options, const char *text) {
    read_files(s, arena, source, options, text);
    source_tokens_select(s, 0, false);
}

void source_tokens_select(struct source_tokens *s, uint32_t k, bool replace_macros) {
    s->tokens = replace_macros ? (token_list){0} : s->read.data[k];
    if (replace_macros)
        expand(s, &s->read.data[k], NULL, 0);
}
