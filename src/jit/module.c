// Modules: from PTX text to kernel IR, and what the driver is told about them.
#include "codegen/pipeline/jit_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/clean/simplify.h"
#include "ir/interp/interp.h"
#include "ir/registers.h"
#include "isa/device_functions.h"
#include "jit/reached_calls.h"
#include "passes/analysis/alignment.h"
#include "passes/check/check.h"
#include "passes/flow/finite.h"
#include "passes/loops/butterfly.h"
#include "passes/loops/narrow_counters.h"
#include "passes/loops/narrow_exits.h"
#include "passes/loops/split_extremes.h"
#include "passes/loops/split_loops.h"
#include "passes/loops/stride_loop.h"
#include "passes/loops/test_exits.h"
#include "ptx/ast.h"
#include "support/check/check_tools.h"
#include "support/debug.h"
#include "support/environment.h"
#include "support/memory.h"
#include "support/stages.h"
#include "support/work.h"

static const struct kd_rt *runtime;

static void copy_log(const struct strbuf *err, char *log, size_t log_size) {
    if (log && log_size)
        snprintf(log, log_size, "%s", strbuf_str(err));
}

// A function that is called must have a body, here or in the device.
static bool is_provided(const struct kir_func *f) {
    return !f->is_extern || device_provides(f->name) || device_lacks(f->name);
}

static bool check_externs(const struct kir_module *m, struct strbuf *err) {
    bool ok = true;
    for (uint32_t f = 0; f < m->funcs.len; f++)
        for (uint32_t b = 0; b < m->funcs.data[f]->blocks.len; b++)
            for (struct kir_inst *i = m->funcs.data[f]->blocks.data[b]->first; i; i = i->next)
                if (i->op == ISA_OP_CALL && i->callee && !is_provided(i->callee)) {
                    strbuf_printf(err, "error: '%s' calls '%s', which is defined nowhere\n",
                                  m->funcs.data[f]->name, i->callee->name);
                    ok = false;
                }
    return ok;
}

// The interpreter, when all kernels run on it, runs functions as they are written, but where they
// are checked: the cache has one description of the checks.
static bool as_written(void) {
    const char *exec = environment_get("KUDZU_EXEC");
    return exec && !strcmp(exec, "interp") && !check_tools();
}

// What makes loops better looks at each loop of a function with all that is inside it. Of those
// with more there is quick code alone.
static bool has_few_loops(const struct kir_func *f) {
    enum { MOST_LOOPS = 256 };
    uint32_t n = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++) {
        const struct kir_inst *last = f->blocks.data[b]->last;
        for (uint32_t t = 0; t < last->ntargets; t++)
            n += last->targets[t]->id <= b;
    }
    return n <= MOST_LOOPS;
}

static struct kir_module *lower(const char *ptx, size_t len, struct strbuf *err) {
    struct arena ast_arena = {0};
    struct ptx_module *ast = ptx_parse(&ast_arena, ptx, len, err);
    struct kir_module *ir = NULL;
    stages_end("parser");
    if (ast) {
        ast->tells_copies = check_tools() & CHECK_RACE;
        ast->keeps_loads = check_tools();
    }
    bool verified = ast && ptx_verify(ast, err);
    stages_end("verifier");
    if (verified)
        ir = kir_from_ptx(ast, err);
    stages_end("lowering");
    bool inlined = ast && !ast->debug && !as_written();
    arena_free(&ast_arena);
    bool ok = ir && kir_validate(ir, err) && check_externs(ir, err);
    stages_end("validator");
    bool changed = ok && inlined && !check_tools() && kir_constant_shared(ir);
    stages_end("shared constants");
    changed |= ok && inlined && kir_inline(ir, finite_function);
    stages_end("inliner");
    if (changed) {
        ok = kir_validate(ir, err);
        stages_end("validator");
    }
    if (ok && check_tools()) {
        check_module(ir, check_tools());
        ir->keeps_loads = false; // what they access has been told
        ok = kir_validate(ir, err);
        stages_end("checks");
    }
    for (uint32_t f = 0; ok && f < ir->funcs.len; f++)
        split_loops(ir->funcs.data[f]);
    for (uint32_t f = 0; ok && inlined && !check_tools() && f < ir->funcs.len; f++) {
        if (!has_few_loops(ir->funcs.data[f]))
            continue;
        split_extremes(ir->funcs.data[f]);
        narrow_counters(ir->funcs.data[f]);
        narrow_exits(ir->funcs.data[f]);
        test_exits(ir->funcs.data[f]);
        butterflies(ir->funcs.data[f]);
    }
    stages_end("exits");
    if (ok)
        return ir;
    if (ir)
        kir_module_free(ir);
    return NULL;
}

static void describe_alignment(struct kir_module *m, const struct kir_func *f,
                               struct kj_kernel *k) {
    struct arena a = {0};
    struct aligned_param *p;
    uint32_t n = alignment_wanted(&a, f, &p);
    struct kj_aligned *out = arena_array(&m->arena, struct kj_aligned, n + 1);
    for (uint32_t i = 0; i < n; i++)
        out[i] = (struct kj_aligned){p[i].offset, p[i].align};
    k->naligned = n;
    k->aligned = out;
    arena_free(&a);
}

static void describe_stride(struct kir_module *m, struct kir_func *f, struct kj_kernel *k) {
    struct launch_number limit = stride_loop_find(f);
    k->nstride = limit.n;
    if (limit.n)
        k->stride = arena_memdup(&m->arena, limit.steps, limit.n * sizeof limit.steps[0]);
}

static void describe_kernel(struct kir_module *m, const struct kir_func *f, struct kj_kernel *k) {
    struct kj_param *params = arena_array(&m->arena, struct kj_param, f->params.len + 1);
    for (uint32_t n = 0; n < f->params.len; n++) {
        const struct kir_symbol *s = f->params.data[n];
        params[n] = (struct kj_param){(uint32_t)s->offset, (uint32_t)s->size, s->align};
    }
    *k = (struct kj_kernel){.name = f->name,
                            .nparams = f->params.len,
                            .params = params,
                            .param_bytes = f->param_bytes,
                            .shared_static = f->shared_static,
                            .local_bytes = f->frame_bytes,
                            .minnctapersm = f->minnctapersm,
                            .maxnreg = f->maxnreg};
    memcpy(k->maxntid, f->maxntid, sizeof k->maxntid);
    memcpy(k->reqntid, f->reqntid, sizeof k->reqntid);
    describe_alignment(m, f, k);
    describe_stride(m, m->funcs.data[f->index], k);
    memcpy(k->cluster, f->cluster, sizeof k->cluster);
    k->max_cluster = f->max_cluster;
    k->cluster_required = f->cluster_required;
    k->registers = kir_estimate_registers(f);
    if (f->maxnreg && k->registers > f->maxnreg)
        k->registers = f->maxnreg;
}

static void describe_var(struct kir_module *m, const struct kir_symbol *s, struct kj_var *v) {
    struct kj_reloc *relocs = arena_array(&m->arena, struct kj_reloc, s->relocs.len + 1);
    for (uint32_t n = 0; n < s->relocs.len; n++) {
        const struct kir_reloc *r = &s->relocs.data[n];
        relocs[n] = (struct kj_reloc){
            .offset = r->offset, .addend = r->addend, .var = r->sym->index, .size = r->size};
        if (r->sym->func)
            relocs[n].var = -1, relocs[n].func = (int32_t)kir_function_handle(r->sym->func);
    }
    *v = (struct kj_var){.name = s->name,
                         .size = s->size,
                         .align = s->align,
                         .is_const = s->space == ISA_SPACE_CONST,
                         .is_extern = s->linkage == KIR_LINK_EXTERN,
                         .is_visible = s->linkage != KIR_LINK_INTERNAL,
                         .managed = s->managed,
                         .init = s->init,
                         .nrelocs = s->relocs.len,
                         .relocs = relocs};
}

static void describe(struct kj_module *m) {
    struct kir_module *ir = m->ir;
    struct kj_kernel *kernels = arena_array(&ir->arena, struct kj_kernel, ir->funcs.len + 1);
    struct kj_var *vars = arena_array(&ir->arena, struct kj_var, ir->vars.len + 1);
    for (uint32_t f = 0; f < ir->funcs.len; f++)
        if (ir->funcs.data[f]->is_kernel)
            describe_kernel(ir, ir->funcs.data[f], &kernels[m->info.nkernels++]);
    reached_calls_find(ir, kernels);
    for (uint32_t v = 0; v < ir->vars.len; v++)
        describe_var(ir, ir->vars.data[v], &vars[v]);
    m->info.nvars = ir->vars.len;
    m->info.kernels = kernels;
    m->info.vars = vars;
    m->info.ptx_major = ir->ptx_major;
    m->info.ptx_minor = ir->ptx_minor;
    m->info.target_sm = ir->target_sm;
}

// ---- When memory runs out -------------------------------------------------------------------

static _Thread_local bool out_of_memory, unsupported_version;

bool kj_run(void (*work)(void *), void (*undo)(void *), void *arg, char *log, size_t log_size) {
    bool done = memory_scope_run(work, undo, arg);
    out_of_memory = !done && !memory_was_abandoned();
    if (out_of_memory && log && log_size)
        snprintf(log, log_size, "out of memory");
    else if (!done && work_refusal() && log && log_size)
        snprintf(log, log_size, "%s", work_refusal());
    work_end();
    return done;
}

bool kj_out_of_memory(void) {
    return out_of_memory;
}

bool kj_unsupported_version(void) {
    return unsupported_version;
}

void kj_refuse_allocation(long n) {
    memory_refuse(n);
}

bool kj_allocation_refused(void) {
    return memory_refused();
}

long kj_allocated_blocks(void) {
    return memory_blocks();
}

// ---- Loading --------------------------------------------------------------------------------

struct load {
    const char *ptx;
    size_t len;
    char *log;
    size_t log_size;
    struct kj_module *m;
};

static void load(void *arg) {
    struct load *l = arg;
    struct strbuf err = {0};
    stages_begin();
    struct kir_module *ir = lower(l->ptx, strnlen(l->ptx, l->len), &err);
    unsupported_version = ptx_refused_version();
    if (ir && debug_on("ir")) {
        struct strbuf text = {0};
        kir_print_module(ir, &text);
        fputs(strbuf_str(&text), stderr);
        strbuf_free(&text);
    }
    if (ir) {
        struct kj_module *m = arena_new(&ir->arena, struct kj_module);
        m->ir = ir;
        describe(m);
        stages_end("description");
        stages_print("module");
        l->m = m;
    }
    copy_log(&err, l->log, l->log_size);
    strbuf_free(&err);
}

struct kj_module *kj_module_load(const char *ptx, size_t len, char *log, size_t log_size) {
    struct load l = {ptx, len, log, log_size, NULL};
    return kj_run(load, NULL, &l, log, log_size) ? l.m : NULL;
}

void kj_module_free(struct kj_module *m) {
    if (m && m->plans)
        m->free_plans(m->plans);
    if (m)
        kir_module_free(m->ir); // which m is in
}

const struct kj_module_info *kj_module_info(const struct kj_module *m) {
    return &m->info;
}

void kj_set_runtime(const struct kd_rt *rt) {
    runtime = rt;
}

const struct kd_rt *kj_runtime(void) {
    return runtime;
}

uint32_t kj_features(void) {
    return runtime && runtime->kd_rt_features ? runtime->kd_rt_features() : 0;
}

void kj_interpret_block(struct kj_module *m, uint32_t kernel, struct kd_block *b) {
    uint32_t nth = 0;
    for (uint32_t f = 0; f < m->ir->funcs.len; f++)
        if (m->ir->funcs.data[f]->is_kernel && nth++ == kernel)
            kir_interp_block(m->ir, m->ir->funcs.data[f], b, runtime);
}

bool kj_find_access(struct kj_module *m, uint32_t kernel, const struct kd_block *b,
                    const uint64_t *address, struct kj_access *out) {
    uint32_t nth = 0;
    struct kir_access a = {0};
    bool found = false;
    for (uint32_t f = 0; f < m->ir->funcs.len; f++)
        if (m->ir->funcs.data[f]->is_kernel && nth++ == kernel)
            found = kir_find_access(m->ir, m->ir->funcs.data[f], b, address, &a);
    *out = (struct kj_access){a.address, a.thread, a.file, a.line};
    return found;
}

struct linking {
    const char *const *ptx;
    const size_t *len;
    size_t n;
    char *log;
    size_t log_size;
    char *result;
};

static void link_texts(void *arg) {
    struct linking *l = arg;
    struct strbuf err = {0}, out = {0};
    if (ptx_link(l->ptx, l->len, l->n, &out, &err) &&
        !(l->result = memory_strdup(strbuf_str(&out))))
        memory_ran_out();
    unsupported_version = ptx_refused_version();
    copy_log(&err, l->log, l->log_size);
    strbuf_free(&err);
    strbuf_free(&out);
}

char *kj_link_ptx(const char *const *ptx, const size_t *len, size_t n, char *log, size_t log_size) {
    struct linking l = {ptx, len, n, log, log_size, NULL};
    return kj_run(link_texts, NULL, &l, log, log_size) ? l.result : NULL;
}

struct checking {
    const char *ptx;
    size_t len;
    char *log;
    size_t log_size;
    bool ok;
};

static void check_text(void *arg) {
    struct checking *c = arg;
    struct strbuf err = {0};
    struct arena a = {0};
    const struct ptx_module *m = ptx_parse(&a, c->ptx, c->len, &err);
    unsupported_version = ptx_refused_version();
    c->ok = m && ptx_verify(m, &err);
    arena_free(&a);
    copy_log(&err, c->log, c->log_size);
    strbuf_free(&err);
}

bool kj_check_ptx(const char *ptx, size_t len, char *log, size_t log_size) {
    struct checking c = {ptx, len, log, log_size, false};
    return kj_run(check_text, NULL, &c, log, log_size) && c.ok;
}

const char *kj_version(void) {
    return "kudzu-jit " KUDZU_VERSION " " KUDZU_BUILD_ID;
}
