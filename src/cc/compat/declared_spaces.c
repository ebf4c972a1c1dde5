#include "cc/compat/declared_spaces.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/compat/launch_tokens.h"
#include "cc/compat/source_tokens.h"
#include "cc/messages/clang_messages.h"

#define NOWHERE UINT32_MAX

enum { BOTH = HOST | DEVICE };

typedef VEC(uint32_t) token_places;

struct edit {
    size_t at;
    const char *text;
};

struct file {
    struct source_tokens source;
    const char *path, *text;
    VEC(struct edit) edits; // by their places
};

// ---- Declarations -------------------------------------------------------------------------

static bool is_any(const struct source_tokens *s, uint32_t i, const char *const *words, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (token_is(s, i, words[k]))
            return true;
    return false;
}

static bool is_access_label(const struct source_tokens *s, uint32_t colon) {
    static const char *const words[] = {"public", "protected", "private"};
    return token_is(s, colon, ":") && colon && is_any(s, colon - 1, words, 3);
}

// The first token of the declaration whose name is at i.
static uint32_t declaration_begin(const struct source_tokens *s, uint32_t i) {
    static const char *const ends[] = {";", "{", "}"};
    while (i && !is_any(s, i - 1, ends, 3) && !is_access_label(s, i - 1))
        i--;
    return i;
}

static bool is_constant_word(const struct source_tokens *s, uint32_t i) {
    return token_stands_for(s, i, "constexpr") || token_stands_for(s, i, "consteval");
}

static bool is_constant(const struct source_tokens *s, uint32_t name) {
    for (uint32_t i = declaration_begin(s, name); i < name; i++)
        if (is_constant_word(s, i))
            return true;
    return false;
}

static unsigned written_spaces(const struct source_tokens *s, uint32_t name) {
    unsigned spaces = 0;
    for (uint32_t i = declaration_begin(s, name); i < name; i++)
        spaces |= token_spaces(s, i);
    return spaces;
}

// Behind `template <...>`, `[[...]]` and `extern "C"`.
static uint32_t skip_heads(const struct source_tokens *s, uint32_t i) {
    for (;;) {
        if (token_is(s, i, "template") && token_is(s, i + 1, "<"))
            i = token_match(s, i + 1, "<", ">") + 1;
        else if (token_is(s, i, "[") && token_is(s, i + 1, "["))
            i = token_match(s, i, "[", "]") + 1;
        else if (token_is(s, i, "extern") && token_is(s, i + 1, "\"C\""))
            i += 2;
        else
            return i;
    }
}

// Where specifiers may be added to the declaration whose name is at `name`.
static uint32_t specifiers_place(const struct source_tokens *s, uint32_t name) {
    uint32_t begin = declaration_begin(s, name), first = skip_heads(s, begin);
    for (uint32_t i = begin; i < name; i++)
        if (token_is(s, i, "friend") || is_constant_word(s, i))
            return i;
    return first < name ? first : name;
}

// ---- Names in a file ----------------------------------------------------------------------

static bool same_word(const struct token *t, const char *word) {
    return t->n == strlen(word) && !memcmp(t->s, word, t->n);
}

// One file may have several names, and clang chooses another one than we.
static const char *full_path(struct arena *arena, const char *path) {
    char full[PATH_MAX];
    return realpath(path, full) ? arena_strdup(arena, full) : path;
}

static struct declared_space key_of(const struct file *f, uint32_t token) {
    const token_list *list = &f->source.tokens;
    const struct token *t = &list->data[token];
    struct declared_space key = {
        .path = f->path, .name = arena_strndup(f->source.arena, t->s, t->n), .line = t->line};
    for (uint32_t i = token; i-- && list->data[i].line == t->line;)
        key.nth += same_word(&list->data[i], key.name);
    return key;
}

static uint32_t token_of(const struct file *f, const struct declared_space *key) {
    uint32_t nth = key->nth;
    for (uint32_t i = 0; i < f->source.tokens.len; i++) {
        const struct token *t = &f->source.tokens.data[i];
        if (t->line == key->line && same_word(t, key->name) && nth-- == 0)
            return i;
    }
    return NOWHERE;
}

static struct declared_space *entry_of(const struct declared_spaces *found,
                                       const struct declared_space *key) {
    for (uint32_t i = 0; i < found->list.len; i++) {
        struct declared_space *e = &found->list.data[i];
        if (e->line == key->line && e->nth == key->nth && e->friends == key->friends &&
            !strcmp(e->name, key->name) && !strcmp(e->path, key->path))
            return e;
    }
    return NULL;
}

// ---- Edits --------------------------------------------------------------------------------

static const char *specifiers(struct arena *arena, unsigned spaces) {
    return arena_printf(arena, "%s%s%s", spaces & HOST ? "__host__ " : "",
                        spaces & DEVICE ? "__device__ " : "", spaces & GLOBAL ? "__global__ " : "");
}

static void add_edit(struct file *f, size_t at, const char *text) {
    vec_push(f->source.arena, &f->edits, ((struct edit){at, text}));
    for (uint32_t i = f->edits.len; --i && f->edits.data[i - 1].at > at;) {
        struct edit later = f->edits.data[i - 1];
        f->edits.data[i - 1] = f->edits.data[i];
        f->edits.data[i] = later;
    }
}

static size_t offset_of(const struct file *f, uint32_t token) {
    return (size_t)(f->source.tokens.data[token].s - f->text);
}

static bool has_edit(const struct file *f, size_t at) {
    for (uint32_t i = 0; i < f->edits.len; i++)
        if (f->edits.data[i].at == at)
            return true;
    return false;
}

// The "{" of the class around the token at i; NOWHERE: there is none.
static uint32_t class_around(const struct source_tokens *s, uint32_t i) {
    int depth = 0;
    while (i--) {
        depth += token_is(s, i, "}") ? 1 : token_is(s, i, "{") ? -1 : 0;
        if (depth < 0)
            return i;
    }
    return NOWHERE;
}

// The ";" that ends the friend's declaration at i when that is one of a function that has no body
// and no execution space; else 0.
static uint32_t plain_friend(const struct source_tokens *s, uint32_t i) {
    bool function = false, marked = false;
    for (i = declaration_begin(s, i); i < s->tokens.len && !token_is(s, i, "{"); i++) {
        if (token_is(s, i, ";"))
            return function && !marked ? i : 0;
        function |= token_is(s, i, "(");
        marked |= token_spaces(s, i) != 0;
    }
    return 0;
}

// The declaration once more, for the device.
static const char *for_device(const struct source_tokens *s, uint32_t word, uint32_t end) {
    struct strbuf out = {0};
    strbuf_puts(&out, " ");
    for (uint32_t i = declaration_begin(s, word); i <= end; i++)
        strbuf_printf(&out, "%s%.*s%s", i == word ? "__device__ " : "", (int)s->tokens.data[i].n,
                      s->tokens.data[i].s, i < end ? " " : "");
    const char *text = arena_strndup(s->arena, strbuf_str(&out), out.len);
    strbuf_free(&out);
    return text;
}

// The friends that can be declared for the device, too, of the class that the token at `member` is
// in: the words that begin them.
static void plain_friends(const struct file *f, uint32_t member, token_places *friends) {
    const struct source_tokens *s = &f->source;
    uint32_t open = class_around(s, member), depth = 0;
    for (uint32_t i = open; i < s->tokens.len; i++) {
        depth += token_is(s, i, "{");
        depth -= token_is(s, i, "}");
        if (!depth)
            break;
        if (depth == 1 && token_is(s, i, "friend") && plain_friend(s, i) &&
            !has_edit(f, offset_of(f, i)))
            vec_push(s->arena, friends, i);
    }
}

static void double_friends(struct file *f, uint32_t member) {
    const struct source_tokens *s = &f->source;
    token_places friends = {0};
    plain_friends(f, member, &friends);
    for (uint32_t k = 0; k < friends.len; k++) {
        uint32_t word = friends.data[k], end = plain_friend(s, word);
        add_edit(f, offset_of(f, end) + 1, for_device(s, word, end));
    }
}

static void find_edits(struct file *f, const struct declared_spaces *found) {
    f->edits.len = 0;
    for (int friends = 0; friends < 2; friends++)
        for (uint32_t i = 0; i < found->list.len; i++) {
            const struct declared_space *e = &found->list.data[i];
            uint32_t name =
                e->friends == friends && !strcmp(e->path, f->path) ? token_of(f, e) : NOWHERE;
            if (name != NOWHERE && friends)
                double_friends(f, name);
            else if (name != NOWHERE)
                add_edit(f, offset_of(f, specifiers_place(&f->source, name)),
                         specifiers(f->source.arena, e->spaces));
        }
}

static void read_text(struct file *f, struct arena *arena, const char *path, const char *text,
                      const struct declared_spaces *found) {
    *f = (struct file){.path = full_path(arena, path), .text = text};
    source_tokens_read_text(&f->source, arena, path, NULL, text);
    find_edits(f, found);
}

bool declared_spaces_rewrite(struct arena *arena, char **text, size_t *size,
                             const struct declared_spaces *found, const char *path) {
    struct file f;
    struct strbuf out = {0};
    size_t from = 0;
    read_text(&f, arena, path, *text, found);
    for (uint32_t i = 0; i < f.edits.len; i++) {
        const struct edit *e = &f.edits.data[i];
        strbuf_append(&out, *text + from, e->at - from);
        strbuf_puts(&out, e->text);
        from = e->at;
    }
    if (f.edits.len) {
        strbuf_append(&out, *text + from, *size - from);
        *size = out.len;
        *text = arena_strndup(arena, strbuf_str(&out), out.len);
    }
    strbuf_free(&out);
    return f.edits.len != 0;
}

// ---- Messages -----------------------------------------------------------------------------

struct search {
    struct arena *arena;
    const struct device_launches *launches;
    struct declared_spaces read; // what the text that clang has read was written with
    struct declared_spaces *found;
    struct file file;   // the last one that a message was about
    bool device_passed; // what is wrong is so for the host's pass alone
    bool relaxed_constexpr, any;
};

static struct search begin_search(struct arena *arena, const struct device_launches *launches,
                                  struct declared_spaces *found) {
    struct search s = {.arena = arena, .launches = launches, .found = found};
    for (uint32_t i = 0; i < found->list.len; i++)
        vec_push(arena, &s.read.list, found->list.data[i]);
    return s;
}

static bool open_file(struct search *s, const char *path) {
    char *text;
    size_t size;
    if (s->file.path && !strcmp(s->file.path, full_path(s->arena, path)))
        return true;
    if (!launch_tokens_text(s->arena, path, s->launches, &text, &size))
        return false;
    read_text(&s->file, s->arena, path, text, &s->read);
    return true;
}

static const char *line_start(const char *text, uint32_t line) {
    while (--line && text)
        text = (text = strchr(text, '\n')) ? text + 1 : NULL;
    return text;
}

// The token that a message is about; clang has read the text with the edits. NOWHERE: none of the
// file's own.
static uint32_t token_of_message(struct search *s, const struct clang_message *m) {
    if (!open_file(s, m->path))
        return NOWHERE;
    const struct file *f = &s->file;
    const char *at = line_start(f->text, m->line);
    size_t left = m->column - 1;
    for (uint32_t i = 0; at && i < f->edits.len; i++) {
        const struct edit *e = &f->edits.data[i];
        if (f->text + e->at < at || left < (size_t)(f->text + e->at - at))
            continue;
        left -= (size_t)(f->text + e->at - at);
        at = f->text + e->at;
        if (left < strlen(e->text))
            return NOWHERE;
        left -= strlen(e->text);
    }
    for (uint32_t i = 0; at && i < f->source.tokens.len; i++)
        if (f->source.tokens.data[i].s == at + left)
            return i;
    return NOWHERE;
}

// The spaces of the declaration that a message is about, with those that it was given; -1: none.
static int spaces_of_message(struct search *s, const struct clang_message *m) {
    uint32_t name = token_of_message(s, m);
    if (name == NOWHERE)
        return -1;
    struct declared_space key = key_of(&s->file, name);
    const struct declared_space *given = entry_of(s->found, &key);
    return (int)(written_spaces(&s->file.source, name) | (given ? given->spaces : 0));
}

static void add_spaces(struct search *s, const struct clang_message *m, unsigned spaces) {
    uint32_t name = token_of_message(s, m);
    int has = spaces_of_message(s, m);
    if (has < 0 || !(spaces & ~(unsigned)has))
        return;
    struct declared_space key = key_of(&s->file, name);
    struct declared_space *given = entry_of(s->found, &key);
    key.spaces = spaces & ~(unsigned)has;
    if (given)
        given->spaces |= key.spaces;
    else
        vec_push(s->arena, &s->found->list, key);
    s->any = true;
}

static void add_warning(struct search *s, const struct clang_message *m,
                        enum space_warning warning) {
    uint32_t name = token_of_message(s, m);
    struct declared_space key = {0}, *given = NULL;
    if (name != NOWHERE) {
        key = key_of(&s->file, name);
        given = entry_of(s->found, &key);
    }
    if (!given || given->warning)
        return;
    given->warning = warning;
    given->shown = m->path;
    given->column = m->column;
}

// The specifiers of both sides, whatever the text has: a macro may be none of them for this pass.
static void add_both(struct search *s, const struct clang_message *m) {
    uint32_t name = token_of_message(s, m);
    if (name == NOWHERE)
        return;
    struct declared_space key = key_of(&s->file, name);
    struct declared_space *given = entry_of(s->found, &key);
    if (given && given->spaces == BOTH)
        return;
    key.spaces = BOTH;
    if (given)
        given->spaces = BOTH;
    else
        vec_push(s->arena, &s->found->list, key);
    s->any = true;
}

static bool starts(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

// A function of the other side: m tells of its declaration.
static bool tells_of_other_side(const struct clang_message *error, const struct clang_message *m) {
    bool candidate = strstr(m->text, "not viable: call to __host__ function from") ||
                     strstr(m->text, "not viable: call to __device__ function from");
    bool reference = starts(error->text, "reference to __host__ function") ||
                     starts(error->text, "reference to __device__ function");
    return candidate || (reference && strstr(m->text, "' declared here"));
}

// The host's pass refuses a call, in code for the device, which the device's pass has accepted.
static bool is_called_by_device(const struct clang_message *error, const struct clang_message *m) {
    const char *call = strstr(m->text, "call to __host__ function from __");
    bool candidate = call && !strstr(call, "from __host__ function");
    bool reference = starts(error->text, "reference to __host__ function") &&
                     !strstr(error->text, "in __host__ function");
    return (candidate || reference) && !strstr(m->text, "(the implicit");
}

static bool is_constant_of_one_side(struct search *s, const struct clang_message *m) {
    uint32_t name = token_of_message(s, m);
    if (name == NOWHERE || !is_constant(&s->file.source, name))
        return false;
    int spaces = spaces_of_message(s, m);
    return spaces == HOST || spaces == DEVICE;
}

// A class template's deduction guide: for clang, without specifiers, it is a function of the host.
static bool is_deduction_guide(struct search *s, const struct clang_message *m) {
    uint32_t name = token_of_message(s, m);
    const struct source_tokens *source = &s->file.source;
    if (name == NOWHERE || !token_is(source, name + 1, "("))
        return false;
    for (uint32_t i = declaration_begin(source, name); i < name; i++)
        if (token_is(source, i, "auto")) // a function's result
            return false;
    return token_is(source, token_match(source, name + 1, "(", ")") + 1, "->");
}

// The compiler evaluates its calls, on either side (guide 18.5.25.4).
static bool is_immediate(struct search *s, const struct clang_message *m) {
    uint32_t name = token_of_message(s, m);
    if (name == NOWHERE)
        return false;
    for (uint32_t i = declaration_begin(&s->file.source, name); i < name; i++)
        if (token_stands_for(&s->file.source, i, "consteval"))
            return true;
    return false;
}

// Two declarations of one function.
static void unite(struct search *s, const struct clang_message *a, const struct clang_message *b) {
    int of_a = spaces_of_message(s, a), of_b = spaces_of_message(s, b);
    if (of_a < 0 || of_b < 0)
        return;
    if (!of_a || !of_b) {
        add_spaces(s, of_a ? b : a, (unsigned)(of_a | of_b));
    } else if (s->relaxed_constexpr && is_constant(&s->file.source, token_of_message(s, b))) {
        add_spaces(s, a, BOTH);
        add_spaces(s, b, BOTH);
    }
}

static void befriend(struct search *s, const struct clang_message *member) {
    uint32_t token = token_of_message(s, member);
    if (token == NOWHERE)
        return;
    struct declared_space key = key_of(&s->file, token);
    token_places friends = {0};
    key.friends = true;
    plain_friends(&s->file, token, &friends);
    if (entry_of(s->found, &key) || !friends.len)
        return;
    vec_push(s->arena, &s->found->list, key);
    s->any = true;
}

// The "(" of the parameters of the function whose name is at i.
static uint32_t parameters_of(const struct source_tokens *s, uint32_t i) {
    if (token_is(s, i, "operator"))
        for (i++; i < s->tokens.len && !token_is(s, i, "("); i++)
            ;
    while (i < s->tokens.len && !token_is(s, i, "(") && !token_is(s, i, ";"))
        i++;
    return i;
}

// Whether the member declared at i has `= default` on its first declaration, in the class.
static bool is_defaulted(const struct source_tokens *s, uint32_t i) {
    if (i == NOWHERE || (i && token_is(s, i - 1, "::")))
        return false;
    i = token_match(s, parameters_of(s, i), "(", ")");
    while (++i < s->tokens.len && !token_is(s, i, ";") && !token_is(s, i, "{"))
        if (token_is(s, i, "=") && token_is(s, i + 1, "default"))
            return true;
    return false;
}

static uint32_t count_parameters(const struct source_tokens *s, uint32_t name) {
    uint32_t open = parameters_of(s, name), close = token_match(s, open, "(", ")"), count = 0;
    int depth = 0;
    for (uint32_t i = open + 1; i < close && i < s->tokens.len; i++) {
        depth += token_is(s, i, "(") || token_is(s, i, "<") || token_is(s, i, "{");
        depth -= token_is(s, i, ")") || token_is(s, i, ">") || token_is(s, i, "}");
        count += depth == 0 && token_is(s, i, ",");
    }
    return open + 1 < close ? count + 1 : 0;
}

// A member's definition outside of its class, with specifiers that the declaration lacks.
static void redeclare(struct search *s, const struct clang_message *definition,
                      const struct clang_message *declaration) {
    int with = spaces_of_message(s, definition);
    uint32_t name = with > 0 ? token_of_message(s, definition) : NOWHERE;
    uint32_t parameters = name == NOWHERE ? 0 : count_parameters(&s->file.source, name);
    if (name == NOWHERE || spaces_of_message(s, declaration) != 0)
        return;
    uint32_t declared = token_of_message(s, declaration);
    if (declared == NOWHERE || count_parameters(&s->file.source, declared) != parameters)
        return;
    const struct clang_message *both[] = {declaration, definition};
    for (int i = 0; i < 2; i++) {
        struct declared_space key = key_of(&s->file, token_of_message(s, both[i]));
        key.spaces = i ? 0 : (unsigned)with;
        key.lacking = BOTH & ~(unsigned)with;
        if (!entry_of(s->found, &key)) {
            vec_push(s->arena, &s->found->list, key);
            s->any = true;
        }
    }
    add_warning(s, definition, SPACE_REDECLARED);
}

// Whether the function is one that clang has read as redeclared; then all of its name are for both
// sides.
static bool complete(struct search *s, const struct clang_message *m) {
    uint32_t name = token_of_message(s, m);
    if (name == NOWHERE)
        return false;
    struct declared_space key = key_of(&s->file, name);
    const struct declared_space *given = entry_of(&s->read, &key);
    if (!given || !given->lacking)
        return false;
    for (uint32_t i = 0; i < s->found->list.len; i++) {
        struct declared_space *e = &s->found->list.data[i];
        if (strcmp(e->name, key.name) != 0 || !e->lacking)
            continue;
        e->spaces |= e->lacking;
        e->lacking = 0;
        s->any = true;
    }
    return true;
}

// The spaces of another declaration of the friend's name in its file: clang names no candidates
// among templates.
static void adopt(struct search *s, const struct clang_message *friend_name) {
    uint32_t name = token_of_message(s, friend_name);
    if (name == NOWHERE)
        return;
    struct declared_space key = key_of(&s->file, name);
    for (uint32_t i = 0; i < s->file.source.tokens.len; i++) {
        bool declares = same_word(&s->file.source.tokens.data[i], key.name) &&
                        token_is(&s->file.source, i + 1, "(");
        unsigned spaces = declares ? written_spaces(&s->file.source, i) : 0;
        if (spaces) {
            add_spaces(s, friend_name, spaces);
            return;
        }
    }
}

static void look_at_note(struct search *s, const struct clang_message *error,
                         const struct clang_message *m) {
    bool access = strstr(error->text, "private") || strstr(error->text, "protected");
    if (starts(error->text, "out-of-line definition of '") &&
        starts(m->text, "member declaration nearly matches")) {
        redeclare(s, error, m);
    } else if (tells_of_other_side(error, m)) {
        if (complete(s, m))
            return;
        if (is_defaulted(&s->file.source, token_of_message(s, m))) {
            add_spaces(s, m, BOTH);
            add_warning(s, m, SPACE_DEFAULTED);
        } else if ((s->device_passed && is_called_by_device(error, m)) ||
                   is_deduction_guide(s, m) || is_immediate(s, m))
            add_both(s, m);
        else if (s->relaxed_constexpr && is_constant_of_one_side(s, m))
            add_spaces(s, m, BOTH);
    } else if (strstr(error->text, "cannot overload") && starts(m->text, "previous declaration")) {
        unite(s, error, m);
    } else if (access &&
               (strstr(m->text, "declared private") || strstr(m->text, "declared protected"))) {
        befriend(s, m);
    } else if (strstr(m->text, "target attributes do not match") ||
               (starts(error->text, "friend declaration of") &&
                starts(m->text, "candidate function"))) {
        int spaces = spaces_of_message(s, m);
        bool specialises =
            starts(error->text, "no function template matches function template specialization");
        if (specialises && spaces == 0) // written by a macro of another file
            spaces = BOTH;
        if (spaces > 0 && (specialises || spaces_of_message(s, error) == 0))
            add_spaces(s, error, (unsigned)spaces);
    }
}

// ---- Constant functions -------------------------------------------------------------------

struct constant_function {
    uint32_t name, close, scope; // scope: the bracket around its declaration
    unsigned spaces;
};
typedef VEC(struct constant_function) constant_functions;

// The name of the function that the declaration around the token at i defines; NOWHERE: none.
static uint32_t defined_name(const struct source_tokens *s, uint32_t i, uint32_t *close) {
    static const char *const ends[] = {";", "{", "}", "=", "["};
    static const char *const behind[] = {"{", "const", "noexcept", "->", ":", "&", "requires"};
    for (i = skip_heads(s, declaration_begin(s, i)); i < s->tokens.len; i++) {
        uint32_t name = i;
        bool is_operator = token_is(s, i, "operator");
        if (is_any(s, i, ends, 5))
            return NOWHERE;
        while (is_operator && i + 1 < s->tokens.len && (i == name || !token_is(s, i, "(")))
            i++;
        if (is_operator && token_is(s, i, "(") && token_is(s, i + 1, ")") && i == name + 1)
            i += 2; // operator()
        if (!is_operator && token_is(s, i, "<"))
            i = token_match(s, i, "<", ">");
        if (!token_is(s, i, "("))
            continue;
        *close = token_match(s, i, "(", ")");
        bool modifier = !is_operator &&
                        (token_is(s, i - 1, "__attribute__") || token_is(s, i - 1, "decltype") ||
                         token_is(s, i - 1, "alignas") || token_is(s, i - 1, "explicit"));
        if (!modifier)
            return is_any(s, *close + 1, behind, 7) ? (is_operator ? name : i - 1) : NOWHERE;
        i = *close;
    }
    return NOWHERE;
}

static void find_constant_functions(const struct source_tokens *s, constant_functions *out) {
    for (uint32_t i = 0; i < s->tokens.len; i++) {
        struct constant_function f = {0};
        f.name = is_constant_word(s, i) ? defined_name(s, i, &f.close) : NOWHERE;
        if (f.name == NOWHERE)
            continue;
        f.spaces = written_spaces(s, f.name);
        f.scope = class_around(s, f.name);
        vec_push(s->arena, out, f);
    }
}

// Whether the name and parameters are written alike.
static bool same_signature(const struct source_tokens *s, const struct constant_function *a,
                           const struct constant_function *b) {
    uint32_t n = a->close - a->name;
    if (a->scope != b->scope || b->close - b->name != n)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        const struct token *x = &s->tokens.data[a->name + k], *y = &s->tokens.data[b->name + k];
        if (x->n != y->n || memcmp(x->s, y->s, x->n) != 0)
            return false;
    }
    return true;
}

// Whether there is one for each side: clang allows it.
static bool has_counterpart(const struct source_tokens *s, const constant_functions *all,
                            const struct constant_function *f) {
    for (uint32_t i = 0; i < all->len; i++)
        if (all->data[i].spaces != f->spaces && same_signature(s, &all->data[i], f))
            return true;
    return false;
}

static void relax_file(struct search *s, const char *path) {
    constant_functions all = {0};
    if (!open_file(s, path))
        return;
    find_constant_functions(&s->file.source, &all);
    for (uint32_t i = 0; i < all.len; i++) {
        const struct constant_function *f = &all.data[i];
        if ((f->spaces != HOST && f->spaces != DEVICE) || has_counterpart(&s->file.source, &all, f))
            continue;
        struct declared_space key = key_of(&s->file, f->name);
        key.spaces = BOTH & ~f->spaces;
        vec_push(s->arena, &s->found->list, key);
    }
}

void declared_spaces_relax(struct arena *arena, const char *source, const cc_strings *options,
                           const struct device_launches *launches, struct declared_spaces *found) {
    struct search s = begin_search(arena, launches, found);
    struct source_tokens files;
    source_tokens_read(&files, arena, source, options);
    for (uint32_t i = 0; i < files.files.len; i++)
        relax_file(&s, files.files.data[i]);
}

// ---- Attempts -----------------------------------------------------------------------------

bool declared_spaces_find(struct arena *arena, const cc_strings *diagnostics,
                          bool relaxed_constexpr, bool device_passed,
                          const struct device_launches *launches, struct declared_spaces *found) {
    struct search s = begin_search(arena, launches, found);
    clang_messages messages = {0};
    s.relaxed_constexpr = relaxed_constexpr;
    s.device_passed = device_passed;
    clang_messages_read(arena, diagnostics, &messages);
    const struct clang_message *error = NULL;
    for (uint32_t i = 0; i < messages.len; i++) {
        const struct clang_message *m = &messages.data[i];
        if (m->note && error) {
            look_at_note(&s, error, m);
        } else if (!m->note) {
            error = m;
            bool last = i + 1 == messages.len || !messages.data[i + 1].note;
            if (last && starts(m->text, "friend declaration of"))
                adopt(&s, m);
        }
    }
    return s.any;
}

void declared_spaces_advise(struct arena *arena, const cc_strings *diagnostics,
                            const struct device_launches *launches,
                            const struct declared_spaces *found) {
    struct declared_spaces seen = *found;
    struct search s = begin_search(arena, launches, &seen);
    clang_messages messages = {0};
    clang_messages_read(arena, diagnostics, &messages);
    const struct clang_message *error = NULL;
    for (uint32_t i = 0; i < messages.len; i++) {
        const struct clang_message *m = &messages.data[i];
        if (!m->note)
            error = m;
        else if (error && tells_of_other_side(error, m) && is_constant_of_one_side(&s, m)) {
            fprintf(stderr,
                    "%s:%u:%u: note: the function is constexpr: -expt-relaxed-constexpr allows "
                    "calls from the other side\n",
                    m->path, m->line, m->column);
            add_spaces(&s, m, BOTH);
        }
    }
}

void declared_spaces_warn(const struct declared_spaces *found, struct strbuf *messages) {
    for (uint32_t i = 0; i < found->list.len; i++) {
        const struct declared_space *e = &found->list.data[i];
        if (e->warning == SPACE_DEFAULTED)
            strbuf_printf(messages,
                          "%s:%u:%u: warning: the execution space specifier of '%s' is ignored: it "
                          "is explicitly defaulted on its first declaration "
                          "[-Wdefaulted-function-annotation]\n",
                          e->shown, e->line, e->column, e->name);
        else if (e->warning == SPACE_REDECLARED)
            strbuf_printf(messages,
                          "%s:%u:%u: warning: '%s' is declared without execution space specifiers "
                          "and defined with some: it is treated as __host__ __device__ "
                          "[-Wredeclared-execution-space]\n",
                          e->shown, e->line, e->column, e->name);
    }
}
