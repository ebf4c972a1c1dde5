// kj_compile: one kernel, one specialisation -> one object; kj_explain: what became of it, in
// words. What a compilation owns, and where it runs: pipeline.c says what it does.
#include <stdio.h>
#include <string.h>

#include "codegen/large_stack.h"
#include "codegen/llvm_failure.h"
#include "codegen/llvm_memory.h"
#include "codegen/pipeline/explain.h"
#include "codegen/pipeline/jit_module.h"
#include "codegen/pipeline/optimize.h"
#include "codegen/pipeline/pipeline.h"
#include "plan/interp/plan_interp.h"
#include "support/debug.h"
#include "support/memory.h"
#include "support/stages.h"
#include "support/work.h"
#include "target/arm_level.h"

static void init_types(struct cg *c) {
    c->i1 = LLVMInt1TypeInContext(c->ctx);
    c->i8 = LLVMInt8TypeInContext(c->ctx);
    c->i16 = LLVMInt16TypeInContext(c->ctx);
    c->i32 = LLVMInt32TypeInContext(c->ctx);
    c->i64 = LLVMInt64TypeInContext(c->ctx);
    c->i128 = LLVMInt128TypeInContext(c->ctx);
    c->f32 = LLVMFloatTypeInContext(c->ctx);
    c->f64 = LLVMDoubleTypeInContext(c->ctx);
    c->ptr = LLVMPointerTypeInContext(c->ctx, 0);
    c->void_t = LLVMVoidTypeInContext(c->ctx);
}

enum kd_level kj_host_level(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v4"))
        return KD_LEVEL_X86_64_V4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return KD_LEVEL_X86_64_V3;
    return KD_LEVEL_X86_64_V2;
#else
    return arm_level();
#endif
}

static void copy_log(const struct strbuf *err, char *log, size_t log_size) {
    if (log && log_size)
        snprintf(log, log_size, "%s", strbuf_str(err));
}

// For a module while it is made.
enum { LLVM_MODULE_BYTES = 16 << 20 };

// Everything that one compilation owns.
struct compilation {
    struct strbuf err;
    struct arena arena;
    struct cg cg;
};

static bool begin(struct compilation *t, struct kj_module *m, uint32_t kernel,
                  const struct kd_spec *spec) {
    uint32_t nth = 0;
    struct cg *c = &t->cg;
    *c = (struct cg){.arena = &t->arena, .ir = m->ir, .spec = *spec, .err = &t->err};
    c->target =
        machine_of(spec->level ? (enum kd_level)spec->level : kj_host_level(), kj_features());
    for (uint32_t f = 0; f < m->ir->funcs.len; f++)
        if (m->ir->funcs.data[f]->is_kernel && nth++ == kernel)
            c->kernel = m->ir->funcs.data[f];
    if (!c->kernel) {
        strbuf_printf(&t->err, "the module has no kernel %u\n", kernel);
        return false;
    }
    llvm_memory_reserve(LLVM_MODULE_BYTES);
    c->ctx = LLVMContextCreate();
    // Names are for readers; LLVM would look each up in a table.
    LLVMContextSetDiscardValueNames(c->ctx,
                                    !debug_on("llvm") && !debug_on("llvmopt") && !debug_on("asm"));
    cg_heed_diagnostics(c);
    c->mod = LLVMModuleCreateWithNameInContext(c->kernel->name, c->ctx);
    c->b = LLVMCreateBuilderInContext(c->ctx);
    init_types(c);
    c->pw = (struct pw){.ctx = c->ctx, .mod = c->mod, .b = c->b, .target = &c->target};
    return true;
}

// What LLVM holds: all that is left when memory has run out. When LLVM itself failed it keeps it.
static void end_llvm(struct cg *c) {
    if (llvm_has_failed()) {
        llvm_memory_end();
        return;
    }
    if (c->machine)
        LLVMDisposeTargetMachine(c->machine);
    if (c->ctx) {
        LLVMDisposeBuilder(c->b);
        LLVMDisposeModule(c->mod);
        LLVMContextDispose(c->ctx);
    }
    llvm_failure_end();
    llvm_memory_end();
}

static void end(struct compilation *t, char *log, size_t log_size) {
    copy_log(&t->err, log, log_size);
    end_llvm(&t->cg);
    if (t->cg.own_ir)
        arena_free(&t->cg.own_ir->arena);
    arena_free(&t->arena);
    strbuf_free(&t->err);
}

// A call of kj_compile or kj_explain.
struct request {
    struct compilation t;
    struct kj_module *m;
    uint32_t kernel;
    const struct kd_spec *spec;
    void **obj;
    size_t *obj_size;
    struct kd_code_info *info;
    enum kj_explained what;
    char *log;
    size_t log_size;
    bool ok;
    char *text;
    struct kj_plan *plan;
    void (*work)(void *);
};

static void undo(void *arg) {
    llvm_failure_end(); // nothing to leave is left
    end_llvm(&((struct request *)arg)->t.cg);
}

// Measured: no more than ten seconds.
static const uint64_t MOST_WORK = 1000000000;

static void run_work(void *arg) {
    struct request *r = arg;
    llvm_failure_watch(r->log, r->log_size);
    work_begin(MOST_WORK);
    if (!kj_run(r->work, undo, r, r->log, r->log_size))
        r->ok = false;
}

static void no_room(void *arg) {
    memory_ran_out();
}

// A system that grants few addresses grants a smaller stack.
static void run_request(struct request *r, void (*work)(void *)) {
    enum { MOST_BYTES = 512 << 20, LEAST_BYTES = 8 << 20 };
    r->work = work;
    for (size_t bytes = MOST_BYTES; bytes >= LEAST_BYTES; bytes /= 4)
        if (large_stack_run(run_work, r, bytes, llvm_has_failed))
            return;
    kj_run(no_room, NULL, r, r->log, r->log_size);
}

static void compile_request(void *arg) {
    struct request *r = arg;
    struct compilation *t = &r->t;
    stages_begin();
    struct pipeline p = {
        .c = &t->cg, .info = r->info, .object = r->obj, .object_size = r->obj_size};
    r->ok = begin(t, r->m, r->kernel, r->spec) && pipeline_run(&p, HAS_OBJECT);
    if (t->cg.kernel)
        stages_print(t->cg.kernel->name);
    end(t, r->log, r->log_size);
}

static bool compile(struct kj_module *m, uint32_t kernel, const struct kd_spec *spec, void **obj,
                    size_t *obj_size, struct kd_code_info *info, char *log, size_t log_size) {
    struct request r = {.m = m,
                        .kernel = kernel,
                        .spec = spec,
                        .obj = obj,
                        .obj_size = obj_size,
                        .info = info,
                        .log = log,
                        .log_size = log_size};
    run_request(&r, compile_request);
    return r.ok;
}

// What LLVM cannot select for SVE's registers gets code for NEON's, which every machine with SVE
// runs.
bool kj_compile(struct kj_module *m, uint32_t kernel, const struct kd_spec *spec, void **obj,
                size_t *obj_size, struct kd_code_info *info, char *log, size_t log_size) {
    enum kd_level level = spec->level ? (enum kd_level)spec->level : kj_host_level();
    if (compile(m, kernel, spec, obj, obj_size, info, log, log_size))
        return true;
    struct kd_spec neon = *spec;
    neon.level = KD_LEVEL_AARCH64;
    return level > KD_LEVEL_AARCH64 &&
           compile(m, kernel, &neon, obj, obj_size, info, log, log_size);
}

static void explain_request(void *arg) {
    struct request *r = arg;
    struct compilation *t = &r->t;
    struct notes notes = {0};
    struct strbuf text = {0};
    struct pipeline p = {.c = &t->cg};
    if (begin(t, r->m, r->kernel, r->spec)) {
        t->cg.notes = &notes;
        t->cg.plan_text = r->what == KJ_EXPLAIN_PLAN ? &text : NULL;
        if (pipeline_run(&p, HAS_LLVM_IR)) {
            if (r->what != KJ_EXPLAIN_PLAN)
                cg_report(&t->cg, p.fl, r->what == KJ_EXPLAIN_ALL, &text);
            r->text = memory_strdup(strbuf_str(&text));
        }
    }
    end(t, r->log, r->log_size);
    arena_free(&notes.arena);
    strbuf_free(&text);
}

void kj_provoke_failure(long n, int kind) {
    llvm_failure_provoke(n, (enum llvm_failure_kind)kind);
}

char *kj_explain(struct kj_module *m, uint32_t kernel, const struct kd_spec *spec,
                 enum kj_explained what, char *log, size_t log_size) {
    struct request r = {
        .m = m, .kernel = kernel, .spec = spec, .what = what, .log = log, .log_size = log_size};
    run_request(&r, explain_request);
    return r.text;
}

// ---- The plan's interpreter ---------------------------------------------------------------------

struct kj_plan {
    struct kj_plan *next;
    struct arena arena;
    struct kir_module *own_ir; // NULL: the module's
    struct kir_func *kernel;
    const struct plan_interp *interp;
};

// What a compilation has made up to its plans, without what only it needs.
static struct kj_plan *keep_plans(struct compilation *t) {
    struct cg *c = &t->cg;
    struct kj_plan *p = arena_new(&t->arena, struct kj_plan);
    const struct machine *machine = arena_memdup(&t->arena, &c->target, sizeof c->target);
    for (uint32_t f = 0; f < c->ir->funcs.len; f++) {
        struct plan_inputs *in = c->plans[f] ? &((struct plan *)c->plans[f])->in : NULL;
        if (!in)
            continue;
        in->machine = machine;
        in->is_taken = NULL;
        in->who = NULL;
    }
    p->interp = plan_interp_new(&t->arena, c->ir, c->plans, NULL);
    p->own_ir = c->own_ir;
    p->kernel = c->kernel;
    p->arena = t->arena;
    t->arena = (struct arena){0};
    c->own_ir = NULL;
    return p;
}

static void free_plans(struct kj_plan *p) {
    for (struct kj_plan *next; p; p = next) {
        struct arena arena = p->arena; // p lies in it
        next = p->next;
        if (p->own_ir)
            arena_free(&p->own_ir->arena);
        arena_free(&arena);
    }
}

static void plan_request(void *arg) {
    struct request *r = arg;
    struct compilation *t = &r->t;
    struct pipeline p = {.c = &t->cg};
    if (begin(t, r->m, r->kernel, r->spec)) {
        t->cg.plans = arena_array(&t->arena, const struct plan *, r->m->ir->funcs.len);
        if (pipeline_run(&p, HAS_LLVM_IR))
            r->plan = keep_plans(t);
    }
    end(t, r->log, r->log_size);
}

struct kj_plan *kj_plan_kernel(struct kj_module *m, uint32_t index, const struct kd_spec *spec,
                               char *log, size_t log_size) {
    struct request r = {.m = m, .kernel = index, .spec = spec, .log = log, .log_size = log_size};
    run_request(&r, plan_request);
    if (!r.plan)
        return NULL;
    m->free_plans = free_plans;
    r.plan->next = __atomic_load_n(&m->plans, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&m->plans, &r.plan->next, r.plan, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return r.plan;
}

void kj_interpret_plan(struct kj_plan *p, uint32_t kernel, struct kd_block *b) {
    plan_interp_block(p->interp, p->kernel, b, kj_runtime());
}
