// PTX module to kernel IR module.
#include <stdarg.h>
#include <stdio.h>

#include "ir/clean/simplify.h"
#include "ir/lower/lower.h"

enum { MAX_SHARED_BYTES = 48 * 1024, MAX_ERROR = 400 };

bool lower_error(struct lower_module *lm, struct ptx_pos pos, const char *fmt, ...) {
    char text[MAX_ERROR];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    strbuf_printf(lm->err, "ptx:%u:%u: error: %s\n", pos.line, pos.col, text);
    return false;
}

static void declare_func(struct lower_module *lm, const struct ptx_func *ast) {
    struct kir_func *f = kir_func_new(lm->m, ast->name);
    f->is_kernel = ast->is_entry;
    f->is_extern = !ast->has_body;
    f->noreturn = ast->noreturn;
    f->linkage = ast->linkage == PTX_LINK_VISIBLE  ? KIR_LINK_VISIBLE
                 : ast->linkage == PTX_LINK_EXTERN ? KIR_LINK_EXTERN
                 : ast->linkage == PTX_LINK_WEAK   ? KIR_LINK_WEAK
                                                   : KIR_LINK_INTERNAL;
    lm->funcs[ast->id] = f;
    struct lower_sig *sig = &lm->sigs[ast->id];
    if (ast->is_entry) {
        memcpy(f->maxntid, ast->maxntid, sizeof f->maxntid);
        memcpy(f->reqntid, ast->reqntid, sizeof f->reqntid);
        memcpy(f->cluster, ast->reqnctapercluster, sizeof f->cluster);
        f->max_cluster = ast->maxclusterrank;
        f->cluster_required = ast->explicitcluster;
        f->minnctapersm = ast->minnctapersm;
        f->maxnreg = ast->maxnreg;
    } else {
        lower_signature(lm, ast->nrets, ast->rets, ast->nparams, ast->params, sig);
        f->proto = sig->proto;
    }
}

static void declare_funcs(struct lower_module *lm) {
    const struct ptx_module *ast = lm->ast;
    lm->funcs = arena_array(&lm->tmp, struct kir_func *, ast->funcs.len);
    lm->func_syms = arena_array(&lm->tmp, struct kir_symbol *, ast->funcs.len);
    lm->sigs = arena_array(&lm->tmp, struct lower_sig, ast->funcs.len);
    for (uint32_t k = 0; k < ast->funcs.len; k++)
        if (!ast->funcs.data[k]->alias)
            declare_func(lm, ast->funcs.data[k]);
}

static void copy_header(struct lower_module *lm) {
    const struct ptx_module *ast = lm->ast;
    struct kir_module *m = lm->m;
    m->ptx_major = ast->version_major;
    m->ptx_minor = ast->version_minor;
    m->target_sm = ast->sm;
    m->lockstep = ast->lockstep;
    m->keeps_loads = ast->keeps_loads;
    for (uint32_t k = 0; k < ast->files.len; k++) {
        const char *name = ast->files.data[k] ? arena_strdup(&m->arena, ast->files.data[k]) : NULL;
        vec_push(&m->arena, &m->files, name);
    }
}

static bool check_shared(struct lower_module *lm) {
    for (uint32_t k = 0; k < lm->ast->funcs.len; k++) {
        const struct kir_func *f = lm->funcs[k];
        if (f && f->is_kernel && f->shared_static > MAX_SHARED_BYTES)
            return lower_error(lm, lm->ast->funcs.data[k]->pos,
                               "kernel '%s' uses too much shared data: %u bytes, %d at most",
                               f->name, f->shared_static, MAX_SHARED_BYTES);
    }
    return true;
}

static bool lower_module(struct lower_module *lm) {
    copy_header(lm);
    declare_funcs(lm);
    if (!lower_module_vars(lm) || !lower_initialisers(lm))
        return false;
    for (uint32_t k = 0; k < lm->ast->funcs.len; k++) {
        const struct ptx_func *f = lm->ast->funcs.data[k];
        if (!f->alias && f->has_body && !lower_body(lm, f, lm->funcs[k]))
            return false;
    }
    kir_simplify(lm->m);
    kir_layout_shared(lm->m);
    return check_shared(lm);
}

struct kir_module *kir_from_ptx(const struct ptx_module *ast, struct strbuf *err) {
    struct lower_module lm = {.ast = ast, .m = kir_module_new(), .err = err};
    bool ok = lower_module(&lm);
    arena_free(&lm.tmp);
    if (ok)
        return lm.m;
    kir_module_free(lm.m);
    return NULL;
}
