#define _GNU_SOURCE // dladdr1
#include "support/check/host_call.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 64 };

// Where a module has the code of libcudart_static.a in it: in sections of its own.
struct module {
    struct module *next;
    const struct link_map *map;
    unsigned n;
    struct {
        uint64_t begin, end;
    } own[4];
};
static struct module *modules;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void read_sections(int fd, struct module *m) {
    static const char ours[] = "kudzu_cudart";
    Elf64_Ehdr head;
    Elf64_Shdr names, s;
    char name[sizeof ours];
    if (pread(fd, &head, sizeof head, 0) != sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
        head.e_shentsize != sizeof s ||
        pread(fd, &names, sizeof names, (off_t)(head.e_shoff + head.e_shstrndx * sizeof s)) !=
            sizeof names)
        return;
    for (unsigned k = 0; k < head.e_shnum && m->n < sizeof m->own / sizeof *m->own; k++) {
        if (pread(fd, &s, sizeof s, (off_t)(head.e_shoff + k * sizeof s)) != sizeof s ||
            pread(fd, name, sizeof name, (off_t)(names.sh_offset + s.sh_name)) != sizeof name ||
            !(s.sh_flags & SHF_EXECINSTR) || strncmp(name, ours, sizeof ours - 1))
            continue;
        uint64_t begin = (uint64_t)m->map->l_addr + s.sh_addr;
        m->own[m->n].begin = begin;
        m->own[m->n++].end = begin + s.sh_size;
    }
}

// With the mutex.
static const struct module *module_of(const struct link_map *map) {
    struct module *m = modules;
    while (m && m->map != map)
        m = m->next;
    if (m || !(m = calloc(1, sizeof *m)))
        return m;
    m->map = map;
    m->next = modules;
    modules = m;
    int fd = open(*map->l_name ? map->l_name : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        read_sections(fd, m);
        close(fd);
    }
    return m;
}

static bool in_static_runtime(const void *at, const struct link_map *map) {
    bool found = false;
    pthread_mutex_lock(&mutex);
    const struct module *m = module_of(map);
    for (unsigned k = 0; m && k < m->n; k++)
        found |= (uint64_t)at >= m->own[k].begin && (uint64_t)at < m->own[k].end;
    pthread_mutex_unlock(&mutex);
    return found;
}

static bool is_library(const char *path, const char *library) {
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    return name && !strncmp(name, library, strlen(library));
}

static bool is_ours(void *at, Dl_info *info, bool *runtime) {
    struct link_map *map = NULL;
    if (!dladdr1(at, info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return false;
    bool of_runtime = is_library(info->dli_fname, "libcudart.so") || in_static_runtime(at, map);
    *runtime |= of_runtime;
    return of_runtime || is_library(info->dli_fname, "libcuda.so");
}

void host_call_name(const char *name, char *out, size_t size) {
    static const char *const ends[] = {"_ptsz", "_ptds", "_v2", "_v3", "_v4"};
    snprintf(out, size, "%s", name);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        size_t n = strlen(out), m = strlen(ends[k]);
        if (n > m && !strcmp(out + n - m, ends[k]))
            out[n - m] = 0;
    }
}

bool host_call_get(struct host_call *c) {
    void *all[DEPTH];
    int n = backtrace(all, DEPTH), k = 0;
    Dl_info info, last = {0};
    *c = (struct host_call){0};
    for (; k < n && is_ours(all[k], &info, &c->by_runtime); k++)
        last = info;
    if (!k || k == n)
        return false;
    if (last.dli_sname && !strncmp(last.dli_sname, "cu", 2))
        host_call_name(last.dli_sname, c->name, sizeof c->name);
    for (; k < n && c->nframes < CHECK_RECORD_FRAMES; k++)
        c->frames[c->nframes++] = all[k];
    return c->nframes > 0;
}

const struct host_call *host_call_keep(void) {
    static struct kept {
        struct kept *next;
        struct host_call call;
    } * all[256];
    struct host_call c;
    uint64_t h = 0;
    if (!host_call_get(&c))
        return NULL;
    for (int k = 0; k < c.nframes; k++)
        h = (h ^ (uint64_t)c.frames[k]) * 0x9e3779b97f4a7c15u;
    struct kept **at = &all[h >> 56];
    pthread_mutex_lock(&mutex);
    struct kept *found = *at;
    while (found &&
           (found->call.nframes != c.nframes || strcmp(found->call.name, c.name) != 0 ||
            memcmp(found->call.frames, c.frames, sizeof *c.frames * (size_t)c.nframes) != 0))
        found = found->next;
    if (!found && (found = malloc(sizeof *found))) {
        found->next = *at;
        found->call = c;
        *at = found;
    }
    pthread_mutex_unlock(&mutex);
    return found ? &found->call : NULL;
}

void host_call_add_frames(const struct host_call *c, struct check_record *r) {
    for (int k = 0; k < c->nframes; k++) {
        Dl_info info;
        struct link_map *map = NULL;
        if (!dladdr1(c->frames[k], &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
            return;
        struct check_frame *f = &r->frames[r->nframes++];
        f->module = map->l_name;
        f->offset = (uint64_t)c->frames[k] - (uint64_t)map->l_addr;
        f->symbol = info.dli_sname;
    }
}
