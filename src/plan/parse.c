// Reads the text form of a plan (print.c) of a function whose kernel IR and flow are there.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan/passes.h"
#include "plan/tables.h"
#include "plan/words.h"

// What is said of accesses that are made together.
struct joined {
    struct plan_access *a;
    bool row, first; // a row's, and its last; two beside each other, and the leading one
};

struct reader {
    struct arena *a;
    struct plan *p;
    struct kir_value **values; // by value id
    const char *at;            // the rest of the text
    unsigned line;
    VEC(struct joined) joined;
    char **words; // of the part that is read, NULL behind the last one
    struct strbuf *err;
};

static bool wrong(struct reader *r, const char *what) {
    strbuf_printf(r->err, "line %u: %s\n", r->line, what);
    return false;
}

// The next line without its end; NULL: there is none.
static char *next_line(struct reader *r) {
    if (!*r->at)
        return NULL;
    size_t n = strcspn(r->at, "\n");
    char *line = arena_strndup(r->a, r->at, n);
    r->at += n + (r->at[n] == '\n');
    r->line++;
    return line;
}

static int find_word(const char *const *words, int n, const char *word) {
    for (int k = 0; k < n && word; k++)
        if (!strcmp(words[k], word))
            return k;
    return -1;
}

static bool take(struct reader *r, const char *word) {
    if (!*r->words || strcmp(*r->words, word) != 0)
        return false;
    r->words++;
    return true;
}

static bool take_number(struct reader *r, int64_t *x) {
    char *end;
    if (!*r->words)
        return false;
    *x = strtoll(*r->words, &end, 0);
    if (end == *r->words || *end)
        return false;
    r->words++;
    return true;
}

static bool take_unsigned(struct reader *r, const char *word, unsigned *x) {
    int64_t n;
    if (!take(r, word) || !take_number(r, &n) || n < 0 || n > UINT16_MAX)
        return false;
    *x = (unsigned)n;
    return true;
}

static bool take_value(struct reader *r, struct kir_value **v) {
    const char *word = *r->words;
    char *end;
    if (!word || *word != '%')
        return false;
    unsigned long id = strtoul(word + 1, &end, 10);
    if (*end || end == word + 1 || id >= r->p->in.fl->func->value_count)
        return false;
    r->words++;
    return (*v = r->values[id]);
}

static bool read_results(struct reader *r, const struct kir_inst *i) {
    for (uint32_t k = 0; k < i->nres; k++) {
        struct plan_value *v = &r->p->values[i->res[k]->id];
        int form = find_word(plan_form_words, PLAN_FORMS, *r->words);
        if (form < 0)
            return wrong(r, "no representation");
        r->words++;
        int sharing = find_word(plan_sharing_words, PLAN_SHARINGS, *r->words);
        r->words += sharing >= 0;
        *v = (struct plan_value){(uint8_t)form, (uint8_t)(sharing < 0 ? PLAN_OWN : sharing)};
        if (k + 1 < i->nres && !take(r, ","))
            return wrong(r, "a representation is missing");
    }
    return true;
}

static bool read_mask(struct reader *r, const struct kir_inst *i, struct plan_access *a) {
    int64_t lane;
    if (take(r, "lane")) {
        if (!a || !take_number(r, &lane) || lane < 0 || lane >= KD_WARP)
            return wrong(r, "no lane");
        a->lane = (int8_t)lane;
        return true;
    }
    if (!take(r, plan_mask_words[r->p->masks[i->block->id]]))
        return wrong(r, "the mask is not the block's");
    return true;
}

static bool read_flag(struct reader *r, struct plan_access *a) {
    for (unsigned k = 0; k < PLAN_FLAGS; k++)
        if (take(r, plan_flags[k].word))
            return *(bool *)((char *)a + plan_flags[k].offset) = true;
    return false;
}

static bool read_window(struct reader *r, struct plan_window *w) {
    return take_number(r, &w->lo) && take_number(r, &w->bytes) && take_unsigned(r, "n", &w->n) &&
           take_unsigned(r, "chunks", &w->chunks) && take_unsigned(r, "members", &w->members);
}

static bool read_words(struct reader *r, struct plan_access *a) {
    unsigned n;
    if (!take_number(r, &a->words_lo) || !take_unsigned(r, "n", &n) || n > UINT8_MAX)
        return false;
    a->words = (uint8_t)n;
    return true;
}

static bool read_term(struct reader *r, int64_t times, struct affine_term *t) {
    *t = (struct affine_term){.times = times};
    for (unsigned m = 0; m < AFFINE_FACTORS && take(r, "by"); m++) {
        struct kir_value *v;
        t->by_zeros[m] = take(r, "u32");
        if (!take_value(r, &v))
            return false;
        t->factor[m] = v;
    }
    return true;
}

static bool read_sum(struct reader *r, struct affine_form *x) {
    struct affine_term *term = arena_array(r->a, struct affine_term, AFFINE_TERMS);
    *x = (struct affine_form){.term = term};
    do {
        int64_t n;
        struct affine_term t;
        if (x->n == AFFINE_TERMS || !take_number(r, &n) || !read_term(r, n, &t))
            return false;
        if (t.factor[0])
            term[x->n++] = t;
        else
            x->constant = n;
    } while (take(r, "plus"));
    return x->n != 0;
}

static bool read_step(struct reader *r, struct lane_step *s) {
    struct kir_value *v;
    if (!read_sum(r, &s->by))
        return false;
    if (!take(r, "narrow"))
        return true;
    if (!read_sum(r, &s->narrow_by) || !take(r, "of") || !take_value(r, &v))
        return false;
    s->narrow = v;
    s->narrow_signed = take(r, "signed");
    return s->narrow_signed || take(r, "unsigned");
}

static bool read_access(struct reader *r, struct plan_access *a) {
    int kind = find_word(plan_kind_words, PLAN_KINDS, *r->words);
    int64_t x;
    if (kind < 0)
        return wrong(r, "no kind of access");
    r->words++;
    a->kind = (uint8_t)kind;
    a->whole = false;
    if (take_number(r, &x))
        a->n = (uint16_t)x;
    while (*r->words) {
        bool ok = true;
        if (take(r, "same")) {
            ok = take_number(r, &x);
            a->same = (uint32_t)x;
        } else if (take(r, "window")) {
            ok = read_window(r, &a->window);
        } else if (take(r, "words")) {
            ok = read_words(r, a);
        } else if (take(r, "row")) {
            vec_push(r->a, &r->joined, (struct joined){a, true, take(r, "last")});
        } else if (take(r, "beside")) {
            vec_push(r->a, &r->joined, (struct joined){a, false, take(r, "leads")});
        } else if (take(r, "step")) {
            ok = read_step(r, &a->step);
        } else {
            ok = read_flag(r, a);
        }
        if (!ok)
            return wrong(r, "what is this of an access?");
    }
    return true;
}

// The words of a part, a comma being one by itself.
static char **words_of(struct reader *r, char *part) {
    char **words = arena_array(r->a, char *, strlen(part) + 1);
    unsigned n = 0;
    for (char *save, *w = strtok_r(part, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        size_t length = strlen(w);
        bool comma = w[length - 1] == ',';
        if (comma)
            w[length - 1] = 0;
        words[n++] = w;
        if (comma)
            words[n++] = ",";
    }
    words[n] = NULL;
    return words;
}

static bool read_part(struct reader *r, const struct kir_inst *i, struct plan_access *a,
                      char *part) {
    bool ok;
    r->words = words_of(r, part);
    if (take(r, "is"))
        ok = read_results(r, i);
    else if (take(r, "under"))
        ok = read_mask(r, i, a);
    else if (a && take(r, "access"))
        ok = read_access(r, a);
    else
        return wrong(r, "what is this of an operation?");
    return ok && (!*r->words || wrong(r, "words too many"));
}

static struct plan_access *new_access(struct reader *r, struct kir_inst *i) {
    const struct flow *fl = r->p->in.fl;
    struct plan_access *a = arena_new(r->a, struct plan_access);
    struct shape s = flow_use(fl, i->ops[0], i->block);
    *a = plan_describe(fl, i);
    if (fl->width > 1 && s.kind == SHAPE_OFFSETS && i->mods.space != ISA_SPACE_LOCAL)
        a->offs = s.offs;
    vec_push(r->a, &r->p->accesses, a);
    return a;
}

static bool read_operation(struct reader *r, struct kir_inst *i) {
    struct strbuf text = {0};
    strbuf_puts(&text, "    ");
    kir_print_inst(i, &text);
    char *line = next_line(r);
    bool same = line && !strncmp(line, strbuf_str(&text), text.len);
    char *rest = same ? line + text.len : NULL;
    strbuf_free(&text);
    if (!rest || (*rest && strncmp(rest, " // ", 4) != 0))
        return wrong(r, "this is not the function's next instruction");
    struct plan_access *a = plan_is_access(i) ? new_access(r, i) : NULL;
    if (!*rest)
        return !i->nres && !plan_has_mask(i) ? true : wrong(r, "nothing is planned");
    rest += 4;
    for (char *save, *part = strtok_r(rest, "|", &save); part; part = strtok_r(NULL, "|", &save))
        if (!read_part(r, i, a, part))
            return false;
    return true;
}

static bool read_block(struct reader *r, const struct kir_block *b) {
    char *line = next_line(r), *want;
    for (int k = 0; line && k < PLAN_MASKS; k++) {
        want = arena_printf(r->a, "bb%" PRIu32 " %s:", b->id, plan_mask_words[k]);
        if (strcmp(line, want) != 0)
            continue;
        r->p->masks[b->id] = (uint8_t)k;
        for (struct kir_inst *i = b->first; i; i = i->next)
            if (!read_operation(r, i))
                return false;
        return true;
    }
    return wrong(r, "this is not the function's next block");
}

static bool join(struct reader *r) {
    struct plan *p = r->p;
    uint32_t found = 0;
    for (uint32_t k = 0; k < r->joined.len; k++) {
        struct joined *j = &r->joined.data[k];
        if (j->row)
            plan_join_row(r->a, p, j->a);
        else
            plan_join_eights(p, j->a);
    }
    for (uint32_t k = 0; k < r->joined.len; k++) {
        const struct joined *j = &r->joined.data[k];
        if (j->row ? !j->a->row || j->a->last != j->first
                   : !j->a->beside || j->a->leads != j->first)
            return wrong(r, "accesses are not made together so");
    }
    for (uint32_t k = 0; k < p->accesses.len; k++)
        found += (p->accesses.data[k]->row != NULL) + (p->accesses.data[k]->beside != NULL);
    return found == r->joined.len || wrong(r, "what is made together is missing");
}

static void find_values(struct reader *r) {
    const struct kir_func *f = r->p->in.fl->func;
    r->values = arena_array(r->a, struct kir_value *, f->value_count + 1);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            for (uint32_t k = 0; k < i->nres; k++)
                r->values[i->res[k]->id] = i->res[k];
            for (uint32_t k = 0; k < i->nops; k++)
                r->values[i->ops[k]->id] = i->ops[k];
        }
}

struct plan *plan_parse(struct arena *a, const struct plan_inputs *in, const char *text,
                        struct strbuf *err) {
    struct reader r = {.a = a, .p = plan_new(a, in), .at = text, .err = err};
    const struct flow *fl = in->fl;
    char *want = arena_printf(a, "plan %s width %u team %u", fl->func->name, fl->width, fl->team);
    char *line = next_line(&r);
    size_t n = strlen(want);
    r.p->streams = line && !strncmp(line, want, n) && !strcmp(line + n, " streams");
    bool ok = r.p->streams || (line && !strcmp(line, want)) ||
              wrong(&r, "this is not the function's plan");
    find_values(&r);
    for (uint32_t k = 0; k < fl->cfg->nblocks && ok; k++)
        ok = read_block(&r, fl->cfg->order[k]);
    if (ok && next_line(&r))
        ok = wrong(&r, "lines too many");
    plan_index(a, r.p);
    return ok && join(&r) ? r.p : NULL;
}
