#include "tools/check/suppressions.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cc/processes/cc.h"
#include "support/whole_file.h"

enum { MOST = 16 << 20 };

// ---- Lines --------------------------------------------------------------------------------

static bool read_lines(struct arena *arena, const char *path, char *text, check_suppressions *out) {
    char *rest = text, *line;
    for (int number = 1; (line = strsep(&rest, "\n")); number++) {
        const char *words[4] = {NULL};
        int n = 0;
        line[strcspn(line, "#")] = 0;
        for (char *save, *w = strtok_r(line, " \t\r", &save); w && n < 4;
             w = strtok_r(NULL, " \t\r", &save))
            words[n++] = w;
        if (n > 3)
            return cc_error("%s:%d: expected KIND [KERNEL [FILE]]; ? stands for a blank in a name",
                            path, number);
        if (n)
            vec_push(
                arena, out,
                (struct check_suppression){.kind = words[0], .kernel = words[1], .file = words[2]});
    }
    return true;
}

// ---- XML ----------------------------------------------------------------------------------

static void unescape(char *text) {
    static const char *const names[][2] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}};
    char *out = text;
    while (*text) {
        size_t n = 0;
        for (size_t k = 0; k < 5 && !n; k++)
            if (!strncmp(text, names[k][0], strlen(names[k][0]))) {
                n = strlen(names[k][0]);
                *out = *names[k][1];
            }
        if (!n)
            *out = *text;
        out++;
        text += n ? n : 1;
    }
    *out = 0;
}

// The text of the first element of this name in [from, end).
static const char *text_of(struct arena *arena, const char *from, const char *end,
                           const char *name) {
    const char *open = arena_printf(arena, "<%s>", name), *at = strstr(from, open);
    if (!at || at >= end)
        return NULL;
    at += strlen(open);
    char *text = arena_strndup(arena, at, strcspn(at, "<"));
    unescape(text);
    return text;
}

// Kinds of records by the names that the XML has for them.
static const char *pattern_of_kind(const char *kind) {
    static const char *const kinds[][2] = {{"Precise", "memory\\.access"},
                                           {"MallocFree", "memory\\.heap"},
                                           {"Memory", "memory.*"},
                                           {"Race", "race.*"},
                                           {"Init", "init.*"},
                                           {"Barrier", "sync.*"},
                                           {"Api", "(api|memory\\.api).*"},
                                           {"Leak", "leak.*"}};
    for (size_t k = 0; kind && k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(kind, kinds[k][0]))
            return kinds[k][1];
    return kind;
}

static bool read_xml(struct arena *arena, const char *path, const char *text,
                     check_suppressions *out) {
    for (const char *at = text, *end; (at = strstr(at, "<record>")); at = end) {
        end = strstr(at, "</record>");
        if (!end)
            return cc_error("%s: a <record> has no end", path);
        const char *host = strstr(at, "<hostStack>"), *own = host && host < end ? host : end;
        const char *api = text_of(arena, at, own, "api"), *func = text_of(arena, at, own, "func");
        const char *result = text_of(arena, at, own, "result");
        vec_push(
            arena, out,
            (struct check_suppression){.is_regex = true,
                                       .kind = pattern_of_kind(text_of(arena, at, own, "kind")),
                                       .kernel = api ? api : func,
                                       .file = text_of(arena, at, own, "path"),
                                       .error = api ? text_of(arena, at, own, "error") : NULL,
                                       .error_number = result ? atoi(result) : 0});
    }
    return true;
}

bool check_suppressions_read(struct arena *arena, const char *path, check_suppressions *out) {
    struct whole_file f;
    if (!whole_file_read(&f, path, WHOLE_FILE_PIPES, MOST))
        return cc_error("%s: %s", path, f.why);
    char *text = arena_strdup(arena, f.data);
    free(f.data);
    return strstr(text, "<ComputeSanitizerOutput") ? read_xml(arena, path, text, out)
                                                   : read_lines(arena, path, text, out);
}

// ---- Matching -----------------------------------------------------------------------------

static bool matches_regex(const char *pattern, const char *text) {
    regex_t regex;
    size_t n = strlen(pattern);
    char *whole = malloc(n + 5);
    if (!whole)
        return false;
    memcpy(whole, "^(", 2);
    memcpy(whole + 2, pattern, n);
    memcpy(whole + 2 + n, ")$", 3);
    bool good = !regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB);
    bool found = good && !regexec(&regex, text, 0, NULL, 0);
    if (good)
        regfree(&regex);
    free(whole);
    return found;
}

static bool matches(const struct check_suppression *s, const char *pattern, const char *text) {
    if (!pattern)
        return true;
    if (!text)
        return !s->is_regex && !strcmp(pattern, "*");
    return !strcmp(pattern, text) ||
           (s->is_regex ? matches_regex(pattern, text) : !fnmatch(pattern, text, 0));
}

static bool matches_file(const struct check_suppression *s, const char *file) {
    const char *slash = file ? strrchr(file, '/') : NULL;
    return matches(s, s->file, file) || (slash && matches(s, s->file, slash + 1));
}

// A pattern may be for the tool alone, "memory" for "memory.access".
static bool has_kind(const struct check_suppression *s, const struct check_record *r) {
    char tool[32] = "";
    size_t n = strcspn(r->kind, ".");
    if (n < sizeof tool)
        memcpy(tool, r->kind, n);
    return matches(s, s->kind, r->kind) || (!s->is_regex && matches(s, s->kind, tool));
}

static bool has_name(const struct check_suppression *s, const struct check_record *r) {
    bool found = matches(s, s->kernel, r->kernel) || matches(s, s->kernel, r->call);
    for (uint32_t k = 0; k < r->nsites; k++)
        found |= matches(s, s->kernel, r->sites[k].function);
    return found;
}

static bool has_file(const struct check_suppression *s, const struct check_record *r) {
    bool found = matches_file(s, NULL);
    for (uint32_t k = 0; k < r->nsites; k++)
        found |= matches_file(s, r->sites[k].file);
    for (uint32_t k = 0; k < r->nframes; k++)
        found |= matches_file(s, r->frames[k].file);
    return found;
}

bool check_suppressed(const check_suppressions *all, const struct check_record *r) {
    for (uint32_t k = 0; k < all->len; k++) {
        const struct check_suppression *s = &all->data[k];
        if (has_kind(s, r) && has_name(s, r) && has_file(s, r) && matches(s, s->error, r->error) &&
            (!s->error_number || s->error_number == r->error_number))
            return true;
    }
    return false;
}
