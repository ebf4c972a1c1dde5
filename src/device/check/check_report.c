// What is found becomes a record, once for each kind and place.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/check/check.h"
#include "device/exec/launch.h"
#include "device/sync.h"
#include "support/check/check_record.h"
#include "support/check/host_call.h"
#include "support/run_report.h"

enum { PLACES = 4096 };

// What has been told: a hash of kind and place.
static uint64_t told[PLACES];
static unsigned ntold;
static struct kd_spinlock lock;

static uint64_t hash(uint64_t h, const char *text) {
    for (; text && *text; text++)
        h = (h ^ (uint8_t)*text) * 0x100000001b3u;
    return h * 31 + 1;
}

static const char *text_of(const struct kd_check_site *s, int32_t at) {
    return at ? (const char *)s + at : NULL;
}

static uint64_t hash_of(uint64_t h, const struct kd_check_site *s) {
    const char *file = text_of(s, s->file);
    h = hash(hash(h, file), text_of(s, s->function));
    return h * 31 + (file ? s->line : s->number);
}

static bool is_new(const struct check_report *r) {
    uint64_t h = hash(0xcbf29ce484222325u, r->what);
    if (r->site)
        h = hash_of(h, r->site);
    if (r->other)
        h = hash_of(h, r->other);
    if (r->call && !r->site)
        h = h * 31 + (uint64_t)(uintptr_t)r->call->frames[0];
    bool found = false;
    kd_lock(&lock);
    for (unsigned k = 0; k < ntold && !found; k++)
        found = told[k] == h;
    bool fits = !found && ntold < PLACES;
    if (fits)
        told[ntold++] = h;
    kd_unlock(&lock);
    return fits;
}

// By how reports of the tools begin.
static const char *kind_of(const struct check_report *r) {
    static const char *const kinds[][2] = {
        {"Invalid", "memory.access"}, {"Malloc/Free", "memory.heap"},
        {"Error: Race", "race"},      {"Uninitialized", "init"},
        {"Barrier", "sync"},          {"Kernel", "fault"},
        {"Leaked", "leak.memory"},    {"Results", "schedule"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strncmp(r->what, kinds[k][0], strlen(kinds[k][0])))
            return kinds[k][1];
    return "memory";
}

// The name as written in C++; *owned is to be freed.
static const char *written(const char *name, char **owned) {
    *owned = run_report_demangle(name);
    return *owned ? *owned : name;
}

static void add_site(struct check_record *out, const struct kd_check_site *s, char **owned) {
    out->sites[out->nsites++] =
        (struct check_site){.function = written(text_of(s, s->function), owned),
                            .file = text_of(s, s->file),
                            .line = s->line,
                            .offset = s->number * 16};
}

static void add_thread(struct check_record *out, const struct check_report *r) {
    const struct kd_block *b = r->b;
    uint32_t t = r->thread, x = b->ntid[0], y = b->ntid[1];
    uint32_t thread[3] = {t % x, t / x % y, t / x / y};
    out->has_thread = true;
    memcpy(out->thread, thread, sizeof thread);
    memcpy(out->block, r->ctaid ? r->ctaid : b->ctaid, sizeof out->block);
}

bool check_report(const struct check_report *r) {
    char *owned[3] = {NULL};
    if ((r->b && r->b->launch->unchecked) || !is_new(r))
        return false;
    struct check_record out = {.kind = kind_of(r), .what = r->what, .leaked = r->leaked};
    if (r->site)
        add_site(&out, r->site, &owned[0]);
    if (r->other)
        add_site(&out, r->other, &owned[1]);
    if (r->b && !r->other)
        add_thread(&out, r);
    for (int k = 0; k < 3 && r->lines[k][0]; k++)
        out.lines[out.nlines++] = r->lines[k];
    if (r->call) {
        out.frames_of = r->frames_of ? r->frames_of : "driver entry point";
        host_call_add_frames(r->call, &out);
    }
    if (r->b)
        out.kernel = written(r->b->launch->name, &owned[2]);
    check_record_send(&out);
    for (int k = 0; k < 3; k++)
        free(owned[k]);
    return true;
}
