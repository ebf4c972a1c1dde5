// Barriers and operations of warps at which not those come that have to. A meeting is open from the
// first lane that comes to the last one; lanes that have ended need not come. Lanes that only end
// when they could have come are none that others wait for: where the guide has them end before, a
// program that returns early is right.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abi/check_meeting.h"
#include "device/check/check_threads.h"
#include "isa/isa.h"
#include "isa/ops/block.h"
#include "isa/ops/warp.h"

struct comers {
    struct kd_block *b;
    struct check_threads *t;
    const struct kd_check_site *site;
    uint32_t warp, lanes;
};

static uint32_t first_of(uint32_t lanes) {
    return (uint32_t)__builtin_ctz(lanes);
}

// Lanes of the warp that there are.
static uint32_t all_lanes(const struct kd_block *b, uint32_t warp) {
    uint32_t n = b->nthreads - warp * KD_WARP;
    return n >= KD_WARP ? UINT32_MAX : (1u << n) - 1;
}

static void report(const struct comers *c, uint32_t lane, const struct kd_check_site *site,
                   const struct kd_check_site *other, const char *what, const char *line) {
    char text[128];
    struct check_report r = {
        .what = text, .site = site, .other = other, .thread = c->warp * KD_WARP + lane, .b = c->b};
    snprintf(text, sizeof text, "Barrier error detected. %s", what);
    snprintf(r.lines[0], CHECK_LINE, "%s", line);
    check_report(&r);
}

static const char *text_at(const struct kd_check_site *s) {
    return s->file ? (const char *)s + s->file : "";
}

static bool is_same_place(const struct kd_check_site *a, const struct kd_check_site *b) {
    return a == b || (a->line && a->line == b->line && !strcmp(text_at(a), text_at(b)));
}

static const char *const divergent = "Divergent thread(s) in warp";
static const char *const arguments = "Invalid arguments";

// ---- meetings -------------------------------------------------------------------------------

// What is open stands first.
static void close_met(const struct comers *c) {
    uint32_t live = all_lanes(c->b, c->warp) & ~c->t->ended[c->warp];
    struct check_meeting *all = c->t->meetings[c->warp];
    uint8_t *open = &c->t->open[c->warp];
    for (uint32_t k = 0; k < *open;) {
        if (all[k].members & ~all[k].arrived & live)
            k++;
        else
            all[k] = all[--*open];
    }
}

static struct check_meeting *find_open(const struct comers *c, uint32_t what, uint32_t members) {
    struct check_meeting *all = c->t->meetings[c->warp];
    for (uint32_t k = 0; k < c->t->open[c->warp]; k++)
        if (all[k].what == what && all[k].members == members)
            return &all[k];
    return NULL;
}

static void meet(const struct comers *c, uint32_t what, uint32_t members, bool is_barrier) {
    uint8_t *open = &c->t->open[c->warp];
    uint32_t live = all_lanes(c->b, c->warp) & ~c->t->ended[c->warp];
    if (!*open && !(members & ~c->lanes & live)) // all come at once
        return;
    struct check_meeting *m = find_open(c, what, members);
    // Lanes that come again have been let go on without the others.
    if (m && (m->arrived & c->lanes))
        *m = (struct check_meeting){c->site, what, members, 0};
    else if (m && is_barrier && !is_same_place(m->site, c->site))
        report(c, first_of(c->lanes), c->site, m->site, divergent,
               "lanes of one warp are at two barriers of the program at once");
    if (!m && *open < CHECK_MEETINGS) {
        m = &c->t->meetings[c->warp][(*open)++];
        *m = (struct check_meeting){c->site, what, members, 0};
    }
    if (m)
        m->arrived |= c->lanes;
    close_met(c);
}

// Lanes at a barrier of the whole block come to no other meeting before all of the block have come:
// those who wait for them there wait for ever.
static void look_at_waiting(const struct comers *c) {
    struct check_meeting *all = c->t->meetings[c->warp];
    uint8_t *open = &c->t->open[c->warp];
    char line[128];
    for (uint32_t k = 0; k < *open;) {
        uint32_t missing = all[k].members & ~all[k].arrived & c->lanes;
        if (all[k].what < KD_BARRIERS || !missing) {
            k++;
            continue;
        }
        snprintf(line, sizeof line,
                 "lanes 0x%08" PRIx32 " wait for lane %" PRIu32 ", which is at a barrier",
                 all[k].arrived, first_of(missing));
        report(c, first_of(missing), all[k].site, c->site, divergent, line);
        all[k] = all[--*open];
    }
}

static void at_barrier(const struct comers *c, uint32_t number, uint32_t count) {
    uint32_t threads = (c->b->nthreads + KD_WARP - 1) / KD_WARP * KD_WARP;
    char line[128];
    if (!count) {
        if (c->site->align == ISA_OP_BAR_ARRIVE)
            return;
        look_at_waiting(c);
        meet(c, number, all_lanes(c->b, c->warp), true);
        return;
    }
    if (count % KD_WARP)
        snprintf(line, sizeof line, "%" PRIu32 " threads are no multiple of a warp's", count);
    else if (count > threads)
        snprintf(line, sizeof line,
                 "the barrier waits for %" PRIu32 " threads, and the block has %" PRIu32, count,
                 c->b->nthreads);
    else
        return;
    report(c, first_of(c->lanes), c->site, NULL, arguments, line);
}

// Which lane a shuffle takes its value from: PTX, shfl.
static uint32_t source(uint32_t mode, uint32_t lane, uint32_t b, uint32_t c) {
    uint32_t clamp = c & 31, segment = c >> 8 & 31;
    uint32_t most = (lane & segment) | (clamp & ~segment);
    uint32_t from = mode == ISA_SHFL_IDX ? (lane & segment) | (b & 31 & ~segment) : (lane ^ b) & 31;
    return from <= most ? from : lane;
}

// Lanes that shift values take some from beyond the mask's end, and do not use them.
static void look_at_source(const struct comers *c, uint32_t lane, uint64_t operands,
                           uint32_t members) {
    char line[128];
    uint32_t mode = c->site->bytes;
    if (c->site->align != ISA_OP_SHFL || (mode != ISA_SHFL_IDX && mode != ISA_SHFL_BFLY))
        return;
    uint32_t from = source(mode, lane, (uint32_t)operands, (uint32_t)(operands >> 32));
    if (members >> from & 1)
        return;
    snprintf(line, sizeof line,
             "lane %" PRIu32 " takes the value of lane %" PRIu32 ", which the mask 0x%08" PRIx32
             " does not name",
             lane, from, members);
    report(c, lane, c->site, NULL, "Shuffle from an inactive thread", line);
}

// Guide, 10.22.2: a shuffle's segments have a power of two lanes.
static void look_at_width(const struct comers *c, uint32_t lane, uint64_t operands) {
    uint32_t width = KD_WARP - (uint32_t)(operands >> 40 & 31);
    char line[128];
    if (c->site->align != ISA_OP_SHFL || !(width & (width - 1)))
        return;
    snprintf(line, sizeof line, "a width of %" PRIu32 " lanes is no power of two", width);
    report(c, lane, c->site, NULL, arguments, line);
}

// Is the lane one of those that it names?
static bool is_named(const struct comers *c, uint32_t lane, uint64_t operands, uint32_t members) {
    char line[128];
    if (members >> lane & 1) {
        look_at_source(c, lane, operands, members);
        return true;
    }
    snprintf(line, sizeof line, "the mask 0x%08" PRIx32 " does not name lane %" PRIu32, members,
             lane);
    report(c, lane, c->site, NULL, arguments, line);
    return false;
}

static void at_warp_op(struct comers *c, uint32_t mask, uint32_t first_lane, uint32_t code,
                       const uint64_t *operands, const uint64_t *members) {
    bool same = code & KD_CHECK_SAME_MORE;
    c->lanes = 0;
    look_at_width(c, first_lane + first_of(mask),
                  operands[code & KD_CHECK_SAME_ADDRESS ? 0 : first_of(mask)]);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = first_of(m), lane = first_lane + l;
        uint32_t named = (uint32_t)members[same ? 0 : l];
        if (!is_named(c, lane, operands[code & KD_CHECK_SAME_ADDRESS ? 0 : l], named))
            continue;
        c->lanes = same ? c->lanes | 1u << lane : 1u << lane;
        if (!same)
            meet(c, KD_BARRIERS + c->site->align, named, false);
    }
    if (same && c->lanes)
        meet(c, KD_BARRIERS + c->site->align, (uint32_t)members[0], false);
}

static void at_end(const struct comers *c) {
    char line[128];
    for (uint32_t k = 0; k < c->t->open[c->warp] && c->site->bytes; k++) {
        const struct check_meeting *m = &c->t->meetings[c->warp][k];
        uint32_t missing = m->members & ~m->arrived & c->lanes;
        if (!missing)
            continue;
        snprintf(line, sizeof line, "lanes 0x%08" PRIx32 " wait for lane %" PRIu32 ", which ends",
                 m->arrived, first_of(missing));
        report(c, first_of(missing), m->site, NULL, divergent, line);
    }
    c->t->ended[c->warp] |= c->lanes;
    close_met(c);
}

void check_sync_tell(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                     const struct kd_check_site *site, const uint64_t *addresses,
                     const uint64_t *more) {
    struct check_threads *t = mask ? check_threads_of(b) : NULL;
    struct comers c = {b, t, site, thread / KD_WARP, 0};
    if (!t || thread >= MAX_UNITS)
        return;
    if (site->kind != KD_CHECK_MEET_END)
        t->place[c.warp] = t->last = site;
    if (site->kind == KD_CHECK_MEET_PLACE)
        return;
    uint32_t lane = thread % KD_WARP, first = first_of(mask);
    uint64_t address = addresses[code & KD_CHECK_SAME_ADDRESS ? 0 : first];
    if (site->kind == KD_CHECK_MEET_WARP) {
        at_warp_op(&c, mask, lane, code, addresses, more);
        return;
    }
    if (site->kind == KD_CHECK_MEET_BARRIER) {
        c.lanes = mask << lane;
        at_barrier(&c, (uint32_t)address, (uint32_t)more[code & KD_CHECK_SAME_MORE ? 0 : first]);
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = first_of(m);
        c.lanes |= more[code & KD_CHECK_SAME_MORE ? 0 : l] & 1 ? 1u << (lane + l) : 0;
    }
    if (c.lanes)
        at_end(&c);
}

// ---- what ends a launch ---------------------------------------------------------------------

static const char waiting[] = "Threads wait for ever";

// Lanes of a warp that are at different places: those of each meeting, and whom they wait for.
// Returns those that are at none.
static uint32_t report_met(const struct comers *c, const struct check_threads *t, uint32_t left) {
    char line[128];
    for (uint32_t k = 0; k < t->open[c->warp]; k++) {
        const struct check_meeting *m = &t->meetings[c->warp][k];
        uint32_t there = m->arrived & left, missing = m->members & ~m->arrived & left;
        left &= ~there;
        if (!there || !missing)
            continue;
        snprintf(line, sizeof line, "lanes 0x%08" PRIx32 " wait for lane %" PRIu32, there,
                 first_of(missing));
        report(c, first_of(there), m->site, NULL, waiting, line);
    }
    return left;
}

// Where the warps are that wait for ever.
static void report_waiting(struct kd_block *b, const struct check_threads *t) {
    uint32_t warps = (b->nthreads + KD_WARP - 1) / KD_WARP;
    for (uint32_t w = 0; w < warps; w++) {
        struct comers c = {.b = b, .warp = w};
        uint32_t left = report_met(&c, t, all_lanes(b, w) & ~t->ended[w]);
        if (left && t->place[w])
            report(&c, first_of(left), t->place[w], NULL, waiting,
                   "no thread of the block can go on");
    }
}

static const char *const faults[] = {
    [KD_FAULT_ILLEGAL_ADDRESS] = "Invalid access: memory that is not there",
    [KD_FAULT_MISALIGNED] = "Invalid access: misaligned address",
    [KD_FAULT_TRAP] = "Kernel trapped",
    [KD_FAULT_ASSERT] = "Kernel assertion failed",
    [KD_FAULT_STACK_OVERFLOW] = "Kernel ran out of stack",
    [KD_FAULT_ILLEGAL_INSTRUCTION] = "Kernel executed an illegal instruction",
    [KD_FAULT_INVALID_PC] = "Kernel called what is no function",
};

// A place of the source that no site describes.
struct known_place {
    struct kd_check_site site;
    char file[256], function[1024];
};

static void name_place(struct known_place *p, const struct kd_block *b, const char *file,
                       uint32_t line) {
    *p = (struct known_place){.site.line = line};
    snprintf(p->file, sizeof p->file, "%s", file);
    snprintf(p->function, sizeof p->function, "%s", b->launch->name);
    p->site.file = (int32_t)((char *)p->file - (char *)&p->site);
    p->site.function = (int32_t)((char *)p->function - (char *)&p->site);
}

void check_waits(struct kd_block *b, uint32_t thread, const char *file, uint32_t line,
                 const char *what) {
    struct known_place known;
    struct comers c = {.b = b, .warp = thread / KD_WARP};
    name_place(&known, b, file ? file : "", line);
    report(&c, thread % KD_WARP, &known.site, NULL, waiting, what);
}

void check_fault(struct kd_block *b, enum kd_fault fault, uint32_t thread, const char *file,
                 uint32_t line, const char *message) {
    struct known_place known;
    const struct check_threads *t = check_tools() ? check_threads_of(b) : NULL;
    bool access = fault == KD_FAULT_ILLEGAL_ADDRESS || fault == KD_FAULT_MISALIGNED;
    if (!t || (access && check_access_told()))
        return;
    if (fault == KD_FAULT_DEADLOCK) {
        report_waiting(b, t);
        return;
    }
    bool has_thread = thread < b->nthreads;
    struct check_report r = {.what = faults[fault], .site = &known.site, .thread = thread, .b = b};
    const struct kd_check_site *place = has_thread ? t->place[thread / KD_WARP] : t->last;
    if (!has_thread)
        r.thread = 0;
    if (fault >= sizeof faults / sizeof *faults || !r.what)
        return;
    name_place(&known, b, file, line);
    if (!line) // of what the device did for the thread
        r.site = place;
    snprintf(r.lines[0], CHECK_LINE, "%s", message);
    check_report(&r);
}
