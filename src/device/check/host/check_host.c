// Each launch and copy has ended when its call returns, or has had time to. Pages whose every word
// it has accessed are taken from the host then, until the host has waited for it: who touches one
// before races, but for reads of words that were only read. Where single instructions can be let
// run, those are let by one by one.
#include "device/check/host/check_host.h"

#include <execinfo.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "device/check/check.h"
#include "device/check/check_cells.h"
#include "device/check/check_streams.h"
#include "device/check/check_threads.h"
#include "device/check/host/own_code.h"
#include "device/exec/runner.h"
#include "device/exec/single_step.h"
#include "device/internal.h"
#include "device/memory/memory.h"
#include "device/sched/hang.h"
#include "device/sched/op.h"
#include "support/check/host_call.h"

enum { PAGE_BYTES = 1 << CHECK_PAGE_BITS, PAGES = 64 };
// Accesses without a race that are let by: of a page each time it is taken, and of the process.
enum { STEPS_OF_PAGE = 256, STEPS = 1 << 14 };
atomic_bool check_host_on;
static atomic_uint steps;
static bool can_step; // with the lock

// Of each page that an operation has touched.
enum state { UNKNOWN, OF_DEVICE, OF_HOST, LISTED, TAKEN };
static struct check_pages pages;

// Pages that operations have touched which the host may not have waited for.
struct page {
    uint64_t begin, end; // of the allocation's bytes in it
    int rights;          // of the host
    uint32_t steps;      // accesses that have been let by since it was taken
};
static struct page list[PAGES];
static uint32_t listed;
static struct kd_spinlock lock; // of the list

static uint64_t page_of(uint64_t address) {
    return address & ~(uint64_t)(PAGE_BYTES - 1);
}

static enum state state_of(uint64_t address) {
    _Atomic(void *) *slot = check_pages_slot(&pages, address, false);
    return slot ? (enum state)(uintptr_t)atomic_load(slot) : UNKNOWN;
}

static void set_state(uint64_t address, enum state s) {
    _Atomic(void *) *slot = check_pages_slot(&pages, address, true);
    if (slot)
        atomic_store(slot, (void *)(uintptr_t)s);
}

static bool set_rights(uint64_t address, int rights) {
    return !mprotect((void *)(uintptr_t)page_of(address), PAGE_BYTES, rights);
}

void check_host_begin(void) {
    if (!(check_tools() & CHECK_RACE) || check_host_follow())
        return;
    void *frame[1];
    backtrace(frame, 1); // loads what it needs, which a signal handler could not
    bool known = own_code_find();
    check_streams_begin();
    atomic_store(&check_host_on, known);
}

void check_host_gone(uint64_t address, uint64_t size) {
    uint32_t left = 0;
    if (!check_host_follow())
        return;
    kd_lock(&lock);
    for (uint32_t k = 0; k < listed; k++) {
        if (list[k].begin - address >= size) {
            list[left++] = list[k];
            continue;
        }
        if (list[k].rights != (PROT_READ | PROT_WRITE))
            set_rights(list[k].begin, PROT_READ | PROT_WRITE);
    }
    listed = left;
    for (uint64_t at = page_of(address); at < address + size; at += PAGE_BYTES)
        if (state_of(at) != UNKNOWN)
            set_state(at, UNKNOWN);
    kd_unlock(&lock);
}

// With the lock.
static void add(uint64_t address, const struct kd_memory *m) {
    uint64_t page = page_of(address), end = m->base + m->size;
    set_state(address, listed < PAGES ? LISTED : OF_HOST);
    if (listed == PAGES)
        return;
    list[listed++] = (struct page){.begin = m->base > page ? m->base : page,
                                   .end = end < page + PAGE_BYTES ? end : page + PAGE_BYTES,
                                   .rights = PROT_READ | PROT_WRITE};
}

static void open_page(uint64_t address) {
    for (uint32_t k = 0; k < listed; k++)
        if (page_of(list[k].begin) == page_of(address))
            list[k].rights = PROT_READ | PROT_WRITE;
    set_rights(address, PROT_READ | PROT_WRITE);
    set_state(address, LISTED);
}

bool check_host_touched(uint64_t address) {
    enum state s = state_of(address);
    struct kd_memory m;
    if (s == OF_DEVICE || s == LISTED)
        return s == LISTED;
    if (!kd_memory_find(address, &m) ||
        (m.kind != KD_MEMORY_PINNED && m.kind != KD_MEMORY_MANAGED)) {
        set_state(address, OF_DEVICE);
        return false;
    }
    kd_lock(&lock);
    s = state_of(address);
    if (s == TAKEN)
        open_page(address);
    else if (s != LISTED)
        add(address, &m);
    kd_unlock(&lock);
    return true;
}

// ---- what the host may do -----------------------------------------------------------------

// A word that kernels read by strong accesses is there for the host to write meanwhile.
static bool is_strong(uint32_t name) {
    uint32_t number = name >> CHECK_LANE_BITS;
    return number && check_stamp_of(number)->site->flags & KD_CHECK_STRONG;
}

// An access that the host has not waited for, and of which bytes; the host's own are known to it.
static bool is_open(uint32_t name, uint8_t bytes) {
    uint32_t number = name >> CHECK_LANE_BITS;
    const struct check_stamp *s = number ? check_stamp_of(number) : NULL;
    return s && (s->bytes & bytes) == bytes && !check_streams_host_knows(s->grid);
}

// *any: some access is one that the host has not waited for.
static int rights_of(const struct page *p, bool *any) {
    struct check_cells *c = check_cells_of(p->begin);
    bool all_written = true, any_written = false, all_accessed = true, strong = false;
    *any = false;
    for (uint64_t at = p->begin; c && at < p->end && !strong; at += 4) {
        uint32_t k = (uint32_t)(at >> 2) % CHECK_CELLS;
        uint8_t bytes = p->end - at < 4 ? (uint8_t)((1u << (p->end - at)) - 1) : 15;
        bool written = is_open(c->weak[k], bytes);
        bool read = false;
        strong = is_open(c->strong[k], 0);
        for (int n = 0; n < CHECK_READERS; n++) {
            uint32_t name = c->readers[n][k];
            read |= is_open(name, bytes);
            strong |= is_strong(name) && is_open(name, 0);
        }
        all_written &= written;
        any_written |= written;
        all_accessed &= written || read;
        *any |= written || read || strong;
    }
    if (!c || !*any || strong || !all_accessed)
        return PROT_READ | PROT_WRITE;
    return all_written || (any_written && can_step) ? PROT_NONE : PROT_READ;
}

void check_host_update(void) {
    uint32_t left = 0;
    if (!check_host_follow())
        return;
    bool possible = atomic_load(&steps) < STEPS && single_step_possible();
    kd_lock(&lock);
    can_step = possible;
    for (uint32_t k = 0; k < listed; k++) {
        struct page p = list[k];
        bool any;
        int rights = rights_of(&p, &any);
        if (rights != p.rights) {
            set_state(p.begin, rights == (PROT_READ | PROT_WRITE) ? LISTED : TAKEN);
            if (!set_rights(p.begin, rights)) {
                rights = PROT_READ | PROT_WRITE;
                set_state(p.begin, LISTED);
            }
            p.rights = rights;
            p.steps = 0;
        }
        if (any)
            list[left++] = p;
        else
            set_state(p.begin, OF_HOST);
    }
    listed = left;
    kd_unlock(&lock);
}

static atomic_int waiting, launching;

void check_host_waits(int by) {
    atomic_fetch_add(&waiting, by);
}

void check_host_launches(int by) {
    atomic_fetch_add(&launching, by);
}

bool check_host_is_idle(void) {
    return atomic_load(&waiting) > 0 && !atomic_load(&launching);
}

void check_host_hold(struct scheduler *s) {
    enum { PATIENCE = 8, SLICES = 600 };
    static const struct timespec slice = {.tv_nsec = 2000000};
    static atomic_int in_vain;
    int n = 0;
    if (!check_host_follow() || atomic_load(&in_vain) >= PATIENCE)
        return;
    while (n < SLICES && (!atomic_load(&waiting) || scheduler_is_busy(s))) {
        nanosleep(&slice, NULL);
        n += !atomic_load(&launching); // that may compile for long
    }
    if (n == SLICES)
        atomic_fetch_add(&in_vain, 1);
}

// Where it does not end soon, it may be behind a function of the host, which is not held then. It
// may also wait for what the host does behind this call: for a second nothing runs then, or threads
// only look; or they look at all, in loops that write themselves, and it goes on for ten.
static bool wait_for(struct op *op) {
    enum { SLICE_NS = 100000000, IDLE = 10, LOOKS = 100, ALL = 600 };
    static const uint64_t soon_ns = 20000000;
    uint64_t seen[2] = {0};
    bool ended = scheduler_sleep(op, soon_ns), looked = false;
    if (ended)
        return true;
    hang_only_looked(seen);
    uint64_t before = seen[0];
    check_host_waits(1);
    for (int n = 0, idle = 0; !ended && idle < IDLE && n < (looked ? LOOKS : ALL); n++) {
        ended = scheduler_sleep(op, SLICE_NS);
        bool only_looked = hang_only_looked(seen);
        idle = only_looked || !scheduler_is_busy(&op->device->scheduler) ? idle + 1 : 0;
        looked |= seen[0] != before;
    }
    check_host_waits(-1);
    return ended;
}

void check_host_submitted(struct op *op) {
    enum { PATIENCE = 3 };
    static atomic_int in_vain; // kernels that wait for the host, or for others behind them
    if (check_host_follow()) {
        if (atomic_load(&in_vain) < PATIENCE && !wait_for(op))
            atomic_fetch_add(&in_vain, 1);
        fault_handlers_install();
        check_host_update();
    }
    op_unref(op);
}

// ---- what it has done ---------------------------------------------------------------------

bool check_host_frames(uint64_t pc, struct host_call *c) {
    enum { DEPTH = 64 };
    void *all[DEPTH];
    int n = backtrace(all, DEPTH), k = 0;
    *c = (struct host_call){0};
    while (k < n && (uint64_t)(uintptr_t)all[k] != pc)
        k++;
    for (; k < n && c->nframes < CHECK_RECORD_FRAMES; k++)
        c->frames[c->nframes++] = all[k];
    if (c->nframes) // a line is looked for in front of where a call returns
        c->frames[0] = (char *)c->frames[0] + 1;
    return c->nframes > 0;
}

static void report(uint64_t address, uint64_t pc, bool writes, uint32_t name) {
    const struct check_stamp *s = check_stamp_of(name >> CHECK_LANE_BITS);
    struct check_item item;
    struct host_call frames;
    char what[96];
    bool is_move = check_is_move(s->site);
    if (!check_streams_item(s->grid, &item) || item.unchecked)
        return;
    struct check_report r = {.what = what, .site = is_move ? NULL : s->site};
    snprintf(what, sizeof what,
             "Error: Race reported between %s access of the host and %s access%s",
             writes ? "Write" : "Read", s->site->kind == KD_CHECK_READ ? "Read" : "Write",
             is_move ? check_move_words(s->site) : "");
    snprintf(r.lines[0], CHECK_LINE, "at 0x%" PRIx64 ", in stream %" PRIu64, address, item.queue);
    snprintf(r.lines[1], CHECK_LINE, "the host has not waited for it");
    if (is_move)
        r.call = item.call;
    else if (check_host_frames(pc, &frames))
        r.call = &frames;
    check_report(&r);
}

bool check_host_race(uint64_t address, uint64_t pc, bool writes) {
    struct check_cells *c = check_cells_of(address);
    uint32_t k = (uint32_t)(address >> 2) % CHECK_CELLS;
    uint8_t byte = (uint8_t)(1u << address % 4);
    if (!c)
        return false;
    const uint32_t names[] = {c->weak[k], writes ? c->readers[0][k] : 0,
                              writes ? c->readers[1][k] : 0};
    uint32_t racing = 0;
    for (int n = 0; n < 3 && !racing; n++)
        racing = names[n] && is_open(names[n], byte) ? names[n] : 0;
    if (racing)
        report(address, pc, writes, racing);
    return racing;
}

// Pages that the instruction which the thread runs alone has needed, of which it may need some.
enum { AT_ONCE = 4 };
static _Thread_local struct {
    uint32_t n;
    uint64_t pages[AT_ONCE];
} alone __attribute__((tls_model("initial-exec")));

// Of a signal handler, which may have come in front of the one that holds it. With the lock.
static bool try_lock(void) {
    enum { TRIES = 10000 };
    for (int k = 0; k < TRIES; k++) {
        if (!atomic_exchange_explicit(&lock.held, 1, memory_order_acquire))
            return true;
        kd_relax();
    }
    return false;
}

static struct page *listed_page(uint64_t address) {
    for (uint32_t k = 0; k < listed; k++)
        if (page_of(list[k].begin) == page_of(address))
            return &list[k];
    return NULL;
}

// Opens a page that stays taken.
static bool open_for_one(uint64_t address) {
    struct page *p;
    bool open = false;
    if (alone.n == AT_ONCE || atomic_load(&steps) >= STEPS || !try_lock())
        return false;
    p = listed_page(address);
    if (p && state_of(address) == TAKEN && p->steps < STEPS_OF_PAGE &&
        set_rights(address, PROT_READ | PROT_WRITE)) {
        p->steps++;
        atomic_fetch_add(&steps, 1);
        alone.pages[alone.n++] = page_of(address);
        open = true;
    }
    kd_unlock(&lock);
    return open;
}

bool check_host_stepped(void) {
    uint32_t n = alone.n;
    bool locked = n && try_lock();
    for (uint32_t k = 0; k < n; k++) {
        uint64_t address = alone.pages[k];
        struct page *p = locked ? listed_page(address) : NULL;
        // It may have become the device's, or other memory, meanwhile.
        if (p && state_of(address) == TAKEN)
            set_rights(address, p->rights);
    }
    if (locked)
        kd_unlock(&lock);
    alone.n = 0;
    return n > 0;
}

enum check_host_answer check_host_fault(uint64_t address, uint64_t pc, bool writes, bool of_device,
                                        bool steps_allowed) {
    enum state s = check_host_follow() ? state_of(address) : UNKNOWN;
    if (s != LISTED && s != TAKEN)
        return CHECK_HOST_NOT;
    if (s == TAKEN && check_cells_of(address) && !of_device && !own_code_has(pc) &&
        !check_host_race(address, pc, writes) && steps_allowed && open_for_one(address))
        return CHECK_HOST_ONCE;
    // The list may say that the page is taken: then it is not taken again.
    set_state(address, LISTED);
    return set_rights(address, PROT_READ | PROT_WRITE) ? CHECK_HOST_GO : CHECK_HOST_NOT;
}
