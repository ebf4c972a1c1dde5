#include "cc/headers/header_sets.h"

#include <string.h>
#include <unistd.h>

#include "cc/processes/file_io.h"

// ---- The sets -----------------------------------------------------------------------------

enum { MOST_ADDED = 16 };

// Ordered by what they cost: half precision and bfloat16 take longer than all others together.
static const struct {
    const char *name;
    const char *adds[MOST_ADDED];
} sets[HEADER_SETS] = {
    {"", {NULL}},
    {"half-", {"cuda_fp16.h", NULL}},
    {"halves-", {"cuda_bf16.h", NULL}},
    {"most-",
     {"mma.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h", "cooperative_groups.h",
      "cooperative_groups/memcpy_async.h", "cooperative_groups/reduce.h",
      "cooperative_groups/scan.h", "cuda/barrier", "cuda/pipeline", "cuda/ptx", "curand_kernel.h",
      NULL}},
};

// What some of them include themselves.
static const struct {
    const char *header, *includes;
} implied[] = {
    {"cuda_fp4.h", "cuda_bf16.h"},
    {"cuda_fp6.h", "cuda_bf16.h"},
    {"cuda_fp8.h", "cuda_bf16.h"},
    {"mma.h", "cuda_bf16.h"},
    {"cuda_bf16.h", "cuda_fp16.h"},
    {"cooperative_groups/memcpy_async.h", "cooperative_groups.h"},
    {"cuda/pipeline", "cuda/barrier"},
};

const char *header_set_name(unsigned set) {
    return sets[set].name;
}

const char *const *header_set_adds(unsigned set) {
    return sets[set].adds;
}

// ---- The head of a source -----------------------------------------------------------------

struct head {
    struct arena *arena;
    const struct cc_options *options;
    const char *own, *source;
    cc_strings included;
    cc_strings *defined;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static bool is_name_char(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Past blanks and comments.
static const char *skip_blanks(const char *s) {
    for (;;) {
        if (is_blank(*s)) {
            s++;
        } else if (s[0] == '/' && s[1] == '/') {
            s += strcspn(s, "\n");
        } else if (s[0] == '/' && s[1] == '*') {
            const char *end = strstr(s + 2, "*/");
            s = end ? end + 2 : s + strlen(s);
        } else {
            return s;
        }
    }
}

static bool exists(struct head *h, const char *directory, size_t n, const char *name) {
    const char *path = arena_printf(h->arena, "%.*s/%s", (int)n, directory, name);
    return !access(path, F_OK) && !is_folder(path);
}

// Whether the user has a header by this name, in a directory of an option.
static bool is_users(struct head *h, const char *name) {
    const cc_strings *list = &h->options->preprocessor;
    for (uint32_t k = 0; k < list->len; k++) {
        const char *directory = list->data[k];
        if (!strcmp(directory, "-isystem") && k + 1 < list->len)
            directory = list->data[++k];
        else if (!strncmp(directory, "-I", 2))
            directory += 2;
        else
            continue;
        if (exists(h, directory, strlen(directory), name) && !is_same_folder(directory, h->own))
            return true;
    }
    return false;
}

// #include: false where it may bring anything.
static bool take_include(struct head *h, const char *s) {
    char close = *s == '<' ? '>' : *s == '"' ? '"' : 0;
    size_t n = close ? strcspn(s + 1, close == '>' ? ">\n" : "\"\n") : 0;
    if (!n || s[1 + n] != close)
        return false;
    const char *name = arena_strndup(h->arena, s + 1, n), *slash = strrchr(h->source, '/');
    bool beside =
        close == '"' && (*name == '/' || exists(h, slash ? h->source : ".",
                                                slash ? (size_t)(slash - h->source) : 1, name));
    if (beside || is_users(h, name))
        return false;
    vec_push(h->arena, &h->included, name);
    return true;
}

// The name behind #define or #undef.
static bool take_macro(struct head *h, const char *s) {
    size_t n = 0;
    while (is_name_char(s[n]))
        n++;
    if (n)
        vec_push(h->arena, h->defined, arena_strndup(h->arena, s, n));
    return n > 0;
}

// The end of the line that s stands in, continued lines included.
static const char *skip_line(const char *s) {
    while (*s && *s != '\n')
        s += (*s == '\\' && s[1] == '\n') || (s[0] == '\\' && s[1] == '\r' && s[2] == '\n')
                 ? 2 + (s[1] == '\r')
                 : 1;
    return s;
}

static const char *after_word(const char *s, const char *word) {
    size_t n = strlen(word);
    if (strncmp(s, word, n) != 0 || is_name_char(s[n]))
        return NULL;
    for (s += n; *s == ' ' || *s == '\t';)
        s++;
    return s;
}

static void read_head(struct head *h, const char *s) {
    while (*(s = skip_blanks(s)) == '#') {
        const char *directive = skip_blanks(s + 1), *rest;
        bool known = (rest = after_word(directive, "include"))  ? take_include(h, rest)
                     : (rest = after_word(directive, "define")) ? take_macro(h, rest)
                     : (rest = after_word(directive, "undef"))  ? take_macro(h, rest)
                                                                : false;
        if (!known)
            return;
        s = skip_line(rest);
    }
}

// ---- Which set ----------------------------------------------------------------------------

static bool includes(const struct head *h, const char *name) {
    for (uint32_t i = 0; i < h->included.len; i++)
        if (!strcmp(h->included.data[i], name))
            return true;
    for (size_t i = 0; i < sizeof implied / sizeof implied[0]; i++)
        if (!strcmp(implied[i].includes, name) && includes(h, implied[i].header))
            return true;
    return false;
}

static bool includes_all(const struct head *h, unsigned set) {
    for (const char *const *name = sets[set].adds; *name; name++)
        if (!includes(h, *name))
            return false;
    return true;
}

unsigned header_set_of(struct arena *arena, const struct cc_options *o, const char *own,
                       const char *source, cc_strings *defined) {
    struct head h = {
        .arena = arena, .options = o, .own = own, .source = source, .defined = defined};
    char *text;
    size_t size;
    unsigned set = 0;
    if (!is_readable_file(source) || !read_file(arena, source, &text, &size))
        return 0;
    read_head(&h, text);
    while (set + 1 < HEADER_SETS && includes_all(&h, set + 1))
        set++;
    return set;
}
