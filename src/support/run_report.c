#define _GNU_SOURCE // memfd_create, RTLD_DEFAULT
#include "support/run_report.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/environment.h"

static bool wanted;
static struct run_report *shared; // NULL: nobody counts

// A program may have closed the descriptor, and opened something else under its number.
static struct run_report *map(int fd) {
    struct stat st;
    if (fcntl(fd, F_GET_SEALS) < 0 || fstat(fd, &st) || st.st_size != sizeof(struct run_report))
        return NULL;
    struct run_report *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (r == MAP_FAILED)
        return NULL;
    if (!memcmp(r->magic, RUN_REPORT_MAGIC, sizeof RUN_REPORT_MAGIC))
        return r;
    munmap(r, sizeof *r);
    return NULL;
}

// Before main where the library is linked: programs may close what they do not know.
__attribute__((constructor)) static void open_report(void) {
    const char *value = environment_get(RUN_REPORT_VARIABLE);
    if (!value || !*value || !strcmp(value, "0"))
        return;
    char *end;
    long fd = strtol(value, &end, 10);
    wanted = true;
    if (!*end && fd > 2 && fd <= INT_MAX)
        shared = map((int)fd);
}

bool run_report_on(void) {
    return wanted;
}

char *run_report_demangle(const char *name) {
    char *(*function)(const char *, char *, size_t *, int *);
    void *found = name ? dlsym(RTLD_DEFAULT, "__cxa_demangle") : NULL;
    if (name && !found) {
        void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        found = library ? dlsym(library, "__cxa_demangle") : NULL;
    }
    memcpy(&function, &found, sizeof function);
    return found ? function(name, NULL, NULL, NULL) : NULL;
}

static void write_text(const char *kernel, const char *text, char *out, size_t size) {
    char *written = run_report_demangle(kernel);
    const char *at = written ? strstr(text, kernel) : NULL;
    if (at)
        snprintf(out, size, "%.*s%s%s", (int)(at - text), text, written, at + strlen(kernel));
    else
        snprintf(out, size, "%s", text);
    free(written);
}

void run_report_fault(const char *kernel, const char *text) {
    char out[2 * RUN_REPORT_TEXT];
    if (!wanted)
        return;
    if (shared)
        atomic_fetch_add(&shared->faults, 1);
    write_text(kernel, text, out, sizeof out);
    fprintf(stderr, "kudzu: error: %s\n", out);
}

void run_report_started(void) {
    if (shared)
        atomic_fetch_add(&shared->started, 1);
}

unsigned run_report_faults(void) {
    return shared ? atomic_load(&shared->faults) : 0;
}

static int32_t own_id(void) {
    return (int32_t)syscall(SYS_gettid);
}

// A place for a launch of the thread that failed with this text: the one of earlier such launches,
// else a free one. With all in use: any of the thread's.
static struct run_report_launch *place_for(int32_t owner, const char *text, bool *found) {
    struct run_report_launch *own = NULL;
    *found = true;
    for (int i = 0; i < RUN_REPORT_LAUNCHES; i++) {
        struct run_report_launch *l = &shared->launches[i];
        if (atomic_load(&l->owner) != owner)
            continue;
        own = l;
        if (!strcmp(l->text, text))
            return l;
    }
    for (int i = 0; i < RUN_REPORT_LAUNCHES; i++) {
        int32_t nobody = 0;
        if (!atomic_compare_exchange_strong(&shared->launches[i].owner, &nobody, owner))
            continue;
        *found = false;
        return &shared->launches[i];
    }
    return own;
}

void run_report_launch_failed(const char *kernel, const char *text) {
    char out[RUN_REPORT_TEXT];
    bool found;
    if (!shared)
        return;
    write_text(kernel, text, out, sizeof out);
    struct run_report_launch *l = place_for(own_id(), out, &found);
    if (!l) {
        atomic_fetch_add(&shared->lost, 1);
        return;
    }
    if (found) {
        atomic_fetch_add(&l->times, 1);
        return;
    }
    memcpy(l->text, out, sizeof out);
    atomic_store(&l->times, 1);
    atomic_store(&l->ready, 1);
}

bool run_report_call_failed(const char *text) {
    int32_t nobody = 0;
    if (!shared || !atomic_compare_exchange_strong(&shared->call.owner, &nobody, own_id()))
        return false;
    snprintf(shared->call.text, sizeof shared->call.text, "%s", text);
    atomic_store(&shared->call.ready, 1);
    return true;
}

void run_report_call_forget(void) {
    if (!shared || atomic_load(&shared->call.owner) != own_id())
        return;
    atomic_store(&shared->call.ready, 0);
    atomic_store(&shared->call.owner, 0);
}

void run_report_shape(const char *kernel, const uint32_t block[3], uint32_t flags) {
    unsigned place = shared ? atomic_fetch_add(&shared->shape_count, 1) : RUN_REPORT_SHAPES;
    if (place >= RUN_REPORT_SHAPES)
        return;
    struct run_report_shape *s = &shared->shapes[place];
    memcpy(s->block, block, sizeof s->block);
    s->flags = flags;
    snprintf(s->kernel, sizeof s->kernel, "%s", kernel);
    atomic_store(&s->ready, 1);
}

void run_report_errors_seen(void) {
    int32_t owner = own_id();
    run_report_call_forget();
    for (int i = 0; shared && i < RUN_REPORT_LAUNCHES; i++)
        if (atomic_load(&shared->launches[i].owner) == owner) {
            atomic_store(&shared->launches[i].ready, 0);
            atomic_store(&shared->launches[i].owner, 0);
        }
}

struct run_report *run_report_new(int *fd) {
    struct run_report *r = NULL;
    *fd = memfd_create("kudzu-run", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0)
        return NULL;
    if (!ftruncate(*fd, sizeof *r) && !fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
        r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (!r || r == MAP_FAILED) {
        close(*fd);
        return NULL;
    }
    memcpy(r->magic, RUN_REPORT_MAGIC, sizeof RUN_REPORT_MAGIC);
    return r;
}

void run_report_give(int fd) {
    enum { HIGH = 100 }; // programs may count on the numbers that come next
    char number[16];
    int given = fcntl(fd, F_DUPFD, HIGH);
    if (given < 0)
        given = fcntl(fd, F_DUPFD, 3);
    snprintf(number, sizeof number, "%d", given);
    setenv(RUN_REPORT_VARIABLE, number, 1);
}
