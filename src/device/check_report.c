// Reports in the form that compute-sanitizer prints, on standard output.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/check.h"
#include "device/launch.h"
#include "device/sync.h"
#include "support/run_report.h"
#include "support/strbuf.h"

#define BEGIN "========= "
enum { PLACES = 4096 };

// What has been printed: a hash of kind and place.
static uint64_t printed[PLACES];
static unsigned nprinted;
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
    bool found = false;
    kd_lock(&lock);
    for (unsigned k = 0; k < nprinted && !found; k++)
        found = printed[k] == h;
    bool fits = !found && nprinted < PLACES;
    if (fits)
        printed[nprinted++] = h;
    kd_unlock(&lock);
    return fits;
}

static void write_out(const char *text, size_t n) {
    while (n) {
        ssize_t w = write(STDOUT_FILENO, text, n);
        if (w <= 0)
            return;
        text += w;
        n -= (size_t)w;
    }
}

static void add_place(struct strbuf *out, const struct kd_check_site *s, const char *what) {
    const char *name = text_of(s, s->function), *file = text_of(s, s->file);
    char *written = run_report_demangle(name);
    strbuf_printf(out, BEGIN "    %sat %s+0x%" PRIx32, what, written ? written : name,
                  s->number * 16);
    if (file)
        strbuf_printf(out, " in %s:%" PRIu32, file, s->line);
    strbuf_printf(out, "\n");
    free(written);
}

static void add_thread(struct strbuf *out, const struct check_report *r) {
    const struct kd_block *b = r->b;
    uint32_t t = r->thread, x = b->ntid[0], y = b->ntid[1];
    strbuf_printf(out,
                  BEGIN "    by thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") in block (%" PRIu32
                        ",%" PRIu32 ",%" PRIu32 ")\n",
                  t % x, t / x % y, t / x / y, b->ctaid[0], b->ctaid[1], b->ctaid[2]);
}

bool check_report(const struct check_report *r) {
    struct strbuf out = {0};
    if (!is_new(r))
        return false;
    run_report_checked();
    strbuf_printf(&out, BEGIN "%s\n", r->what);
    if (r->site)
        add_place(&out, r->site, "");
    if (r->other)
        add_place(&out, r->other, "and ");
    if (r->b && !r->other)
        add_thread(&out, r);
    for (int k = 0; k < 3 && r->lines[k][0]; k++)
        strbuf_printf(&out, BEGIN "    %s\n", r->lines[k]);
    if (r->b && r->site) {
        const char *kernel = r->b->launch->name;
        if (strcmp(kernel, text_of(r->site, r->site->function))) {
            char *written = run_report_demangle(kernel);
            strbuf_printf(&out, BEGIN "    in kernel %s\n", written ? written : kernel);
            free(written);
        }
    }
    strbuf_printf(&out, "=========\n");
    write_out(strbuf_str(&out), strlen(strbuf_str(&out)));
    strbuf_free(&out);
    return true;
}
