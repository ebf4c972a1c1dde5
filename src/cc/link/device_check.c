#include "cc/link/device_check.h"

#include <stdio.h>
#include <string.h>

#include "cc/link/device_text.h"
#include "cc/link/ptx_check.h"
#include "cc/link/resource_usage.h"
#include "cc/link/target_directive.h"
#include "cc/processes/file_io.h"
#include "cc/processes/temporaries.h"

// What the plugin writes of each variable when lines are asked for: the mark, the name, the place.
static const char mark[] = "// kudzu.place ";

// ---- Places -------------------------------------------------------------------------------------

// "path:12:5" behind the `.loc` that holds for a line of the text; NULL: none does. clang writes it
// as a comment.
static const char *place_of_line(struct arena *arena, const char *text, uint32_t line) {
    const char *at = text, *loc = NULL;
    for (uint32_t n = 1; at && n <= line; ++n) {
        const char *s = at + strspn(at, " \t");
        if (!strncmp(s, ".loc", 4))
            loc = s;
        else if (*s == '}' && s == at) // a function's end
            loc = NULL;
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    const char *end = loc ? loc + strcspn(loc, "\n") : NULL;
    const char *comment = loc ? strstr(loc, "// ") : NULL;
    if (!comment || comment > end)
        return NULL;
    return arena_strndup(arena, comment + 3, strcspn(comment + 3, " \n"));
}

// "path:12" of a variable.
static const char *place_of_symbol(struct arena *arena, const char *text, const char *symbol) {
    size_t n = strlen(symbol);
    for (const char *at = text; (at = strstr(at, mark)); at++) {
        const char *name = at + sizeof mark - 1;
        if (!strncmp(name, symbol, n) && name[n] == ' ')
            return arena_strndup(arena, name + n + 1, strcspn(name + n + 1, "\n"));
    }
    return NULL;
}

static void put_problem(struct arena *arena, struct strbuf *out, const char *text,
                        const struct ptx_problem *p) {
    const char *place =
        p->symbol ? place_of_symbol(arena, text, p->symbol) : place_of_line(arena, text, p->line);
    if (place)
        strbuf_printf(out, "%s: error: %s\n", place, p->text);
    else
        strbuf_printf(out, "error: device code: %s\n", p->text);
}

// ---- Checking -----------------------------------------------------------------------------------

// The device pass once more, up to PTX with lines.
static bool compile_with_lines(const struct compilation *c, const struct architecture *arch,
                               const char *source, char **text, size_t *size) {
    struct compilation lines = *c;
    struct command cmd;
    const char *path = scratch_path(c->arena, "ptx");
    lines.with_lines = true;
    clang_device_pass(&cmd, &lines, arch, source);
    command_arg(&cmd, "-S");
    command_arg(&cmd, "-o");
    command_arg(&cmd, path);
    cmd.stderr_path = scratch_path(c->arena, "err");
    return command_run(&cmd) && target_directive_apply_to_file(c->arena, arch, path) &&
           read_file(c->arena, path, text, size);
}

static bool report(const struct compilation *c, const struct architecture *arch, const char *source,
                   bool whole, const ptx_problems *problems, cc_strings *diagnostics) {
    struct strbuf out = {0};
    ptx_problems again = {0};
    char *text = "";
    size_t size;
    bool lines = compile_with_lines(c, arch, source, &text, &size) &&
                 !ptx_check(c->arena, text, size, whole, &again, NULL);
    const ptx_problems *told = lines ? &again : problems;
    for (uint32_t i = 0; i < told->len; ++i)
        put_problem(c->arena, &out, lines ? text : "", &told->data[i]);
    const char *path = scratch_path(c->arena, "err");
    if (write_file(path, strbuf_str(&out), out.len))
        vec_push(c->arena, diagnostics, path);
    strbuf_free(&out);
    return false;
}

// PTX of a file's bitcode, as far as inline PTX matters.
static bool bitcode_to_ptx(const struct compilation *c, const struct device_code *code,
                           const char **path) {
    struct command cmd;
    clang_device_bitcode(&cmd, c, &code->arch);
    *path = scratch_path(c->arena, "ptx");
    static const char *const args[] = {"-Xclang", "-disable-llvm-passes", "-xir"};
    for (size_t i = 0; i < sizeof args / sizeof args[0]; ++i)
        command_arg(&cmd, args[i]);
    command_arg(&cmd, code->path);
    command_arg(&cmd, "-S");
    command_arg(&cmd, "-o");
    command_arg(&cmd, *path);
    return command_run(&cmd) && target_directive_apply_to_file(c->arena, &code->arch, *path);
}

bool device_check(const struct compilation *c, const struct device_code *code, const char *source,
                  const char *has_asm, cc_strings *diagnostics) {
    const char *path = code->path;
    ptx_problems problems = {0};
    struct ptx_usage usage = {0};
    char *text;
    size_t size;
    bool show = resource_usage_wanted(c->options);
    if (has_asm && !is_readable_file(has_asm) && !show)
        return true;
    if (has_asm && !bitcode_to_ptx(c, code, &path))
        return false;
    if (!read_file(c->arena, path, &text, &size))
        return false;
    if (!ptx_check(c->arena, text, size, !has_asm, &problems, show ? &usage : NULL))
        return report(c, &code->arch, source, !has_asm, &problems, diagnostics);
    if (show)
        resource_usage_show(c->arena, c->options, text, size, &usage, code->arch.name);
    return true;
}

bool device_check_text(const struct compilation *c, const char *path, const char *text,
                       size_t size) {
    ptx_problems problems = {0};
    struct ptx_usage usage = {0};
    bool ok = ptx_check(c->arena, text, size, true, &problems, &usage);
    for (uint32_t i = 0; i < problems.len; ++i) {
        const struct ptx_problem *p = &problems.data[i];
        if (p->symbol)
            cc_error("%s: %s", path, p->text);
        else
            fprintf(stderr, "%s:%u:%u: error: %s\n", path, p->line, p->column, p->text);
    }
    if (ok && resource_usage_wanted(c->options))
        resource_usage_show(c->arena, c->options, text, size, &usage,
                            arena_printf(c->arena, "sm_%u", usage.sm));
    return ok;
}

bool device_check_linked(const struct compilation *c, const struct device_code *code) {
    ptx_problems problems = {0};
    char *text;
    size_t size;
    if (!read_file(c->arena, code->path, &text, &size))
        return false;
    bool ok = ptx_check(c->arena, text, size, true, &problems, NULL);
    for (uint32_t i = 0; i < problems.len; ++i)
        cc_error("device link: %s", problems.data[i].text);
    return ok;
}
