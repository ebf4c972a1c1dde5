#include "cc/compat/lenient_words.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cc/compat/attribute_lists.h"
#include "cc/compat/launch_tokens.h"
#include "cc/compat/source_tokens.h"
#include "cc/messages/clang_messages.h"
#include "cc/processes/file_io.h"
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
    return realpath(path, full) ? arena_strdup(arena, full) : path_without_dots(arena, path);
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

static bool is_pointer_qualifier(const char *at, size_t n) {
    static const char *const words[] = {"const", "volatile", "__restrict__", "__restrict",
                                        "restrict"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (n == strlen(words[i]) && !memcmp(at, words[i], n))
            return true;
    return false;
}

// The asterisk that makes the name at `name` a pointer's, with nothing but its qualifiers between
// them; NULL: there is none after `text`.
static const char *asterisk_before(const char *text, const char *name) {
    for (;;) {
        while (name > text && strchr(" \t\r\n", name[-1]))
            name--;
        if (name > text && name[-1] == '*')
            return name - 1;
        const char *word = name;
        while (word > text && is_word_char(word[-1]))
            word--;
        if (!is_pointer_qualifier(word, (size_t)(name - word)))
            return NULL;
        name = word;
    }
}

// `* const p` at the end of what has been written becomes blanks, and lines stay.
static void blank_pointer(struct strbuf *out) {
    char *end = out->data + out->len, *at = (char *)asterisk_before(out->data, end);
    for (; at && at < end; at++)
        *at = *at == '\n' ? '\n' : ' ';
}

// ---- Shared objects that are not initialised ----------------------------------------------

static const char *skip_group(const char *at) {
    int depth = 0;
    do {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
    } while (*at && *at++ != ';' && depth > 0);
    return at;
}

// Behind the specifiers that follow __shared__: there the type begins.
static const char *skip_specifiers(const char *at) {
    static const char *const plain[] = {"static", "__device__"};
    static const char *const grouped[] = {"alignas", "_Alignas", "__align__", "__attribute__"};
    for (bool known = true; known;) {
        known = false;
        at = skip_blanks(at);
        for (size_t i = 0; i < sizeof plain / sizeof plain[0] && !known; i++)
            if ((known = is_same_word(at, plain[i], strlen(plain[i]))))
                at += word_length(at);
        for (size_t i = 0; i < sizeof grouped / sizeof grouped[0] && !known; i++)
            if ((known = is_same_word(at, grouped[i], strlen(grouped[i]))))
                at = skip_group(skip_blanks(at + word_length(at)));
    }
    return at;
}

// A declaration `__shared__ specifiers type name[sizes], ...;`.
struct shared_objects {
    const char *from, *type, *first; // where the specifiers, the type and the first name begin
    bool macro;                      // it stands in a macro's definition
};

static bool is_in_directive(const char *text, const char *at) {
    for (;;) {
        const char *line = at;
        while (line > text && line[-1] != '\n')
            line--;
        if (line == text || line - text < 2 || line[-2] != '\\')
            return *skip_blanks(line) == '#';
        at = line - 2;
    }
}

// The name before the first comma or size, where there is one before `end`.
static const char *first_name(const char *type, const char *end) {
    int depth = 0;
    const char *name = end;
    for (const char *s = type; s < end; s += word_length(s) ? word_length(s) : 1) {
        depth += (*s == '<' || *s == '(') - (*s == '>' || *s == ')');
        if (depth == 0 && (*s == ',' || *s == '['))
            return name;
        if (word_length(s))
            name = s;
    }
    return end;
}

// False: the declaration that has `name`, after `text`, is not of that form.
static bool find_shared(const char *text, const char *name, struct shared_objects *found) {
    static const char word[] = "__shared__";
    const char *from = name;
    while (from > text && !strchr(";{}=", from[-1]) &&
           !(is_same_word(from, word, sizeof word - 1) && !is_word_char(from[-1])))
        from--;
    if (!is_same_word(from, word, sizeof word - 1))
        return false;
    const char *type = skip_specifiers(from + sizeof word - 1);
    *found =
        (struct shared_objects){from, type, first_name(type, name), is_in_directive(text, name)};
    return type < name;
}

// A macro's definition ends with its line.
static const char *skip_blanks_of(const struct shared_objects *s, const char *at) {
    if (!s->macro)
        return skip_blanks(at);
    while (*at == ' ' || *at == '\t' || (*at == '\\' && at[1] == '\n'))
        at += *at == '\\' ? 2 : 1;
    return at;
}

// Behind the sizes of an array, and blanks.
static const char *behind_sizes(const struct shared_objects *s, const char *at) {
    for (at = skip_blanks_of(s, at); *at == '['; at = skip_blanks_of(s, at))
        at = skip_group(at);
    return at;
}

// Whether from `at` on there are names and sizes alone.
static bool are_plain(const struct shared_objects *s, const char *at) {
    for (;; at = skip_blanks_of(s, at + 1)) {
        size_t n = word_length(at);
        at = behind_sizes(s, at + n);
        if (n == 0 || *at != ',')
            return n && (*at == ';' || (s->macro && (*at == '\n' || *at == 0)));
    }
}

static void put_flat(struct strbuf *out, const char *from, const char *to) {
    for (; from < to; from++)
        strbuf_append(out, *from == '\n' || *from == '\\' ? " " : from, 1);
}

// `C a[4]` becomes `::kudzu::unset<C [4]> kudzu_unset_a; auto &a = kudzu_unset_a.object`, and each
// of several gets a declaration of its own.
static const char *put_unset(struct strbuf *out, const char *at) {
    struct shared_objects s;
    struct strbuf whole = {0};
    if (!find_shared(out->data, out->data + out->len, &s) || !are_plain(&s, at) ||
        s.first != out->data + out->len)
        return at; // the first name's declaration has all
    strbuf_append(&whole, out->data, (size_t)(s.type - out->data));
    for (bool first = true;; first = false) {
        int n = (int)word_length(at);
        const char *end = at + n, *behind = behind_sizes(&s, end), *join = s.macro ? "##" : "";
        if (!first)
            put_flat(&whole, s.from, s.type);
        strbuf_puts(&whole, "::kudzu::unset<");
        if (first)
            strbuf_puts(&whole, s.type);
        else
            put_flat(&whole, s.type, out->data + out->len);
        strbuf_append(&whole, end, (size_t)(behind - end));
        strbuf_printf(&whole, "> kudzu_unset_%s%.*s; auto &%.*s = kudzu_unset_%s%.*s.object", join,
                      n, at, n, at, join, n, at);
        at = behind;
        if (*behind != ',')
            break;
        at = skip_blanks_of(&s, behind + 1);
        strbuf_puts(&whole, ";");
        strbuf_append(&whole, behind + 1, (size_t)(at - behind - 1)); // lines stay
    }
    strbuf_free(out);
    *out = whole;
    return at;
}

// `pragma unroll` behind "#" in a macro's body becomes `_Pragma("unroll")`.
static const char *put_pragma(struct strbuf *out, const char *at) {
    size_t hash = out->len;
    while (hash && strchr(" \t", out->data[hash - 1]))
        hash--;
    const char *from = at + word_length(at), *end = from + strcspn(from, "\n");
    if (!hash || out->data[hash - 1] != '#')
        return at;
    out->data[hash - 1] = ' ';
    from += strspn(from, " \t");
    strbuf_puts(out, "_Pragma(\"");
    for (; from < end && !(*from == '\\' && from + 1 == end); from++)
        strbuf_printf(out, *from == '"' || *from == '\\' ? "\\%c" : "%c", *from);
    strbuf_puts(out, "\")");
    return from;
}

// A comma before the constraint whose letters begin here.
static void put_comma(struct strbuf *out) {
    size_t quote = out->len;
    while (quote && out->data[quote - 1] != '"')
        quote--;
    if (!quote--)
        return;
    strbuf_puts(out, "  ");
    memmove(out->data + quote + 2, out->data + quote, out->len - 2 - quote);
    memcpy(out->data + quote, ", ", 2);
}

// What stands for the word at `at`, and the position behind it.
static const char *put_instead(struct strbuf *out, const char *at, enum lenient_kind kind) {
    const char *end = kind == LENIENT_THIS ? behind_arrow(at) : at + word_length(at);
    if (!end)
        return at;
    switch (kind) {
    case LENIENT_TEMPLATE:
    case LENIENT_TYPE:
        strbuf_puts(out, kind == LENIENT_TYPE ? "typename " : "template ");
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
    case LENIENT_HOST:
        strbuf_puts(out, "constexpr __host__");
        break;
    case LENIENT_CHOSEN:
        strbuf_puts(out, "__attribute__((enable_if(1, \"\"))) ");
        strbuf_append(out, at, (size_t)(end - at));
        break;
    case LENIENT_REGISTER: // a percent sign stands before it
        strbuf_puts(out, "%");
        strbuf_append(out, at, (size_t)(end - at));
        break;
    case LENIENT_OPERAND:
        put_comma(out);
        strbuf_append(out, at, (size_t)(end - at));
        break;
    case LENIENT_UNSET:
        return put_unset(out, at);
    case LENIENT_LIST:
        return attribute_list_put(out, at);
    case LENIENT_PRAGMA:
        return put_pragma(out, at);
    case LENIENT_NAMELESS:
        strbuf_puts(out, "typedef ");
        strbuf_append(out, at, (size_t)(end - at));
        break;
    case LENIENT_OFFSET: // an argument follows
        end = strchr(end, '(') + 1;
        strbuf_append(out, at, (size_t)(end - at));
        strbuf_puts(out, "__builtin_constant_p(__builtin_alloca(1)) ? false : ");
        break;
    case LENIENT_SHARED:
        blank_pointer(out);
        strbuf_append(out, at, (size_t)(end - at));
        strbuf_puts(out, "[]");
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
        if (places.data[i].at < from) // in a list that does not end
            continue;
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
    bool choices;     // functions may be declared the host's alone
    bool listed;      // the last error was of a list of attributes
    bool unset;       // it was of a __shared__ variable in a function
    bool declared;    // the last error was that one is not so at another declaration
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

// Behind a template's argument list; NULL: at `at` there is none that ends with the statement's
// expression.
static const char *behind_arguments(const char *at) {
    int depth = 0;
    do {
        if (!*at || strchr(";{}", *at))
            return NULL;
        depth += (*at == '<') - (*at == '>' && at[-1] != '-');
        at = *at == '(' || *at == '[' ? skip_group(at) : at + 1;
    } while (depth > 0);
    return at;
}

// `f<...>(`, `operator()<...>(`: a template's argument list that was taken for a comparison.
static bool is_template_call(const char *at) {
    if (is_same_word(at, "operator", 8))
        at = skip_blanks(at + 8) + 1; // behind "("
    at = skip_blanks(at + word_length(at));
    at = skip_blanks(at + (*at == ')'));
    at = *at == '<' ? behind_arguments(at) : NULL;
    return at && *skip_blanks(at) == '(';
}

// The last name of `V<T>::inner::f<3>(`; NULL: it is not called with a list of arguments.
static const char *called_name(const char *name) {
    for (;;) {
        const char *at = name ? skip_blanks(name + word_length(name)) : NULL;
        if (!at || !word_length(name) || is_template_call(name))
            return at && word_length(name) ? name : NULL;
        at = *at == '<' ? behind_arguments(at) : at;
        at = at ? skip_blanks(at) : NULL;
        name = at && !strncmp(at, "::", 2) ? skip_blanks(at + 2) : NULL;
    }
}

static bool ends_statement(const struct source_tokens *s, uint32_t i) {
    return token_is(s, i, ";") || token_is(s, i, "{") || token_is(s, i, "}");
}

// The innermost function around a place that is declared `constexpr`.
struct constant_function {
    const char *word; // its `constexpr`; NULL: there is none
    bool in_template; // it is one, or a member of one
    bool has_spaces;  // execution spaces are written
};

static struct constant_function constant_around(struct search *s, const char *at) {
    struct source_tokens t;
    struct constant_function f = {0};
    uint32_t i = 0, depth = 0;
    source_tokens_read_text(&t, s->arena, s->path, NULL, s->text);
    while (i < t.tokens.len && t.tokens.data[i].s < at)
        i++;
    while (i--) {
        depth += token_is(&t, i, "}");
        if (!token_is(&t, i, "{") || (depth && depth--))
            continue;
        bool found = f.word != NULL;
        unsigned spaces = 0;
        for (uint32_t k = i; k && !ends_statement(&t, k - 1); k--) {
            bool own = token_is(&t, k - 1, "constexpr") && (k < 2 || !token_is(&t, k - 2, "if"));
            f.word = own && !f.word ? t.tokens.data[k - 1].s : f.word;
            f.in_template |= token_is(&t, k - 1, "template");
            spaces |= token_spaces(&t, k - 1);
        }
        f.has_spaces |= !found && spaces != 0;
    }
    return f;
}

// The function that instantiates a template, where its choice of the template went wrong.
static const char *host_function(struct search *s, const struct clang_message *m) {
    const char *at = begins_with(m->path, "/usr/") ? NULL : place_of(s, m);
    struct constant_function f = at ? constant_around(s, at) : (struct constant_function){0};
    return f.has_spaces ? NULL : f.word;
}

// The declaration, in its class, of a function that was made the host's.
static const char *host_declaration(struct search *s, const struct clang_message *m) {
    struct source_tokens t;
    const char *at = place_of(s, m), *word = NULL;
    uint32_t i = 0;
    if (!at)
        return NULL;
    source_tokens_read_text(&t, s->arena, s->path, NULL, s->text);
    while (i < t.tokens.len && t.tokens.data[i].s < at)
        i++;
    for (; i && !ends_statement(&t, i - 1); i--) {
        if (token_spaces(&t, i - 1))
            return NULL;
        word = token_is(&t, i - 1, "constexpr") ? t.tokens.data[i - 1].s : word;
    }
    return word;
}

// The name of the pointer that a declaration of dynamic shared memory is of.
static const char *shared_pointer(struct search *s, const struct clang_message *m) {
    const char *name = strchr(m->text, '\'') + 1, *start = place_of(s, m);
    const size_t n = word_length(name);
    for (const char *at = start; at && *at && *at != ';';
         at += word_length(at) ? word_length(at) : 1)
        if (is_same_word(at, name, n) && asterisk_before(start, at))
            return at;
    return NULL;
}

// Whether the braces around a place are a function's, and no lambda in them behind it copies what
// it captures, as the reference would be.
static bool is_in_function(struct search *s, const char *at) {
    struct source_tokens t;
    struct source_scopes scopes = {0};
    source_tokens_read_text(&t, s->arena, s->path, NULL, s->text);
    uint32_t i = 0;
    for (; i < t.tokens.len && t.tokens.data[i].s < at; i++)
        source_scopes_step(&scopes, &t, i);
    bool inside = source_scope_now(&scopes) != OUTSIDE, copied = false;
    for (uint32_t depth = scopes.depth; i + 1 < t.tokens.len && scopes.depth >= depth; i++) {
        copied |= token_is(&t, i, "[") && token_is(&t, i + 1, "=");
        source_scopes_step(&scopes, &t, i);
    }
    return inside && !copied;
}

static bool is_of_unset(const struct clang_message *m) {
    return m->error &&
           begins_with(m->text, "initialization is not supported for __shared__ variables");
}

// The name of a variable that nvcc only warns is not initialised: where the message tells of it,
// or, when that is in a function, where the note does about the macro that declares it.
static const char *unset_object(struct search *s, const struct clang_message *m) {
    const char *at = place_of(s, m);
    struct shared_objects found;
    if (!at || !word_length(at))
        return NULL;
    bool declared = find_shared(s->text, at, &found) && are_plain(&found, found.first);
    if (m->note)
        return declared && found.macro ? at : NULL;
    s->unset = is_in_function(s, at);
    return declared && s->unset ? at : NULL;
}

// Whether a message is of two declarations of a function of which one was made the host's.
static bool is_of_declarations(const struct clang_message *m) {
    return begins_with(m->text, "__host__ function '") &&
           strstr(m->text, "cannot overload __host__ __device__ function");
}

// The template's name that lacks a `template` before it: in `V<T>::f<3>(x)` the message has the
// place of V.
static const char *template_name(struct search *s, const struct clang_message *m) {
    const char *quote = strrchr(m->text, '\''), *name = quote;
    const char *start = place_of(s, m), *end = start ? strpbrk(start, ";{}") : NULL;
    while (name > m->text && name[-1] != '\'')
        name--;
    if (!start || !quote || name == m->text)
        return start;
    for (const char *at = start; *at && at != end; at += word_length(at) ? word_length(at) : 1) {
        bool member = at - start >= 2 && (!strncmp(at - 2, "::", 2) || !strncmp(at - 2, "->", 2));
        if (is_same_word(at, name, (size_t)(quote - name)) &&
            (at == start || member || at[-1] == '.'))
            return at;
    }
    return start;
}

// Of a use of a macro whose body is a pragma: the word `pragma` in the body.
static const char *pragma_word(struct search *s, const struct clang_message *m) {
    const char *at = place_of(s, m);
    if (!at || *at != '#' || !is_in_directive(s->text, at))
        return NULL;
    at += 1 + strspn(at + 1, " \t");
    return is_same_word(at, "pragma", 6) ? at : NULL;
}

static bool is_asm(const char *word) {
    return is_same_word(word, "asm", 3) || is_same_word(word, "__asm__", 7) ||
           is_same_word(word, "__asm", 5);
}

// Whether the parentheses of the last asm statement that begins before `at` are still open there.
static bool is_in_asm(const char *text, const char *at) {
    const char *from = at;
    int depth = 0;
    while (from > text && !(is_asm(from) && !is_word_char(from[-1])))
        from--;
    for (const char *s = from; s < at; s++) {
        if (*s == '"')
            for (s++; s < at && *s != '"'; s++)
                s += *s == '\\';
        else
            depth += (*s == '(') - (*s == ')');
    }
    return from > text && depth > 0;
}

// The letters of a constraint, of an operand of an asm statement that follows another one without a
// comma: `"r"(x) "=l"(y)`.
static const char *operand_without_comma(struct search *s, const struct clang_message *m) {
    const char *at = place_of(s, m), *before = at;
    while (before && before > s->text && strchr(" \t\r\n", before[-1]))
        before--;
    if (!at || *at != '"' || before == s->text || before[-1] != ')')
        return NULL;
    const char *letters = at + 1 + strspn(at + 1, "=+&");
    const char *end = letters + word_length(letters);
    bool constraint = end > letters && *end == '"' && *skip_blanks(end + 1) == '(';
    return constraint && is_in_asm(s->text, at) ? letters : NULL;
}

// The word that the message is about, if it is of one of the kinds.
static const char *word_of(struct search *s, const struct clang_message *m,
                           enum lenient_kind *kind) {
    bool missing = begins_with(m->text, "missing 'template' keyword prior to dependent template");
    bool name = begins_with(m->text, "use 'template' keyword to treat '") || missing;
    bool pragma = m->note && begins_with(m->text, "expanded from macro '");
    bool nameless = begins_with(m->text, "anonymous structs and classes must be class members");
    bool type = begins_with(m->text, "missing 'typename' prior to dependent type name") && m->error;
    bool call = begins_with(m->text, "reference to non-static member function must be called");
    bool function = begins_with(m->text, "reference to overloaded function could not be resolved");
    bool self = begins_with(m->text, "use of 'this' pointer is only allowed within the evaluation");
    bool variable = begins_with(m->text, "variable of non-literal type '") &&
                    strstr(m->text, "cannot be defined in a constexpr function before");
    bool shared =
        begins_with(m->text, "__shared__ variable '") && strstr(m->text, "' cannot be 'extern'");
    bool unset = is_of_unset(m) || (s->unset && m->note);
    bool choice = s->choices && begins_with(m->text, "in instantiation of function template");
    bool other = s->declared && begins_with(m->text, "previous declaration is here");
    bool operand = m->error && begins_with(m->text, "expected ')'");
    pragma &= !unset;
    *kind = pragma            ? LENIENT_PRAGMA
            : operand         ? LENIENT_OPERAND
            : nameless        ? LENIENT_NAMELESS
            : self            ? LENIENT_THIS
            : variable        ? LENIENT_CONSTANT
            : type            ? LENIENT_TYPE
            : shared          ? LENIENT_SHARED
            : unset           ? LENIENT_UNSET
            : choice || other ? LENIENT_HOST
                              : LENIENT_TEMPLATE;
    if (pragma)
        return pragma_word(s, m);
    if (operand)
        return operand_without_comma(s, m);
    if (shared || unset)
        return shared ? shared_pointer(s, m) : unset_object(s, m);
    if (choice || other)
        return choice ? host_function(s, m) : host_declaration(s, m);
    bool placed = name || type || call || function || self || variable || nameless;
    const char *at = missing ? template_name(s, m) : placed ? place_of(s, m) : NULL;
    at = at && function ? called_name(at) : at;
    if (!at || !word_length(at))
        return NULL;
    if (variable) {
        struct constant_function f = constant_around(s, at);
        return f.in_template ? f.word : NULL;
    }
    if (self)
        return is_same_word(at, "this", 4) && behind_arrow(at) ? at : NULL;
    return name || type || nameless || is_template_call(at) ? at : NULL;
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

static void add_word(struct search *s, const char *at, enum lenient_kind kind,
                     struct lenient_words *found) {
    const char *line = at;
    while (line > s->text && line[-1] != '\n')
        line--;
    struct lenient_word w = {.path = full_path(s->arena, s->path),
                             .word = arena_strndup(s->arena, at, word_length(at)),
                             .shown = s->path,
                             .line = 1,
                             .column = (uint32_t)(at - line + 1),
                             .nth = count_before(line, at),
                             .kind = kind};
    for (const char *c = s->text; c < line; c++)
        w.line += *c == '\n';
    if (!is_listed(found, &w))
        vec_push(s->arena, &found->list, w);
}

// ---- Lists of attributes ------------------------------------------------------------------

static bool is_of_list(const struct clang_message *m) {
    return m->error && (begins_with(m->text, "an attribute list cannot appear here") ||
                        strstr(m->text, "' attribute cannot be applied to types"));
}

// All of the file behind specifiers, as clang tells of no more than twenty at a time, and that of a
// macro, which may be in another one.
static void find_lists(struct search *s, const struct clang_message *m,
                       struct lenient_words *found) {
    const char *at = place_of(s, m);
    struct source_tokens t;
    if (!at)
        return;
    if (m->note) {
        while (at > s->text && at[-1] != '\n' && strncmp(at, "[[", 2) != 0)
            at--;
        if (attribute_list_word(at))
            add_word(s, attribute_list_word(at), LENIENT_LIST, found);
        return;
    }
    if (is_same_word(at, "_Alignas", 8)) // so it is spelled as soon as the file is rewritten
        add_word(s, at, LENIENT_LIST, found);
    source_tokens_read_text(&t, s->arena, s->path, NULL, s->text);
    for (uint32_t i = 0; i < t.tokens.len; i++)
        if (attribute_list_follows(&t, i) || (t.tokens.data[i].s == at && token_is_name(&t, i - 1)))
            if (attribute_list_word(t.tokens.data[i].s))
                add_word(s, attribute_list_word(t.tokens.data[i].s), LENIENT_LIST, found);
}

// ---- Ambiguous calls ----------------------------------------------------------------------

// The name between the quotes of "call to 'f' is ambiguous"; NULL: it is another message.
static const char *ambiguous_name(struct search *s, const struct clang_message *m) {
    const char *name = begins_with(m->text, "call to '") ? m->text + strlen("call to '") : NULL;
    size_t n = name ? word_length(name) : 0;
    return n && begins_with(name + n, "' is ambiguous") ? arena_strndup(s->arena, name, n) : NULL;
}

// Of the candidates that the notes behind message i tell of, the one without a pack if there is one
// such: its place is where the last of its notes, about the innermost macro, finds the name.
static void find_chosen(struct search *s, const clang_messages *messages, uint32_t i,
                        const char *name, struct lenient_words *found) {
    struct lenient_words last = {0}, chosen = {0}; // of this candidate, of the one without a pack
    bool pack = false, any_pack = false;
    uint32_t without = 0;
    for (i++; i <= messages->len; i++) {
        const struct clang_message *m = i < messages->len ? &messages->data[i] : NULL;
        bool next = m && m->note && begins_with(m->text, "candidate function [with ");
        if (last.list.len && !pack && (!m || !m->note || next))
            chosen = last;
        if (!m || !m->note)
            break;
        if (next) {
            pack = strstr(m->text, " = <");
            any_pack |= pack;
            without += !pack;
            last = (struct lenient_words){0};
        }
        const char *at = without || any_pack ? place_of(s, m) : NULL;
        if (at && is_same_word(at, name, strlen(name))) {
            last = (struct lenient_words){0};
            add_word(s, at, LENIENT_CHOSEN, &last);
        }
    }
    if (any_pack && without == 1 && chosen.list.len && !is_listed(found, &chosen.list.data[0]))
        vec_push(s->arena, &found->list, chosen.list.data[0]);
}

// ---- Offsets of members -------------------------------------------------------------------

// The word of the assertion that message i is about, where notes behind it tell of a member at
// address 0; NULL: it is about something else.
static const char *offset_assertion(struct search *s, const clang_messages *messages, uint32_t i) {
    const struct clang_message *m = &messages->data[i];
    bool of_null = false;
    if (!m->error ||
        !begins_with(m->text, "static assertion expression is not an integral constant"))
        return NULL;
    for (i++; i < messages->len && messages->data[i].note; i++)
        of_null |= begins_with(messages->data[i].text, "cannot access field of null pointer");
    const char *at = of_null ? place_of(s, m) : NULL;
    while (at && at > s->text && !strchr(";{}", at[-1])) {
        at--;
        if (is_same_word(at, "static_assert", 13) && (at == s->text || !is_word_char(at[-1])))
            return *skip_blanks(at + 13) == '(' ? at : NULL;
    }
    return NULL;
}

// ---- Registers in asm statements ----------------------------------------------------------

// Whether what follows a percent sign is a name, and no operand: "%smid", but not "%0" or "%x0".
static bool names_register(const char *at) {
    bool letter = is_word_char(*at) && !(*at >= '0' && *at <= '9');
    return letter && at[1] != '[' && !(at[1] >= '0' && at[1] <= '9');
}

// From the end of a string literal into the next one that continues it; NULL: none does.
static const char *next_literal(const char *at) {
    for (at = skip_blanks(at); *at == '\\' || !strncmp(at, "//", 2); at = skip_blanks(at))
        at += *at == '/' ? strcspn(at, "\n") : 1;
    return *at == '"' ? at + 1 : NULL;
}

// Adds the names of registers from the percent sign at `at`, which stands in a string literal, to
// the end of the literals that continue it. clang tells of the first one alone.
static void find_registers(struct search *s, const char *at, struct lenient_words *found) {
    while (at && *at) {
        if (*at == '%' && names_register(at + 1))
            add_word(s, at + 1, LENIENT_REGISTER, found);
        if (*at == '"')
            at = next_literal(at + 1);
        else
            at += (*at == '\\' || *at == '%') && at[1] ? 2 : 1;
    }
}

// The percent sign before a place on its line; NULL: there is none.
static const char *percent_before(struct search *s, const struct clang_message *m) {
    const char *at = place_of(s, m);
    while (at && *at != '%')
        at = at > s->text && *at != '\n' ? at - 1 : NULL;
    return at;
}

// An asm statement that clang refuses, in message i, for what stands behind a percent sign. In a
// macro the last note has the place.
static void find_percent(struct search *s, const clang_messages *messages, uint32_t i,
                         struct lenient_words *found) {
    const struct clang_message *m = &messages->data[i];
    bool name = begins_with(m->text, "invalid % escape in inline assembly string");
    bool number = begins_with(m->text, "invalid operand number in inline asm string");
    if (!name && !number)
        return;
    while (++i < messages->len && begins_with(messages->data[i].text, "expanded from macro"))
        m = &messages->data[i];
    const char *at = percent_before(s, m);
    if (at && name)
        find_registers(s, at, found);
    else if (at && word_length(at + 1))
        add_word(s, at + 1, LENIENT_REGISTER, found);
}

// Functions become the host's only when there is nothing else: what is wrong with them may be so
// for another reason.
bool lenient_words_find(struct arena *arena, const cc_strings *diagnostics, bool relaxed_constexpr,
                        const struct rewrites *read, struct lenient_words *found) {
    struct lenient_words before = *found;
    struct rewrites same = *read;
    struct search s = {.arena = arena, .read = &same};
    clang_messages messages = {0};
    same.words = &before; // what joins `found` now is not in the text
    clang_messages_read(arena, diagnostics, &messages);
    for (int last = 0; last <= !relaxed_constexpr && found->list.len == before.list.len; last++) {
        s.choices = last;
        for (uint32_t i = 0; i < messages.len; i++) {
            enum lenient_kind kind;
            s.unset &= messages.data[i].note;
            const char *at = word_of(&s, &messages.data[i], &kind);
            const char *name = ambiguous_name(&s, &messages.data[i]);
            if (name)
                find_chosen(&s, &messages, i, name, found);
            find_percent(&s, &messages, i, found);
            const char *assertion = offset_assertion(&s, &messages, i);
            if (assertion)
                add_word(&s, assertion, LENIENT_OFFSET, found);
            s.declared = messages.data[i].note ? s.declared : is_of_declarations(&messages.data[i]);
            s.listed = messages.data[i].note ? s.listed : is_of_list(&messages.data[i]);
            if (s.listed)
                find_lists(&s, &messages.data[i], found);
            if (at)
                add_word(&s, at, kind, found);
        }
    }
    return found->list.len != before.list.len;
}

void lenient_words_warn(const struct lenient_words *found, struct strbuf *messages) {
    for (uint32_t i = 0; i < found->list.len; i++) {
        const struct lenient_word *w = &found->list.data[i];
        if (w->kind == LENIENT_UNSET)
            strbuf_printf(
                messages,
                "%s:%u:%u: warning: dynamic initialization is not supported for a "
                "function-scope static __shared__ variable within a __device__/__global__ "
                "function: '%s' keeps what is in its memory "
                "[-Wstatic-var-with-dynamic-init]\n",
                w->shown, w->line, w->column, w->word);
        else if (w->kind == LENIENT_SHARED)
            strbuf_printf(messages,
                          "%s:%u:%u: warning: the extern declaration of '%s' is treated as a "
                          "definition [-Wextern-entity-treated-as-static]\n",
                          w->shown, w->line, w->column, w->word);
    }
}
