#include "cc/link/link.h"

#include <stdlib.h>
#include <string.h>

#include "cc/processes/file_io.h"

// Version 13's libraries have names of their own in a folder of their own.
static const char *library_folder(const struct compilation *c) {
    return c->options->cuda_version >= 13000
               ? arena_printf(c->arena, "%s/lib64", c->toolchain->cuda_13)
               : c->toolchain->lib;
}

// The runtime that host code is made for, by its path: the folders of -L may have another one of
// this name, as NVIDIA's toolkit does. Of another machine these folders alone have one.
static void add_cudart(struct command *cmd, const struct compilation *c, bool is_static) {
    if (c->options->host_target)
        command_arg(cmd, is_static ? "-lcudart_static" : "-lcudart");
    else
        command_argf(cmd, "%s/libcudart%s", library_folder(c), is_static ? "_static.a" : ".so");
}

// The options' libraries and linker arguments with the inputs in their places.
static void link_arguments(struct command *cmd, const struct compilation *c,
                           const cc_strings *objects) {
    const cc_strings *link = &c->options->link;
    for (uint32_t i = 0; i < link->len; ++i) {
        const char *item = link->data[i];
        bool is_static = !strcmp(item, "-lcudart_static");
        if (is_static || !strcmp(item, "-lcudart"))
            add_cudart(cmd, c, is_static);
        else
            command_arg(cmd, *item == '\1' ? objects->data[atoi(item + 1)] : item);
    }
}

static void add_library_folders(struct command *cmd, const struct compilation *c) {
    if (c->options->cuda_version >= 13000)
        command_argf(cmd, "-L%s", library_folder(c));
    command_argf(cmd, "-L%s", c->toolchain->lib);
}

static void add_runtime(struct command *cmd, const struct compilation *c) {
    const struct cc_options *o = c->options;
    if (!o->host_target)
        add_library_folders(cmd, c);
    if (!o->link_names_cudart && o->cudart != CC_CUDART_NONE)
        add_cudart(cmd, c, o->cudart == CC_CUDART_STATIC);
    if (o->cudart == CC_CUDART_STATIC || o->link_names_cudart) {
        command_arg(cmd, "-lrt");
        command_arg(cmd, "-lpthread");
        command_arg(cmd, "-ldl");
    }
    if (o->host_target)
        return;
    // The program finds libcuda.so.1 and libcudart.so.12 or .13 where kudzu has them.
    command_arg(cmd, "-Xlinker");
    command_arg(cmd, "-rpath");
    command_arg(cmd, "-Xlinker");
    command_arg(cmd, c->toolchain->lib);
}

bool link_program(const struct compilation *c, const cc_strings *objects, const char *device_link,
                  const char *output) {
    const struct cc_options *o = c->options;
    struct command cmd;
    command_init(&cmd, c->arena, arena_printf(c->arena, "%s,link", output),
                 arena_printf(c->arena, "%s/kudzu-host-linker", c->toolchain->lib));
    if (c->toolchain->lld)
        command_argf(&cmd, "--ld-path=%s", c->toolchain->lld);
    if (c->toolchain->lld) { // a full disk is an error then, else a bus error
        command_arg(&cmd, "-Xlinker");
        command_arg(&cmd, "--no-mmap-output-file");
        if (o->extra_dep_prefix) {
            command_arg(&cmd, "-Xlinker");
            command_argf(&cmd, "--dependency-file=%slink", o->extra_dep_prefix);
        }
    }
    clang_host_machine(&cmd, o);
    command_arg(&cmd, "-Qunused-arguments");
    if (o->shared)
        command_arg(&cmd, "-shared");
    if (o->relocatable_link)
        command_arg(&cmd, "-r");
    if (o->static_link)
        command_arg(&cmd, "-static");
    if (o->debug)
        command_arg(&cmd, "-g");
    if (o->profile)
        command_arg(&cmd, "-pg");
    command_args(&cmd, &o->host_compiler);
    command_arg(&cmd, "-o");
    command_arg(&cmd, output);
    if (device_link) // before archives, whose own device links are not needed then
        command_arg(&cmd, device_link);
    link_arguments(&cmd, c, objects);
    if (!o->relocatable_link)
        add_runtime(&cmd, c);
    return command_run(&cmd);
}

bool link_archive(const struct compilation *c, const cc_strings *objects, const char *output) {
    struct command cmd;
    if (!command_mode.dry_run)
        remove_output(output);
    command_init(&cmd, c->arena, arena_printf(c->arena, "%s,archive", output), c->toolchain->ar);
    command_arg(&cmd, "rcs");
    command_arg(&cmd, output);
    command_args(&cmd, objects);
    return command_run(&cmd);
}
