// Words in memory that a queue writes or waits for (guide: stream memory operations). What waits
// takes no worker: one thread of the process looks at all the words that queues wait for.
#include "device/sched/value.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device/check/check_streams.h"
#include "device/check/order/check_values.h"
#include "device/internal.h"
#include "device/memory/memory.h"
#include "device/reason.h"
#include "device/sched/op.h"
#include "device/sched/queue.h"

// ---- One operation ------------------------------------------------------------------------

static uint64_t load(const struct kd_value_op *v) {
    return v->bytes == 4 ? __atomic_load_n((const uint32_t *)v->address, __ATOMIC_ACQUIRE)
                         : __atomic_load_n((const uint64_t *)v->address, __ATOMIC_ACQUIRE);
}

static void store(const struct kd_value_op *v) {
    if (v->bytes == 4)
        __atomic_store_n((uint32_t *)v->address, (uint32_t)v->value, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n((uint64_t *)v->address, v->value, __ATOMIC_SEQ_CST);
}

// The comparison is that of a difference, so that counters may wrap around.
static bool at_least(uint64_t have, uint64_t want, unsigned bytes) {
    return bytes == 4 ? (int32_t)((uint32_t)have - (uint32_t)want) >= 0
                      : (int64_t)(have - want) >= 0;
}

static bool holds(const struct kd_value_op *v, uint64_t have) {
    uint64_t all = v->bytes == 4 ? UINT32_MAX : UINT64_MAX;
    switch (v->kind) {
    case KD_VALUE_WAIT_AT_LEAST:
        return at_least(have, v->value, v->bytes);
    case KD_VALUE_WAIT_EQUAL:
        return have == (v->value & all);
    case KD_VALUE_WAIT_AND:
        return (have & v->value & all) != 0;
    default:
        return (~(have | v->value) & all) != 0;
    }
}

static void fault(struct op *op, uint64_t address) {
    struct kd_fault_record r = {.fault = KD_FAULT_ILLEGAL_ADDRESS,
                                .address_known = true,
                                .address = address,
                                .text = "a stream's memory operation met memory that was freed"};
    if (context_begin_fault(op->context))
        context_end_fault(op->context, &r);
}

// False: there is no count to take yet.
static bool file_count(const struct kd_value_op *v) {
    uint64_t one = 1;
    if (v->kind == KD_VALUE_FILE_WAIT)
        return file_take_count((int)v->address);
    (void)!write((int)v->address, &one, sizeof one);
    return true;
}

// Goes on with an operation's list. True when it has come to the end, or there is no going on.
bool value_run(struct op *op) {
    for (; op->values.at < op->values.n; op->values.at++) {
        const struct kd_value_op *v = &op->values.list[op->values.at];
        if (context_faulted(op->context))
            return true;
        if (v->kind == KD_VALUE_BARRIER)
            continue; // loads acquire and stores release as it is
        if (v->kind == KD_VALUE_FILE_SIGNAL || v->kind == KD_VALUE_FILE_WAIT) {
            if (!file_count(v))
                return false;
            continue;
        }
        if (!memory_there(v->address)) {
            fault(op, v->address);
            return true;
        }
        bool followed = check_streams_follow() && op->number;
        if (v->kind == KD_VALUE_WRITE && followed)
            check_values_write(op, v, store);
        else if (v->kind == KD_VALUE_WRITE)
            store(v);
        else if (!holds(v, load(v)))
            return false;
        else if (followed)
            check_values_met(op, v, holds);
        else if (check_streams_follow()) // it was submitted before, and what it knows is not known
            check_streams_give_up();
    }
    return true;
}

// ---- What waits ---------------------------------------------------------------------------

static struct {
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct op *list; // linked by ready_next
    bool started;
} waiting = {.lock = PTHREAD_MUTEX_INITIALIZER, .some = PTHREAD_COND_INITIALIZER};

void value_park(struct op *op) {
    pthread_mutex_lock(&waiting.lock);
    op->ready_next = waiting.list;
    waiting.list = op;
    pthread_cond_signal(&waiting.some);
    pthread_mutex_unlock(&waiting.lock);
}

// Takes all that have come to their end out of the list.
static struct op *take_done(void) {
    struct op *done = NULL;
    for (struct op **at = &waiting.list; *at;) {
        struct op *op = *at;
        if (!value_run(op)) {
            at = &op->ready_next;
            continue;
        }
        *at = op->ready_next;
        op->ready_next = done;
        done = op;
    }
    return done;
}

static void end_all(struct op *done) {
    while (done) {
        struct op *next = done->ready_next;
        op_end(done);
        done = next;
    }
}

// Looks often at first, then every 50 us.
static void *watch(void *unused) {
    (void)unused;
    unsigned rounds = 0;
    for (;;) {
        pthread_mutex_lock(&waiting.lock);
        while (!waiting.list) {
            rounds = 0;
            pthread_cond_wait(&waiting.some, &waiting.lock);
        }
        struct op *done = take_done();
        pthread_mutex_unlock(&waiting.lock);
        if (done)
            rounds = 0;
        end_all(done);
        if (++rounds < 50)
            sched_yield();
        else
            nanosleep(&(struct timespec){0, 50000}, NULL);
    }
    return NULL;
}

bool value_watch(void) {
    pthread_mutex_lock(&waiting.lock);
    if (!waiting.started)
        waiting.started = scheduler_start_thread(watch, NULL);
    bool ok = waiting.started;
    pthread_mutex_unlock(&waiting.lock);
    return ok;
}

enum kd_status kd_submit_values(struct kd_queue *q, const struct kd_value_op *list, uint32_t n) {
    enum kd_status status = context_status(q->context);
    if (status)
        return status;
    for (uint32_t i = 0; i < n; i++)
        if (list[i].kind >= KD_VALUE_WAIT_AT_LEAST && !value_watch())
            return kd_fail(KD_SYSTEM, "the system does not let the device start a thread");
    struct op *op = op_new(q->context, OP_VALUES);
    if (!op)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for an operation");
    op->values.list = (struct kd_value_op *)op_bytes(op, n * sizeof *list);
    if (!op->values.list) {
        op_unref(op);
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for an operation");
    }
    memcpy(op->values.list, list, n * sizeof *list);
    op->values.n = n;
    return queue_submit(q, op);
}
