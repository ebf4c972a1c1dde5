// One thread works through a list, first come, first served, and ends when the list is empty. It
// works on its own copy of the module, so that nobody ever waits for it: whoever ends a kernel
// takes its entries off the list, and what is being compiled for it is dropped when it is done. The
// end of the process does not wait either: the thread holds no lock then but its own and the
// allocator's, and the compiler's destructors do not run (jit/process_exit.c).
#include "device/code/better_code.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/code/cache.h"
#include "device/code/code_loader.h"
#include "device/code/jit_library.h"
#include "device/code/module.h"
#include "device/internal.h"
#include "support/debug.h"

enum { LOG_BYTES = 8192, STACK_BYTES = 8 << 20 };

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
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *first, **last = &first;
static struct job *running;
static bool thread_exists;

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
    running = NULL;
    pthread_mutex_unlock(&lock);
    job_free(j);
}

// The next job, or NULL: then the thread has to end.
static struct job *take(void) {
    pthread_mutex_lock(&lock);
    struct job *j = running = first;
    if (j)
        first = j->next;
    if (!first)
        last = &first;
    if (!j)
        thread_exists = false;
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
                      .scheduler = &k->module->context->device->scheduler};
    pthread_mutex_lock(&lock);
    if (thread_exists || start_thread()) {
        thread_exists = true;
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
    if (running && running->kernel == k)
        running->kernel = NULL;
    for (struct job **p = &first; *p;) {
        struct job *j = *p;
        if (j->kernel != k) {
            p = &j->next;
            continue;
        }
        *p = j->next;
        job_free(j);
    }
    for (last = &first; *last;)
        last = &(*last)->next;
    pthread_mutex_unlock(&lock);
}

void better_code_locked(struct kd_kernel *k, void (*fn)(struct kd_kernel *)) {
    pthread_mutex_lock(&lock);
    fn(k);
    pthread_mutex_unlock(&lock);
}
