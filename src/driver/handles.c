// Handles: a table of slots. A handle holds the slot's index (24 bits from bit 8), the kind (bits
// 2 to 6) and the slot's generation (from bit 32), which changes with every object, so that no
// handle is ever valid twice. Looking up takes no lock; slots are never returned to the system.
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "driver/driver.h"
#include "driver/leaks.h"

enum { CHUNK = 1 << 12, CHUNKS = 1 << 12 };

// Generation, kind, count and whether the handle is valid are one word, so that one load tells it
// all. Under a count of 0 nothing but notes of threads can hold the object.
// WITH_CONTEXT: the object ended because its context did.
static const uint64_t COUNT = (1u << 24) - 1, WITH_CONTEXT = 1u << 24, KEPT = 1u << 30,
                      ALIVE = 1u << 31;
enum { KIND_SHIFT = 25, GENERATION_SHIFT = 32 };

struct slot {
    _Atomic(uint64_t) word; // count 0: free
    struct drv_object *object;
    uint32_t next_free; // index + 1
};

static _Atomic(struct slot *) chunks[CHUNKS];
static uint32_t used, first_free; // under the lock; first_free is index + 1

static struct slot *slot_at(uint32_t index) {
    struct slot *chunk = chunks[index / CHUNK];
    return chunk ? &chunk[index % CHUNK] : NULL;
}

// Under the lock. Returns the index of a free slot, or -1.
static int64_t slot_take(void) {
    if (first_free) {
        uint32_t index = first_free - 1;
        first_free = slot_at(index)->next_free;
        return index;
    }
    if (used == (uint32_t)CHUNK * CHUNKS)
        return -1;
    if (used % CHUNK == 0) {
        struct slot *chunk = calloc(CHUNK, sizeof *chunk);
        if (!chunk)
            return -1;
        chunks[used / CHUNK] = chunk;
    }
    return used++;
}

static void list_insert(struct drv_object **list, struct drv_object *o) {
    o->next = *list;
    o->link = list;
    if (*list)
        (*list)->link = &o->next;
    *list = o;
}

static void list_remove(struct drv_object *o) {
    if (!o->link)
        return;
    *o->link = o->next;
    if (o->next)
        o->next->link = o->link;
    o->link = NULL;
}

static struct slot *slot_of(const struct drv_object *o) {
    return slot_at((uint32_t)((uintptr_t)o->handle >> 8 & 0xFFFFFF));
}

// The slot that a handle names, and what its word must be but for the count; NULL: none.
static struct slot *slot_named(const void *handle, enum drv_kind kind, uint64_t *word) {
    uint64_t h = (uintptr_t)handle;
    if ((h & 0xFF) != (uint64_t)kind << 2)
        return NULL;
    *word = h >> GENERATION_SHIFT << GENERATION_SHIFT | ALIVE | (uint64_t)kind << KIND_SHIFT;
    return slot_at((uint32_t)(h >> 8 & 0xFFFFFF));
}

// ---- Notes --------------------------------------------------------------------------------
// A lookup writes its note before it reads the slot's word; who destroys changes the word before he
// reads the notes. So one of both sees the other, when each puts a fence between. Lookups are many:
// they leave theirs to the system call that a destroying thread makes, if the system has it.

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static struct drv_notes *threads; // all that there ever were, under the registry's lock
static unsigned nthreads;         // in use
static struct drv_object *limbo; // ended and not counted: to be released. Under the registry's lock
static atomic_bool limbo_used;
static pthread_key_t key;
atomic_bool drv_fences;
_Thread_local struct drv_notes *drv_notes;

static void heavy_fence(void) {
    atomic_thread_fence(memory_order_seq_cst);
    if (!drv_fences)
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

static void thread_ends(void *notes) {
    struct drv_notes *t = notes;
    drv_call_end(&(struct drv_call){0}); // it was cancelled in a call
    pthread_mutex_lock(&registry);
    t->used = false;
    nthreads--;
    pthread_mutex_unlock(&registry);
    drv_notes = NULL; // a destructor that runs later may make calls
}

static void open_registry(void) {
    drv_fences = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
    pthread_key_create(&key, thread_ends);
}

static struct drv_notes *register_thread(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_registry);
    pthread_mutex_lock(&registry);
    struct drv_notes *t = threads;
    while (t && t->used)
        t = t->next;
    if (!t && (t = calloc(1, sizeof *t))) {
        t->room = DRV_FEW_NOTES;
        t->next = threads;
        threads = t;
    }
    if (t) {
        t->used = true;
        t->device = false;
        nthreads++;
    }
    pthread_mutex_unlock(&registry);
    drv_notes = t;
    pthread_setspecific(key, t);
    return t;
}

static struct drv_note *note_at(struct drv_notes *t, unsigned i) {
    if (__builtin_expect(i < DRV_FEW_NOTES, 1))
        return &t->few[i];
    int block = 31 - __builtin_clz(i / DRV_FEW_NOTES);
    return &t->more[block][i - ((unsigned)DRV_FEW_NOTES << block)];
}

static bool make_room(struct drv_notes *t) {
    int block = 31 - __builtin_clz(t->room / DRV_FEW_NOTES);
    size_t n = (size_t)DRV_FEW_NOTES << block;
    if (block >= DRV_NOTE_BLOCKS || !(t->more[block] = calloc(n, sizeof(struct drv_note))))
        return false;
    t->room += (unsigned)n;
    return true;
}

// The thread's notes, with room for one more; NULL: no memory.
static struct drv_notes *with_room(void) {
    struct drv_notes *t = drv_notes ? drv_notes : register_thread();
    bool full = t && atomic_load_explicit(&t->n, memory_order_relaxed) == t->room;
    return full && !make_room(t) ? NULL : t;
}

static void note(struct drv_notes *t, void *what) {
    unsigned i = atomic_load_explicit(&t->n, memory_order_relaxed);
    atomic_store_explicit(&note_at(t, i)->what, what, memory_order_relaxed);
    atomic_store_explicit(&t->n, i + 1, memory_order_release);
}

bool drv_call_note(void (*end)(void *), void *what) {
    struct drv_notes *t = with_room();
    if (!t) {
        end(what);
        return false;
    }
    note_at(t, atomic_load_explicit(&t->n, memory_order_relaxed))->end = end;
    t->nends++;
    note(t, what);
    return true;
}

// ---- Uses of memory ------------------------------------------------------------------------

struct drv_use drv_use_begin(void) {
    struct drv_notes *t = drv_notes ? drv_notes : register_thread();
    if (t && !t->uses_depth++) {
        unsigned n = atomic_load_explicit(&t->uses, memory_order_relaxed);
        atomic_store_explicit(&t->uses, n + 1, memory_order_relaxed);
        drv_light_fence();
    }
    return (struct drv_use){t};
}

void drv_use_end(struct drv_use *use) {
    struct drv_notes *t = use->thread;
    use->thread = NULL;
    if (!t || --t->uses_depth)
        return;
    unsigned n = atomic_load_explicit(&t->uses, memory_order_relaxed);
    atomic_store_explicit(&t->uses, n + 1, memory_order_release);
}

void drv_uses_wait(void) {
    pthread_mutex_lock(&registry);
    struct drv_notes *first = nthreads > 1 ? threads : NULL;
    if (first)
        heavy_fence();
    pthread_mutex_unlock(&registry);
    for (struct drv_notes *t = first; t; t = t->next) {
        unsigned n = atomic_load_explicit(&t->uses, memory_order_acquire);
        while (t != drv_notes && n % 2 && atomic_load_explicit(&t->uses, memory_order_acquire) == n)
            sched_yield(); // a use ends with a submission, not with the work
    }
}

// ---- Release ------------------------------------------------------------------------------

static bool noted_by(struct drv_notes *t, const struct slot *s) {
    unsigned n = atomic_load_explicit(&t->n, memory_order_acquire);
    for (unsigned i = 0; i < n; i++)
        if (atomic_load_explicit(&note_at(t, i)->what, memory_order_relaxed) == s)
            return true;
    return false;
}

static void want_reap(struct drv_notes *t) {
    atomic_store_explicit(&t->reap, true, memory_order_relaxed);
}

static bool tell(const struct slot *s) {
    bool some = false;
    for (struct drv_notes *t = threads; t; t = t->next) {
        if (!noted_by(t, s))
            continue;
        want_reap(t);
        some = true;
    }
    return some;
}

// Under the registry's lock. True: a call holds it, whose end will see that it was told.
static bool held(const struct slot *s) {
    if (!tell(s))
        return false;
    heavy_fence();
    return tell(s);
}

static void count_down(struct drv_object *o);

static void release(struct drv_object *o) {
    struct drv_object *owner = o->context ? &o->context->object : NULL, *parent = o->parent;
    struct slot *s = slot_of(o);
    uint32_t index = (uint32_t)((uintptr_t)o->handle >> 8 & 0xFFFFFF);
    o->release(o);
    drv_lock();
    s->object = NULL;
    s->next_free = first_free;
    first_free = index + 1;
    drv_unlock();
    if (parent)
        count_down(parent);
    if (owner)
        count_down(owner);
}

// What nobody holds, out of the limbo.
static struct drv_object *take_free(void) {
    struct drv_object *list = NULL;
    pthread_mutex_lock(&registry);
    if (limbo && nthreads > 1)
        heavy_fence();
    for (struct drv_object **at = &limbo; *at;) {
        struct drv_object *o = *at;
        const struct slot *s = slot_of(o);
        // Who has a note may have given it something that belongs to it.
        if (held(s) || atomic_load_explicit(&s->word, memory_order_acquire) & COUNT) {
            at = &o->next;
            continue;
        }
        *at = o->next;
        o->next = list;
        list = o;
    }
    limbo_used = limbo != NULL;
    pthread_mutex_unlock(&registry);
    return list;
}

// drv_object_hold may have come between.
static bool leave(struct drv_object *o) {
    pthread_mutex_lock(&registry);
    bool leaves = !held(slot_of(o));
    o->leaving = leaves;
    if (!leaves) {
        o->next = limbo;
        limbo = o;
        limbo_used = true;
    }
    pthread_mutex_unlock(&registry);
    return leaves;
}

// Releasing one may free others.
static void reap(void) {
    for (struct drv_object *list; limbo_used && (list = take_free());) {
        while (list) {
            struct drv_object *o = list;
            list = o->next;
            if (leave(o))
                release(o);
        }
    }
}

// The last first: they may use objects.
void drv_call_end_others(struct drv_notes *t, unsigned n) {
    for (unsigned i = atomic_load_explicit(&t->n, memory_order_relaxed); i-- > n;) {
        struct drv_note *e = note_at(t, i);
        void (*end)(void *) = e->end;
        if (!end)
            continue;
        void *what = atomic_load_explicit(&e->what, memory_order_relaxed);
        e->end = NULL;
        atomic_store_explicit(&e->what, NULL, memory_order_relaxed);
        t->nends--;
        end(what);
    }
}

// What is released waits for other threads, which may wait for a lock that a call within which this
// one runs has taken: it is left to that call's end.
void drv_call_reap(struct drv_notes *t, unsigned n) {
    if (n || t->uses_depth)
        return;
    NO_CANCEL();
    CALL(); // what is released may look up objects
    atomic_store_explicit(&t->reap, false, memory_order_relaxed);
    reap();
}

void drv_device_call_end(struct drv_call *call) {
    struct drv_notes *t = drv_notes;
    rights_call_end(call->rights);
    if (!t || !drv_call_take_back(t, call->n))
        return;
    pthread_mutex_lock(&registry);
    t->device = !call->n; // else a call of the program met a fault itself
    for (struct drv_notes *other = threads; other; other = other->next)
        atomic_store_explicit(&other->reap, !other->device, memory_order_relaxed);
    pthread_mutex_unlock(&registry);
}

// ---- Counts -------------------------------------------------------------------------------

static void count_up(struct drv_object *o) {
    atomic_fetch_add_explicit(&slot_of(o)->word, 1, memory_order_relaxed);
}

// Objects that are looked up, made and destroyed under a lock of theirs: no call has notes of them.
static bool under_a_lock(uint64_t kind) {
    return kind == DRV_GRAPH || kind == DRV_GRAPH_NODE || kind == DRV_ALLOCATION;
}

static void count_down(struct drv_object *o) {
    bool at_once = under_a_lock((uintptr_t)o->handle >> 2 & 0x3F);
    pthread_mutex_lock(&registry);
    uint64_t word = atomic_fetch_sub_explicit(&slot_of(o)->word, 1, memory_order_acq_rel);
    bool last = (word & COUNT) == 1;
    if (last && !at_once && !o->in_limbo) {
        o->in_limbo = true;
        o->next = limbo;
        limbo = o;
        limbo_used = true;
    }
    pthread_mutex_unlock(&registry);
    if (last && at_once)
        release(o);
    else if (last && (drv_notes || register_thread()))
        want_reap(drv_notes);
}

static void count_down_noted(void *o) {
    count_down(o);
}

bool drv_object_alive(const struct drv_object *o) {
    return atomic_load_explicit(&slot_of(o)->word, memory_order_acquire) & ALIVE;
}

static void unlock(void *mutex) {
    pthread_mutex_unlock(mutex);
}

CUresult drv_call_lock(pthread_mutex_t *mutex) {
    pthread_mutex_lock(mutex);
    REQUIRE(drv_call_note(unlock, mutex), CUDA_ERROR_OUT_OF_MEMORY, "no memory for a call");
    return CUDA_SUCCESS;
}

// ---- Objects ------------------------------------------------------------------------------

// Under the lock.
static bool ended(const struct drv_object *o) {
    return o && !drv_object_alive(o);
}

bool drv_object_add(struct drv_object *o, enum drv_kind kind, struct drv_context *owner,
                    void (*release)(struct drv_object *)) {
    drv_lock();
    int64_t index = slot_take();
    if (index < 0) {
        drv_unlock();
        return false;
    }
    struct slot *s = slot_at((uint32_t)index);
    uint64_t generation = (atomic_load(&s->word) >> GENERATION_SHIFT) + 1;
    uint64_t handle = generation << GENERATION_SHIFT | (uint64_t)index << 8 | (uint64_t)kind << 2;
    bool late = ended(owner ? &owner->object : NULL) || ended(o->parent);
    s->object = o;
    o->handle = (void *)(uintptr_t)handle;
    o->context = owner;
    o->release = release;
    o->next = NULL;
    o->link = NULL;
    o->in_limbo = o->leaving = false;
    if (owner)
        count_up(&owner->object);
    if (o->parent)
        count_up(o->parent);
    if (owner && !late)
        list_insert(&owner->children, o);
    struct drv_notes *t = under_a_lock(kind) ? NULL : with_room();
    if (t)
        note(t, s); // before anybody, with a forged handle too, can destroy it
    atomic_store_explicit(&s->word,
                          generation << GENERATION_SHIFT | (late ? 0 : ALIVE) |
                              (uint64_t)kind << KIND_SHIFT | 1,
                          memory_order_release);
    drv_unlock();
    if (late)
        drv_call_note(count_down_noted, o);
    drv_leaks_object(o, kind);
    return true;
}

void drv_object_keep(struct drv_object *o) {
    atomic_fetch_or(&slot_of(o)->word, KEPT);
}

static bool means(const struct slot *s, uint64_t want) {
    return (atomic_load_explicit(&s->word, memory_order_acquire) & ~(COUNT | KEPT)) == want;
}

void *drv_object_find(const void *handle, enum drv_kind kind) {
    uint64_t want;
    struct slot *s = slot_named(handle, kind, &want);
    struct drv_notes *t = drv_notes;
    unsigned n = t ? atomic_load_explicit(&t->n, memory_order_relaxed) : DRV_FEW_NOTES;
    if (!s)
        return NULL;
    if (__builtin_expect(n < DRV_FEW_NOTES, 1)) {
        atomic_store_explicit(&t->few[n].what, s, memory_order_relaxed);
        atomic_store_explicit(&t->n, n + 1, memory_order_release);
    } else if ((t = with_room())) {
        n = atomic_load_explicit(&t->n, memory_order_relaxed);
        note(t, s);
    } else {
        return NULL;
    }
    drv_light_fence();
    if (__builtin_expect(means(s, want), 1))
        return s->object;
    atomic_store_explicit(&t->n, n, memory_order_release);
    drv_light_fence();
    if (limbo_used) // who looked for notes may have seen this one
        want_reap(t);
    return NULL;
}

bool drv_object_hold(struct drv_object *o) {
    struct drv_notes *t = with_room();
    if (!t)
        return false;
    pthread_mutex_lock(&registry);
    bool there = !o->leaving;
    if (there)
        note(t, slot_of(o));
    pthread_mutex_unlock(&registry);
    return there;
}

void *drv_object_peek(const void *handle, enum drv_kind kind) {
    uint64_t want;
    struct slot *s = slot_named(handle, kind, &want);
    return s && means(s, want) ? s->object : NULL;
}

CUresult drv_object_missing(const void *handle, enum drv_kind kind) {
    uint64_t want = 0;
    const struct slot *s = slot_named(handle, kind, &want);
    uint64_t word = s ? atomic_load_explicit(&s->word, memory_order_acquire) : 0;
    bool with_context = (word & ~(COUNT | KEPT | ALIVE)) == ((want & ~ALIVE) | WITH_CONTEXT);
    return s && with_context ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_HANDLE;
}

// Under the lock. False: another thread came first.
static bool end_handle(struct drv_object *o) {
    uint64_t before = atomic_fetch_and_explicit(&slot_of(o)->word, ~ALIVE, memory_order_acq_rel);
    if (before & ALIVE)
        list_remove(o);
    return before & ALIVE;
}

bool drv_object_end(struct drv_object *o) {
    drv_lock();
    bool first = end_handle(o);
    drv_unlock();
    return first;
}

void drv_object_drop(struct drv_object *o) {
    count_down(o);
}

bool drv_object_destroy(struct drv_object *o) {
    bool first = drv_object_end(o);
    if (first)
        count_down(o);
    return first;
}

void *drv_object_take(const void *handle, enum drv_kind kind) {
    struct drv_object *o = drv_object_find(handle, kind);
    return o && drv_object_destroy(o) ? o : NULL;
}

struct drv_object *drv_objects_end(struct drv_context *owner) {
    drv_lock();
    struct drv_object *all = owner->children;
    owner->children = NULL;
    for (struct drv_object *o = all; o; o = o->next) {
        o->link = NULL;
        atomic_fetch_or_explicit(&slot_of(o)->word, WITH_CONTEXT, memory_order_relaxed);
        end_handle(o);
    }
    drv_unlock();
    return all;
}

void drv_objects_drop(struct drv_object *list) {
    while (list) {
        struct drv_object *o = list;
        list = o->next;
        count_down(o);
    }
}
