#include "cc/messages/diagnostics.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/messages/clang_failures.h"
#include "cc/messages/clang_messages.h"
#include "cc/messages/host_calls.h"
#include "cc/messages/launch_text.h"
#include "cc/messages/missing_parts.h"
#include "cc/messages/unreachable_loops.h"
#include "cc/options/warning_levels.h"
#include "cc/options/warning_numbers.h"
#include "cc/processes/cc.h"
#include "support/strbuf.h"

// A line without the colours of the terminal.
static char *plain_line(struct arena *arena, const char *line, size_t n) {
    char *out = arena_alloc(arena, n + 1);
    size_t m = 0;
    for (size_t i = 0; i < n; ++i) {
        if (line[i] == '\033') {
            while (i < n && line[i] != 'm')
                ++i;
            continue;
        }
        out[m++] = line[i];
    }
    out[m] = 0;
    return out;
}

// "3 warnings and 1 error generated when compiling for sm_90."
static bool is_count(const char *line) {
    return isdigit((unsigned char)*line) && strstr(line, " generated") &&
           (strstr(line, " warning") || strstr(line, " error"));
}

static bool starts_diagnostic(const char *line) {
    return strstr(line, ": warning: ") || strstr(line, ": error: ") ||
           strstr(line, ": fatal error: ") || strstr(line, ": remark: ");
}

// "In file included from ..." stands before the diagnostic that it belongs to.
static bool starts_context(const char *line) {
    return !strncmp(line, "In file included from ", 22);
}

static bool seen_before(const cc_strings *seen, const char *block) {
    for (uint32_t i = 0; i < seen->len; ++i)
        if (!strcmp(seen->data[i], block))
            return true;
    return false;
}

// Of calls of the host the attempt before may have told with other notes.
static bool told_before(const cc_strings *seen, const char *line) {
    for (uint32_t i = 0; i < seen->len && is_host_call_warning(line); ++i)
        if (strstr(seen->data[i], line))
            return true;
    return false;
}

// Memory space specifiers where only variables have them (guide 18.5.3.1).
static bool is_forbidden(const char *line) {
    static const char *const signs[] = {
        ": warning: 'device' attribute only applies to functions",
        ": warning: 'shared' attribute only applies to variables",
        ": warning: 'constant' attribute only applies to variables"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; ++i)
        if (strstr(line, signs[i]))
            return true;
    return false;
}

// What the messages of a compilation are judged by, and what has come of it.
struct judge {
    struct arena *arena;
    const struct cc_options *options;
    struct warning_texts *texts;
    const char *source;
    bool any_error;
};

struct block {
    struct strbuf plain; // as clang has it, without colours
    cc_strings lines;    // as they are shown
    uint32_t at;         // the line of the diagnostic itself, behind what leads to it
    bool has_diagnostic;
};

// The flag of "... [-Wflag]" or "[-Werror,-Wflag]" at the end of a line, and its length.
static const char *flag_of(const char *line, size_t *n) {
    const char *open = strrchr(line, '['), *flag = NULL;
    for (const char *s = open; s && (s = strstr(s, "-W")); s += 2)
        flag = s + 2;
    *n = flag ? strcspn(flag, ",=]") : 0;
    return flag;
}

// "path:1:2: warning: ...": the path, and the line. NULL: it has no place.
static const char *place_of(struct arena *arena, const char *line, unsigned *number,
                            unsigned *column) {
    const char *end = strstr(line, ": warning: ");
    for (int colons = 0; end && end > line && colons < 2;) {
        end--;
        colons += *end == ':';
        if (*end != ':' && !isdigit((unsigned char)*end))
            return NULL;
    }
    if (!end || end == line)
        return NULL;
    *number = (unsigned)atoi(end + 1);
    *column = (unsigned)atoi(strchr(end + 1, ':') + 1);
    return arena_strndup(arena, line, (size_t)(end - line));
}

static enum warning_level level_of(const struct judge *j, const char *line, unsigned number) {
    unsigned at, column;
    const char *path = number ? place_of(j->arena, line, &at, &column) : NULL;
    enum warning_level level =
        path ? warning_level(j->texts, j->source, path, at, number) : LEVEL_DEFAULT;
    bool error = level == LEVEL_DEFAULT && j->options->all_warnings_are_errors;
    return error ? LEVEL_ERROR : level;
}

static unsigned number_of(const struct judge *j, const char *line) {
    size_t n;
    unsigned at, column;
    const char *flag = flag_of(line, &n), *path;
    unsigned number = flag ? warning_number(flag, n) : 0;
    if (number == UNREACHABLE_CODE && (path = place_of(j->arena, line, &at, &column)) &&
        is_unreachable_loop(j->arena, path, at, column))
        return UNREACHABLE_LOOP;
    return is_host_call_warning(line) ? HOST_CALL : number;
}

enum { NVCC_OWN = 20000 }; // numbers from here on are of what only CUDA has

// The line of a warning, with its number, and as the error that it may have become.
static const char *judged_line(const struct judge *j, const char *line, unsigned number,
                               bool forbidden, bool error) {
    const char *at = strstr(line, "warning: "), *text = at + strlen("warning: ");
    const char *shown =
        number && !j->options->no_warning_numbers ? arena_printf(j->arena, "#%u-D: ", number) : "";
    const char *kind = forbidden || error ? "error" : "warning", *flag = strrchr(text, '[');
    if (!flag || strncmp(flag, "[-W", 3) != 0)
        flag = text + strlen(text);
    if (number >= NVCC_OWN) // clang knows no such flag
        return arena_printf(j->arena, "%.*s%s: %s%.*s", (int)(at - line), line, kind, shown,
                            (int)(flag - text - (*flag == '[')), text);
    bool all = error && *flag && j->options->all_warnings_are_errors;
    return arena_printf(j->arena, "%.*s%s: %s%.*s%s%s", (int)(at - line), line, kind, shown,
                        (int)(flag - text), text, all ? "[-Werror," : "", flag + all);
}

// What becomes of the warning. False: nothing is shown.
static bool judge_warning(struct judge *j, struct block *b, const char *plain) {
    unsigned number = number_of(j, plain);
    bool forbidden = is_forbidden(plain);
    enum warning_level level = level_of(j, plain, number);
    if (level == LEVEL_SUPPRESSED || is_kernel_address_warning(plain))
        return false;
    b->lines.data[b->at] =
        judged_line(j, b->lines.data[b->at], number, forbidden, level == LEVEL_ERROR);
    j->any_error |= forbidden || level == LEVEL_ERROR;
    return true;
}

static void end_block(struct judge *j, struct block *b, const cc_strings *before, cc_strings *now) {
    const char *all = strbuf_str(&b->plain), *plain = all;
    for (uint32_t i = 0; i < b->at; ++i)
        plain = strchr(plain, '\n') + 1;
    plain = arena_strndup(j->arena, plain, strcspn(plain, "\n"));
    bool shown = b->lines.len && !seen_before(before, all) && !told_before(before, plain);
    if (shown && b->has_diagnostic && strstr(plain, ": warning: "))
        shown = judge_warning(j, b, plain);
    for (uint32_t i = 0; i < b->lines.len && shown; ++i)
        fprintf(stderr, "%s\n", b->lines.data[i]);
    const char *advice = shown ? missing_part_advice(plain) : NULL;
    if (advice)
        fprintf(stderr, "%s: note: %s\n", cc_command_name(), advice);
    if (b->lines.len)
        vec_push(j->arena, now, arena_strdup(j->arena, all));
    strbuf_free(&b->plain);
    *b = (struct block){0};
}

static void print_text(struct judge *j, const char *text, const cc_strings *before,
                       cc_strings *now) {
    struct block b = {0};
    while (*text) {
        size_t n = strcspn(text, "\n");
        const char *plain = plain_line(j->arena, text, n),
                   *line = clang_message_place_first(j->arena, plain);
        const char *shown = line != plain ? line : arena_strndup(j->arena, text, n);
        bool context = starts_context(line), diagnostic = starts_diagnostic(line);
        if ((context || diagnostic) && b.has_diagnostic)
            end_block(j, &b, before, now);
        if (diagnostic)
            b.at = b.lines.len;
        b.has_diagnostic |= diagnostic;
        if (!is_count(line)) {
            vec_push(j->arena, &b.lines, shown);
            strbuf_puts(&b.plain, line);
            strbuf_puts(&b.plain, "\n");
        }
        text += n + (text[n] == '\n');
    }
    end_block(j, &b, before, now);
}

static struct strbuf read_text(const char *path) {
    struct strbuf text = {0};
    FILE *f = fopen(path, "rb");
    if (!f)
        return text;
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        strbuf_append(&text, block, n);
    fclose(f);
    return text;
}

bool diagnostics_print(struct arena *arena, const struct cc_options *o, const char *source,
                       const cc_strings *files) {
    struct judge j = {arena, o, warning_texts_new(arena, o), source, false};
    cc_strings before = {0};
    for (uint32_t i = 0; i < files->len; ++i) {
        struct strbuf text = read_text(files->data[i]);
        cc_strings now = {0};
        if (text.data)
            print_text(&j, launch_text_remove(arena, clang_failures_shorten(arena, text.data)),
                       &before, &now);
        strbuf_free(&text);
        for (uint32_t k = 0; k < now.len; ++k)
            vec_push(arena, &before, now.data[k]);
    }
    return j.any_error;
}
