// kudzu cu++filt: names that C++ compilers mangled, as users write them.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/tool_options.h"
#include "binutils/binutils.h"
#include "binutils/tool_version.h"
#include "nv_decode.h"

enum { STRIP = 1, NO_PARAMETERS, HELP, VERSION };

static const struct tool_option options[] = {
    {"strip-underscore", "_", TOOL_FLAG, STRIP, "Takes an underscore off the front of each name."},
    {"no-params", "p", TOOL_FLAG, NO_PARAMETERS, "Leaves out the types of functions' parameters."},
    {"help", "h", TOOL_FLAG, HELP, "This text."},
    {"version", "v", TOOL_FLAG, VERSION, "The version."},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct cufilt {
    struct arena *arena;
    bool strip, no_parameters, help, version;
    tool_words names;
};

static bool take(void *user, int id, const char *value) {
    struct cufilt *c = user;
    switch (id) {
    case STRIP:
        return c->strip = true;
    case NO_PARAMETERS:
        return c->no_parameters = true;
    case HELP:
        return c->help = true;
    case VERSION:
        return c->version = true;
    default:
        vec_push(c->arena, &c->names, arena_strdup(c->arena, value));
        return true;
    }
}

// ---- Parameters ---------------------------------------------------------------------------

// The parenthesis that belongs to the closing one at `close`. NULL: there is none.
static char *opening(char *name, char *close) {
    int depth = 0;
    for (char *at = close; at >= name; at--) {
        depth += (*at == ')') - (*at == '(');
        if (!depth)
            return at;
    }
    return NULL;
}

static bool ends_with(const char *name, const char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - name) >= n && !memcmp(end - n, word, n);
}

// Where the list of parameters begins whose end is the last parenthesis of [name, end). Of a
// function that returns a pointer to another, "int (*f(char))(double)", it is the inner one's.
// NULL: none.
static char *parameters(char *name, char *end, char **after) {
    char *close = end - 1, *open = close >= name && *close == ')' ? opening(name, close) : NULL;
    if (!open)
        return NULL;
    *after = end;
    if (open == name || open[-1] != ')' || ends_with(name, open, "operator()"))
        return open;
    char *group = opening(name, open - 1), *inner_after;
    char *inner = group ? parameters(group + 1, open - 1, &inner_after) : NULL;
    if (inner)
        *after = inner_after;
    return inner ? inner : open;
}

// Takes "(int)" out of "f(int) const"; data, vtables and the like stay as they are.
static void drop_parameters(char *name) {
    static const char *const qualifiers[] = {" const", " volatile", " &", " &&"};
    static const char *const special[] = {"typeinfo ", "vtable ", "VTT ", "guard variable "};
    char *end = name + strlen(name), *after;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (!strncmp(name, special[i], strlen(special[i])))
            return;
    char *clone = strstr(name, " [clone ");
    if (clone)
        end = clone;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
            if (ends_with(name, end, qualifiers[i])) {
                end -= strlen(qualifiers[i]);
                again = true;
            }
    }
    char *open = parameters(name, end, &after);
    if (open)
        memmove(open, after, strlen(after) + 1);
}

// ---- Words --------------------------------------------------------------------------------

static void print_word(const struct cufilt *c, const char *word) {
    const char *mangled = c->strip && *word == '_' ? word + 1 : word;
    char *name = __cu_demangle(mangled, NULL, NULL, NULL);
    if (name && c->no_parameters)
        drop_parameters(name);
    fputs(name ? name : word, stdout);
    free(name);
}

static bool is_of_word(int c) {
    return isalnum(c) || c == '_' || c == '$' || c == '.';
}

// Each word of text that is a mangled name is replaced by what it stands for.
static void filter(const struct cufilt *c, FILE *in) {
    struct strbuf word = {0};
    for (int at = 0; at != EOF;) {
        at = fgetc(in);
        if (at != EOF && is_of_word(at)) {
            strbuf_append(&word, &(char){(char)at}, 1);
            continue;
        }
        if (word.len)
            print_word(c, strbuf_str(&word));
        strbuf_free(&word);
        word = (struct strbuf){0};
        if (at != EOF)
            putchar(at);
        if (at == '\n')
            fflush(stdout);
    }
}

int tool_cufilt(int argc, char **argv) {
    struct arena arena = {0};
    struct tool_log log = {.tool = "cu++filt"};
    struct cufilt c = {.arena = &arena};
    struct tool_options o = {&arena, &log, options, OPTIONS, take, &c};
    if (tool_options_read(&o, argc - 1, (const char *const *)argv + 1)) {
        if (c.help) {
            puts("Usage: kudzu cu++filt [options] [name...]\n"
                 "Prints what mangled names stand for; without names, text from the standard\n"
                 "input, with the mangled names in it replaced. cu++filt's options:\n");
            tool_options_help(options, OPTIONS);
        } else if (c.version)
            tool_version_print("cu++filt", "Cuda name demangler tool");
        else if (!c.names.len)
            filter(&c, stdin);
        for (uint32_t i = 0; i < c.names.len && !c.help && !c.version; i++) {
            print_word(&c, c.names.data[i]);
            putchar('\n');
        }
        if (fflush(stdout))
            tool_say(&log, TOOL_FATAL, NULL, 0, "The output cannot be written");
    }
    arena_free(&arena);
    return tool_log_end(&log);
}
