#include "device/sched/hang.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device/check/check.h"
#include "device/check/host/check_host.h"
#include "device/code/module.h"
#include "device/exec/block.h"
#include "device/internal.h"
#include "device/sched/op.h"
#include "support/environment.h"

atomic_bool hang_watched;
_Atomic(uint64_t) hang_things_done;
static _Atomic(uint64_t) looks;

static struct {
    pthread_once_t once;
    double seconds; // without anything done
    sem_t wake;     // posted by the handler of SIGINT
    atomic_bool interrupted;
    atomic_uint asked;     // how often a list was asked for
    atomic_uint headed;    // the last one that has its first line
    _Atomic uint64_t done; // things, when the last list was asked for
} watch = {.once = PTHREAD_ONCE_INIT};

// ---- what threads tell ----------------------------------------------------------------------

static bool is_same(const struct wait_site *a, const struct wait_site *b) {
    return a->file == b->file && a->line == b->line && a->thread == b->thread;
}

void hang_looks(struct resident *s, const struct wait_site *site, bool changes) {
    struct unit *u = &s->units[s->current];
    struct wait_site *free = &u->sites[0];
    if (!atomic_load_explicit(&hang_watched, memory_order_relaxed))
        return;
    atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed);
    if (changes)
        hang_done();
    for (unsigned k = 0; k < WAIT_SITES; k++) {
        struct wait_site *at = &u->sites[k];
        if (is_same(at, site) && at->seen) {
            *at = *site;
            at->seen = atomic_load_explicit(&hang_things_done, memory_order_relaxed);
            return;
        }
        free = at->seen < free->seen ? at : free;
    }
    hang_done(); // it has come here
    *free = *site;
    free->seen = atomic_load_explicit(&hang_things_done, memory_order_relaxed);
}

bool hang_only_looked(uint64_t seen[2]) {
    uint64_t looked = atomic_load(&looks), done = atomic_load(&hang_things_done);
    bool only = looked != seen[0] && done == seen[1];
    seen[0] = looked;
    seen[1] = done;
    return only;
}

void hang_forget(struct resident *s) {
    for (uint32_t u = 0; u < MAX_UNITS && atomic_load_explicit(&hang_watched, memory_order_relaxed);
         u++)
        memset(s->units[u].sites, 0, sizeof s->units[u].sites);
}

// ---- the list -------------------------------------------------------------------------------

static const char *thread_text(const struct kd_launch *l, uint32_t t, char text[48]) {
    snprintf(text, 48, "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", t % l->block[0],
             t / l->block[0] % l->block[1], t / l->block[0] / l->block[1]);
    return text;
}

static uint64_t vars_count(const struct kd_launch *l) {
    const struct kd_module *m = l->kernel->module;
    return m->info && m->vars ? m->info->nvars : 0;
}

// What lies at an address, as far as is known: a variable, shared memory, an allocation.
static void place_text(const struct resident *s, uint64_t address, char *text, size_t size) {
    const struct kd_launch *l = s->launch;
    uint64_t shared = (uint64_t)(uintptr_t)s->b.shared, base, bytes;
    for (uint64_t k = 0; k < vars_count(l); k++) {
        const struct kj_var *v = &l->kernel->module->info->vars[k];
        uint64_t at = (uint64_t)(uintptr_t)l->kernel->module->vars[k];
        if (address < at || address >= at + v->size)
            continue;
        snprintf(text, size, "variable %s + %" PRIu64, v->name, address - at);
        return;
    }
    if (address >= shared && address < shared + l->window_bytes)
        snprintf(text, size, "shared memory at %" PRIu64, address - shared);
    else if (memory_extent(address, &base, &bytes))
        snprintf(text, size, "global memory at 0x%" PRIx64 ", %" PRIu64 " bytes into an allocation",
                 address, address - base);
    else
        snprintf(text, size, "memory at 0x%" PRIx64, address);
}

// threads: that stand there, from w's first lane on, of units that are threads.
static void print_site(const struct resident *s, const struct wait_site *w, uint32_t threads) {
    char first[48], place[160];
    const struct kd_launch *l = s->launch;
    fprintf(stderr, "kudzu:   kernel %s, block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), ", l->name,
            s->b.ctaid[0], s->b.ctaid[1], s->b.ctaid[2]);
    uint32_t lane = w->lanes ? (uint32_t)__builtin_ctz(w->lanes) : 0;
    thread_text(l, w->thread + lane, first);
    if (threads > 1)
        fprintf(stderr, "%" PRIu32 " threads from %s on", threads, first);
    else if (w->lanes & (w->lanes - 1))
        fprintf(stderr, "%d threads from %s on (lanes 0x%" PRIx32 ")", __builtin_popcount(w->lanes),
                first, w->lanes << w->thread % KD_WARP);
    else
        fprintf(stderr, "thread %s", first);
    if (w->line && w->file)
        fprintf(stderr, ", at %s:%" PRIu32, w->file, w->line);
    else
        fprintf(stderr, ", at a line that -lineinfo would name");
    if (w->address) {
        place_text(s, w->address, place, sizeof place);
        fprintf(stderr, ": waits for %s", place);
    } else {
        fprintf(stderr, ": waits for what others write");
    }
    fputc('\n', stderr);
}

// What a unit waits for; NULL: nothing that a line would tell.
static const char *wait_words(const struct unit *u) {
    static const char *const words[] = {
        [UNIT_AT_BARRIER] = "at a barrier",
        [UNIT_AT_WARP_OP] = "at a warp operation, for other lanes",
        [UNIT_AT_PHASE] = "for a phase of an mbarrier object",
        [UNIT_AT_CLUSTER] = "at the cluster's barrier",
        [UNIT_FOR_ROOM] = "for room in tensor memory",
        [UNIT_PARKED] = "for other blocks of the cluster",
    };
    return u->wait < sizeof words / sizeof *words ? words[u->wait] : NULL;
}

static void print_unit(const struct resident *s, uint32_t unit) {
    char first[48];
    bool thread = thread_units(s);
    thread_text(s->launch, thread ? unit : unit * KD_WARP, first);
    fprintf(stderr,
            "kudzu:   kernel %s, block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), %s %s: waits %s\n",
            s->launch->name, s->b.ctaid[0], s->b.ctaid[1], s->b.ctaid[2],
            thread ? "thread" : "the warp of thread", first, wait_words(&s->units[unit]));
}

// Is unit n a thread that waits at w, too?
static bool is_beside(const struct resident *s, uint32_t n, const struct wait_site *w,
                      uint64_t done) {
    const struct unit *u = &s->units[n];
    bool same = false;
    for (unsigned k = 0; k < WAIT_SITES && thread_units(s) && u->wait == UNIT_RUNS; k++)
        same |= u->sites[k].seen && u->sites[k].seen >= done && u->sites[k].file == w->file &&
                u->sites[k].line == w->line && u->sites[k].address == w->address;
    return same;
}

// In front of the first line, so that there is none where all compute.
static void print_header(unsigned asked) {
    if (atomic_exchange(&watch.headed, asked) == asked)
        return;
    if (atomic_load(&watch.interrupted))
        fprintf(stderr, "kudzu: interrupted. These threads wait:\n");
    else
        fprintf(stderr,
                "kudzu: for %g seconds no thread of a kernel has done anything but wait "
                "(KUDZU_HANG_SECONDS). These wait:\n",
                watch.seconds);
}

// Lines of one block; `left` limits them over all that are asked for.
static void print_block(const struct resident *s, uint64_t done, unsigned asked, int *left) {
    for (uint32_t n = 0; n < s->next_unit; n++) {
        const struct unit *u = &s->units[n];
        bool any = false;
        if (u->wait == UNIT_ENDED)
            continue;
        for (unsigned k = 0; k < WAIT_SITES && u->wait == UNIT_RUNS; k++) {
            const struct wait_site *w = &u->sites[k];
            if (!w->seen || w->seen < done)
                continue;
            any = true;
            if (n && is_beside(s, n - 1, w, done))
                continue;
            uint32_t threads = 1;
            while (n + threads < s->next_unit && is_beside(s, n + threads, w, done))
                threads++;
            print_header(asked);
            if ((*left)-- > 0)
                print_site(s, w, threads);
        }
        if (!any && u->wait != UNIT_RUNS && wait_words(u)) {
            print_header(asked);
            if ((*left)-- > 0)
                print_unit(s, n);
        }
    }
}

// ---- waits that cannot end ------------------------------------------------------------------

// Could neither the host nor a loop of the unit's own change what it waits for?
static bool is_for_others(const struct wait_site *w) {
    struct kd_memory m;
    bool found = kd_memory_find(w->address, &m);
    return w->alike && w->address &&
           (!found || m.kind == KD_MEMORY_DEVICE || m.kind == KD_MEMORY_VARIABLE);
}

// Is all that runs in the block in loops that are alike until others write?
static bool is_stuck(const struct resident *s, uint64_t done) {
    for (uint32_t n = 0; n < s->next_unit; n++) {
        const struct unit *u = &s->units[n];
        bool any = false;
        for (unsigned k = 0; k < WAIT_SITES && u->wait == UNIT_RUNS; k++) {
            const struct wait_site *w = &u->sites[k];
            if (!w->seen || w->seen < done)
                continue;
            if (!is_for_others(w))
                return false;
            any = true;
        }
        if (u->wait == UNIT_RUNS && !any)
            return false;
    }
    return true;
}

static void tell_stuck(struct resident *s, uint64_t done) {
    char place[160], line[256];
    for (uint32_t n = 0; n < s->next_unit; n++)
        for (unsigned k = 0; k < WAIT_SITES && s->units[n].wait == UNIT_RUNS; k++) {
            const struct wait_site *w = &s->units[n].sites[k];
            if (!w->seen || w->seen < done)
                continue;
            place_text(s, w->address, place, sizeof place);
            snprintf(line, sizeof line,
                     "for %g seconds every thread of every kernel has only waited; these for %s",
                     watch.seconds, place);
            uint32_t lane = w->lanes ? (uint32_t)__builtin_ctz(w->lanes) : 0;
            check_waits(&s->b, w->thread + lane, w->file, w->line, line);
        }
}

// Where waiting is checked: all that runs only waits, for memory that the host does not see, and so
// does the host, so that nobody can end it. Each runner finds that of its blocks, tells of them
// when all have, and ends its launches when all have told.
static void look_for_deadlock(struct runner *r, unsigned asked) {
    enum { FOUND, TOLD, STEPS };
    uint64_t done = atomic_load(&hang_things_done);
    unsigned found = asked * STEPS + FOUND, told = asked * STEPS + TOLD;
    if (!asked || !(check_tools() & CHECK_SYNC) || atomic_load(&watch.interrupted) ||
        done != atomic_load(&watch.done) || !check_host_is_idle() ||
        scheduler_has_more(&r->waiting->op->device->scheduler, r))
        return;
    if (atomic_load(&r->stuck) < found) {
        for (const struct resident *s = r->waiting; s; s = s->next)
            if (!is_stuck(s, done))
                return;
        atomic_store(&r->stuck, found);
    }
    if (atomic_load(&r->stuck) == found && runners_are_stuck(found)) {
        for (struct resident *s = r->waiting; s; s = s->next)
            tell_stuck(s, done);
        atomic_store(&r->stuck, told);
    }
    if (atomic_load(&r->stuck) == told && runners_are_stuck(told))
        context_cancel(r->waiting->op->context, "kernels wait for each other and can never end");
}

void hang_list(struct runner *r) {
    enum { MOST_LINES = 40 };
    unsigned asked = atomic_load_explicit(&watch.asked, memory_order_relaxed);
    if (!atomic_load_explicit(&hang_watched, memory_order_relaxed))
        return;
    if (r->waiting)
        look_for_deadlock(r, asked);
    if (r->listed == asked)
        return;
    r->listed = asked;
    if (!r->waiting)
        return;
    int left = MOST_LINES;
    uint64_t done = atomic_load(&watch.interrupted) ? 0 : atomic_load(&hang_things_done);
    flockfile(stderr);
    for (const struct resident *s = r->waiting; s; s = s->next)
        print_block(s, done, asked, &left);
    if (left <= 0)
        fprintf(stderr, "kudzu:   and others\n");
    funlockfile(stderr);
}

// ---- who asks for it ------------------------------------------------------------------------

static void on_interrupt(int sig) {
    int saved = errno;
    (void)sig;
    atomic_store(&watch.interrupted, true);
    sem_post(&watch.wake);
    errno = saved;
}

static void watch_interrupts(void) {
    struct sigaction now, mine = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&mine.sa_mask);
    // A program's own handler stays.
    if (!sigaction(SIGINT, NULL, &now) && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
        sigaction(SIGINT, &mine, NULL);
}

// Those who wait look at what was asked for now and again; then the process ends as it would have.
static void end_interrupted(void) {
    enum { TO_LIST_US = 300000 };
    atomic_fetch_add(&watch.asked, 1);
    usleep(TO_LIST_US);
    fflush(stderr);
    signal(SIGINT, SIG_DFL);
    kill(getpid(), SIGINT);
}

static void *main_of_watch(void *unused) {
    enum { EVERY_NS = 100000000 };
    uint64_t done = 0, reported = 0, since = kd_now_ns();
    (void)unused;
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += EVERY_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        while (sem_timedwait(&watch.wake, &until) && errno == EINTR)
            ;
        if (atomic_load(&watch.interrupted)) {
            end_interrupted();
            return NULL;
        }
        uint64_t now = atomic_load(&hang_things_done);
        if (now != done)
            since = kd_now_ns();
        done = now;
        if (done && done != reported && (double)(kd_now_ns() - since) >= watch.seconds * 1e9) {
            reported = done; // once, until something is done
            atomic_store(&watch.done, done);
            atomic_fetch_add(&watch.asked, 1);
        }
    }
}

static void begin(void) {
    const char *text = environment_get("KUDZU_HANG_SECONDS");
    watch.seconds = text ? strtod(text, NULL) : 0;
    if (!(watch.seconds > 0) || sem_init(&watch.wake, 0, 0) ||
        !scheduler_start_thread(main_of_watch, NULL))
        return;
    atomic_store(&hang_watched, true);
    watch_interrupts();
}

void hang_watch(void) {
    pthread_once(&watch.once, begin);
}
