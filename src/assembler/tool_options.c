#include "assembler/tool_options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/whole_file.h"

enum { MOST_FILE_BYTES = 4 << 20, MOST_DEPTH = 16 };

struct reader {
    const struct tool_options *o;
    int argc, at, depth;
    const char *const *argv;
};

void tool_words_split(struct arena *arena, const char *text, tool_words *words) {
    char *word = arena_alloc(arena, strlen(text) + 1);
    while (*text) {
        size_t n = 0;
        char quote = 0;
        bool any = false;
        for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
            any = true;
            if (*text == quote)
                quote = 0;
            else if (!quote && (*text == '"' || *text == '\''))
                quote = *text;
            else if (*text == '\\' && quote != '\'' && text[1])
                word[n++] = *++text;
            else
                word[n++] = *text;
        }
        if (any)
            vec_push(arena, words, arena_strndup(arena, word, n));
        text += *text != 0;
    }
}

// The length of the option's name if the argument begins with it and a value or nothing follows.
static size_t names(const struct tool_option *t, const char *name, const char *arg) {
    size_t n = name ? strlen(name) : 0;
    if (!n || strncmp(arg, name, n) != 0)
        return 0;
    bool joined = t->kind == TOOL_JOINED && n == 1;
    return !arg[n] || arg[n] == '=' || joined ? n : 0;
}

static const struct tool_option options_file = {"options-file", "optf", TOOL_VALUE, 0,
                                                "Reads more options from a file."};

// The whole name goes before one that only begins so.
static const struct tool_option *find(const struct tool_options *o, const char *arg, size_t *n) {
    for (int exact = 1; exact >= 0; exact--)
        for (size_t i = 0; i <= o->n; i++) {
            const struct tool_option *t = i < o->n ? &o->options[i] : &options_file;
            *n = names(t, t->name, arg);
            if (!*n)
                *n = names(t, t->brief, arg);
            if (*n && (!exact || !arg[*n] || arg[*n] == '='))
                return t;
        }
    return NULL;
}

static bool read_words(struct reader *r);

static bool read_file(const struct reader *r, const char *path) {
    struct whole_file f;
    tool_words words = {0};
    if (r->depth >= MOST_DEPTH)
        return tool_say(r->o->log, TOOL_FATAL, NULL, 0,
                        "files of options name each other too deeply: '%s'", path);
    if (!whole_file_read(&f, path, WHOLE_FILE_PIPES, MOST_FILE_BYTES))
        return tool_say(r->o->log, TOOL_FATAL, NULL, 0, "Could not open options file '%s': %s",
                        path, f.why);
    tool_words_split(r->o->arena, f.data, &words);
    free(f.data);
    struct reader inner = {
        .o = r->o, .argc = (int)words.len, .argv = words.data, .depth = r->depth + 1};
    return read_words(&inner);
}

static bool is_truth(const char *s) {
    return !strcmp(s, "true") || !strcmp(s, "false");
}

// The option's value; NULL: it has none, which was reported.
static const char *value_of(struct reader *r, const struct tool_option *t, const char *rest) {
    const char *next = r->at < r->argc ? r->argv[r->at] : NULL;
    if (*rest == '=')
        rest++;
    else if (t->kind == TOOL_FLAG)
        return "";
    else if (t->kind == TOOL_SWITCH) {
        if (!next || !is_truth(next))
            return "true";
        r->at++;
        return next;
    } else if (!*rest && next) {
        r->at++;
        return next;
    }
    if (t->kind == TOOL_FLAG)
        tool_say(r->o->log, TOOL_FATAL, NULL, 0, "Option '%s' takes no value", t->name);
    else if (t->kind == TOOL_SWITCH && !is_truth(rest))
        tool_say(r->o->log, TOOL_FATAL, NULL, 0, "Value '%s' is not defined for option '%s'", rest,
                 t->name);
    else if (!*rest)
        tool_say(r->o->log, TOOL_FATAL, NULL, 0, "Argument expected after '%s'", t->name);
    else
        return rest;
    return NULL;
}

static bool read_word(struct reader *r) {
    const char *arg = r->argv[r->at++];
    size_t n;
    if (arg[0] != '-' || !arg[1])
        return r->o->take(r->o->user, 0, arg);
    const char *name = arg + (arg[1] == '-' ? 2 : 1);
    const struct tool_option *t = find(r->o, name, &n);
    if (!t)
        return tool_say(r->o->log, TOOL_FATAL, NULL, 0, "Unknown option '%s'", arg);
    const char *value = value_of(r, t, name + n);
    if (!value)
        return false;
    if (t == &options_file)
        return read_file(r, value);
    return !t->id || r->o->take(r->o->user, t->id, value);
}

static bool read_words(struct reader *r) {
    while (r->at < r->argc)
        if (!read_word(r))
            return false;
    return true;
}

bool tool_options_read(const struct tool_options *o, int argc, const char *const *argv) {
    struct reader r = {.o = o, .argc = argc, .argv = argv};
    return read_words(&r);
}

static void help(const struct tool_option *t) {
    static const char *const values[] = {"", "[=true|false]", " <value>", " <value>"};
    printf("--%s%s", t->name, values[t->kind]);
    if (t->brief)
        printf("  (-%s)", t->brief);
    printf("\n        %s\n", t->help ? t->help : "Accepted, without effect.");
}

void tool_options_help(const struct tool_option *options, size_t n) {
    for (size_t i = 0; i < n; i++)
        help(&options[i]);
    help(&options_file);
}
