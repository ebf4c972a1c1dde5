#include "assembler/device_linking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/ptx_symbols.h"

// ---- Adding -------------------------------------------------------------------------------

static const char *target_name(struct device_linking *l, const struct device_item *first) {
    if (!l->options.target && first->arch)
        l->options.target =
            arena_printf(l->arena, "sm_%u%s", first->arch, first->arch_specific ? "a" : "");
    return l->options.target ? l->options.target : "sm_52";
}

static bool serves(const struct device_item *i, const struct target *t) {
    return i->arch_specific ? i->arch == t->number && t->suffix == 'a' : i->arch <= t->number;
}

// The PTX of a file for the target; NULL: it has none.
static const struct device_item *best_text(const struct device_item *items, uint32_t n,
                                           const struct target *t) {
    const struct device_item *best = NULL;
    for (uint32_t i = 0; i < n; i++)
        if (items[i].kind == DEVICE_ITEM_PTX && serves(&items[i], t) &&
            (!best || items[i].arch > best->arch ||
             (items[i].arch == best->arch && items[i].arch_specific)))
            best = &items[i];
    return best;
}

static bool has(const struct device_item *items, uint32_t n, enum device_item_kind kind) {
    for (uint32_t i = 0; i < n; i++)
        if (items[i].kind == kind)
            return true;
    return false;
}

static enum device_linking_result refuse(struct device_linking *l, const struct device_item *items,
                                         uint32_t n) {
    const char *file = items->file;
    if (has(items, n, DEVICE_ITEM_PTX))
        tool_say(l->log, TOOL_ERROR, NULL, 0, "SM Arch ('%s') not found in '%s'", l->options.target,
                 file);
    else if (has(items, n, DEVICE_ITEM_BITCODE))
        tool_say(l->log, TOOL_ERROR, NULL, 0,
                 "'%s' holds LLVM bitcode, which `kudzu cc -dlink` or clang links", file);
    else if (has(items, n, DEVICE_ITEM_CUBIN) || has(items, n, DEVICE_ITEM_COMPRESSED))
        tool_say(l->log, TOOL_ERROR, NULL, 0,
                 "'%s' holds machine code of a GPU, or compressed PTX: plain PTX is needed", file);
    else
        return DEVICE_LINKING_OK;
    return DEVICE_LINKING_BAD_INPUT;
}

// Items of one file, or of one member of an archive.
static enum device_linking_result add_items(struct device_linking *l,
                                            const struct device_item *items, uint32_t n) {
    struct target t;
    const char *name = target_name(l, items);
    if (!target_find(name, &t)) {
        tool_say(l->log, TOOL_FATAL, NULL, 0, "Value '%s' is not defined for option 'arch'", name);
        return DEVICE_LINKING_BAD_INPUT;
    }
    const struct device_item *best = best_text(items, n, &t);
    if (!best)
        return refuse(l, items, n);
    struct assembler_options relocatable = l->options;
    relocatable.relocatable = true;
    if (!assemble_check(l->arena, &relocatable, l->log,
                        &(struct ptx_text){best->file, best->data, best->size}))
        return DEVICE_LINKING_BAD_PTX;
    vec_push(l->arena, &l->texts,
             (struct linked_text){best->file, best->data, best->size, best->in_archive});
    return DEVICE_LINKING_OK;
}

static enum device_linking_result add_all(struct device_linking *l, const device_items *items) {
    enum device_linking_result result = DEVICE_LINKING_OK;
    for (uint32_t i = 0, n; i < items->len && !result; i += n) {
        for (n = 1; i + n < items->len && items->data[i + n].file == items->data[i].file;)
            n++;
        result = add_items(l, items->data + i, n);
    }
    return result;
}

enum device_linking_result device_linking_add(struct device_linking *l, const char *name,
                                              const void *data, size_t size) {
    device_items items = {0};
    char err[400] = "";
    if (device_files_parse(l->arena, name, data, size, &items, err, sizeof err))
        return add_all(l, &items);
    tool_say(l->log, TOOL_FATAL, NULL, 0, "'%s': %s", name, err);
    return DEVICE_LINKING_BAD_INPUT;
}

enum device_linking_result device_linking_add_file(struct device_linking *l, const char *path) {
    device_items items = {0};
    char err[400] = "";
    if (device_files_read(l->arena, path, &items, err, sizeof err))
        return add_all(l, &items);
    tool_say(l->log, TOOL_FATAL, NULL, 0, "Could not open input file '%s': %s", path, err);
    return DEVICE_LINKING_BAD_INPUT;
}

// ---- Choosing -----------------------------------------------------------------------------

struct choice {
    cubin_symbols symbols;
    bool taken;
};

static const struct cubin_symbol *defined_in(const struct choice *c, const char *name) {
    for (uint32_t i = 0; i < c->symbols.len; i++) {
        const struct cubin_symbol *s = &c->symbols.data[i];
        if (s->defined && s->binding != CUBIN_LOCAL && !strcmp(s->name, name))
            return s;
    }
    return NULL;
}

static bool is_defined(const struct choice *choices, uint32_t n, const char *name) {
    for (uint32_t i = 0; i < n; i++)
        if (choices[i].taken && defined_in(&choices[i], name))
            return true;
    return false;
}

// Takes the first member that defines what is missing. False: there is none.
static bool take_for(struct choice *choices, uint32_t n, const char *name) {
    for (uint32_t i = 0; i < n; i++)
        if (!choices[i].taken && defined_in(&choices[i], name))
            return choices[i].taken = true;
    return false;
}

static bool take_more(struct choice *choices, uint32_t n) {
    bool more = false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; choices[i].taken && k < choices[i].symbols.len; k++) {
            const struct cubin_symbol *s = &choices[i].symbols.data[k];
            if (!s->defined && !is_defined(choices, n, s->name))
                more |= take_for(choices, n, s->name);
        }
    return more;
}

// What is linked of the texts: all but members of archives that nothing needs.
static struct choice *choose(struct device_linking *l) {
    struct choice *choices = arena_array(l->arena, struct choice, l->texts.len + 1);
    bool archives = false;
    for (uint32_t i = 0; i < l->texts.len; i++) {
        const struct linked_text *t = &l->texts.data[i];
        choices[i].taken = !t->in_archive;
        archives |= t->in_archive;
    }
    for (uint32_t i = 0; archives && i < l->texts.len; i++) {
        const struct linked_text *t = &l->texts.data[i];
        struct strbuf err = {0};
        struct ptx_module *m = ptx_parse(l->arena, t->text, t->size, &err);
        strbuf_free(&err);
        if (m)
            choices[i].symbols = ptx_symbols(l->arena, m, t->text, t->size);
    }
    while (archives && take_more(choices, l->texts.len))
        ;
    return choices;
}

// ---- Linking ------------------------------------------------------------------------------

// "link: error: ... in module 2": modules become files.
static void report(struct device_linking *l, char *lines, const char *const *names, size_t n) {
    static const char prefix[] = "link: error: ", module[] = "module ";
    for (char *save = NULL, *line = strtok_r(lines, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        struct strbuf text = {0};
        if (!strncmp(line, prefix, sizeof prefix - 1))
            line += sizeof prefix - 1;
        for (char *at; (at = strstr(line, module));) {
            char *end;
            unsigned long number = strtoul(at + sizeof module - 1, &end, 10);
            if (number < 1 || number > n)
                break;
            strbuf_append(&text, line, (size_t)(at - line));
            strbuf_printf(&text, "'%s'", names[number - 1]);
            line = end;
        }
        strbuf_puts(&text, line);
        tool_say(l->log, TOOL_ERROR, NULL, 0, "%s", strbuf_str(&text));
        strbuf_free(&text);
    }
}

bool device_linking_text(struct device_linking *l, const char **text, size_t *size) {
    const struct choice *choices = choose(l);
    const char **texts = arena_array(l->arena, const char *, l->texts.len + 1);
    const char **names = arena_array(l->arena, const char *, l->texts.len + 1);
    size_t *sizes = arena_array(l->arena, size_t, l->texts.len + 1), n = 0;
    struct strbuf out = {0}, err = {0};
    for (uint32_t i = 0; i < l->texts.len; i++)
        if (choices[i].taken) {
            texts[n] = l->texts.data[i].text;
            names[n] = l->texts.data[i].name;
            sizes[n++] = l->texts.data[i].size;
        }
    if (!n)
        return tool_say(l->log, TOOL_FATAL, NULL, 0, "No device code to link");
    bool ok = ptx_link(texts, sizes, n, &out, &err);
    if (ok) {
        *text = arena_strndup(l->arena, strbuf_str(&out), out.len);
        *size = out.len;
    } else
        report(l, arena_strdup(l->arena, strbuf_str(&err)), names, n);
    strbuf_free(&out);
    strbuf_free(&err);
    return ok;
}

bool device_linking_image(struct device_linking *l, void **out, size_t *out_size) {
    struct ptx_text t = {.name = "linked PTX"};
    return device_linking_text(l, &t.text, &t.size) &&
           assemble(l->arena, &l->options, l->log, &t, out, out_size);
}
