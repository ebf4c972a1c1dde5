#include "cc/headers/precompile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cc/headers/header_names.h"
#include "cc/headers/header_sets.h"
#include "cc/headers/precompiled.h"
#include "cc/processes/file_io.h"
#include "cc/processes/make_rule.h"
#include "cc/processes/temporaries.h"
#include "support/strbuf.h"

struct headers {
    const struct compilation *c;
    cc_strings files;    // all headers read
    cc_strings rtc;      // by programs compiled at run time
    cc_strings optional; // the same of those that programs include themselves
    cc_strings made;
    cc_strings commands; // in the key: other options make other precompiled headers
};

// ---- Making -------------------------------------------------------------------------------

// Headers of a set are parsed behind those of the set before it.
static void replace_implicit_header(struct command *cmd, const struct compilation *c, unsigned set,
                                    const char *below) {
    cc_strings args = {0};
    for (uint32_t i = 0; i < cmd->args.len; ++i) {
        if (set && !strcmp(cmd->args.data[i], "-include")) {
            vec_push(c->arena, &args, "-include-pch");
            vec_push(c->arena, &args, below);
            for (const char *const *h = header_set_adds(set); *h; ++h) {
                vec_push(c->arena, &args, "-include");
                vec_push(c->arena, &args, *h);
            }
            i++;
        } else {
            vec_push(c->arena, &args, cmd->args.data[i]);
        }
    }
    cmd->args = args;
}

// The source is empty, and has no name that dependency files would list for ever after.
void precompile_command(struct command *cmd, const struct compilation *given, enum cc_pass pass,
                        unsigned set, const char *below) {
    struct compilation with = *given, *c = &with;
    c->precompiled = c->color = false;
    c->precompiling = true;
    const struct architecture *arch = &c->options->architectures.list.data[0];
    if (pass == CC_RTC_PASS)
        clang_rtc_pass(cmd, c, arch, "-", false);
    else if (pass == CC_DEVICE_PASS)
        clang_device_pass(cmd, c, arch, "-");
    else
        clang_host_pass(cmd, c, "-", NULL);
    replace_implicit_header(cmd, c, set, below);
    cmd->stdin_path = "/dev/null";
    // Templates that the headers use are instantiated now: half of what would be left to do later.
    static const char *const emit[] = {
        "-c", "-emit-llvm", "-fpch-instantiate-templates", "-Xclang", "-emit-pch", "-MD", "-MF"};
    for (size_t i = 0; i < sizeof emit / sizeof emit[0]; ++i)
        command_arg(cmd, emit[i]);
}

static void add_files_read(struct headers *h, const char *rule, enum cc_pass pass, unsigned set) {
    cc_strings *files = pass == CC_RTC_PASS ? &h->rtc : set ? &h->optional : &h->files;
    char *text;
    size_t size;
    if (!command_mode.dry_run && read_file(h->c->arena, rule, &text, &size))
        make_rule_prerequisites(h->c->arena, text, files);
}

static const char *joined(struct arena *arena, const cc_strings *words) {
    struct strbuf text = {0};
    for (uint32_t i = 0; i < words->len; ++i)
        strbuf_printf(&text, " %s", words->data[i]);
    const char *copy = arena_strdup(arena, strbuf_str(&text));
    strbuf_free(&text);
    return copy;
}

static bool precompile(struct headers *h, const struct cc_options *o, enum cc_pass pass,
                       unsigned set, bool make) {
    struct compilation c = *h->c;
    c.options = o;
    const char *pch = precompiled_path(c.toolchain, c.arena, o, pass, set);
    struct command cmd;
    const char *below = set ? precompiled_path(c.toolchain, c.arena, o, pass, set - 1) : NULL;
    precompile_command(&cmd, &c, pass, set, below);
    if (!make) {
        vec_push(c.arena, &h->commands, joined(c.arena, &cmd.args));
        return true;
    }
    const char *rule = scratch_path(c.arena, "d");
    const char *temporary = arena_printf(c.arena, "%s.%d", pch, (int)getpid());
    command_arg(&cmd, rule);
    command_arg(&cmd, "-o");
    command_arg(&cmd, temporary);
    if (command_run(&cmd) && (command_mode.dry_run || !rename(temporary, pch))) {
        add_files_read(h, rule, pass, set);
        vec_push(c.arena, &h->made, pch);
        return true;
    }
    unlink(temporary);
    return cc_error("%s cannot be made", pch);
}

// What is compiled at run time starts with the implicit header alone.
static bool precompile_sets(struct headers *h, const struct cc_options *o, enum cc_pass pass,
                            bool make) {
    bool ok = true;
    for (unsigned set = 0; set < (pass == CC_RTC_PASS ? 1 : HEADER_SETS) && ok; ++set)
        ok = precompile(h, o, pass, set, make);
    return ok;
}

// All kinds that precompiled_path knows.
static bool for_each_kind(struct headers *h, bool make) {
    static const char *const standards[] = {NULL, "c++17", "c++20"};
    bool ok = true;
    for (size_t i = 0; i < sizeof standards / sizeof standards[0] && ok; ++i) {
        struct cc_options o = *h->c->options, fast = o;
        o.std = fast.std = standards[i];
        fast.fast_math = fast.ftz = true;
        fast.prec_div = fast.prec_sqrt = false;
        ok = precompile_sets(h, &o, CC_DEVICE_PASS, make) &&
             precompile_sets(h, &fast, CC_DEVICE_PASS, make) &&
             (i == 2 || precompile_sets(h, &o, CC_RTC_PASS, make)) &&
             precompile_sets(h, &o, CC_HOST_PASS, make);
        o.host_opt = "2";
        ok = ok && precompile_sets(h, &o, CC_HOST_PASS, make);
    }
    return ok;
}

// ---- Key and identifiers ------------------------------------------------------------------

static void put_lines(struct strbuf *text, const char *word, const cc_strings *values) {
    for (uint32_t i = 0; i < values->len; ++i)
        strbuf_printf(text, "%s %s\n", word, values->data[i]);
}

static bool put_files(struct arena *arena, struct strbuf *text, const cc_strings *files) {
    for (uint32_t i = 0; i < files->len; ++i) {
        const char *line = precompiled_key_file(arena, files->data[i]);
        if (!line)
            return cc_error("%s: %s", files->data[i], strerror(errno));
        strbuf_puts(text, line);
    }
    return true;
}

// Whole or not at all: others may read it now.
static bool write_whole(const struct headers *h, const char *name, const struct strbuf *text) {
    struct arena *arena = h->c->arena;
    const char *path =
        arena_printf(arena, "%s/%s", precompiled_directory(h->c->toolchain, arena), name);
    const char *temporary = arena_printf(arena, "%s.%d", path, (int)getpid());
    if (write_file(temporary, strbuf_str(text), text->len) && !rename(temporary, path))
        return true;
    unlink(temporary);
    return cc_error("cannot write %s: %s", path, strerror(errno));
}

static bool write_identifiers(const struct headers *h, const char *name,
                              const cc_strings *identifiers) {
    struct strbuf names = {0};
    strbuf_puts(&names, "\n");
    for (uint32_t i = 0; i < identifiers->len; ++i)
        strbuf_printf(&names, "%s\n", identifiers->data[i]);
    bool ok = write_whole(h, name, &names);
    strbuf_free(&names);
    return ok;
}

static bool describe(struct headers *h) {
    struct arena *arena = h->c->arena;
    cc_strings names = {0}, includes = {0}, optional_names = {0}, optional_includes = {0};
    cc_strings rtc_names = {0};
    struct strbuf key = {0};
    for (unsigned set = 1; set < HEADER_SETS; ++set)
        for (const char *const *name = header_set_adds(set); *name; ++name)
            vec_push(arena, &optional_includes, *name);
    word_set(&h->files);
    word_set(&h->rtc);
    word_set(&h->optional);
    word_set_leave_out(&h->optional, &h->files);
    if (!header_names_read(arena, &h->files, &names, &includes) ||
        !header_names_read(arena, &h->rtc, &rtc_names, &includes) ||
        !header_names_read(arena, &h->optional, &optional_names, &optional_includes))
        return false;
    strbuf_puts(&key, precompiled_key_line(h->c->toolchain, arena));
    put_lines(&key, "option", &h->c->standard_directories);
    put_lines(&key, "command", &h->commands);
    put_lines(&key, "include", &includes);
    put_lines(&key, "optional", &optional_includes);
    word_set_leave_out(&h->rtc, &h->files);
    bool ok = put_files(arena, &key, &h->files) && put_files(arena, &key, &h->rtc) &&
              put_files(arena, &key, &h->optional) && put_files(arena, &key, &h->made) &&
              write_identifiers(h, "identifiers", &names) &&
              write_identifiers(h, "identifiers-rtc", &rtc_names) &&
              write_identifiers(h, "identifiers-optional", &optional_names) &&
              write_whole(h, "key", &key);
    strbuf_free(&key);
    return ok;
}

static bool is_up_to_date(struct headers *h) {
    const char *key = precompiled_read_key(h->c->toolchain, h->c->arena);
    struct strbuf commands = {0};
    for_each_kind(h, false);
    put_lines(&commands, "command", &h->commands);
    bool same = key && strstr(key, strbuf_str(&commands));
    strbuf_free(&commands);
    same = same && !access(precompiled_rtc_identifiers(h->c->toolchain, h->c->arena), R_OK);
    return same && precompiled_is_fresh(h->c->arena, key);
}

bool precompile_headers(const struct compilation *c) {
    struct headers h = {.c = c};
    if (is_up_to_date(&h))
        return true;
    const char *directory = precompiled_directory(c->toolchain, c->arena);
    if (!command_mode.dry_run && mkdir(directory, 0777) && errno != EEXIST)
        return cc_error("cannot make the directory %s: %s", directory, strerror(errno));
    if (!command_mode.dry_run)
        unlink(arena_printf(c->arena, "%s/key", directory)); // nothing fits until all is made
    return for_each_kind(&h, true) && (command_mode.dry_run || describe(&h));
}
