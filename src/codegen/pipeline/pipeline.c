#include "codegen/pipeline/pipeline.h"

#include "codegen/pipeline/passes.h"
#include "support/stages.h"
#include "support/strbuf.h"

// The whole compilation, in order. Each pass has a line in passes.h on what it does.
static const struct pass {
    const char *name;
    void (*run)(struct pipeline *p);
    unsigned needs, gives; // enum pipeline_fact
} passes[] = {
    {"call graph", find_functions, 0, HAS_FUNCTIONS},
    {"effort", choose_effort, HAS_FUNCTIONS, HAS_EFFORT},
    // The kernel alone, before anything is known of its flow.
    {"index words", try_index_words, HAS_FUNCTIONS, 0},
    {"known size", try_known_size, HAS_FUNCTIONS, 0},
    {"private frame", try_private_frame, HAS_FUNCTIONS, 0},
    {"stride loop", try_strides, HAS_FUNCTIONS | HAS_EFFORT, 0},
    {"mode", choose_mode, HAS_FUNCTIONS | HAS_EFFORT, HAS_MODE | HAS_FLOW},
    // Loops, by what is known of them at that width. What is written out divides by constants:
    // then there is nothing left for versions of groups.
    {"unrolling", try_unrolled, HAS_MODE | HAS_FLOW, 0},
    {"known sign", try_known_sign, HAS_MODE | HAS_FLOW, 0},
    {"group versions", try_group_versions, HAS_MODE | HAS_FLOW, 0},
    {"last lanes", try_last_lanes, HAS_MODE | HAS_FLOW, 0},
    {"rolling", try_rolled, HAS_MODE | HAS_FLOW, 0},
    {"LLVM IR", emit_all, HAS_MODE | HAS_FLOW, HAS_LLVM_IR},
    {"length", check_length, HAS_LLVM_IR, 0},
    {"description", fill_info, HAS_LLVM_IR | HAS_FLOW, HAS_INFO},
    {"variables", make_values, HAS_LLVM_IR | HAS_EFFORT, 0},
    {"quick or not", settle_quick, HAS_LLVM_IR | HAS_INFO, 0},
    {"machine code", make_object, HAS_LLVM_IR | HAS_INFO, HAS_OBJECT},
};

// What is easily seen of the facts that there are.
static bool holds(const struct pipeline *p) {
    const struct cg *c = p->c;
    const struct flow *fl = p->have & HAS_FLOW ? p->fl[c->kernel->index] : NULL;
    return (!(p->have & HAS_FUNCTIONS) || c->needed[c->kernel->index]) &&
           (!(p->have & HAS_MODE) || (c->width && c->team)) &&
           (!fl || (fl->func == c->kernel && fl->width == c->width && fl->team == c->team));
}

// A kernel for which a pass went wrong is interpreted.
static bool fail(struct cg *c, const char *pass, const char *what) {
    c->failed = true;
    strbuf_printf(c->err, "kernel %s: internal error: pass \"%s\" %s\n", c->kernel->name, pass,
                  what);
    return false;
}

bool pipeline_run(struct pipeline *p, enum pipeline_fact until) {
    for (const struct pass *x = passes; !(p->have & until); x++) {
        if ((p->have & x->needs) != x->needs)
            return fail(p->c, x->name, "comes before what it needs");
        x->run(p);
        stages_end(x->name);
        if (p->c->failed)
            return false;
        p->have |= x->gives;
        if (!holds(p))
            return fail(p->c, x->name, "leaves a kernel that is not analysed");
    }
    return true;
}
