#define _GNU_SOURCE
#include "nvrtc/virtual_files.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cc/processes/file_io.h"

// Within the quotes of the overlay's syntax, which is JSON's.
static void put_quoted(struct strbuf *b, const char *text) {
    for (; *text; ++text)
        if (*text == '"' || *text == '\\')
            strbuf_printf(b, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            strbuf_printf(b, "\\u%04x", (unsigned char)*text);
        else
            strbuf_append(b, text, 1);
}

static int add_file(struct virtual_files *v, struct arena *arena, const char *name,
                    const char *text, size_t size) {
    vec_push(arena, &v->descriptors, -1); // first, since there may be no memory for it
    int fd = vec_last(&v->descriptors) = memory_file(name);
    if (fd < 0)
        v->descriptors.len--;
    return fd >= 0 && memory_file_write(fd, text, size) ? fd : -1;
}

const char *virtual_files_main(struct virtual_files *v, struct arena *arena, const char *text,
                               size_t size) {
    int fd = add_file(v, arena, "nvrtc", text, size);
    return fd < 0 ? NULL : memory_file_path(arena, fd);
}

const char *virtual_files_path(struct arena *arena, const char *name) {
    return path_without_dots(
        arena, *name == '/' ? name : arena_printf(arena, "%s/%s", VIRTUAL_FOLDER, name));
}

// Up to its name.
static void begin_root(struct virtual_files *v, const char *type) {
    strbuf_printf(&v->roots, "%s{\"type\": \"%s\", \"name\": \"", v->roots.len ? ",\n" : "", type);
}

bool virtual_files_add(struct virtual_files *v, struct arena *arena, const char *name,
                       const char *text, size_t size) {
    int fd = add_file(v, arena, "nvrtc", text, size);
    if (fd < 0)
        return false;
    begin_root(v, "file");
    put_quoted(&v->roots, virtual_files_path(arena, name));
    strbuf_printf(&v->roots, "\", \"external-contents\": \"%s\"}", memory_file_path(arena, fd));
    return true;
}

void virtual_files_add_library(struct virtual_files *v, const char *name, const char *folder) {
    begin_root(v, "directory-remap");
    strbuf_puts(&v->roots, LIBRARY_FOLDER "/");
    put_quoted(&v->roots, name);
    strbuf_puts(&v->roots, "\", \"use-external-name\": true, \"external-contents\": \"");
    put_quoted(&v->roots, folder);
    strbuf_puts(&v->roots, "\"}");
}

const char *virtual_files_overlay(struct virtual_files *v, struct arena *arena) {
    struct strbuf text = {0};
    strbuf_printf(&text, "{\"version\": 0, \"use-external-names\": false, \"roots\": [\n%s]}\n",
                  strbuf_str(&v->roots));
    int fd = add_file(v, arena, "overlay", strbuf_str(&text), text.len);
    strbuf_free(&text);
    return fd < 0 ? NULL : memory_file_path(arena, fd);
}

void virtual_files_close(struct virtual_files *v) {
    for (uint32_t i = 0; i < v->descriptors.len; ++i)
        close(v->descriptors.data[i]);
    strbuf_free(&v->roots);
    *v = (struct virtual_files){0};
}
