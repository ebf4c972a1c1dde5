// A record takes the next number and stores it into the number's place when its queue comes there;
// who waits looks up which number was recorded last and waits for its place to hold it, or a later
// one.
#include "device/sched/shared_event.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "device/internal.h"
#include "device/reason.h"
#include "device/sched/op.h"
#include "device/sched/queue.h"

enum { PLACES = 256 };
struct words {
    _Atomic uint64_t next, recorded; // numbers: given out; of the last record
    _Atomic uint64_t done[PLACES];   // by number % PLACES
};

// Something in a queue that uses the words.
struct use {
    struct op *op; // held
    struct use *next;
};

struct shared_event {
    struct words *words;
    int fd;
    struct kd_spinlock lock;
    struct use *uses;
    struct shared_event *next; // of those that were freed while in use
};

static struct shared_event *leftovers;
static struct kd_spinlock leftovers_lock;

// Forgets the uses that have ended. True: none is left.
static bool unused(struct shared_event *e) {
    for (struct use **at = &e->uses; *at;) {
        struct use *u = *at;
        if (!op_ended(u->op)) {
            at = &u->next;
            continue;
        }
        *at = u->next;
        op_unref(u->op);
        free(u);
    }
    return !e->uses;
}

static void end(struct shared_event *e) {
    kd_ipc_close((uint64_t)e->words);
    close(e->fd);
    free(e);
}

static void end_leftovers(void) {
    kd_lock(&leftovers_lock);
    for (struct shared_event **at = &leftovers; *at;) {
        struct shared_event *e = *at;
        if (!unused(e)) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        end(e);
    }
    kd_unlock(&leftovers_lock);
}

static enum kd_status make(int fd, uint64_t words, struct shared_event **out) {
    struct shared_event *e = calloc(1, sizeof *e);
    if (!e) {
        kd_ipc_close(words);
        close(fd);
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for an event");
    }
    e->fd = fd;
    e->words = (struct words *)words;
    *out = e;
    return kd_succeed();
}

enum kd_status shared_event_new(struct kd_context *c, struct shared_event **out) {
    int fd;
    uint64_t words;
    end_leftovers();
    enum kd_status status = kd_ipc_words_new(c->device, sizeof(struct words), &fd, &words);
    return status ? status : make(fd, words, out);
}

enum kd_status shared_event_open(struct kd_context *c, const struct kd_ipc_file *file,
                                 struct shared_event **out) {
    uint64_t words;
    end_leftovers();
    int fd = kd_ipc_words_open(file, sizeof(struct words));
    if (fd < 0)
        return KD_NOT_FOUND;
    enum kd_status status = kd_ipc_words_map(c->device, fd, sizeof(struct words), &words);
    if (status) {
        close(fd);
        return status;
    }
    return make(fd, words, out);
}

struct kd_ipc_file shared_event_handle(const struct shared_event *e) {
    return kd_ipc_words_handle(e->fd);
}

void shared_event_free(struct shared_event *e) {
    kd_lock(&leftovers_lock);
    e->next = leftovers;
    leftovers = e;
    kd_unlock(&leftovers_lock);
    end_leftovers();
}

static enum kd_status submit(struct shared_event *e, struct kd_queue *q, enum kd_value_kind kind,
                             uint64_t number) {
    struct kd_value_op v = {kind, 8, (uint64_t)&e->words->done[number % PLACES], number};
    enum kd_status status = kd_submit_values(q, &v, 1);
    struct op *op = NULL;
    if (status == KD_OK)
        status = queue_point(q, false, &op);
    struct use *u = op ? malloc(sizeof *u) : NULL;
    if (!u) {
        if (op) {
            scheduler_wait(op, true); // without a note of it, it must not outlive the event
            op_unref(op);
        }
        return status;
    }
    kd_lock(&e->lock);
    unused(e);
    *u = (struct use){op, e->uses};
    e->uses = u;
    kd_unlock(&e->lock);
    return status;
}

enum kd_status shared_event_record(struct shared_event *e, struct kd_queue *q) {
    uint64_t number = atomic_fetch_add(&e->words->next, 1) + 1;
    enum kd_status status = submit(e, q, KD_VALUE_WRITE, number);
    uint64_t last = atomic_load(&e->words->recorded);
    while (status == KD_OK && last < number &&
           !atomic_compare_exchange_weak(&e->words->recorded, &last, number))
        ;
    return status;
}

static bool happened(struct shared_event *e, uint64_t number) {
    return atomic_load(&e->words->done[number % PLACES]) >= number;
}

bool shared_event_happened(struct shared_event *e) {
    return happened(e, atomic_load(&e->words->recorded));
}

enum kd_status shared_event_wait_on(struct kd_queue *q, struct shared_event *e) {
    uint64_t number = atomic_load(&e->words->recorded);
    return happened(e, number) ? context_status(q->context)
                               : submit(e, q, KD_VALUE_WAIT_AT_LEAST, number);
}
