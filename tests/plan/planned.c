#include "planned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes/analysis/alignment.h"
#include "ptx/ast.h"

struct kir_module *planned_read(struct arena *a, const char *text, size_t length,
                                struct strbuf *err) {
    struct ptx_module *ast = ptx_parse(a, text, length, err);
    return ast ? kir_from_ptx(ast, err) : NULL;
}

struct plan *planned_function(struct arena *a, struct kir_func *f, const struct machine *m,
                              const struct planned_for *what) {
    struct kd_spec *spec = arena_new(a, struct kd_spec);
    unsigned width = what->width ? what->width : 16;
    memcpy(spec->ntid, what->ntid, sizeof spec->ntid);
    if (!spec->ntid[0])
        memcpy(spec->ntid, (uint32_t[3]){256, 1, 1}, sizeof spec->ntid);
    struct flow *fl = flow_analyse(a, f, width, what->team ? what->team : 1, spec, false, NULL);
    if (!fl)
        return NULL;
    const struct affine *x = affine_find(a, fl->cfg, spec->ntid, alignment_find(a, f, NULL, 0));
    uint32_t threads = spec->ntid[0] * spec->ntid[1] * spec->ntid[2];
    struct plan_inputs in = {.fl = fl,
                             .machine = m,
                             .shared_static = f->is_kernel ? f->shared_static : 0,
                             .quick = what->quick,
                             .all_lanes = f->is_kernel && threads % width == 0,
                             .affine = x,
                             .runs = lane_runs_find(a, x, fl),
                             .steps = lane_steps_find(a, x, fl),
                             .groups = fl->team > 1 ? affine_by_group(a, x, fl) : NULL,
                             .has_runs = f->is_kernel && what->has_runs,
                             .puts_off = what->puts_off};
    return plan_build(a, &in);
}

void planned_body(struct planned *p, const char *body, const struct planned_for *what) {
    struct strbuf err = {0};
    char text[8192];
    int length = snprintf(text, sizeof text,
                          ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {\n"
                          ".reg .pred %%p, %%q;\n.reg .b32 %%t, %%g, %%n, %%x<40>;\n"
                          ".reg .b64 %%a, %%b, %%w<40>;\n.reg .f32 %%f<10>;\n"
                          ".shared .align 16 .b8 s[1024];\n"
                          "ld.param.u64 %%a, [a]; ld.param.u64 %%b, [b]; ld.param.u32 %%n, [n];\n"
                          "mov.u32 %%t, %%tid.x; mov.u32 %%g, %%ctaid.x;\n%s\nret;\n}\n",
                          body);
    *p = (struct planned){.machine = machine_of(what->level ? what->level : KD_LEVEL_X86_64_V4, 0)};
    p->module = planned_read(&p->arena, text, (size_t)length, &err);
    if (!p->module) {
        printf("%s\n%s", text, strbuf_str(&err));
        exit(1);
    }
    p->plan = planned_function(&p->arena, p->module->funcs.data[0], &p->machine, what);
    strbuf_free(&err);
}

void planned_end(struct planned *p) {
    kir_module_free(p->module);
    arena_free(&p->arena);
}
