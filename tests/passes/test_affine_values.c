// test_affine_values COUNT: what is said of numbers against what they are. Random kernels are made
// to keep, each time that they make a number, it and the values that its form has for factors; the
// interpreter runs two blocks of them, and each fact that does not hold is named, with the kernel.
//
// Forms hold modulo 2^bits; motions and growths modulo 2^32, as they leave out sums that wrap.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/interp/interp.h"
#include "isa/ops/arith.h"
#include "isa/ops/memory.h"
#include "passes/affine/lane_run.h"
#include "passes/affine/lane_step.h"
#include "passes/affine/motion.h"
#include "passes/analysis/alignment.h"
#include "ptx/ast.h"

enum { THREADS = 64, BLOCKS = 2, WIDTH = 8, TEAM = 4 };
enum { MOST_NUMBERS = 100, MOST_TIMES = 6, MOST_KEPT = 56, BYTES = 8 + 8 * MOST_TIMES * MOST_KEPT };

static int failures;
static unsigned checked[8]; // by kind of fact
enum { FORM, RANGE, BY_BLOCK, BY_GROUP, GROWTH, RUN, STEP, NARROW };
static const int64_t strides[] = {0, 4};

// What is kept of a number each time that it is made.
struct number {
    const struct kir_value *v;
    const struct kir_value *kept[MOST_KEPT]; // the value first
    unsigned n;
    struct affine_form form, growth;
    struct affine_term own, term[AFFINE_TERMS];
    bool grows, once; // in a loop, outside loops
    bool by_block, by_group, has_runs;
    int64_t block, group;
    struct lane_run run[2]; // by stride
    struct lane_step step;
    bool steps;
};

// One for a number in a thread.
struct cell {
    uint64_t times, value[MOST_TIMES][MOST_KEPT];
};

// ---- kernels -----------------------------------------------------------------------------------

static uint32_t seed;

static unsigned some(unsigned n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

// What is stored where no cell lies is not left out.
static void use(struct strbuf *t, const char *type, char letter, unsigned n) {
    strbuf_printf(t, "st.global.%s [%%q], %%%c%u;\n", type, letter, n);
}

static void narrow(struct strbuf *t, unsigned n, unsigned wide) {
    static const char *const plain[] = {"add.s32", "sub.s32", "mul.lo.s32", "add.u32"};
    static const char *const bits[] = {"and", "or", "xor", "or"};
    unsigned d = some(n), x = some(n), y = some(n);
    switch (some(8)) {
    case 0:
    case 1:
        strbuf_printf(t, "%s %%x%u, %%x%u, %%x%u;\n", plain[some(4)], d, x, y);
        break;
    case 2:
        strbuf_printf(t, "%s %%x%u, %%x%u, %d;\n", plain[some(4)], d, x, (int)some(18) - 9);
        break;
    case 3:
        strbuf_printf(t, "mad.lo.s32 %%x%u, %%x%u, %%x%u, %%x%u;\n", d, x, y, some(n));
        break;
    case 4:
        strbuf_printf(t, "shl.b32 %%x%u, %%x%u, %u;\n", d, x, some(8));
        break;
    case 5:
        strbuf_printf(t, "%s.b32 %%x%u, %%x%u, %u;\n", bits[some(4)], d, x, some(64));
        break;
    case 6:
        strbuf_printf(t, "%s.b32 %%x%u, %%x%u, %%x%u;\n", bits[some(4)], d, x, y);
        break;
    default:
        if (some(2))
            strbuf_printf(t, "min.s32 %%x%u, %%x%u, 40;\n", d, x);
        else
            strbuf_printf(t, "cvt.u32.u64 %%x%u, %%w%u;\n", d, some(wide));
    }
    use(t, "u32", 'x', d);
}

static void wide(struct strbuf *t, unsigned n, unsigned narrow) {
    static const char *const plain[] = {"add.s64", "sub.s64", "mul.lo.s64", "add.s64"};
    unsigned d = some(n), w = some(n), x = some(narrow);
    switch (some(5)) {
    case 0:
        strbuf_printf(t, "mul.wide.%c32 %%w%u, %%x%u, %d;\n", "su"[some(2)], d, x,
                      (int)some(6) - 2);
        break;
    case 1:
        strbuf_printf(t, "mad.wide.%c32 %%w%u, %%x%u, %%x%u, %%w%u;\n", "su"[some(2)], d, x,
                      some(narrow), w);
        break;
    case 2:
        strbuf_printf(t, "cvt.%c64.%c32 %%w%u, %%x%u;\n", "su"[some(2)], "su"[some(2)], d, x);
        break;
    case 3:
        strbuf_printf(t, "shl.b64 %%w%u, %%w%u, %u;\n", d, w, some(4));
        break;
    default:
        strbuf_printf(t, "%s %%w%u, %%w%u, %%w%u;\n", plain[some(4)], d, w, some(n));
    }
    use(t, "u64", 'w', d);
}

static void operations(struct strbuf *t, unsigned n) {
    enum { NARROW = 8, WIDE = 5 };
    for (; n; n--) {
        if (some(3))
            narrow(t, NARROW, WIDE);
        else
            wide(t, WIDE, NARROW);
    }
}

static void make(struct strbuf *t) {
    strbuf_printf(t,
                  ".version 8.0\n.target sm_80\n.address_size 64\n"
                  ".visible .entry k(.param .u64 out, .param .u32 n, .param .u64 m) {\n"
                  ".reg .pred %%p;\n.reg .b32 %%x<10>, %%c, %%e;\n.reg .b64 %%w<10>, %%q;\n"
                  "ld.param.u64 %%q, [out]; mov.u32 %%x0, %%tid.x; mov.u32 %%x1, %%ctaid.x;\n"
                  "mad.lo.s32 %%x2, %%x1, %u, %%x0; mul.wide.u32 %%w0, %%x2, %u;\n"
                  "add.s64 %%q, %%q, %%w0; st.global.u32 [%%q], %%x0;\n"
                  "ld.param.u32 %%x3, [n]; mov.u32 %%x4, %%ntid.x; mov.u32 %%x5, 5;\n"
                  "ld.param.u64 %%w1, [m]; cvt.s64.s32 %%w2, %%x2; mov.u64 %%w3, -3;\n"
                  "shl.b32 %%x6, %%x1, 6; and.b32 %%x7, %%x0, 7; mov.u64 %%w4, %%w1;\n",
                  THREADS, MOST_NUMBERS * BYTES);
    // Rows of four threads: by a pitch of 64 bits, and from -1 on as numbers without a sign.
    strbuf_puts(t, "shr.u32 %x8, %x0, 2; and.b32 %x9, %x0, 3; mul.wide.u32 %w5, %x9, 4;\n"
                   "cvt.u64.u32 %w6, %x8; mad.lo.s64 %w5, %w6, %w1, %w5; st.global.u64 [%q], %w5;\n"
                   "mad.lo.s32 %x8, %x8, %x3, %x9; add.s32 %x8, %x8, -1;\n"
                   "mul.wide.u32 %w6, %x8, 4; st.global.u64 [%q], %w6;\n");
    operations(t, some(12));
    if (some(3)) {
        strbuf_puts(t, "mov.u32 %c, 0; and.b32 %e, %x0, 1;\n");
        if (some(2)) // all lanes leave it at once
            strbuf_puts(t, "mov.u32 %e, 1;\n");
        strbuf_puts(t, "add.s32 %e, %e, 3;\nL:\n");
        operations(t, some(8) + 1);
        strbuf_printf(
            t,
            "add.s32 %%x7, %%c, %%x0; mul.wide.s32 %%w4, %%c, 12; add.s64 %%w3, %%w3, %u;\n"
            "st.global.u32 [%%q], %%x7; st.global.u64 [%%q], %%w4;\n"
            "mul.lo.s32 %%x6, %%c, %%x3; st.global.u32 [%%q], %%x6;\n"
            "add.s32 %%c, %%c, 1; setp.lt.s32 %%p, %%c, %%e; @%%p bra L;\n",
            some(100));
    }
    operations(t, some(12));
    strbuf_puts(t, "ret;\n}\n");
}

// ---- what is kept ------------------------------------------------------------------------------

static unsigned keep(struct number *x, const struct kir_value *v) {
    unsigned k = 0;
    while (k < x->n && x->kept[k] != v)
        k++;
    if (k == x->n)
        x->kept[x->n++] = v;
    return k;
}

static void keep_terms(struct number *x, const struct affine_form *f) {
    for (unsigned k = 0; k < f->n; k++)
        for (unsigned m = 0; m < AFFINE_FACTORS && f->term[k].factor[m]; m++)
            keep(x, f->term[k].factor[m]);
}

static struct kir_inst *put(struct kir_inst *after, struct kir_inst *i) {
    kir_insert_after(after, i);
    return i;
}

static struct kir_inst *store(struct kir_func *f, struct kir_inst *after, struct kir_value *to,
                              int64_t offset, const struct kir_value *v) {
    struct kir_inst *i =
        kir_inst_new(f, ISA_OP_ST, v->type == KIR_B32 ? ISA_B32 : ISA_B64, 2, 0, NULL, 0);
    i->mods.space = ISA_SPACE_GLOBAL;
    i->mods.sem = ISA_SEM_WEAK;
    i->ops[0] = to;
    i->ops[1] = (struct kir_value *)v;
    i->offset = offset;
    return put(after, i);
}

// Behind where the number is made: the cell's next row is filled.
static void record(struct kir_func *f, const struct number *x, struct kir_value *cells,
                   unsigned index) {
    static const uint8_t wide = KIR_B64;
    int64_t at = (int64_t)index * BYTES;
    struct kir_inst *n = kir_inst_new(f, ISA_OP_LD, ISA_B64, 1, 1, &wide, 0);
    n->mods.space = ISA_SPACE_GLOBAL;
    n->mods.sem = ISA_SEM_WEAK;
    n->ops[0] = cells;
    n->offset = at;
    put(x->v->def, n);
    struct kir_inst *row = kir_inst_new(f, ISA_OP_MAD, ISA_U64, 3, 1, &wide, 0);
    row->mods.half = ISA_LO;
    row->ops[0] = n->res[0];
    row->ops[1] = kir_const(f, KIR_B64, sizeof(uint64_t) * MOST_KEPT);
    row->ops[2] = cells;
    struct kir_inst *last = put(n, row);
    for (unsigned k = 0; k < x->n; k++)
        last = store(f, last, row->res[0], at + 8 + 8 * (int64_t)k, x->kept[k]);
    struct kir_inst *more = kir_inst_new(f, ISA_OP_ADD, ISA_U64, 2, 1, &wide, 0);
    more->ops[0] = n->res[0];
    more->ops[1] = kir_const(f, KIR_B64, 1);
    store(f, put(last, more), cells, at, more->res[0]);
}

// ---- what holds --------------------------------------------------------------------------------

static int64_t as_number(const struct kir_value *v, uint64_t bits) {
    return v->type == KIR_B32 ? (int32_t)(uint32_t)bits : (int64_t)bits;
}

static uint64_t sum_of(struct number *x, const struct affine_form *f, const uint64_t *row) {
    uint64_t s = (uint64_t)f->constant;
    for (unsigned k = 0; k < f->n; k++) {
        uint64_t t = (uint64_t)f->term[k].times;
        for (unsigned m = 0; m < AFFINE_FACTORS && f->term[k].factor[m]; m++) {
            const struct kir_value *v = f->term[k].factor[m];
            uint64_t bits = row[keep(x, v)];
            t *= f->term[k].by_zeros[m] ? (uint32_t)bits : (uint64_t)as_number(v, bits);
        }
        s += t;
    }
    return s;
}

static bool same(uint64_t x, uint64_t y, unsigned bits) {
    return bits == 32 ? (uint32_t)x == (uint32_t)y : x == y;
}

static const char *text_of_kernel;

static void wrong(const char *what, const struct number *x, unsigned thread, uint64_t is,
                  uint64_t said) {
    if (failures++ < 5)
        printf("%s of %%%" PRIu32 " in thread %u: %" PRIx64 ", said to be %" PRIx64 "\n%s", what,
               x->v->id, thread, is, said, text_of_kernel);
}

static void check_rows(const struct affine *f, struct number *x, const struct cell *c,
                       unsigned thread) {
    unsigned bits = kir_type_bits(x->v->type);
    struct number_range r = number_range_of(f->range, x->v);
    unsigned zeros = alignment_zeros(f->zeros, x->v);
    for (unsigned k = 0; k < c->times && k < MOST_TIMES; k++) {
        uint64_t is = (uint64_t)as_number(x->v, c->value[k][0]);
        uint64_t said = sum_of(x, &x->form, c->value[k]);
        checked[FORM]++;
        if (!same(is, said, bits))
            wrong("form", x, thread, is, said);
        checked[RANGE] += r.known;
        uint64_t over = is - (uint64_t)r.lo, most = (uint64_t)r.hi - (uint64_t)r.lo;
        if (r.known && (bits == 32 ? (uint32_t)over : over) > most)
            wrong("range", x, thread, is, (uint64_t)r.lo);
        if (zeros && (zeros >= bits ? is : is & ((UINT64_C(1) << zeros) - 1)))
            wrong("zeros", x, thread, is, zeros);
        if (k && x->grows) {
            uint64_t before = (uint64_t)as_number(x->v, c->value[k - 1][0]);
            checked[GROWTH]++;
            if (!same(is - before, sum_of(x, &x->growth, c->value[k]), 32))
                wrong("growth", x, thread, is - before, sum_of(x, &x->growth, c->value[k]));
        }
    }
}

static void check_motion(const char *what, const struct number *x, const struct cell *from,
                         const struct cell *to, int64_t by, unsigned thread, unsigned kind) {
    if (!from->times || !to->times)
        return;
    checked[kind]++;
    if (!same(to->value[0][0] - from->value[0][0], (uint64_t)by, 32))
        wrong(what, x, thread, to->value[0][0] - from->value[0][0], (uint64_t)by);
}

static void check_run(const struct number *x, const struct cell *const *cells, unsigned thread,
                      unsigned k) {
    unsigned lane = thread % x->run[k].lanes;
    const struct cell *c = cells[thread], *first = cells[thread - lane];
    if (!lane || !x->run[k].exact || !c->times || !first->times)
        return;
    checked[RUN]++;
    uint64_t said = first->value[0][0] + lane * (uint64_t)strides[k];
    if (c->value[0][0] != said)
        wrong("run of lanes", x, thread, c->value[0][0], said);
}

// Does the sum of 32 bits that a step rests on stay one up to the last lane?
static bool stays_narrow(struct number *x, const uint64_t *first) {
    const struct lane_step *s = &x->step;
    if (!s->narrow)
        return true;
    uint64_t bits = first[keep(x, s->narrow)];
    __int128 is = s->narrow_signed ? (int32_t)(uint32_t)bits : (__int128)(uint32_t)bits;
    is += (__int128)(int64_t)sum_of(x, &s->narrow_by, first) * (WIDTH - 1);
    return s->narrow_signed ? is >= INT32_MIN && is <= INT32_MAX : is >= 0 && is <= UINT32_MAX;
}

static void check_step(struct number *x, const struct cell *const *cells, unsigned thread) {
    unsigned lane = thread % WIDTH;
    const struct cell *c = cells[thread], *first = cells[thread - lane];
    for (unsigned k = 0; lane && k < c->times && k < first->times && k < MOST_TIMES; k++) {
        const uint64_t *row = first->value[k];
        uint64_t said = row[0] + lane * sum_of(x, &x->step.by, row);
        if (!stays_narrow(x, row))
            continue;
        checked[x->step.narrow ? NARROW : STEP]++;
        if (!same(c->value[k][0], said, kir_type_bits(x->v->type)))
            wrong("step", x, thread, c->value[k][0], said);
    }
}

static void check(const struct affine *f, struct number *x, unsigned index, const uint8_t *memory) {
    const struct cell *cells[THREADS * BLOCKS];
    for (unsigned t = 0; t < THREADS * BLOCKS; t++)
        cells[t] = (const void *)(memory + ((size_t)t * MOST_NUMBERS + index) * BYTES);
    for (unsigned t = 0; t < THREADS * BLOCKS; t++)
        check_rows(f, x, cells[t], t);
    for (unsigned t = 0; t < THREADS && x->by_block; t++)
        check_motion("block's motion", x, cells[t], cells[t + THREADS], x->block, t, BY_BLOCK);
    for (unsigned t = 0; t < THREADS && x->by_group; t++)
        if (t / WIDTH % TEAM != TEAM - 1)
            check_motion("group's motion", x, cells[t], cells[t + WIDTH], x->group, t, BY_GROUP);
    for (unsigned t = 0; t < 2 * THREADS * BLOCKS && x->has_runs; t++)
        check_run(x, cells, t / 2, t % 2);
    for (unsigned t = 0; t < THREADS * BLOCKS && x->steps; t++)
        check_step(x, cells, t);
}

// ---- one kernel --------------------------------------------------------------------------------

static void on_fault(struct kd_block *b, uint32_t thread, uint32_t what, uint64_t address,
                     const char *file, uint32_t line) {
    (void)b, (void)address, (void)file, (void)line;
    printf("fault %" PRIu32 " in thread %" PRIu32 "\n%s", what, thread, text_of_kernel);
    exit(1);
}

static void on_yield(struct kd_block *b) {
    (void)b;
}

static const struct kd_rt rt = {.kd_rt_fault_at = on_fault, .kd_rt_yield = on_yield};

static void run(struct kir_module *m, uint8_t *memory) {
    uint8_t params[24] = {0};
    uint64_t at = (uint64_t)(uintptr_t)memory, wide = UINT64_C(0x123456789a);
    uint32_t n = 7;
    memcpy(params, &at, 8);
    memcpy(params + 8, &n, 4);
    memcpy(params + 16, &wide, 8);
    for (uint32_t k = 0; k < BLOCKS; k++) {
        struct kd_block block = {.params = params,
                                 .ntid = {THREADS, 1, 1},
                                 .nctaid = {BLOCKS, 1, 1},
                                 .ctaid = {k, 0, 0},
                                 .block_index = k,
                                 .nthreads = THREADS,
                                 .nwarps = THREADS / KD_WARP};
        kir_interp_block(m, m->funcs.data[0], &block, &rt);
    }
}

static struct number *find(struct arena *a, const struct affine *f, const struct flow *fl,
                           unsigned *n) {
    struct number *all = arena_array(a, struct number, MOST_NUMBERS);
    const struct affine_motion *block = affine_by_block(a, f), *group = affine_by_group(a, f, fl);
    const struct lane_runs *runs = lane_runs_find(a, f, fl);
    const struct lane_steps *steps = lane_steps_find(a, f, fl);
    *n = 0;
    for (uint32_t p = 0; p < f->cfg->nblocks; p++)
        for (const struct kir_inst *i = f->cfg->order[p]->first; i && *n < MOST_NUMBERS;
             i = i->next) {
            struct number *x = &all[*n];
            if (isa_op_info[i->op].klass != ISA_CLASS_POINTWISE || i->nres != 1 ||
                (i->res[0]->type != KIR_B32 && i->res[0]->type != KIR_B64))
                continue;
            const struct cfg_loop *l = f->cfg->loop[i->block->id];
            x->v = i->res[0];
            x->form = affine_form_of(f, x->v, &x->own);
            x->grows = l && affine_growth(f, l, x->v, x->term, &x->growth);
            x->by_block = !l && affine_moved(block, x->v, &x->block);
            x->by_group = !l && affine_moved(group, x->v, &x->group);
            x->has_runs = !l;
            for (unsigned k = 0; k < 2; k++)
                x->run[k] = lane_run(runs, x->v, i->block, strides[k]);
            x->steps = lane_step(steps, x->v, i->block, &x->step);
            keep(x, x->v);
            keep_terms(x, &x->form);
            if (x->grows)
                keep_terms(x, &x->growth);
            if (x->steps) {
                keep_terms(x, &x->step.by);
                keep_terms(x, &x->step.narrow_by);
            }
            if (x->steps && x->step.narrow)
                keep(x, x->step.narrow);
            ++*n;
        }
    return all;
}

// The address of the first store: where the thread's cells are.
static struct kir_value *cells_of(const struct cfg *c) {
    for (uint32_t p = 0; p < c->nblocks; p++)
        for (const struct kir_inst *i = c->order[p]->first; i; i = i->next)
            if (i->op == ISA_OP_ST)
                return i->ops[0];
    return NULL;
}

static void try(uint8_t *memory) {
    static const struct kd_spec spec = {.ntid = {THREADS, 1, 1}};
    struct arena a = {0};
    struct strbuf text = {0}, err = {0};
    make(&text);
    text_of_kernel = strbuf_str(&text);
    struct ptx_module *ast = ptx_parse(&a, text.data, text.len, &err);
    struct kir_module *m = ast ? kir_from_ptx(ast, &err) : NULL;
    if (!m) {
        printf("%s\n%s", text_of_kernel, strbuf_str(&err));
        exit(1);
    }
    struct kir_func *f = m->funcs.data[0];
    struct flow *fl = flow_analyse(&a, f, WIDTH, TEAM, &spec, false, NULL);
    struct affine *x = affine_find(&a, fl->cfg, spec.ntid, alignment_find(&a, f, NULL, 0));
    unsigned n;
    struct number *numbers = find(&a, x, fl, &n);
    struct kir_value *cells = cells_of(fl->cfg);
    // What is made before the cells' address is, is left out.
    unsigned first = 0;
    while (first < n && numbers[first].v != cells)
        first++;
    for (unsigned k = first + 1; k < n; k++)
        record(f, &numbers[k], cells, k);
    memset(memory, 0, (size_t)THREADS * BLOCKS * MOST_NUMBERS * BYTES);
    if (!kir_validate(m, &err)) {
        printf("%s", strbuf_str(&err));
        exit(1);
    }
    run(m, memory);
    for (unsigned k = first + 1; k < n; k++)
        check(x, &numbers[k], k, memory);
    kir_module_free(m);
    arena_free(&a);
    strbuf_free(&text);
    strbuf_free(&err);
}

int main(int argc, char **argv) {
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
    uint8_t *memory = malloc((size_t)THREADS * BLOCKS * MOST_NUMBERS * BYTES);
    for (unsigned k = 0; memory && k < count && failures < 5; k++) {
        seed = k * 2654435761u + 1;
        try(memory);
    }
    free(memory);
    printf("%u forms, %u ranges, %u motions of blocks, %u of groups, %u growths, %u runs of lanes, "
           "%u steps, %u narrow; "
           "%d failures\n",
           checked[FORM], checked[RANGE], checked[BY_BLOCK], checked[BY_GROUP], checked[GROWTH],
           checked[RUN], checked[STEP], checked[NARROW], failures);
    return failures != 0 || !checked[FORM] || !checked[RANGE] || !checked[BY_BLOCK] ||
           !checked[BY_GROUP] || !checked[GROWTH] || !checked[RUN] || !checked[STEP] ||
           !checked[NARROW];
}
