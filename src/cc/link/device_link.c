#include "cc/link/device_link.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/link/device_check.h"
#include "cc/link/device_image.h"
#include "cc/link/link.h"
#include "cc/link/target_directive.h"
#include "cc/objects/object_file.h"
#include "cc/processes/temporaries.h"
#include "image/image.h"
#include "support/strbuf.h"

// The constructor of a program or shared library with relocatable device code. The entries are
// those of clang's offloading format; the linker collects them and gives their bounds. Templates
// and inline kernels have an entry in each file that uses them: one is enough. A library in the
// program may be linked already, and have an image and a constructor of its own: each takes the
// entries of `names`, the kernels and variables of its image, which are sorted and stand before
// this text.
static const char stub_source[] =
    "struct entry { char *address; char *name; unsigned long size; int flags, data; };\n"
    "extern struct entry __start_cuda_offloading_entries[] __attribute__((weak, "
    "visibility(\"hidden\")));\n"
    "extern struct entry __stop_cuda_offloading_entries[] __attribute__((weak, "
    "visibility(\"hidden\")));\n"
    "extern char kudzu_device_image[];\n"
    "__asm__(\".section .nv_fatbin,\\\"a\\\",@progbits\\n.p2align 4\\n\"\n"
    "        \".local kudzu_device_image\\n\"\n"
    "        \"kudzu_device_image:\\n.incbin \\\"\" KUDZU_IMAGE \"\\\"\\n.previous\\n\"\n"
    "        \".section " DEVICE_LINK_SECTION ",\\\"e\\\",@progbits\\n.byte 1\\n.previous\");\n"
    "static struct { int magic, version; const void *data; void *more; } wrapper\n"
    "    __attribute__((section(\".nvFatBinSegment\"))) = {0x466243b1, 1, kudzu_device_image, "
    "0};\n"
    "void **__cudaRegisterFatBinary(void *);\n"
    "void __cudaRegisterFatBinaryEnd(void **);\n"
    "void __cudaUnregisterFatBinary(void **);\n"
    "int __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,"
    " void *, void *, int *);\n"
    "void __cudaRegisterVar(void **, char *, char *, const char *, int, unsigned long, int, int);\n"
    "void __cudaRegisterManagedVar(void **, char *, char *, const char *, int, unsigned long, "
    "int, int);\n"
    "void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, "
    "int);\n"
    "void __cudaRegisterSurface(void **, const void *, const void **, const char *, int, int);\n"
    "char __cudaInitModule(void **);\n"
    "int atexit(void (*)(void));\n"
    "static void **handle;\n"
    "static int managed;\n"
    "static void end(void) { __cudaUnregisterFatBinary(handle); }\n"
    "static int seen(const struct entry *e) {\n"
    "  for (const struct entry *o = __start_cuda_offloading_entries; o < e; ++o)\n"
    "    if (o->address == e->address && !(o->flags & 8)) return 1;\n"
    "  return 0;\n"
    "}\n"
    "int strcmp(const char *, const char *);\n"
    "static int is_own(const char *name) {\n"
    "  long low = 0, high = sizeof names / sizeof *names - 2;\n"
    "  while (low <= high) {\n"
    "    long middle = (low + high) / 2;\n"
    "    int order = strcmp(name, names[middle]);\n"
    "    if (!order) return 1;\n"
    "    if (order < 0) high = middle - 1;\n"
    "    else low = middle + 1;\n"
    "  }\n"
    "  return 0;\n"
    "}\n"
    "static void add(struct entry *e) {\n"
    "  if (e->flags & 8 || !is_own(e->name) || seen(e)) return;\n"
    "  if (!e->size)\n"
    "    __cudaRegisterFunction(handle, e->address, e->name, e->name, -1, 0, 0, 0, 0, 0);\n"
    "  else if ((e->flags & 7) == 0)\n"
    "    __cudaRegisterVar(handle, e->address, e->name, e->name, 0, e->size, e->flags >> 4 & 1, "
    "0);\n"
    "  else if ((e->flags & 7) == 1) {\n"
    "    __cudaRegisterManagedVar(handle, e->address, e->address, e->name, 0, e->size, 0, 0);\n"
    "    managed = 1;\n"
    "  } else if ((e->flags & 7) == 2)\n"
    "    __cudaRegisterSurface(handle, e->address, 0, e->name, e->data, 0);\n"
    "  else if ((e->flags & 7) == 3)\n"
    "    __cudaRegisterTexture(handle, e->address, 0, e->name, e->data, e->flags >> 5 & 1, 0);\n"
    "}\n"
    "__attribute__((constructor(101))) static void begin(void) {\n" // as in pass_plugin.cpp
    "  handle = __cudaRegisterFatBinary(&wrapper);\n"
    "  for (struct entry *e = __start_cuda_offloading_entries;\n"
    "       e < __stop_cuda_offloading_entries; ++e)\n"
    "    add(e);\n"
    "  __cudaRegisterFatBinaryEnd(handle);\n"
    "  if (managed) __cudaInitModule(handle);\n"
    "  atexit(end);\n"
    "}\n";

// Linker order: a shared library of the name is taken before an archive.
static const char *find_archive(const struct compilation *c, const char *name) {
    for (uint32_t i = 0; i < c->options->link.len; ++i) {
        const char *item = c->options->link.data[i];
        if (strncmp(item, "-L", 2) != 0)
            continue;
        if (*name == ':') {
            const char *path = arena_printf(c->arena, "%s/%s", item + 2, name + 1);
            if (!access(path, R_OK))
                return path;
            continue;
        }
        if (!c->options->static_link &&
            !access(arena_printf(c->arena, "%s/lib%s.so", item + 2, name), R_OK))
            return NULL;
        const char *path = arena_printf(c->arena, "%s/lib%s.a", item + 2, name);
        if (!access(path, R_OK))
            return path;
    }
    return NULL;
}

// All files that can have device code: inputs in order, then archives named by -l.
static cc_strings files_to_search(const struct compilation *c, const cc_strings *objects) {
    cc_strings files = *objects;
    for (uint32_t i = 0; i < c->options->link.len; ++i) {
        const char *item = c->options->link.data[i];
        const char *path = strncmp(item, "-l", 2) ? NULL : find_archive(c, item + 2);
        if (path)
            vec_push(c->arena, &files, path);
    }
    return files;
}

static bool has_name(const cc_strings *list, const char *name) {
    for (uint32_t i = 0; i < list->len; ++i)
        if (!strcmp(list->data[i], name))
            return true;
    return false;
}

// The architectures of each container of an object: `ld -r` puts several into one object.
typedef VEC(cc_strings) architecture_lists;

static bool architectures_of(const struct compilation *c, const struct object_file *o,
                             architecture_lists *lists) {
    char err[256];
    struct kimg it;
    struct kimg_entry e;
    for (size_t at = 0; at < o->device_size; at += (it.size + 7) & ~(size_t)7) {
        cc_strings names = {0};
        if (!kimg_open(&it, o->device + at, o->device_size - at, err, sizeof err))
            return at || cc_error("%s: damaged device code: %s", o->name, err);
        for (int more; (more = kimg_next(&it, &e, err, sizeof err)) != 0;) {
            if (more < 0)
                return cc_error("%s: damaged device code: %s", o->name, err);
            if (e.kind == DEVICE_IMAGE_BITCODE && e.name)
                vec_push(c->arena, &names, arena_strdup(c->arena, e.name));
        }
        vec_push(c->arena, lists, names);
    }
    return true;
}

static bool is_served(const char *want, const cc_strings *have) {
    for (uint32_t i = 0; i < have->len; ++i)
        if (architecture_serves(have->data[i], want))
            return true;
    return false;
}

static void keep_served(const struct compilation *c, cc_strings *wanted, const cc_strings *have) {
    cc_strings kept = {0};
    for (uint32_t i = 0; i < wanted->len; ++i)
        if (is_served(wanted->data[i], have))
            vec_push(c->arena, &kept, wanted->data[i]);
    *wanted = kept;
}

static int by_architecture(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    uint32_t m = architecture_number(x), n = architecture_number(y);
    return m != n ? (m < n ? -1 : 1) : strcmp(x, y);
}

// What is linked for: the architectures that options name, or, where they name none, those of the
// objects' own for which all have code. Members of archives may never be needed: they count where
// they leave anything.
static bool find_architectures(const struct compilation *c, const object_files *objects,
                               cc_strings *archs) {
    cc_strings own = {0};
    architecture_lists lists = {0}, of_archives = {0};
    for (uint32_t i = 0; i < c->options->architectures.list.len; ++i)
        vec_push(c->arena, archs, c->options->architectures.list.data[i].name);
    if (c->options->architectures.given)
        return true;
    for (uint32_t i = 0; i < objects->len; ++i) {
        const struct object_file *o = &objects->data[i];
        architecture_lists *of = o->in_archive ? &of_archives : &lists;
        uint32_t before = of->len;
        if (o->device && !o->is_device_link && !architectures_of(c, o, of))
            return false;
        for (uint32_t k = before; k < of->len; ++k)
            for (uint32_t n = 0; n < of->data[k].len; ++n)
                if (!has_name(&own, of->data[k].data[n]))
                    vec_push(c->arena, &own, of->data[k].data[n]);
    }
    cc_strings all = own;
    for (uint32_t i = 0; i < lists.len; ++i)
        keep_served(c, &own, &lists.data[i]);
    cc_strings everywhere = own;
    for (uint32_t i = 0; i < of_archives.len; ++i)
        keep_served(c, &everywhere, &of_archives.data[i]);
    if (everywhere.len)
        own = everywhere;
    // Without a common one the link says which file lacks what.
    *archs = own.len ? own : all;
    if (archs->len)
        qsort(archs->data, archs->len, sizeof *archs->data, by_architecture);
    return true;
}

// Bitcode of all files for one architecture, linked, optimised, as PTX. *nothing: none of those
// that are needed has any; or, without `always`, all of it has been linked.
static bool link_architecture(const struct compilation *c, const cc_strings *files, bool always,
                              const char *arch, device_codes *codes, cc_strings *names,
                              bool *nothing) {
    struct device_code code = {
        architecture_named(arch),
        temporary_path(c->arena, arena_printf(c->arena, "a_dlink.%s", arch), "ptx")};
    const char *bitcode =
        temporary_path(c->arena, arena_printf(c->arena, "a_dlink.%s", arch), "bc");
    struct command cmd;
    command_init(&cmd, c->arena, arena_printf(c->arena, "device link %s,join", arch),
                 arena_printf(c->arena, "%s/kudzu-device-linker", c->toolchain->lib));
    if (!always)
        command_arg(&cmd, "--unless-linked");
    command_arg(&cmd, arch);
    command_arg(&cmd, bitcode);
    const char *list =
        temporary_path(c->arena, arena_printf(c->arena, "a_dlink.%s", arch), "names");
    command_arg(&cmd, list);
    vec_push(c->arena, names, list);
    command_args(&cmd, files);
    int status = command_start(&cmd) ? command_wait(&cmd) : 1;
    *nothing = status == DEVICE_LINK_NOTHING;
    if (status)
        return false;
    clang_device_bitcode(&cmd, c, &code.arch);
    command_arg(&cmd, "-xir");
    command_arg(&cmd, bitcode);
    command_arg(&cmd, "-S");
    command_arg(&cmd, "-o");
    command_arg(&cmd, code.path);
    vec_push(c->arena, codes, code);
    return command_run(&cmd) && (command_mode.dry_run ||
                                 (target_directive_apply_to_file(c->arena, &code.arch, code.path) &&
                                  device_check_linked(c, &code)));
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The stub with the names of the files in front of it.
static bool write_stub(const struct compilation *c, const char *source, const cc_strings *files) {
    cc_strings names = {0};
    struct strbuf out = {0};
    for (uint32_t i = 0; i < files->len; ++i) {
        char *text;
        size_t size;
        if (!read_file(c->arena, files->data[i], &text, &size))
            return cc_error("cannot read %s", files->data[i]);
        for (char *name = strtok(text, "\n"); name; name = strtok(NULL, "\n"))
            vec_push(c->arena, &names, name);
    }
    if (names.len)
        qsort(names.data, names.len, sizeof *names.data, by_text);
    cc_strings registered = {0};
    for (uint32_t i = 0; i < names.len; ++i) {
        if (i && !strcmp(names.data[i], names.data[i - 1]))
            continue;
        if (is_device_link_symbol(names.data[i])) // another device link may define it, too
            strbuf_printf(&out,
                          "__attribute__((weak, visibility(\"hidden\"))) const char %s = 0;\n",
                          names.data[i]);
        else
            vec_push(c->arena, &registered, names.data[i]);
    }
    strbuf_puts(&out, "static const char *const names[] = {\n");
    for (uint32_t i = 0; i < registered.len; ++i)
        strbuf_printf(&out, "\"%s\",\n", registered.data[i]);
    strbuf_puts(&out, "0};\n");
    strbuf_puts(&out, stub_source);
    bool ok = write_file(source, strbuf_str(&out), out.len);
    strbuf_free(&out);
    return ok;
}

static bool compile_stub(const struct compilation *c, const char *image, const cc_strings *names,
                         const char *object) {
    const char *source = temporary_path(c->arena, "a_dlink.stub", "c");
    if (!command_mode.dry_run && !write_stub(c, source, names))
        return false;
    struct command cmd;
    command_init(&cmd, c->arena, "device link,stub", c->toolchain->clang);
    clang_host_machine(&cmd, c->options);
    static const char *const args[] = {"-xc", "-O1", "-fPIC", "-c", "-w"};
    for (size_t i = 0; i < sizeof args / sizeof args[0]; ++i)
        command_arg(&cmd, args[i]);
    command_argf(&cmd, "-DKUDZU_IMAGE=\"%s\"", image);
    command_arg(&cmd, source);
    command_arg(&cmd, "-o");
    command_arg(&cmd, object);
    return command_run(&cmd);
}

static bool compile_empty(const struct compilation *c, const char *object) {
    struct command cmd;
    command_init(&cmd, c->arena, "device link,stub", c->toolchain->clang);
    clang_host_machine(&cmd, c->options);
    static const char *const args[] = {"-xc", "-c", "/dev/null", "-o"};
    for (size_t i = 0; i < sizeof args / sizeof args[0]; ++i)
        command_arg(&cmd, args[i]);
    command_arg(&cmd, object);
    return command_run(&cmd);
}

static bool build(const struct compilation *c, const cc_strings *files, bool always,
                  const cc_strings *archs, const char *object, bool *nothing) {
    const struct cc_options *o = c->options;
    device_codes codes = {0};
    cc_strings names = {0};
    if (o->linked_image && o->one_architecture && archs->len != 1)
        return cc_error("-dlink -cubin: the image is for one architecture, and the files have code "
                        "for %u; -fatbin takes several",
                        archs->len);
    for (uint32_t i = 0; i < archs->len; ++i)
        if (!link_architecture(c, files, always, archs->data[i], &codes, &names, nothing))
            return false;
    const char *image_path =
        o->linked_image ? object : temporary_path(c->arena, "a_dlink", "fatbin");
    if (!command_mode.dry_run) {
        void *image;
        size_t size;
        if (!device_image_build(c->arena, o, &codes, false, "a_dlink", &image, &size))
            return false;
        bool ok = write_file(image_path, image, size);
        free(image);
        if (!ok)
            return false;
    }
    return o->linked_image || compile_stub(c, image_path, &names, object);
}

// A dry run has no files to look into: with -rdc the link is shown.
static bool show_link(const struct compilation *c, const cc_strings *objects, bool always,
                      const char **object) {
    cc_strings archs = {0};
    for (uint32_t i = 0; i < c->options->architectures.list.len; ++i)
        vec_push(c->arena, &archs, c->options->architectures.list.data[i].name);
    if (!always && !c->options->rdc) {
        *object = NULL;
        return true;
    }
    if (!*object)
        *object = temporary_path(c->arena, "a_dlink", "o");
    bool nothing;
    return build(c, objects, always, &archs, *object, &nothing);
}

static bool defines(const object_files *files, const char *symbol) {
    for (uint32_t i = 0; i < files->len; ++i)
        if (files->data[i].is_device_link && has_name(&files->data[i].defined, symbol))
            return true;
    return false;
}

static bool is_linked(const object_files *files, const struct object_file *o) {
    bool any = false;
    for (uint32_t i = 0; i < o->undefined.len; ++i) {
        if (!is_device_link_symbol(o->undefined.data[i]))
            continue;
        if (!defines(files, o->undefined.data[i]))
            return false;
        any = true;
    }
    return any;
}

bool device_link(const struct compilation *c, const cc_strings *objects, bool always,
                 const char **object) {
    if (command_mode.dry_run)
        return show_link(c, objects, always, object);
    cc_strings files = files_to_search(c, objects), archs = {0};
    object_files found = {0};
    const struct object_file *first = NULL;
    bool linked = true;
    for (uint32_t i = 0; i < files.len; ++i)
        if (!object_files_read(c->arena, files.data[i], &found))
            return false;
    for (uint32_t i = 0; i < found.len; ++i)
        if (found.data[i].device && !found.data[i].is_device_link) {
            linked = linked && is_linked(&found, &found.data[i]);
            first = first ? first : &found.data[i];
        }
    if ((!first || linked) && !always) {
        *object = NULL;
        return true;
    }
    bool nothing = !first;
    const char *output = *object ? *object : temporary_path(c->arena, "a_dlink", "o");
    bool ok = first && find_architectures(c, &found, &archs) &&
              build(c, &files, always, &archs, output, &nothing);
    *object = nothing && !always ? NULL : output;
    if (ok || !nothing)
        return ok;
    if (always && c->options->linked_image)
        return cc_error("-dlink: none of the files has relocatable device code (compile with "
                        "-rdc=true or -dc)");
    return !always || compile_empty(c, output); // build systems link whatever they have
}
