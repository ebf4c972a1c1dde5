// Threads work through a list, first come, first served, and end when the list is empty. Each works
// on its own copy of the module, so that nobody ever waits for it: whoever ends a kernel takes its
// entries off the list, and what is being compiled for it is dropped when it is done. The end of
// the process waits for what kd_finish_better_code says, and for nothing else: a thread holds no
// lock then but its own and the allocator's, and the compiler's destructors do not run
// (jit/process_exit.c).
#include "device/code/better_code.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/code/cache.h"
#include "device/code/code_loader.h"
#include "device/code/jit_library.h"
#include "device/code/module.h"
#include "device/internal.h"
#include "support/debug.h"

enum { LOG_BYTES = 8192, STACK_BYTES = 8 << 20 };

// Of the processors one in so many compiles, but not more threads than that.
enum { WORKERS_A_THREAD = 4, MOST_THREADS = 4 };

// The process may end so many times as long later as its kernels have run in quick code, if that
// is enough for a compilation, and at most so much later.
enum { FINISH_TIMES = 10, FINISH_LEAST_NS = 100000000, FINISH_MOST_NS = 2000000000 };

struct job {
    struct job *next;
    struct kd_kernel *kernel; // NULL: it has ended
    struct variant *variant;
    struct ptx_text *text;
    uint32_t index;
    char *name;
    struct kd_spec spec;
    struct cache_place place;
    struct scheduler *scheduler; // of the device, which does not end
    bool again;                  // an earlier process has left the quick code
    uint64_t quick_ns;           // of a kernel that has ended: what it ran in quick code
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t job_ended = PTHREAD_COND_INITIALIZER;
static struct job *first, **last = &first;
static struct job *running; // by all threads
static int threads;

// The module that was worked on last.
struct parsed {
    struct ptx_text *text;
    struct kj_module *jit;
};

static void job_free(struct job *j) {
    cache_close(j->place);
    ptx_text_release(j->text);
    free(j->name);
    free(j);
}

static void drop_parsed(struct parsed *p) {
    if (p->jit)
        jit_library()->module_free(p->jit);
    ptx_text_release(p->text);
    *p = (struct parsed){0};
}

static struct kj_module *parse(struct parsed *p, struct ptx_text *text, char *log) {
    if (p->text != text) {
        drop_parsed(p);
        const struct jit_library *lib = jit_library_soon();
        if (!lib)
            return NULL;
        p->jit = lib->module_load(text->bytes, text->size, log, LOG_BYTES);
        p->text = ptx_text_share(text);
    }
    return p->jit;
}

// ---- The thread ---------------------------------------------------------------------------

// The better code takes the place of the quick one.
static void keep(const struct job *j, const struct kd_code_info *info, const void *obj,
                 size_t size) {
    const char *identity = jit_library_identity();
    struct kd_spec quick = j->spec;
    quick.flags |= KD_SPEC_QUICK;
    struct cache_key key = cache_key_of(j->text->bytes, j->text->size, j->name, &j->spec, identity);
    struct cache_key quick_key =
        cache_key_of(j->text->bytes, j->text->size, j->name, &quick, identity);
    cache_write_at(j->place, &key, info, obj, size);
    cache_remove_at(j->place, &quick_key);
}

static struct code *compile(const struct job *j, struct parsed *p, char *log) {
    struct kj_module *jit = parse(p, j->text, log);
    struct code *code = calloc(1, sizeof *code);
    void *obj = NULL;
    size_t size;
    bool ok =
        jit && code &&
        jit_library()->compile(jit, j->index, &j->spec, &obj, &size, &code->info, log, LOG_BYTES) &&
        code_load(obj, size, &code->loaded, &code->entry, log, LOG_BYTES);
    if (ok) {
        code->kernel = j->index;
        keep(j, &code->info, obj, size);
    } else {
        free(code);
    }
    free(obj);
    return ok ? code : NULL;
}

// With the lock held. A kernel whose code was stopped gets code that is stopped.
static void publish(const struct job *j, struct code *code) {
    struct kd_kernel *k = j->kernel;
    if (k && code && k->stopped)
        code_stop(code->loaded);
    if (k && code) {
        __atomic_store_n(&j->variant->code.better, code, __ATOMIC_RELEASE);
    } else if (code) {
        code_unload(code->loaded);
        free(code);
    }
}

static void run(struct job *j, struct parsed *p, char *log) {
    struct code *code = NULL;
    if (log) {
        log[0] = 0;
        scheduler_lend(j->scheduler);
        code = compile(j, p, log);
        scheduler_take_back(j->scheduler);
    }
    if (debug_on("tier"))
        fprintf(stderr, "kudzu: %s: %s%s\n", j->name,
                code ? "better code is there" : "no better code: ", code || !log ? "" : log);
    pthread_mutex_lock(&lock);
    publish(j, code);
    struct job **at = &running;
    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    pthread_cond_broadcast(&job_ended);
    pthread_mutex_unlock(&lock);
    job_free(j);
}

// The next job, or NULL: then the thread has to end.
static struct job *take(void) {
    pthread_mutex_lock(&lock);
    struct job *j = first;
    if (j) {
        first = j->next;
        j->next = running;
        running = j;
    } else {
        threads--;
    }
    if (!first)
        last = &first;
    pthread_mutex_unlock(&lock);
    return j;
}

static void *work(void *unused) {
    struct parsed p = {0};
    char *log = calloc(1, LOG_BYTES);
    for (struct job *j; (j = take());)
        run(j, &p, log);
    drop_parsed(&p);
    free(log);
    return NULL;
}

// The program's signals are not for this thread.
static bool start_thread(void) {
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, before;
    if (pthread_attr_init(&attr))
        return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(&thread, &attr, work, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return ok;
}

static int most_threads(const struct scheduler *s) {
    int n = s->slots / WORKERS_A_THREAD;
    return n < 1 ? 1 : n < MOST_THREADS ? n : MOST_THREADS;
}

// With the lock held, for a job more.
static bool have_thread(const struct scheduler *s) {
    if (threads < most_threads(s) && start_thread())
        threads++;
    return threads > 0;
}

// ---- The end of the process ---------------------------------------------------------------

static uint64_t quick_ns(const struct job *j) {
    return j->kernel ? atomic_load_explicit(&j->kernel->quick_ns, memory_order_relaxed)
                     : j->quick_ns;
}

// With the lock held: how long all that runs and waits may keep the process.
static uint64_t worth_ns(void) {
    uint64_t ns = 0;
    for (int waits = 0; waits < 2; waits++)
        for (const struct job *j = waits ? first : running; j; j = j->next)
            ns += j->again ? quick_ns(j) * FINISH_TIMES : 0;
    return ns < FINISH_LEAST_NS ? 0 : ns < FINISH_MOST_NS ? ns : FINISH_MOST_NS;
}

static bool is_worth(const struct job *j) {
    return j->again && quick_ns(j) * FINISH_TIMES >= FINISH_LEAST_NS / 10;
}

// With the lock held: jobs of k, or with NULL of all kernels, that wait and are not worth it.
static void drop_jobs(const struct kd_kernel *k) {
    for (struct job **p = &first; *p;) {
        struct job *j = *p;
        if ((k && j->kernel != k) || is_worth(j)) {
            p = &j->next;
            continue;
        }
        *p = j->next;
        job_free(j);
    }
    for (last = &first; *last;)
        last = &(*last)->next;
}

static bool any_is_worth(void) {
    bool any = false;
    for (int waits = 0; waits < 2; waits++)
        for (const struct job *j = waits ? first : running; j; j = j->next)
            any |= is_worth(j);
    return any;
}

// The quick code stays in the cache, with a word that no process need wait for better one.
static void give_up(const struct job *j) {
    struct kd_spec spec = j->spec;
    struct kd_code_info info;
    void *obj;
    size_t size;
    spec.flags |= KD_SPEC_QUICK;
    struct cache_key key =
        cache_key_of(j->text->bytes, j->text->size, j->name, &spec, jit_library_identity());
    if (!cache_read(&key, &info, &obj, &size))
        return;
    info.flags |= KD_CODE_NO_BETTER;
    cache_write_at(j->place, &key, &info, obj, size);
    free(obj);
}

// With the lock held: until they are done, or so much later. False: they are not.
static bool wait_for_jobs(uint64_t ns) {
    struct timespec end;
    bool in_time = true;
    clock_gettime(CLOCK_REALTIME, &end);
    ns += (uint64_t)end.tv_nsec;
    end.tv_sec += (time_t)(ns / 1000000000);
    end.tv_nsec = (long)(ns % 1000000000);
    while (in_time && any_is_worth())
        in_time = pthread_cond_timedwait(&job_ended, &lock, &end) == 0;
    return in_time;
}

void kd_finish_better_code(void) {
    pthread_mutex_lock(&lock);
    drop_jobs(NULL);
    uint64_t ns = worth_ns();
    if (ns && !wait_for_jobs(ns))
        for (int waits = 0; waits < 2; waits++)
            for (const struct job *j = waits ? first : running; j; j = j->next)
                if (is_worth(j))
                    give_up(j);
    pthread_mutex_unlock(&lock);
}

// ---- Interface ----------------------------------------------------------------------------

void better_code_want(struct kd_kernel *k, struct variant *v, const struct kd_spec *want) {
    struct job *j = calloc(1, sizeof *j);
    char *name = strdup(k->info->name);
    if (!j || !name) {
        free(j);
        free(name);
        return;
    }
    *j = (struct job){.kernel = k,
                      .variant = v,
                      .text = ptx_text_share(k->module->text),
                      .index = k->index,
                      .name = name,
                      .spec = *want,
                      .place = cache_open(),
                      .scheduler = &k->module->context->device->scheduler,
                      .again = v->code.from_cache && !(v->code.info.flags & KD_CODE_NO_BETTER)};
    pthread_mutex_lock(&lock);
    if (have_thread(j->scheduler)) {
        *last = j;
        last = &j->next;
        j = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (j)
        job_free(j);
}

void better_code_forget(struct kd_kernel *k) {
    pthread_mutex_lock(&lock);
    drop_jobs(k);
    for (int waits = 0; waits < 2; waits++)
        for (struct job *j = waits ? first : running; j; j = j->next) {
            if (j->kernel != k)
                continue;
            j->quick_ns = quick_ns(j);
            j->kernel = NULL;
        }
    pthread_mutex_unlock(&lock);
}

void better_code_locked(struct kd_kernel *k, void (*fn)(struct kd_kernel *)) {
    pthread_mutex_lock(&lock);
    fn(k);
    pthread_mutex_unlock(&lock);
}
