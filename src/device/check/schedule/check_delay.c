// Which of several operations that nothing orders comes first is left open. One after the other is
// handed to the scheduler, by a rank that the schedule's number gives each one.
#include "device/check/schedule/check_delay.h"

#include <pthread.h>
#include <time.h>

#include "device/check/host/check_host.h"
#include "device/check/schedule/check_schedule.h"
#include "device/internal.h"
#include "device/sched/op.h"
#include "device/sched/queue.h"
#include "device/sched/scheduler.h"
#include "support/check/check_tools.h"

atomic_bool check_delays_on;

static struct kd_spinlock lock; // of all that follows
static struct op *kept;         // linked by ready_next, the last one first
static uint64_t changed_ns;     // when the list was changed last
static uint64_t number;         // of operations that were kept

void check_delays_begin(void) {
    if (check_tools() && check_schedule_is_set())
        atomic_store(&check_delays_on, true);
}

// As they have come, in reverse, or by ranks.
static struct op **choose(void) {
    struct op **best = &kept;
    uint64_t schedule = check_schedule(), least = UINT64_MAX;
    for (struct op **at = &kept; *at && schedule != 1; at = &(*at)->ready_next) {
        uint64_t n = (*at)->delayed, rank = schedule ? check_schedule_rank(schedule, n) : n;
        if (rank < least) {
            least = rank;
            best = at;
        }
    }
    return best;
}

// Does something run that may wait for what is kept, or may the host submit more?
static bool is_early(struct scheduler *s) {
    static const uint64_t soon_ns = 20000000, most_ns = 200000000;
    uint64_t since = kd_now_ns() - changed_ns;
    if (scheduler_is_busy(s))
        return since < most_ns;
    return !check_host_is_idle() && since < soon_ns;
}

static struct op *take(void) {
    kd_lock(&lock);
    struct op *op = NULL;
    if (kept && !is_early(&kept->device->scheduler)) {
        struct op **at = choose();
        op = *at;
        *at = op->ready_next;
        changed_ns = kd_now_ns();
    }
    kd_unlock(&lock);
    return op;
}

static void *hand_over(void *unused) {
    (void)unused;
    for (;;) {
        struct op *op = take();
        if (op)
            scheduler_ready(op);
        else
            nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    return NULL;
}

static bool has_thread;
static void start(void) {
    has_thread = scheduler_start_thread(hand_over, NULL);
}

bool check_delay(struct op *op) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    bool is_work = op->kind == OP_LAUNCH || op->kind == OP_COPY || op->kind == OP_SET;
    if (!is_work || op->parent)
        return false;
    pthread_once(&once, start);
    if (!has_thread)
        return false;
    kd_lock(&lock);
    op->delayed = ++number;
    op->ready_next = kept;
    kept = op;
    changed_ns = kd_now_ns();
    kd_unlock(&lock);
    return true;
}
