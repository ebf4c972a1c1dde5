#include "device/sched/scheduler.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "device/check/check.h"
#include "device/check/host/check_host.h"
#include "device/code/kernel.h"
#include "device/exec/block.h"
#include "device/exec/runner.h"
#include "device/internal.h"
#include "device/mps_client.h"
#include "device/sched/copy.h"
#include "device/sched/graph.h"
#include "device/sched/handout.h"
#include "device/sched/op.h"
#include "device/sched/share.h"
#include "device/topology.h"
#include "support/no_cancel.h"

// Blocks that wait for other blocks and stay resident on one thread: so many at most, and so
// many stacks among them.
enum { MAX_WAITING_BLOCKS = 128, MAX_WAITING_UNITS = 8192 };
enum { WORKER_STACK_BYTES = 512 << 10 };

bool scheduler_open(struct scheduler *s, int workers, int cores) {
    topology_is_upper_half(); // of the processors that this thread may use, now
    memset(s, 0, sizeof *s);
    s->slots = workers;
    s->lends = workers >= cores;
    s->max_spinners = cores > 1 ? (workers < cores ? workers : cores - 1) : 0;
    s->spin_ns = 50000;
    return idle_open(&s->idle, workers);
}

// ---- Lists --------------------------------------------------------------------------------

static void append(struct op_list *l, struct op *op) {
    op->ready_next = NULL;
    op->ready_prev = l->last;
    if (l->last)
        l->last->ready_next = op;
    else
        l->first = op;
    l->last = op;
}

static void unlink_op(struct op_list *l, struct op *op) {
    if (op->ready_prev)
        op->ready_prev->ready_next = op->ready_next;
    else
        l->first = op->ready_next;
    if (op->ready_next)
        op->ready_next->ready_prev = op->ready_prev;
    else
        l->last = op->ready_prev;
}

static void count_ready(struct scheduler *s, int priority, int by) {
    atomic_int *n[] = {&s->ready_by_priority[priority], &s->ready_count};
    for (int i = 0; i < 2; i++) // under the lock; what is seen without it is a hint
        atomic_store_explicit(n[i], atomic_load_explicit(n[i], memory_order_relaxed) + by,
                              memory_order_release);
}

// ---- Waking -------------------------------------------------------------------------------

static int slots_now(struct scheduler *s) {
    int n = s->slots - atomic_load_explicit(&s->lent, memory_order_relaxed);
    return n > 1 ? n : 1;
}

// How many more threads may run blocks. Who gives a slot up wakes another thread when something is
// ready: to wake threads that find no slot costs a system call, and the processor of one that has.
static int free_slots(struct scheduler *s) {
    return slots_now(s) - atomic_load(&s->running);
}

// Calls up to n idle workers, two of them here: each calls a part of the others. Those that linger
// have a slot.
static void call_workers(struct scheduler *s, int n) {
    int slots = free_slots(s), direct = n < 2 ? n : 2;
    int others = n - direct;
    for (int k = direct; k > 0; k--) {
        int more = others / k;
        bool called = idle_call(&s->idle, IDLE_LINGERS, (unsigned)more);
        if (!called && slots-- > 0)
            called = idle_call(&s->idle, IDLE_SPINS, (unsigned)more) ||
                     idle_call(&s->idle, IDLE_SLEEPS, (unsigned)more);
        if (!called)
            return;
        others -= more;
    }
}

// Something has become ready, or a slot has become free, that up to n more workers can use.
static void wake(struct scheduler *s, int n) {
    atomic_fetch_add(&s->epoch, 1); // who is about to be idle looks again
    call_workers(s, n);
}

bool scheduler_is_busy(struct scheduler *s) {
    return atomic_load(&s->ready_count) > 0 || atomic_load(&s->running) > 0;
}

static bool slot_take(struct scheduler *s) {
    int n = atomic_load_explicit(&s->running, memory_order_relaxed);
    while (n < slots_now(s))
        if (atomic_compare_exchange_weak(&s->running, &n, n + 1))
            return true;
    return false;
}

// Where all slots were taken a worker may have been called in vain.
static void slot_give(struct scheduler *s) {
    int before = atomic_fetch_sub(&s->running, 1);
    if (before >= slots_now(s) && atomic_load(&s->ready_count) > 0)
        wake(s, 1);
}

// More threads run blocks than there are slots since one was lent.
static bool is_crowded(struct scheduler *s) {
    return atomic_load_explicit(&s->running, memory_order_relaxed) > slots_now(s);
}

// Gives a slot up when there are too few now.
static bool slot_leave(struct scheduler *s) {
    int n = atomic_load_explicit(&s->running, memory_order_relaxed);
    while (n > slots_now(s))
        if (atomic_compare_exchange_weak(&s->running, &n, n - 1))
            return true;
    return false;
}

void scheduler_lend(struct scheduler *s) {
    atomic_fetch_add(&s->lent, s->lends);
}

void scheduler_take_back(struct scheduler *s) {
    atomic_fetch_sub(&s->lent, s->lends);
    if (s->lends && atomic_load(&s->ready_count) > 0)
        wake(s, 1);
}

// ---- Becoming ready -----------------------------------------------------------------------

static void host_ready(struct scheduler *s, struct op *op) {
    kd_lock(&s->host_lock);
    append(&s->host, op);
    kd_unlock(&s->host_lock);
    atomic_fetch_add(&s->host_epoch, 1);
    kd_futex_wake(&s->host_epoch, 1);
}

// Who ends an operation of a stream goes on with the next one, and need not look for it. True:
// soon.
static bool keep_next(struct op *op) {
    struct runner *r = runner_current();
    if (!r || !r->running || r->next_op || r->scheduler != &op->device->scheduler)
        return false;
    op_ref(op);
    r->next_op = op;
    return r->is_done && !op->parent;
}

void scheduler_ready(struct op *op) {
    struct scheduler *s = &op->device->scheduler;
    if (op->kind == OP_HOST) {
        host_ready(s, op);
        return;
    }
    int crew = handout_plan(op, s->slots);
    bool kept = keep_next(op);
    kd_lock(&s->lock);
    append(&s->ready[op->priority], op);
    count_ready(s, op->priority, 1);
    kd_unlock(&s->lock);
    wake(s, crew - kept);
}

// The thread that took the last chunk calls this.
static void no_longer_ready(struct scheduler *s, struct op *op) {
    kd_lock(&s->lock);
    unlink_op(&s->ready[op->priority], op);
    count_ready(s, op->priority, -1);
    kd_unlock(&s->lock);
}

// ---- Taking work --------------------------------------------------------------------------

// Of one share at a time.
static bool share_allows(const struct runner *r, const struct op *op) {
    return !op->share || op->share == r->share || (!r->share && !share_full(op->share));
}

static bool may_start(const struct runner *r, const struct op *op) {
    if (!share_allows(r, op))
        return false;
    if (op->kind != OP_LAUNCH || !op->launch.may_wait || op->launch.cooperative)
        return true;
    // Those that wait for another grid leave room for all others.
    uint32_t parts = op->completion ? 2 : 1;
    return r->nwaiting < MAX_WAITING_BLOCKS / parts &&
           r->waiting_units + op->launch.units <= MAX_WAITING_UNITS / parts;
}

bool scheduler_has_more(struct scheduler *s, const struct runner *r) {
    bool more = false;
    kd_lock(&s->lock);
    for (unsigned k = 0; k < PRIORITIES; k++)
        for (const struct op *op = s->ready[k].first; op && !more; op = op->ready_next) {
            const struct resident *b = r->waiting;
            while (b && b->op != op)
                b = b->next;
            more = !b;
        }
    kd_unlock(&s->lock);
    return more;
}

// r does not go on with what it has made ready: another worker has to.
static void leave_next(struct scheduler *s, struct runner *r) {
    struct op *op = r->next_op;
    r->next_op = NULL;
    if (op && handout_left(op))
        wake(s, 1);
    if (op)
        op_unref(op);
}

// Does a thread that waits for a queue help with op? One that overlaps with what is before it may
// have blocks that wait when the thread has seen the end of what it waits for.
static bool is_of(const struct op *op, const struct kd_queue *queue) {
    return !queue || (op->queue == queue && !op->completion);
}

// What r has made ready itself, where nothing else is ready that could be first.
static struct op *take_next(struct scheduler *s, struct runner *r, const struct kd_queue *queue) {
    struct op *op = r->next_op;
    if (op && atomic_load_explicit(&s->ready_count, memory_order_relaxed) == 1 &&
        is_of(op, queue) && may_start(r, op) && handout_left(op)) {
        r->next_op = NULL;
        return op;
    }
    leave_next(s, r);
    return NULL;
}

// The first ready operation that r may start, held; of one queue only unless that is NULL.
static struct op *pick(struct scheduler *s, struct runner *r, const struct kd_queue *queue) {
    struct op *found = take_next(s, r, queue);
    if (found || atomic_load(&s->ready_count) <= 0)
        return found;
    kd_lock(&s->lock);
    for (int p = 0; p < PRIORITIES && !found; p++)
        for (struct op *op = s->ready[p].first; op && !found; op = op->ready_next)
            if (is_of(op, queue) && may_start(r, op))
                found = op;
    if (found)
        op_ref(found);
    kd_unlock(&s->lock);
    return found;
}

// Something of a higher priority is ready.
static bool outranked(struct scheduler *s, const struct op *op) {
    for (int p = 0; p < op->priority; p++)
        if (atomic_load_explicit(&s->ready_by_priority[p], memory_order_relaxed) > 0)
            return true;
    return false;
}

// A large launch of three dimensions: its blocks read what those of the planes beside them read,
// too. Of that two threads far from each other find less in the caches than two that are close. (A
// 3-D stencil over 32 MiB on two cores: 0.82 of the time.)
static bool shares_planes(const struct op *op) {
    enum { LARGE = 1 << 21 }; // threads: more memory than a core's cache
    return op->launch.grid[2] > 1 && op->units * op->launch.nthreads >= LARGE;
}

// Launches that follow each other often work on the same memory, block by block. Threads on one
// half of the processors take blocks from the beginning, those on the other half from the end, so
// that what a block has left in a core's cache is not far from the block that needs it. Not where
// blocks may wait for those before them, nor in launches of a few blocks or quick code, which run
// in order.
static bool starts_at_end(const struct scheduler *s, const struct op *op) {
    enum { LEAST = 8 };
    return op->kind == OP_LAUNCH && op->launch.may_group && op->units >= LEAST &&
           !shares_planes(op) && s->slots > 1 && topology_is_upper_half();
}

// What has been taken is told to who counts it.
static void note_taken(struct scheduler *s, struct op *op, const struct handout *h) {
    if (h->begins && op->counted)
        atomic_fetch_sub(&op->context->pending_launches, 1);
    if (h->ends)
        no_longer_ready(s, op);
}

static bool take(struct scheduler *s, const struct runner *r, struct op *op, bool from_end,
                 bool many, struct handout *h) {
    if (!handout_take(op, r->smid, from_end, many, h))
        return false;
    note_taken(s, op, h);
    return true;
}

static void note_begun(struct runner *r) {
    atomic_store_explicit(&r->begun, atomic_load_explicit(&r->begun, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

bool scheduler_take_more(struct runner *r, struct op *op, uint64_t *first, uint64_t *n) {
    struct scheduler *s = &op->device->scheduler;
    struct handout h;
    if (outranked(s, op) || is_crowded(s) || context_faulted(op->context) ||
        !take(s, r, op, false, false, &h))
        return false;
    note_begun(r);
    *first = h.first;
    *n = h.n;
    return true;
}

// In a context with a fault all that is left is only counted.
static uint64_t cancel(struct scheduler *s, struct op *op, uint64_t n) {
    struct handout rest;
    if (!handout_take_rest(op, &rest))
        return n;
    note_taken(s, op, &rest);
    return n + rest.n;
}

static void start_graph(struct op *gate) {
    struct worklist w = {0};
    graph_begin(gate, &w);
    op_end_all(&w);
}

// How many units have ended, which the caller reports.
static uint64_t run_chunk(struct scheduler *s, struct runner *r, struct op *op, uint64_t first,
                          uint64_t n) {
    if (op->kind == OP_GRAPH) {
        start_graph(op);
        return 0;
    }
    if (op->kind == OP_MARK) // its context may be gone
        return n;
    if (context_faulted(op->context))
        return cancel(s, op, n);
    if (op->kind == OP_LAUNCH) {
        note_begun(r);
        atomic_store_explicit(&r->works_for, op->context, memory_order_relaxed);
        return launch_run(r, op, first, n);
    }
    copy_run(r, op, first, n);
    return n;
}

static void report(struct op *op, uint64_t *ended) {
    if (*ended)
        op_units_done(op, *ended);
    *ended = 0;
}

// Short nodes of graphs, on the thread that made them ready. They are in no list of the scheduler.
static void run_local(struct scheduler *s, struct runner *r) {
    while (r->local) {
        struct op *op = r->local;
        r->local = op->ready_next;
        if (op->began_ns)
            op->began_ns = kd_now_ns();
        if (outranked(s, op))
            scheduler_ready(op);
        else if (context_faulted(op->context))
            op_units_done(op, op->units);
        else {
            uint64_t ended = run_chunk(s, r, op, 0, op->units);
            report(op, &ended);
        }
    }
}

// r begins to run work of op's share. False: too many threads do.
static bool enter_share(struct runner *r, const struct op *op) {
    if (!op->share || r->share == op->share)
        return true;
    if (!share_enter(op->share))
        return false;
    r->share = share_ref(op->share);
    return true;
}

// What r keeps waiting counts as well.
static void leave_share(struct scheduler *s, struct runner *r) {
    struct kd_share *share = r->share;
    if (!share || r->nwaiting)
        return;
    r->share = NULL;
    share_leave(share);
    share_unref(share);
    if (atomic_load(&s->ready_count) > 0)
        wake(s, 1);
}

// A launch that takes longer than was expected gets more threads, and again after twice the time.
// True: this thread alone can run what is left.
static bool watch_crew(struct scheduler *s, struct op *op, uint64_t ns) {
    int crew = atomic_load_explicit(&op->crew, memory_order_relaxed);
    if (crew >= s->slots || ns < 4 * JOIN_NS * (uint64_t)crew || !handout_left(op))
        return crew == 1 && ns * op->pieces < 4 * JOIN_NS;
    int more = crew < s->slots - crew ? crew : s->slots - crew;
    if (atomic_compare_exchange_strong(&op->crew, &crew, crew + more))
        wake(s, more);
    return false;
}

// Whether the time is to be looked at that this thread takes for a part of a launch: of small ones
// and of some others.
static bool is_measured(const struct scheduler *s, const struct op *op) {
    enum { ONE_OF = 8 };
    return op->kind == OP_LAUNCH && op->launch.may_group &&
           (atomic_load_explicit(&op->crew, memory_order_relaxed) < s->slots ||
            op->launch.gridid % ONE_OF == 0 ||
            !atomic_load_explicit(&op->launch.kernel->thread_ps, memory_order_relaxed));
}

// Chunk after chunk of one operation. True when anything was run. What has ended is reported when
// this thread leaves the operation: that takes a locked instruction.
static bool run_op(struct scheduler *s, struct runner *r, struct op *op) {
    uint64_t ended = 0, began = 0;
    struct handout h;
    bool any = false, alone = false, from_end = starts_at_end(s, op);
    while (may_start(r, op) && take(s, r, op, from_end, alone, &h)) {
        bool measured = !any && is_measured(s, op);
        uint64_t now = 0;
        if (measured)
            began = kd_now_ns();
        any = true;
        ended += run_chunk(s, r, op, h.first, h.n);
        if (began)
            now = kd_now_ns();
        if (measured && ended) // else the kernel may be gone
            handout_learn(op->launch.kernel, h.n * op->launch.nthreads, now - began);
        if (r->nwaiting || r->local) {
            report(op, &ended);
            runner_resume(r);
            run_local(s, r);
        }
        if (outranked(s, op) || is_crowded(s))
            break;
        alone = began && watch_crew(s, op, now - began);
    }
    r->is_done = true;
    report(op, &ended);
    run_local(s, r);
    r->is_done = false;
    return any;
}

// One round over waiting blocks and ready operations. True when anything was run.
static bool run_some(struct scheduler *s, struct runner *r, const struct kd_queue *queue) {
    if (r->nwaiting)
        runner_resume(r);
    run_local(s, r);
    leave_share(s, r);
    struct op *op = pick(s, r, queue);
    if (!op)
        return false;
    bool any = enter_share(r, op) && run_op(s, r, op);
    op_unref(op);
    leave_share(s, r);
    return any;
}

enum { LINGER_NS = 4000 };

// A call has come. The thread that made it leaves some of the others to this one.
static void answer_call(struct scheduler *s, unsigned worker) {
    unsigned more = idle_answer(&s->idle, worker);
    if (more && atomic_load(&s->ready_count) > 0)
        call_workers(s, (int)more);
}

// Among the idle of a kind, unless something has become ready since `epoch`: false.
static bool begin_idle(struct scheduler *s, unsigned worker, enum idle_kind kind, unsigned epoch) {
    idle_enter(&s->idle, worker, kind);
    if (atomic_load(&s->epoch) == epoch)
        return true;
    if (!idle_leave(&s->idle, worker, kind))
        answer_call(s, worker);
    return false;
}

// True: the worker has been called.
static bool end_idle(struct scheduler *s, unsigned worker, enum idle_kind kind) {
    if (idle_leave(&s->idle, worker, kind))
        return false;
    answer_call(s, worker);
    return true;
}

static bool worker_lingers(struct scheduler *s, unsigned worker, unsigned epoch) {
    if (!begin_idle(s, worker, IDLE_LINGERS, epoch))
        return true;
    uint64_t end = kd_now_ns() + LINGER_NS;
    do
        for (int i = 0; i < 32 && !idle_is_called(&s->idle, worker); i++)
            kd_relax();
    while (!idle_is_called(&s->idle, worker) && !is_crowded(s) && kd_now_ns() < end);
    return end_idle(s, worker, IDLE_LINGERS);
}

// What follows in a stream becomes ready when other threads have run the last blocks of what is
// before it. This one waits for that with its slot in hand: to give the slot up and to take it
// again are locked instructions on lines that all threads look at. True: something has become ready
// since `epoch`, or `until` has ended.
static bool linger(struct scheduler *s, const struct runner *r, unsigned epoch,
                   const struct op *until) {
    // What is ready and not for this thread is for another one, which needs the slot.
    if (s->slots == 1 || atomic_load(&s->ready_count) > 0)
        return false;
    if (!until)
        return worker_lingers(s, r->smid, epoch);
    uint64_t end = kd_now_ns() + LINGER_NS;
    do {
        for (int i = 0; i < 32; i++) {
            if (atomic_load_explicit(&s->epoch, memory_order_acquire) != epoch)
                return true;
            if (op_ended(until))
                return true;
            kd_relax();
        }
    } while (!is_crowded(s) && kd_now_ns() < end);
    return false;
}

// All that there is, and until no block of this thread waits any more. `until` (may be NULL)
// ends it early. The slot is given back.
static void run_all(struct scheduler *s, struct runner *r, const struct op *until) {
    const struct kd_queue *queue = until ? until->queue : NULL;
    unsigned idle_rounds = 0;
    bool left = false, given = false;
    uint32_t mode = runner_enter();
    r->running = true;
    r->scheduler = s;
    while (!until || !op_ended(until)) {
        if (!r->nwaiting && !r->local && is_crowded(s) && (left = slot_leave(s)))
            break;
        unsigned epoch = atomic_load(&s->epoch);
        if (run_some(s, r, queue)) {
            idle_rounds = 0;
            if (given)
                atomic_fetch_add(&s->running, 1);
            given = false;
            continue;
        }
        if (!r->nwaiting) {
            atomic_store_explicit(&r->works_for, NULL, memory_order_relaxed);
            if (linger(s, r, epoch, until))
                continue;
            break;
        }
        // Every block here waits for something: another thread, or the host. What is ready in
        // another queue may be what it waits for, and needs a slot.
        if (queue && !given && atomic_load(&s->ready_count) > 0) {
            given = true;
            slot_give(s);
        }
        if (++idle_rounds < 100)
            kd_relax();
        else if (idle_rounds < 1000)
            sched_yield();
        else
            nanosleep(&(struct timespec){0, 20000}, NULL);
    }
    r->running = false;
    atomic_store_explicit(&r->works_for, NULL, memory_order_relaxed);
    leave_next(s, r);
    runner_leave(r, mode);
    if (!left && !given)
        slot_give(s);
}

// ---- Workers ------------------------------------------------------------------------------

struct worker_start {
    struct kd_device *device;
    uint32_t index;
};

// Waits for a call, unless something has become ready since `epoch`: first looking at its seat,
// while there is a slot to be had, then asleep. Who spins without a slot takes a processor from
// those that run blocks.
static void worker_idle(struct scheduler *s, unsigned worker, unsigned epoch) {
    bool looks = false;
    if (atomic_fetch_add(&s->spinners, 1) < s->max_spinners) {
        looks = !begin_idle(s, worker, IDLE_SPINS, epoch);
        uint64_t end = kd_now_ns() + s->spin_ns;
        while (!looks && free_slots(s) > 0 && !idle_is_called(&s->idle, worker) &&
               kd_now_ns() < end)
            for (int i = 0; i < 64 && !idle_is_called(&s->idle, worker); i++)
                kd_relax();
        looks = looks || end_idle(s, worker, IDLE_SPINS);
    }
    atomic_fetch_sub(&s->spinners, 1);
    if (looks || !begin_idle(s, worker, IDLE_SLEEPS, epoch))
        return;
    idle_sleep(&s->idle, worker);
    answer_call(s, worker);
}

static void *worker_main(void *arg) {
    struct worker_start *start = arg;
    struct scheduler *s = &start->device->scheduler;
    struct runner *r;
    while (!(r = runner_get())) // memory may come back
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    r->smid = start->index;
    free(start);
    mps_client_take_priority();
    for (;;) {
        unsigned epoch = atomic_load(&s->epoch);
        if (atomic_load(&s->ready_count) > 0 && slot_take(s)) {
            run_all(s, r, NULL);
        }
        worker_idle(s, r->smid, epoch);
    }
    return NULL;
}

static void host_run(struct op *op) {
    bool faulted = context_faulted(op->context);
    if (faulted && !op->host.always)
        return;
    kd_context_flush_printf(op->context);
    check_host_hold(&op->device->scheduler);
    check_streams_learned(check_streams_of_op(op)); // the function may tell the host
    op->host.fn(op->host.arg, faulted ? KD_FAULTED : KD_OK);
}

static void *host_main(void *arg) {
    struct scheduler *s = &((struct kd_device *)arg)->scheduler;
    for (;;) {
        unsigned epoch = atomic_load(&s->host_epoch);
        kd_lock(&s->host_lock);
        struct op *op = s->host.first;
        if (op)
            unlink_op(&s->host, op);
        kd_unlock(&s->host_lock);
        if (!op) {
            kd_futex_wait(&s->host_epoch, epoch);
            continue;
        }
        host_run(op);
        op_end(op);
    }
    return NULL;
}

// The program's handlers for asynchronous signals run on its own threads.
bool scheduler_start_thread(void *(*main)(void *), void *arg) {
    sigset_t all, old;
    pthread_attr_t attr;
    pthread_t thread;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGTRAP);
    sigdelset(&all, SIGABRT);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (main == worker_main)
        pthread_attr_setstacksize(&attr, WORKER_STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&thread, &attr, main, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return error == 0;
}

static bool start_worker(struct kd_device *d, int index) {
    struct worker_start *start = malloc(sizeof *start);
    if (!start)
        return false;
    *start = (struct worker_start){d, (uint32_t)index};
    if (scheduler_start_thread(worker_main, start))
        return true;
    free(start);
    return false;
}

bool scheduler_start(struct kd_device *d) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool some[64]; // by device: at least one worker runs
    struct scheduler *s = &d->scheduler;
    if (atomic_load_explicit(&s->started, memory_order_acquire))
        return true;
    NO_CANCEL();
    pthread_mutex_lock(&lock);
    if (!atomic_load(&s->started)) {
        if (!atomic_load(&s->host_started))
            atomic_store(&s->host_started, scheduler_start_thread(host_main, d));
        // With fewer workers than wanted everything still runs.
        for (int i = 0; i < s->slots && start_worker(d, i); i++)
            some[d->index] = true;
        atomic_store(&s->started, some[d->index] && atomic_load(&s->host_started));
    }
    bool ok = atomic_load(&s->started);
    pthread_mutex_unlock(&lock);
    return ok;
}

// ---- Waiting ------------------------------------------------------------------------------

// Until op has ended (true), or something else is ready, or for some time.
static bool spin(struct op *op, struct scheduler *s, unsigned epoch) {
    // While a core is free the end is worth spinning for; else the core is a worker's.
    bool free_core = atomic_load(&s->running) < s->slots && s->slots > 1;
    uint64_t end = kd_now_ns() + (free_core ? s->spin_ns : 2000);
    do {
        for (int i = 0; i < 32; i++) {
            if (op_ended(op))
                return true;
            if (atomic_load(&s->epoch) != epoch && atomic_load(&s->ready_count) > 0)
                return false;
            kd_relax();
        }
    } while (kd_now_ns() < end);
    return false;
}

static void sleep_until(struct op *op) {
    for (;;) {
        unsigned done = atomic_load(&op->done);
        if (done == 1)
            return;
        if (done == 0 && !atomic_compare_exchange_strong(&op->done, &done, 2))
            continue;
        kd_futex_wait(&op->done, 2);
    }
}

bool scheduler_sleep(struct op *op, uint64_t ns) {
    uint64_t end = kd_now_ns() + ns;
    for (;;) {
        unsigned done = atomic_load(&op->done);
        uint64_t now = kd_now_ns();
        if (done == 1 || now >= end)
            return done == 1;
        if (done == 0 && !atomic_compare_exchange_strong(&op->done, &done, 2))
            continue;
        kd_futex_wait_ns(&op->done, 2, end - now);
    }
}

void scheduler_wait(struct op *op, bool sleep) {
    struct scheduler *s = &op->device->scheduler;
    // Blocks may wait in this thread's hands when an early one ends.
    struct runner *r = sleep || op->early ? NULL : runner_get();
    sigset_t mask;
    bool unblocked = false, blocked = false, checked = check_tools() != 0;
    if (checked)
        check_host_waits(1);
    for (int round = 0; r && round < 64 && !op_ended(op); round++) {
        unsigned epoch = atomic_load(&s->epoch);
        if (slot_take(s)) {
            // The program may have blocked the signals of faults, which would end the process then.
            if (!unblocked)
                blocked = fault_signals_unblock(&mask);
            unblocked = true;
            run_all(s, r, op);
        }
        if (spin(op, s, epoch) || atomic_load(&s->epoch) == epoch)
            break;
    }
    if (blocked)
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
    // What this thread has seen become ready, and does not run, is for others.
    if (r && atomic_load(&s->ready_count) > 0)
        wake(s, 1);
    sleep_until(op);
    if (checked)
        check_host_waits(-1);
}
