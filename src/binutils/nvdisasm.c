// kudzu nvdisasm: the code in images, function by function. Of kudzu's that is PTX; machine code of
// GPUs is not read.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/assemble.h"
#include "assembler/device_files.h"
#include "assembler/tool_options.h"
#include "binutils/binutils.h"
#include "binutils/tool_version.h"
#include "image/cubin.h"
#include "image/image.h"
#include "isa/ops/control.h"
#include "ptx/ast.h"
#include "support/whole_file.h"

enum { MOST_BYTES = 1 << 30 };
enum { CODE = 1, FUNCTIONS, GRAPH, LINES, JSON, HELP, VERSION };

static const struct tool_option options[] = {
    {"print-code", "c", TOOL_FLAG, CODE, "Shows functions alone, without the variables."},
    {"cuda-function-index", "fun", TOOL_VALUE, FUNCTIONS,
     "Shows only the functions with these numbers in the table of symbols, separated by commas."},
    {"output-control-flow-graph", "cfg", TOOL_FLAG, GRAPH,
     "Shows the basic blocks of each function as a graph in the language of Graphviz's dot."},
    {"output-control-flow-graph-with-basic-blocks", "bbcfg", TOOL_FLAG, GRAPH, "The same."},
    {"print-line-info", "g", TOOL_FLAG, LINES,
     "Shows the source's lines, where the code has them."},
    {"help", "h", TOOL_FLAG, HELP, "This text."},
    {"version", "V", TOOL_FLAG, VERSION, "The version."},
    {"base-address", "base", TOOL_VALUE, 0, NULL},
    {"binary", "b", TOOL_VALUE, 0, NULL},
    {"emit-json", "json", TOOL_FLAG, JSON, "Refused: the listing has no such form."},
    {"life-range-mode", "lrm", TOOL_VALUE, 0, NULL},
    {"no-dataflow", "ndf", TOOL_FLAG, 0, NULL},
    {"no-vliw", "novliw", TOOL_FLAG, 0, NULL},
    {"print-instr-offsets-cfg", "poff", TOOL_FLAG, 0, NULL},
    {"print-instruction-encoding", "hex", TOOL_FLAG, 0, NULL},
    {"print-life-ranges", "plr", TOOL_FLAG, 0, NULL},
    {"print-line-info-inline", "gi", TOOL_FLAG, LINES, "The same."},
    {"print-line-info-ptx", "gp", TOOL_FLAG, 0, NULL},
    {"print-raw", "raw", TOOL_FLAG, 0, NULL},
    {"separate-functions", "sf", TOOL_FLAG, 0, "Accepted: functions stand apart."},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct nvdisasm {
    struct arena *arena;
    struct tool_log *log;
    bool code, graph, lines, help, version;
    VEC(uint32_t) numbers; // of symbols; none: all
    tool_words files;
};

// ---- Options ------------------------------------------------------------------------------

static bool add_numbers(struct nvdisasm *d, const char *value) {
    for (const char *at = value;; at++) {
        char *end;
        unsigned long n = strtoul(at, &end, 0);
        if (end == at || *at == '-' || n > UINT32_MAX || (*end && *end != ','))
            return tool_say(d->log, TOOL_FATAL, NULL, 0,
                            "Value '%s' is not defined for option 'cuda-function-index'", value);
        vec_push(d->arena, &d->numbers, (uint32_t)n);
        at = end;
        if (!*at)
            return true;
    }
}

static bool take(void *user, int id, const char *value) {
    struct nvdisasm *d = user;
    switch (id) {
    case CODE:
        return d->code = true;
    case FUNCTIONS:
        return add_numbers(d, value);
    case GRAPH:
        return d->graph = true;
    case LINES:
        return d->lines = true;
    case JSON:
        return tool_say(d->log, TOOL_FATAL, NULL, 0, "the listing has no form in JSON");
    case HELP:
        return d->help = true;
    case VERSION:
        return d->version = true;
    default:
        vec_push(d->arena, &d->files, arena_strdup(d->arena, value));
        return true;
    }
}

static bool wants(const struct nvdisasm *d, const struct cubin_file *f, const char *name) {
    struct cubin_symbol s;
    for (uint32_t i = 0; i < d->numbers.len; i++)
        if (cubin_symbol(f, d->numbers.data[i], &s) && !strcmp(s.name, name))
            return true;
    return !d->numbers.len;
}

// ---- Listings -----------------------------------------------------------------------------

static void print_line(const struct ptx_module *m, const struct ptx_inst *i, uint32_t *file,
                       uint32_t *line) {
    if (!i->line || (i->file == *file && i->line == *line))
        return;
    const char *name = i->file < m->files.len ? m->files.data[i->file] : NULL;
    *file = i->file;
    *line = i->line;
    printf("\t//## File \"%s\", line %u\n", name ? name : "?", i->line);
}

static void list_function(const struct nvdisasm *d, const struct ptx_module *m,
                          const struct ptx_func *f) {
    struct strbuf text = {0};
    uint32_t file = 0, line = 0;
    printf("\n//--------------------- .text.%s --------------------------\n%s:\n", f->name,
           f->name);
    for (uint32_t i = 0; i < f->body.len; i++) {
        const struct ptx_stmt *s = &f->body.data[i];
        if (s->kind == PTX_STMT_LABEL)
            printf("%s:\n", s->label->name);
        if (s->kind != PTX_STMT_INST)
            continue;
        if (d->lines)
            print_line(m, s->inst, &file, &line);
        text.len = 0;
        ptx_print_inst(s->inst, &text);
        printf("\t%s\n", strbuf_str(&text));
    }
    strbuf_free(&text);
}

static void list_variables(const struct ptx_module *m) {
    for (uint32_t i = 0; i < m->vars.len; i++) {
        const struct ptx_var *v = m->vars.data[i];
        printf("\n//--------------------- %s --------------------------\n%s: // %llu bytes at "
               "multiples of %u\n",
               v->space == ISA_SPACE_CONST    ? ".nv.constant3"
               : v->space == ISA_SPACE_SHARED ? ".nv.shared"
                                              : ".nv.global",
               v->name, (unsigned long long)v->size, v->align);
    }
}

// ---- Graphs -------------------------------------------------------------------------------

static bool ends_block(const struct ptx_inst *i) {
    switch (i->op) {
    case ISA_OP_BRA:
    case ISA_OP_BRX_IDX:
    case ISA_OP_RET:
    case ISA_OP_EXIT:
    case ISA_OP_TRAP:
        return true;
    default:
        return false;
    }
}

// The number of the block that each statement lies in.
static uint32_t *number_blocks(struct nvdisasm *d, const struct ptx_func *f, uint32_t *n) {
    uint32_t *blocks = arena_array(d->arena, uint32_t, f->body.len + 1), block = 0;
    bool any = false, ended = false;
    for (uint32_t i = 0; i < f->body.len; i++) {
        const struct ptx_stmt *s = &f->body.data[i];
        bool inst = s->kind == PTX_STMT_INST;
        if ((s->kind == PTX_STMT_LABEL && any) || (inst && ended)) {
            block++;
            any = ended = false;
        }
        blocks[i] = block;
        any |= inst || s->kind == PTX_STMT_LABEL;
        ended |= inst && ends_block(s->inst);
    }
    *n = block + 1;
    return blocks;
}

static void print_edge(const struct ptx_func *f, uint32_t from, uint32_t to) {
    printf("    \"%s.%u\" -> \"%s.%u\";\n", f->name, from, f->name, to);
}

static void print_edges(const struct ptx_func *f, const uint32_t *blocks, uint32_t n,
                        const struct ptx_inst *i, uint32_t block) {
    for (uint32_t k = 0; k < i->nops; k++) {
        const struct ptx_operand *o = &i->ops[k];
        if (o->kind == PTX_OPERAND_LABEL)
            print_edge(f, block, blocks[o->label->stmt]);
        for (uint32_t t = 0; o->kind == PTX_OPERAND_TARGETS && t < o->targets->n; t++)
            print_edge(f, block, blocks[o->targets->labels[t]->stmt]);
    }
    if ((i->guard || !ends_block(i)) && block + 1 < n)
        print_edge(f, block, block + 1);
}

// A text in a record's label, left-adjusted lines.
static void print_escaped(const char *text) {
    for (; *text; text++) {
        if (strchr("{}|<>\"\\", *text))
            putchar('\\');
        putchar(*text);
    }
    fputs("\\l", stdout);
}

static void draw_function(struct nvdisasm *d, const struct ptx_func *f) {
    uint32_t n, *blocks = number_blocks(d, f, &n);
    struct strbuf text = {0};
    const struct ptx_inst **last = arena_array(d->arena, const struct ptx_inst *, n);
    bool open = false;
    for (uint32_t i = 0; i < f->body.len; i++) {
        const struct ptx_stmt *s = &f->body.data[i];
        if (s->kind != PTX_STMT_INST && s->kind != PTX_STMT_LABEL)
            continue;
        if (!open || blocks[i] != blocks[i - 1]) {
            printf("%s    \"%s.%u\" [label=\"{", open ? "}\"];\n" : "", f->name, blocks[i]);
            if (!open)
                print_escaped(f->name);
            open = true;
        }
        text.len = 0;
        if (s->kind == PTX_STMT_LABEL)
            strbuf_printf(&text, "%s:", s->label->name);
        else {
            ptx_print_inst(s->inst, &text);
            last[blocks[i]] = s->inst;
        }
        print_escaped(strbuf_str(&text));
    }
    if (open)
        puts("}\"];");
    for (uint32_t b = 0; b < n; b++)
        if (last[b])
            print_edges(f, blocks, n, last[b], b);
        else if (b + 1 < n)
            print_edge(f, b, b + 1);
    strbuf_free(&text);
}

// ---- Files --------------------------------------------------------------------------------

static bool show_module(struct nvdisasm *d, const struct device_item *i,
                        const struct cubin_file *cubin) {
    struct strbuf err = {0};
    const struct ptx_module *m = ptx_parse(d->arena, i->data, i->size, &err);
    if (!m)
        tool_say_lines(d->log, TOOL_ERROR, strbuf_str(&err));
    strbuf_free(&err);
    if (!m)
        return false;
    if (!d->graph)
        printf("// PTX for sm_%u%.*s, which the driver compiles\n", m->sm, m->features != 0,
               &m->features);
    if (!d->code && !d->graph)
        list_variables(m);
    for (uint32_t n = 0; n < m->funcs.len; n++) {
        const struct ptx_func *f = m->funcs.data[n];
        if (!f->has_body || !wants(d, cubin, f->name))
            continue;
        if (d->graph)
            draw_function(d, f);
        else
            list_function(d, m, f);
    }
    return true;
}

// What `kudzu cc -cubin` writes is a container of PTX alone: its first text as a cubin.
static bool assemble_first(struct nvdisasm *d, const char *path, device_items *items) {
    const struct device_item *text = items->data;
    struct assembler_options o = {
        .target = arena_printf(d->arena, "sm_%u%s", text->arch, text->arch_specific ? "a" : ""),
        .relocatable = true,
    };
    struct ptx_text ptx = {path, text->data, text->size};
    void *image;
    size_t size;
    char err[400];
    if (!assemble(d->arena, &o, d->log, &ptx, &image, &size))
        return false;
    *items = (device_items){0};
    bool ok = device_files_parse(d->arena, path, image, size, items, err, sizeof err);
    free(image);
    return ok;
}

static bool read_items(struct nvdisasm *d, const char *path, device_items *items) {
    char err[400] = "";
    struct whole_file f;
    if (!whole_file_read(&f, path, WHOLE_FILE_PIPES, MOST_BYTES))
        return tool_say(d->log, TOOL_FATAL, NULL, 0, "Could not open input file '%s': %s", path,
                        f.why);
    bool read = device_files_parse(d->arena, path, f.data, f.size, items, err, sizeof err);
    bool container = f.size && kimg_is_container(f.data, f.size);
    free(f.data);
    if (!read)
        return tool_say(d->log, TOOL_FATAL, NULL, 0, "Could not open input file '%s': %s", path,
                        err);
    if (container && items->len && items->data->kind == DEVICE_ITEM_PTX)
        return assemble_first(d, path, items);
    return true;
}

static bool show_file(struct nvdisasm *d, const char *path) {
    device_items items = {0};
    struct cubin_file cubin;
    if (!read_items(d, path, &items))
        return false;
    const struct device_item *first = items.len ? items.data : NULL;
    if (!first || first->kind != DEVICE_ITEM_CUBIN || first->in_archive ||
        !cubin_open(&cubin, first->data, first->size, NULL, 0))
        return tool_say(d->log, TOOL_FATAL, NULL, 0, "'%s' is no cubin", path);
    if (!first->is_kudzus)
        return tool_say(d->log, TOOL_FATAL, NULL, 0,
                        "'%s' has machine code of a GPU, which cannot be listed here", path);
    if (d->graph)
        puts("digraph f {\n    node [fontname=\"Courier\", shape=record];");
    bool ok = true;
    for (uint32_t n = 1; n < items.len && ok; n++)
        if (items.data[n].kind == DEVICE_ITEM_PTX)
            ok = show_module(d, &items.data[n], &cubin);
    if (d->graph)
        puts("}");
    return ok;
}

int tool_nvdisasm(int argc, char **argv) {
    struct arena arena = {0};
    struct tool_log log = {.tool = "nvdisasm"};
    struct nvdisasm d = {.arena = &arena, .log = &log};
    struct tool_options o = {&arena, &log, options, OPTIONS, take, &d};
    if (tool_options_read(&o, argc - 1, (const char *const *)argv + 1)) {
        if (d.help) {
            puts("Usage: kudzu nvdisasm [options] CUBIN\n"
                 "Shows the code in an image of kudzu's, which is PTX, with nvdisasm's options\n"
                 "(`kudzu objdump -sass` shows what it becomes on a CPU):\n");
            tool_options_help(options, OPTIONS);
        } else if (d.version)
            tool_version_print("nvdisasm", "Cuda disassembler");
        else if (!d.files.len)
            tool_say(&log, TOOL_FATAL, NULL, 0, "No input file specified");
        for (uint32_t i = 0; i < d.files.len && !d.help && !d.version; i++)
            if (!show_file(&d, d.files.data[i]))
                break;
    }
    arena_free(&arena);
    return tool_log_end(&log);
}
