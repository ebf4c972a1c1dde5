#include "cc/compat/device_launches.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "cc/messages/clang_messages.h"
#include "cc/messages/launch_text.h"
#include "cc/processes/file_io.h"
#include "support/strbuf.h"
#include "support/vec.h"

// ---- Tokens -------------------------------------------------------------------------------

enum kind { WORD, NUMBER, QUOTED, SIGN, DIRECTIVE };

struct token {
    uint32_t at, end;
    uint8_t kind;
    bool device;   // in a function of device code
    bool in_macro; // in the body of a #define
};

typedef VEC(struct token) token_list;

struct text {
    struct arena *arena;
    const char *s;
    size_t size;
    token_list tokens;
    bool in_macro;
};

static bool is_word(char c) {
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Behind the comment or blanks at `at`, or `at`.
static size_t skip_blank(const struct text *t, size_t at) {
    const char *s = t->s;
    if (s[at] == ' ' || s[at] == '\t' || s[at] == '\n' || s[at] == '\r' || s[at] == '\f' ||
        s[at] == '\v')
        return at + 1;
    if (s[at] == '\\' && (s[at + 1] == '\n' || (s[at + 1] == '\r' && s[at + 2] == '\n')))
        return at + (s[at + 1] == '\n' ? 2 : 3);
    if (s[at] == '/' && s[at + 1] == '/') {
        while (at < t->size && s[at] != '\n')
            at += s[at] == '\\' && at + 1 < t->size ? 2 : 1;
        return at;
    }
    if (s[at] == '/' && s[at + 1] == '*') {
        const char *end = strstr(s + at + 2, "*/");
        return end ? (size_t)(end - s) + 2 : t->size;
    }
    return at;
}

static size_t skip_quoted(const struct text *t, size_t at) {
    char quote = t->s[at++];
    while (at < t->size && t->s[at] != quote && t->s[at] != '\n')
        at += t->s[at] == '\\' && at + 1 < t->size ? 2 : 1;
    return at < t->size ? at + 1 : at;
}

// R"mark( ... )mark"
static size_t skip_raw(const struct text *t, size_t at) {
    const char *open = strchr(t->s + at, '(');
    char mark[20] = ")";
    size_t n = open ? (size_t)(open - t->s) - at - 1 : sizeof mark;
    if (n > 16)
        return skip_quoted(t, at);
    memcpy(mark + 1, t->s + at + 1, n);
    mark[n + 1] = '"';
    const char *end = strstr(open, mark);
    return end ? (size_t)(end - t->s) + n + 2 : t->size;
}

static size_t end_of_line(const struct text *t, size_t at) {
    while (at < t->size && t->s[at] != '\n') {
        if (t->s[at] == '/' && t->s[at + 1] == '*')
            at = skip_blank(t, at);
        else
            at += t->s[at] == '\\' && at + 1 < t->size ? 2 : 1;
    }
    return at < t->size ? at : t->size;
}

static size_t sign_length(const char *s) {
    static const char *const signs[] = {"<<<", ">>>", "::", "->", "<<", ">>", "<=", ">=", "&&"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (!strncmp(s, signs[i], strlen(signs[i])))
            return strlen(signs[i]);
    return 1;
}

static size_t word_end(const struct text *t, size_t at) {
    while (at < t->size && is_word(t->s[at]))
        at++;
    return at;
}

static size_t number_end(const struct text *t, size_t at) {
    while (at < t->size &&
           (is_word(t->s[at]) || t->s[at] == '.' || (t->s[at] == '\'' && is_word(t->s[at + 1]))))
        at++;
    return at;
}

static void push(struct text *t, size_t at, size_t end, enum kind kind) {
    vec_push(t->arena, &t->tokens,
             (struct token){
                 .at = (uint32_t)at, .end = (uint32_t)end, .kind = kind, .in_macro = t->in_macro});
}

static size_t next_token(struct text *t, size_t at) {
    char c = t->s[at];
    size_t end;
    if (is_digit(c)) {
        push(t, at, end = number_end(t, at), NUMBER);
    } else if (is_word(c)) {
        end = word_end(t, at);
        if (t->s[end] == '"' && t->s[end - 1] == 'R' && end - at <= 3)
            push(t, at, end = skip_raw(t, end), QUOTED);
        else
            push(t, at, end, WORD);
    } else if (c == '"' || c == '\'') {
        push(t, at, end = skip_quoted(t, at), QUOTED);
    } else {
        push(t, at, end = at + sign_length(t->s + at), SIGN);
    }
    return end;
}

static bool directive_is(const struct text *t, const struct token *d, const char *name) {
    size_t at = d->at + 1;
    while (t->s[at] == ' ' || t->s[at] == '\t')
        at++;
    return !strncmp(t->s + at, name, strlen(name)) && !is_word(t->s[at + strlen(name)]);
}

// Of a #define the tokens follow, too.
static size_t read_directive(struct text *t, size_t at) {
    size_t end = end_of_line(t, at);
    push(t, at, end, DIRECTIVE);
    if (!directive_is(t, &t->tokens.data[t->tokens.len - 1], "define"))
        return end;
    t->in_macro = true;
    for (size_t k = at + 1; k < end;) {
        size_t next = skip_blank(t, k);
        k = next != k ? next : next_token(t, k);
    }
    t->in_macro = false;
    return end;
}

static void read_tokens(struct text *t) {
    bool line_start = true;
    for (size_t at = 0; at < t->size;) {
        size_t next = skip_blank(t, at);
        if (next != at) {
            line_start |= t->s[at] == '\n';
            at = next;
        } else if (line_start && t->s[at] == '#') {
            at = read_directive(t, at);
        } else {
            at = next_token(t, at);
            line_start = false;
        }
    }
}

static bool is(const struct text *t, uint32_t i, const char *what) {
    const struct token *k = &t->tokens.data[i];
    size_t n = strlen(what);
    return i < t->tokens.len && k->kind != DIRECTIVE && k->end - k->at == n &&
           !memcmp(t->s + k->at, what, n);
}

static bool is_any(const struct text *t, uint32_t i, const char *const *words, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (is(t, i, words[k]))
            return true;
    return false;
}

// ---- Which tokens are device code ---------------------------------------------------------

// Braces that are open, and what #if found, for its other branches.
enum { DEPTH = 256 };
struct scopes {
    bool device[DEPTH];
    unsigned depth;
    bool marked; // a specifier of device code since the last declaration ended
};

static void enter(struct scopes *s) {
    bool device = (s->depth && s->device[s->depth - 1]) || s->marked;
    if (s->depth < DEPTH)
        s->device[s->depth++] = device;
    s->marked = false;
}

static void step(const struct text *t, uint32_t i, struct scopes *s) {
    static const char *const marks[] = {"__global__", "__device__"};
    if (is(t, i, "{")) {
        enter(s);
    } else if (is(t, i, "}")) {
        s->depth -= s->depth > 0;
        s->marked = false;
    } else if (is(t, i, ";")) {
        s->marked = false;
    } else if (is_any(t, i, marks, 2)) {
        s->marked = true;
    }
}

static void mark_device_code(struct text *t) {
    struct scopes now = {0};
    struct scopes *saved = arena_array(t->arena, struct scopes, 32);
    unsigned ifs = 0;
    for (uint32_t i = 0; i < t->tokens.len; i++) {
        struct token *k = &t->tokens.data[i];
        if (k->kind == DIRECTIVE) {
            bool other = directive_is(t, k, "else") || directive_is(t, k, "elif");
            if (directive_is(t, k, "endif")) {
                ifs -= ifs > 0;
            } else if (other && ifs && ifs <= 32) {
                now = saved[ifs - 1];
            } else if (directive_is(t, k, "if") || directive_is(t, k, "ifdef") ||
                       directive_is(t, k, "ifndef")) {
                if (ifs++ < 32)
                    saved[ifs - 1] = now;
            }
        } else if (!k->in_macro) {
            step(t, i, &now);
            k->device = now.depth && now.device[now.depth - 1];
        }
    }
}

// ---- Where a launch begins and ends -------------------------------------------------------

enum { NOWHERE = UINT32_MAX };

// The bracket that the one at i closes.
static uint32_t match_back(const struct text *t, uint32_t i) {
    int depth = 0;
    for (;; i--) {
        if (is(t, i, ")") || is(t, i, "]") || is(t, i, "}"))
            depth++;
        else if ((is(t, i, "(") || is(t, i, "[") || is(t, i, "{")) && --depth == 0)
            return i;
        if (!i)
            return NOWHERE;
    }
}

// The '<' that the '>' at i closes.
static uint32_t match_angle_back(const struct text *t, uint32_t i) {
    int depth = 0;
    for (;; i--) {
        if (is(t, i, ")") || is(t, i, "]") || is(t, i, "}"))
            i = match_back(t, i);
        else if (is(t, i, ">") || is(t, i, ">>"))
            depth += is(t, i, ">") ? 1 : 2;
        else if (is(t, i, "<") && --depth <= 0)
            return i;
        if (i == NOWHERE || !i || is(t, i, ";") || is(t, i, "{"))
            return NOWHERE;
    }
}

// Whether what ends at i can be called or indexed, and so belongs to what follows.
static bool ends_operand(const struct text *t, uint32_t i) {
    static const char *const words[] = {"return", "else", "do", "case", "co_return", "throw"};
    static const char *const heads[] = {"if", "while", "for", "switch", "constexpr"};
    if (is(t, i, ")")) {
        uint32_t open = match_back(t, i);
        return open != NOWHERE && open > 0 && !is_any(t, open - 1, heads, 5);
    }
    return is(t, i, "]") ||
           (t->tokens.data[i].kind == WORD && !is_any(t, i, words, 6) && !is_any(t, i, heads, 5));
}

static uint32_t primary_start(const struct text *t, uint32_t i) {
    if (is(t, i, ">") || is(t, i, ">>")) {
        i = match_angle_back(t, i);
        return i == NOWHERE || !i || t->tokens.data[i - 1].kind != WORD ? NOWHERE : i - 1;
    }
    if (t->tokens.data[i].kind == WORD)
        return i;
    if (!is(t, i, ")") && !is(t, i, "]"))
        return NOWHERE;
    uint32_t open = match_back(t, i);
    if (open == NOWHERE || !open || !ends_operand(t, open - 1))
        return open;
    return primary_start(t, open - 1);
}

// The first token of the expression that ends at i.
static uint32_t expression_start(const struct text *t, uint32_t i) {
    for (;;) {
        i = primary_start(t, i);
        if (i == NOWHERE || !i)
            return i;
        if (is(t, i - 1, "template"))
            i--;
        bool member = is(t, i - 1, ".") || is(t, i - 1, "->");
        if (!member && !is(t, i - 1, "::"))
            return i;
        i--;
        bool qualified = i && (t->tokens.data[i - 1].kind == WORD || is(t, i - 1, ">"));
        if (!member && (!qualified || (!is(t, i - 1, ">") && !ends_operand(t, i - 1))))
            return i;
        if (!i--)
            return NOWHERE;
    }
}

// The bracket that closes the one at i.
static uint32_t match(const struct text *t, uint32_t i) {
    int depth = 0;
    for (; i < t->tokens.len; i++) {
        if (is(t, i, "(") || is(t, i, "[") || is(t, i, "{"))
            depth++;
        else if ((is(t, i, ")") || is(t, i, "]") || is(t, i, "}")) && --depth == 0)
            return i;
    }
    return NOWHERE;
}

// The parenthesis that ends the launch whose "<<<" is at i.
static uint32_t launch_end(const struct text *t, uint32_t i) {
    while (++i < t->tokens.len && !is(t, i, ";") && !is(t, i, ")") && !is(t, i, "}")) {
        if (is(t, i, "(") || is(t, i, "[") || is(t, i, "{")) {
            i = match(t, i);
            if (i == NOWHERE)
                return i;
        } else if (is(t, i, ">>>") && is(t, i + 1, "(")) {
            return match(t, i + 1);
        }
    }
    return NOWHERE;
}

// ---- Rewriting ----------------------------------------------------------------------------

// Functions of the device runtime that are given a kernel.
static bool takes_kernel(const struct text *t, uint32_t i) {
    static const char *const names[] = {
        "cudaFuncGetAttributes",
        "cudaLaunchDevice",
        "cudaGetParameterBufferV2",
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
        "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        "cudaOccupancyMaxPotentialBlockSize",
        "cudaOccupancyMaxPotentialBlockSizeVariableSMem",
    };
    return is_any(t, i, names, sizeof names / sizeof *names) && is(t, i + 1, "(");
}

struct edits {
    // For each token: launches, and calls of other functions, that begin there; what ends there.
    uint8_t *launches, *calls, *closes;
    bool any;
};

static void find_edits(const struct text *t, struct edits *e, bool everywhere) {
    e->launches = arena_alloc(t->arena, t->tokens.len + 1);
    e->calls = arena_alloc(t->arena, t->tokens.len + 1);
    e->closes = arena_alloc(t->arena, t->tokens.len + 1);
    for (uint32_t i = 1; i < t->tokens.len; i++) {
        bool launch = is(t, i, "<<<");
        if (!t->tokens.data[i].device && !(everywhere && launch))
            continue;
        uint32_t start = launch               ? expression_start(t, i - 1)
                         : takes_kernel(t, i) ? expression_start(t, i)
                                              : NOWHERE;
        uint32_t end = launch ? launch_end(t, i) : start == NOWHERE ? NOWHERE : match(t, i + 1);
        if (start == NOWHERE || end == NOWHERE)
            continue;
        e->launches[start] += launch;
        e->calls[start] += !launch;
        e->closes[end]++;
        e->any = true;
    }
}

static bool is_listed(const cc_strings *list, const char *entry) {
    for (uint32_t i = 0; i < list->len; i++)
        if (!strcmp(list->data[i], entry))
            return true;
    return false;
}

// The last token of the name at i, with its template arguments; NOWHERE where it is launched.
static uint32_t name_end(const struct text *t, uint32_t i) {
    int depth = 0;
    if (is(t, i + 1, "<")) {
        do {
            if (++i >= t->tokens.len)
                return NOWHERE;
            depth += is(t, i, "<") ? 1 : is(t, i, ">") ? -1 : is(t, i, ">>") ? -2 : 0;
        } while (depth > 0);
    }
    return is(t, i + 1, "<<<") ? NOWHERE : i;
}

// A kernel's name that is not launched: the function's address, with or without &.
static void find_addresses(const struct text *t, struct edits *e, const cc_strings *addresses,
                           const char *path) {
    uint32_t line = 1, seen = 0;
    for (uint32_t i = 0; i < t->tokens.len; i++) {
        const struct token *k = &t->tokens.data[i];
        for (; seen < k->at; seen++)
            line += t->s[seen] == '\n';
        if (k->kind != WORD ||
            !is_listed(addresses, arena_printf(t->arena, "%s:%u:%.*s", path, line,
                                               (int)(k->end - k->at), t->s + k->at)))
            continue;
        uint32_t start = expression_start(t, i), end = name_end(t, i);
        if (start == NOWHERE || end == NOWHERE)
            continue;
        if (start && is(t, start - 1, "&"))
            start--;
        e->calls[start]++;
        e->closes[end]++;
        e->any = true;
    }
}

static void apply(const struct text *t, const struct edits *e, struct strbuf *out) {
    size_t from = 0;
    for (uint32_t i = 0; i < t->tokens.len; i++) {
        const struct token *k = &t->tokens.data[i];
        if (e->launches[i] || e->calls[i]) {
            strbuf_append(out, t->s + from, k->at - from);
            from = k->at;
        }
        for (int n = 0; n < e->calls[i]; n++)
            strbuf_puts(out, launch_text_before_call);
        for (int n = 0; n < e->launches[i]; n++)
            strbuf_puts(out, launch_text_before_launch);
        if (e->closes[i]) {
            strbuf_append(out, t->s + from, k->end - from);
            from = k->end;
        }
        for (int n = 0; n < e->closes[i]; n++)
            strbuf_puts(out, launch_text_behind);
    }
    strbuf_append(out, t->s + from, t->size - from);
}

static bool has_addresses(const struct device_launches *found, const char *path) {
    size_t n = path ? strlen(path) : 0;
    for (uint32_t i = 0; found && n && i < found->addresses.len; i++)
        if (!strncmp(found->addresses.data[i], path, n) && found->addresses.data[i][n] == ':')
            return true;
    return false;
}

bool device_launches_rewrite(struct arena *arena, char **text, size_t *size, bool everywhere,
                             const struct device_launches *found, const char *path) {
    struct text t = {.arena = arena, .s = *text, .size = *size};
    struct edits e = {0};
    bool addresses = has_addresses(found, path);
    if (*size > INT32_MAX ||
        (!addresses && !strstr(*text, "<<<") && !strstr(*text, "cudaFuncGetAttributes") &&
         !strstr(*text, "cudaOccupancy") && !strstr(*text, "cudaLaunchDevice")))
        return false;
    read_tokens(&t);
    mark_device_code(&t);
    find_edits(&t, &e, everywhere);
    if (addresses)
        find_addresses(&t, &e, &found->addresses, path);
    if (!e.any)
        return false;
    struct strbuf out = {0};
    apply(&t, &e, &out);
    *size = out.len;
    *text = arena_strndup(arena, strbuf_str(&out), out.len);
    strbuf_free(&out);
    return true;
}

// ---- A second attempt ---------------------------------------------------------------------

// "path:1:2: error: ..." -> "path"; NULL: another line.
static const char *named_file(struct arena *arena, const char *line, size_t n) {
    for (size_t at = 1; at + 1 < n; at++) {
        size_t k = at;
        for (int numbers = 0; numbers < 2 && line[k] == ':' && is_digit(line[k + 1]); numbers++)
            for (k++; is_digit(line[k]);)
                k++;
        if (k > at && line[k] == ':' && line[k + 1] == ' ')
            return arena_strndup(arena, line, at);
    }
    return NULL;
}

static bool has_launches(struct arena *arena, const char *path) {
    char *text;
    size_t size;
    return is_readable_file(path) && read_file(arena, path, &text, &size) && strstr(text, "<<<");
}

static bool add_file(struct arena *arena, const char *path, cc_strings *files) {
    if (is_listed(files, path) || !has_launches(arena, path))
        return false;
    vec_push(arena, files, path);
    return true;
}

// "path:1:2: error: reference to __global__ function 'name<int>' in ..." -> "path:1:name". In
// functions of both sides addresses are taken as calls of the host are (messages/host_calls.h).
static bool add_address(struct arena *arena, const char *path, const char *line, size_t n,
                        cc_strings *addresses) {
    const char *message = strstr(line, ": error: reference to __global__ function '");
    if (!message || message >= line + n)
        return false;
    const char *both = strstr(message, "' in __host__ __device__ function");
    if (both && both < line + n)
        return false;
    const char *number = line + strlen(path) + 1, *name = strchr(message, '\'') + 1;
    const char *entry = arena_printf(arena, "%s:%.*s:%.*s", path, (int)strcspn(number, ":"), number,
                                     (int)strcspn(name, "<'"), name);
    if (is_listed(addresses, entry))
        return false;
    vec_push(arena, addresses, entry);
    return true;
}

bool device_launches_find(struct arena *arena, const cc_strings *diagnostics,
                          struct device_launches *found) {
    bool any = false;
    for (uint32_t i = 0; i < diagnostics->len; i++) {
        char *text;
        size_t size;
        if (!is_readable_file(diagnostics->data[i]) ||
            !read_file(arena, diagnostics->data[i], &text, &size) ||
            !strstr(text, " to __global__ function"))
            continue;
        clang_messages_uncolour(text);
        for (const char *line = text; *line;) {
            size_t n = strcspn(line, "\n");
            const char *path = named_file(arena, line, n);
            any |= path && add_file(arena, path, &found->files);
            any |= path && add_address(arena, path, line, n, &found->addresses);
            line += n + (line[n] == '\n');
        }
    }
    return any;
}
