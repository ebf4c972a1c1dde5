#define _GNU_SOURCE
#include "assembler/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/ptx_symbols.h"
#include "cc/link/ptx_check.h"
#include "cc/link/resource_usage.h"
#include "image/image.h"
#include "image/ptx_target.h"
#include "isa/device_functions.h"
#include "ptx/max_registers.h"

static const char default_target[] = "sm_52";

struct assembly {
    struct arena *arena;
    const struct assembler_options *options;
    struct tool_log *log;
    const char *target_name;
    struct target target;
    struct ptx_module *module;
    struct ptx_usage usage;
};

// Also in a linker's log the messages are an assembler's.
static const char tool[] = "ptxas";

// ---- Checking -----------------------------------------------------------------------------

// The line of a directive at the head of the text.
static uint32_t line_of(const struct ptx_text *t, const char *directive) {
    const char *at = memmem(t->text, t->size, directive, strlen(directive));
    uint32_t line = 1;
    for (const char *p = t->text; at && p < at; p++)
        line += *p == '\n';
    return at ? line : 0;
}

// The version as the text has it.
static const char *version_of(struct arena *arena, const struct ptx_text *t) {
    static const char directive[] = ".version";
    const char *at = memmem(t->text, t->size, directive, sizeof directive - 1);
    if (!at)
        return "";
    const char *end = t->text + t->size;
    for (at += sizeof directive - 1; at < end && (*at == ' ' || *at == '\t');)
        at++;
    size_t n = 0;
    while (at + n < end && n < 16 && at[n] > ' ' && at[n] != '/')
        n++;
    return arena_strndup(arena, at, n);
}

static bool check_target(struct assembly *a, const struct ptx_text *t, const struct ptx_module *m) {
    uint32_t line = line_of(t, ".target");
    if (m->sm > a->target.number)
        return tool_say(a->log, TOOL_ERROR, t->name, line,
                        "SM version specified by .target is higher than default SM version "
                        "assumed");
    struct ptx_target target = {m->sm, m->features};
    bool may = !m->features || a->target.suffix == 'a' || a->target.suffix == m->features;
    if (!may || !ptx_target_runs(target, a->target.number))
        return tool_say(a->log, TOOL_ERROR, t->name, line,
                        "PTX with .target 'sm_%u%c' cannot be compiled to architecture '%s'", m->sm,
                        m->features, a->target_name);
    return true;
}

static bool refers_to(const struct ptx_inst *i, const struct ptx_func *f) {
    if (i->call && i->call->callee == f)
        return true;
    for (uint32_t k = 0; k < i->nops; k++)
        if (i->ops[k].func == f)
            return true;
    return false;
}

static bool is_used(const struct ptx_module *m, const struct ptx_func *f) {
    for (uint32_t i = 0; i < m->funcs.len; i++)
        for (uint32_t k = 0; k < m->funcs.data[i]->body.len; k++) {
            const struct ptx_stmt *s = &m->funcs.data[i]->body.data[k];
            if (s->kind == PTX_STMT_INST && refers_to(s->inst, f))
                return true;
        }
    return false;
}

// What a whole program must define.
static bool check_defined(struct assembly *a, const struct ptx_module *m) {
    bool ok = true;
    for (uint32_t i = 0; i < m->funcs.len; i++) {
        const struct ptx_func *f = m->funcs.data[i];
        if (!f->has_body && !f->alias && !device_provides(f->name) && !device_lacks(f->name) &&
            is_used(m, f))
            ok = tool_say(a->log, TOOL_FATAL, NULL, 0, "Unresolved extern function '%s'", f->name);
    }
    for (uint32_t i = 0; i < m->vars.len; i++) {
        const struct ptx_var *v = m->vars.data[i];
        if (v->linkage == PTX_LINK_EXTERN && v->space != ISA_SPACE_SHARED)
            ok = tool_say(a->log, TOOL_FATAL, NULL, 0, "Unresolved extern variable '%s'", v->name);
    }
    return ok;
}

static void report(struct assembly *a, const struct ptx_text *t, const ptx_problems *problems) {
    for (uint32_t i = 0; i < problems->len; i++) {
        const struct ptx_problem *p = &problems->data[i];
        tool_say(a->log, TOOL_ERROR, p->line ? t->name : NULL, p->line, "%s", p->text);
    }
}

static bool check_module(struct assembly *a, const struct ptx_text *t, bool whole) {
    ptx_problems problems = {0};
    a->module = ptx_check_module(a->arena, t->text, t->size, whole, &problems, &a->usage);
    if (!a->module && ptx_refused_version())
        return tool_say(a->log, TOOL_FATAL, t->name, line_of(t, ".version"),
                        "Unsupported .version %s; current version is '" ASSEMBLER_PTX_VERSION "'",
                        version_of(a->arena, t));
    report(a, t, &problems);
    return (a->module && check_target(a, t, a->module) &&
            (!whole || check_defined(a, a->module))) ||
           tool_say(a->log, TOOL_FATAL, NULL, 0, "Ptx assembly aborted due to errors");
}

static bool find_target(struct assembly *a) {
    a->target_name = a->options->target ? a->options->target : default_target;
    return target_find(a->target_name, &a->target) ||
           tool_say(a->log, TOOL_FATAL, NULL, 0, "Value '%s' is not defined for option 'gpu-name'",
                    a->target_name);
}

// Text ends at a NUL.
static bool check(struct assembly *a, struct ptx_text t) {
    t.size = strnlen(t.text, t.size);
    return find_target(a) && check_module(a, &t, !a->options->relocatable);
}

// ---- The image ----------------------------------------------------------------------------

static bool build(struct assembly *a, const char *text, size_t size, void **out, size_t *out_size) {
    const struct ptx_module *m = a->module;
    cubin_symbols symbols = ptx_symbols(a->arena, m, text, size);
    struct kimg_entry entries[2] = {{.kind = KIMG_PTX,
                                     .arch = a->target.number,
                                     .ptx_major = m->version_major,
                                     .ptx_minor = m->version_minor,
                                     .data = text,
                                     .size = size},
                                    {.kind = KIMG_NATIVE}};
    struct cubin c = {.arch = a->target.number,
                      .arch_specific = a->target.suffix == 'a',
                      .virtual_arch = m->sm,
                      .relocatable = a->options->relocatable,
                      .symbols = symbols.data,
                      .nsymbols = symbols.len};
    void *native = NULL, *container;
    if (a->options->native_levels) {
        if (!a->options->build_native(text, size, a->options->native_levels, &native,
                                      &entries[1].size))
            return tool_say(a->log, TOOL_FATAL, NULL, 0, "no native code could be made");
        entries[1].data = native;
    }
    bool ok = kimg_build(entries, native ? 2 : 1, &container, &c.container_size);
    free(native);
    if (ok) {
        c.container = container;
        ok = cubin_build(&c, out, out_size);
        free(container);
    }
    return ok || tool_say(a->log, TOOL_FATAL, NULL, 0, "Memory allocation failure");
}

static void tell_resources(struct assembly *a, const char *text, size_t size) {
    struct strbuf failure = {0};
    cc_capture_messages(&failure);
    if (!resource_usage_print(text, size, &a->usage, a->target_name, false, &a->log->info))
        tool_say_lines(a->log, TOOL_WARNING, strbuf_str(&failure));
    cc_capture_messages(NULL);
    strbuf_free(&failure);
}

static bool make_image(struct assembly *a, struct ptx_text t, void **out, size_t *out_size) {
    struct strbuf err = {0};
    size_t size;
    t.text = arena_strndup(a->arena, t.text, strnlen(t.text, t.size));
    const char *text = max_registers_apply(a->arena, t.text, a->options->max_registers, &size);
    if (text != t.text) // the places of functions are others
        a->module = ptx_parse(a->arena, text, size, &err);
    if (!a->module)
        tool_say_lines(a->log, TOOL_FATAL, strbuf_str(&err));
    strbuf_free(&err);
    if (a->module && a->options->verbose)
        tell_resources(a, text, size);
    return a->module && build(a, text, size, out, out_size) && !a->log->failed;
}

bool assemble_check(struct arena *arena, const struct assembler_options *o, struct tool_log *log,
                    const struct ptx_text *text) {
    struct assembly a = {.arena = arena, .options = o, .log = log};
    const char *caller = log->tool;
    log->tool = tool;
    bool ok = check(&a, *text);
    log->tool = caller;
    return ok;
}

bool assemble(struct arena *arena, const struct assembler_options *o, struct tool_log *log,
              const struct ptx_text *text, void **out, size_t *out_size) {
    struct assembly a = {.arena = arena, .options = o, .log = log};
    const char *caller = log->tool;
    log->tool = tool;
    bool ok = check(&a, *text) && make_image(&a, *text, out, out_size);
    log->tool = caller;
    return ok;
}
