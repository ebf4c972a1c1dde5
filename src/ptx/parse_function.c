// Functions, kernels, and the statements of their bodies.
#include <string.h>

#include "ptx/parser.h"

enum { MAX_SECTION_DEPTH = 16 };

// ---- Performance directives --------------------------------------------------------------------

static void parse_triple(struct ptx_parser *p, uint32_t out[3]) {
    out[0] = out[1] = out[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        struct ptx_pos pos = p->tok.pos;
        out[i] = (uint32_t)ptx_expect_u32(p, "a number");
        if (!out[i])
            ptx_fail(p, pos, "expected a number above 0");
        if (i == 2 || !ptx_accept(p, ','))
            return;
    }
}

static bool parse_bound(struct ptx_parser *p, struct ptx_func *f) {
    struct {
        const char *name;
        uint32_t *value;
    } numbers[] = {
        {".minnctapersm", &f->minnctapersm},
        {".maxnctapersm", &f->maxnctapersm},
        {".maxnreg", &f->maxnreg},
        {".maxclusterrank", &f->maxclusterrank},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (ptx_accept_directive(p, numbers[i].name)) {
            *numbers[i].value = (uint32_t)ptx_expect_u32(p, "a number");
            return true;
        }
    if (ptx_accept_directive(p, ".maxntid"))
        parse_triple(p, f->maxntid);
    else if (ptx_accept_directive(p, ".reqntid"))
        parse_triple(p, f->reqntid);
    else if (ptx_accept_directive(p, ".reqnctapercluster"))
        parse_triple(p, f->reqnctapercluster);
    else if (ptx_accept_directive(p, ".explicitcluster"))
        f->explicitcluster = true;
    else
        return false;
    return true;
}

// The local variable behind a word and a blank; NULL: the text has another form.
static struct ptx_var *scope_of(struct ptx_parser *p, const char *text, const char *word) {
    size_t n = strlen(word);
    if (strncmp(text, word, n) != 0 || text[n] != ' ')
        return NULL;
    const struct ptx_name *e = ptx_names_find(&p->names, text + n + 1, strlen(text + n + 1));
    bool local = e && e->kind == PTX_NAME_VAR && e->var->func && e->var->space == ISA_SPACE_LOCAL;
    return local ? e->var : NULL;
}

static struct ptx_pragma *make_pragma(struct ptx_parser *p, const char *text) {
    struct ptx_pragma *made = arena_new(p->arena, struct ptx_pragma);
    struct ptx_var *begins = scope_of(p, text, PTX_SCOPE_BEGIN);
    *made = (struct ptx_pragma){text, begins, false, p->loc.file, p->loc.line};
    if (!begins) {
        made->var = scope_of(p, text, PTX_SCOPE_END);
        made->ends = made->var;
    }
    p->module->has_scopes |= made->var != NULL;
    return made;
}

static void parse_pragma(struct ptx_parser *p, struct ptx_func *f, bool in_body) {
    struct ptx_pos pos = p->tok.pos;
    ptx_next(p);
    do {
        if (p->tok.kind != PTX_TOKEN_STRING)
            ptx_expected(p, "a string");
        const char *text = arena_strndup(p->arena, p->tok.text, p->tok.len);
        ptx_next(p);
        if (in_body) {
            struct ptx_pragma *made = make_pragma(p, text);
            struct ptx_stmt s = {.kind = PTX_STMT_PRAGMA, .pos = pos, .pragma = made};
            vec_push(p->arena, &f->body, s);
        } else {
            vec_push(p->arena, &f->pragmas, text);
        }
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';', "after .pragma");
}

static void parse_directives(struct ptx_parser *p, struct ptx_func *f) {
    bool managed;
    for (;;) {
        if (ptx_accept_directive(p, ".noreturn"))
            f->noreturn = true;
        else if (ptx_at_directive(p, ".pragma"))
            parse_pragma(p, f, false);
        else if (ptx_at_directive(p, ".attribute"))
            ptx_parse_attributes(p, &managed);
        else if (!parse_bound(p, f))
            return;
    }
}

// ---- Signatures --------------------------------------------------------------------------------

static bool same_param(const struct ptx_param *a, const struct ptx_param *b) {
    if (!a->var != !b->var)
        return false;
    if (a->reg)
        return isa_type_bits((enum isa_type)a->reg->type) ==
               isa_type_bits((enum isa_type)b->reg->type);
    return a->var->size == b->var->size && a->var->unsized == b->var->unsized;
}

static bool same_signature(const struct ptx_func *a, const struct ptx_func *b) {
    if (a->is_entry != b->is_entry || a->nrets != b->nrets || a->nparams != b->nparams)
        return false;
    for (uint32_t i = 0; i < a->nrets; i++)
        if (!same_param(&a->rets[i], &b->rets[i]))
            return false;
    for (uint32_t i = 0; i < a->nparams; i++)
        if (!same_param(&a->params[i], &b->params[i]))
            return false;
    return true;
}

// The one function of that name: the new one, or the one declared before with what is new.
static struct ptx_func *merge_function(struct ptx_parser *p, struct ptx_func *f, bool has_body) {
    struct ptx_name *e = ptx_names_find(&p->names, f->name, strlen(f->name));
    if (!e) {
        f->id = p->module->funcs.len;
        vec_push(p->arena, &p->module->funcs, f);
        ptx_names_add(&p->names, p->arena, f->name, PTX_NAME_FUNC, 0)->func = f;
        return f;
    }
    if (e->kind != PTX_NAME_FUNC)
        ptx_fail(p, f->pos, "'%s' is declared already", f->name);
    struct ptx_func *old = e->func;
    if (!same_signature(old, f))
        ptx_fail(p, f->pos, "'%s' was declared with other parameters on line %u", f->name,
                 old->pos.line);
    if (has_body && (old->has_body || old->alias))
        ptx_fail(p, f->pos, "'%s' is defined already, on line %u", f->name, old->pos.line);
    f->noreturn |= old->noreturn;
    if (has_body) {
        f->id = old->id;
        *old = *f;
    } else {
        old->noreturn = f->noreturn;
    }
    return old;
}

static void declare_params(struct ptx_parser *p, struct ptx_param *params, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        struct ptx_var *v = params[i].var;
        struct ptx_reg *r = params[i].reg;
        const char *name = v ? v->name : r->name;
        struct ptx_name *e = ptx_names_find(&p->names, name, strlen(name));
        if (e && e->depth == p->names.depth)
            ptx_fail(p, v ? v->pos : r->pos, "parameter '%s' is declared twice", name);
        e = ptx_names_add(&p->names, p->arena, name, v ? PTX_NAME_VAR : PTX_NAME_REG,
                          p->names.depth);
        if (v) {
            v->func = p->func;
            v->id = i;
            e->var = v;
        } else {
            r->id = p->func->regs.len;
            vec_push(p->arena, &p->func->regs, r);
            e->reg = r;
        }
    }
}

// ---- Labels and targets ------------------------------------------------------------------------

static uint32_t current_scope(const struct ptx_parser *p) {
    return vec_last(&p->open_scopes);
}

static uint32_t label_hash(const char *name) {
    return ptx_hash(name, strlen(name));
}

static struct ptx_label *find_label(struct ptx_parser *p, const char *name, uint32_t scope) {
    if (!p->nlabels)
        return NULL;
    uint32_t hash = label_hash(name);
    for (struct ptx_scoped_label *l = p->labels[hash & (p->label_buckets - 1)]; l; l = l->next)
        if (l->scope == scope && l->hash == hash && !strcmp(l->label->name, name))
            return l->label;
    return NULL;
}

// No more labels than buckets.
static void make_label_room(struct ptx_parser *p) {
    enum { LEAST_BUCKETS = 64 };
    if (p->nlabels < p->label_buckets)
        return;
    uint32_t n = p->label_buckets ? 2 * p->label_buckets : LEAST_BUCKETS;
    struct ptx_scoped_label **buckets = arena_array(p->arena, struct ptx_scoped_label *, n);
    for (uint32_t b = 0; b < p->label_buckets; b++)
        for (struct ptx_scoped_label *l = p->labels[b], *next; l; l = next) {
            next = l->next;
            l->next = buckets[l->hash & (n - 1)];
            buckets[l->hash & (n - 1)] = l;
        }
    p->labels = buckets;
    p->label_buckets = n;
}

static void keep_label(struct ptx_parser *p, struct ptx_label *label, uint32_t scope) {
    make_label_room(p);
    uint32_t hash = label_hash(label->name);
    struct ptx_scoped_label **bucket = &p->labels[hash & (p->label_buckets - 1)];
    struct ptx_scoped_label *l = arena_new(p->arena, struct ptx_scoped_label);
    *l = (struct ptx_scoped_label){.label = label, .hash = hash, .scope = scope, .next = *bucket};
    *bucket = l;
    p->nlabels++;
}

void ptx_label_reference(struct ptx_parser *p, struct ptx_label **where) {
    struct ptx_pending use = {.where = where, .scope = current_scope(p), .pos = p->tok.pos};
    use.name = ptx_expect_name(p, "a label");
    vec_push(p->arena, &p->pending, use);
}

void ptx_targets_reference(struct ptx_parser *p, struct ptx_targets **where) {
    struct ptx_pending_targets use = {.where = where, .pos = p->tok.pos};
    use.name = ptx_expect_name(p, "the name of a .branchtargets list");
    vec_push(p->arena, &p->pending_targets, use);
}

static void resolve_labels(struct ptx_parser *p) {
    for (uint32_t i = 0; i < p->pending.len; i++) {
        struct ptx_pending *use = &p->pending.data[i];
        struct ptx_label *label = NULL;
        uint32_t scope = use->scope;
        while (!(label = find_label(p, use->name, scope)) && scope)
            scope = p->scope_parents.data[scope];
        if (!label)
            ptx_error_at(p, use->pos, "unknown label '%s'", use->name);
        *use->where = label;
    }
    for (uint32_t i = 0; i < p->pending_targets.len; i++) {
        struct ptx_pending_targets *use = &p->pending_targets.data[i];
        for (uint32_t k = 0; k < p->targets.len; k++)
            if (!strcmp(p->targets.data[k]->name, use->name) && p->targets.data[k]->labels)
                *use->where = p->targets.data[k];
        if (!*use->where)
            ptx_error_at(p, use->pos, "unknown list of branch targets '%s'", use->name);
    }
}

static void add_label(struct ptx_parser *p, const char *name, struct ptx_pos pos) {
    uint32_t scope = current_scope(p);
    if (find_label(p, name, scope))
        ptx_fail(p, pos, "label '%s' is defined already", name);
    struct ptx_label *label = arena_new(p->arena, struct ptx_label);
    *label = (struct ptx_label){
        .name = name, .id = p->func->nlabels++, .stmt = p->func->body.len, .pos = pos};
    keep_label(p, label, scope);
    struct ptx_stmt s = {.kind = PTX_STMT_LABEL, .pos = pos, .label = label};
    vec_push(p->arena, &p->func->body, s);
}

static struct ptx_func *function_named(struct ptx_parser *p) {
    struct ptx_pos pos = p->tok.pos;
    const char *name = ptx_expect_name(p, "a function's name");
    struct ptx_name *e = ptx_names_find(&p->names, name, strlen(name));
    if (!e || e->kind != PTX_NAME_FUNC)
        ptx_fail(p, pos, "unknown function '%s'", name);
    return e->func;
}

static void parse_targets(struct ptx_parser *p, const char *name, struct ptx_pos pos, bool calls) {
    struct ptx_targets *t = arena_new(p->arena, struct ptx_targets);
    VEC(struct ptx_func *) funcs = {0};
    t->name = name;
    t->pos = pos;
    ptx_next(p);
    // Labels are filled in at the end of the function, so the array must not move: count first.
    struct ptx_parser ahead = *p;
    uint32_t n = 1;
    while (ahead.tok.kind != PTX_TOKEN_END && !ptx_at(&ahead, ';')) {
        n += ptx_at(&ahead, ',');
        ptx_next(&ahead);
    }
    if (!calls)
        t->labels = arena_array(p->arena, struct ptx_label *, n);
    do {
        if (calls)
            vec_push(p->arena, &funcs, function_named(p));
        else
            ptx_label_reference(p, &t->labels[t->n]);
        t->n++;
    } while (ptx_accept(p, ','));
    t->funcs = funcs.data;
    ptx_expect(p, ';', "after the list of targets");
    vec_push(p->arena, &p->targets, t);
    struct ptx_stmt s = {.kind = PTX_STMT_TARGETS, .pos = pos, .targets = t};
    vec_push(p->arena, &p->func->body, s);
}

static void parse_prototype(struct ptx_parser *p, const char *name, struct ptx_pos pos) {
    struct ptx_proto *proto = arena_new(p->arena, struct ptx_proto);
    proto->name = name;
    proto->pos = pos;
    ptx_next(p);
    proto->rets = ptx_parse_params(p, &proto->nrets, false);
    ptx_expect_name(p, "'_' in the prototype");
    proto->params = ptx_parse_params(p, &proto->nparams, false);
    proto->noreturn = ptx_accept_directive(p, ".noreturn");
    ptx_expect(p, ';', "after .callprototype");
    vec_push(p->arena, &p->protos, proto);
    struct ptx_stmt s = {.kind = PTX_STMT_PROTO, .pos = pos, .proto = proto};
    vec_push(p->arena, &p->func->body, s);
}

static void parse_labelled(struct ptx_parser *p) {
    struct ptx_pos pos = p->tok.pos;
    const char *name = ptx_expect_name(p, "a label");
    ptx_next(p); // the colon
    if (ptx_at_directive(p, ".branchtargets"))
        parse_targets(p, name, pos, false);
    else if (ptx_at_directive(p, ".calltargets"))
        parse_targets(p, name, pos, true);
    else if (ptx_at_directive(p, ".callprototype"))
        parse_prototype(p, name, pos);
    else
        add_label(p, name, pos);
}

// ---- Statements --------------------------------------------------------------------------------

// .loc file line column[, function_name label[+n], inlined_at file line column]
static void parse_loc(struct ptx_parser *p) {
    struct ptx_pos pos = p->tok.pos;
    ptx_next(p);
    struct ptx_loc *loc = arena_new(p->arena, struct ptx_loc);
    loc->file = (uint32_t)ptx_expect_u32(p, "a file number");
    loc->line = (uint32_t)ptx_expect_u32(p, "a line number");
    loc->col = (uint32_t)ptx_expect_u32(p, "a column number");
    if (ptx_accept(p, ',')) {
        const char *start = p->tok.text, *end = start;
        uint32_t line = p->tok.pos.line;
        // The text of a bad token is not the source's.
        while (p->tok.pos.line == line && p->tok.kind != PTX_TOKEN_END &&
               p->tok.kind != PTX_TOKEN_BAD && !ptx_at(p, ';')) {
            end = p->tok.text + p->tok.len;
            ptx_next(p);
        }
        loc->inlined = arena_strndup(p->arena, start, (size_t)(end - start));
    }
    ptx_accept(p, ';');
    p->loc = *loc;
    struct ptx_stmt s = {.kind = PTX_STMT_LOC, .pos = pos, .loc = loc};
    vec_push(p->arena, &p->func->body, s);
}

// .section name { ... }: debug information, which nothing here reads.
void ptx_skip_section(struct ptx_parser *p) {
    struct ptx_pos pos = p->tok.pos;
    unsigned depth = 0;
    while (!ptx_at(p, '{')) {
        if (p->tok.kind == PTX_TOKEN_END || p->tok.kind == PTX_TOKEN_BAD || ptx_at(p, ';'))
            ptx_expected(p, "'{' after .section");
        ptx_next(p);
    }
    do {
        if (p->tok.kind == PTX_TOKEN_END)
            ptx_fail(p, pos, ".section does not end");
        depth += ptx_at(p, '{');
        depth -= ptx_at(p, '}');
        ptx_next(p);
    } while (depth);
}

static void parse_body_directive(struct ptx_parser *p) {
    enum isa_space space;
    bool is_extern = ptx_accept_directive(p, ".extern");
    if (ptx_space_directive(p, &space)) {
        ptx_next(p);
        ptx_parse_vars(p, space, is_extern ? PTX_LINK_EXTERN : PTX_LINK_INTERNAL);
        ptx_expect(p, ';', "after the variable's declaration");
    } else if (!is_extern && ptx_accept_directive(p, ".reg")) {
        ptx_parse_reg_decl(p);
        ptx_expect(p, ';', "after the register's declaration");
    } else if (!is_extern && ptx_at_directive(p, ".loc")) {
        parse_loc(p);
    } else if (!is_extern && ptx_at_directive(p, ".pragma")) {
        parse_pragma(p, p->func, true);
    } else if (!is_extern && ptx_at_directive(p, ".section")) {
        ptx_skip_section(p);
    } else {
        ptx_expected(p, "a statement");
    }
}

static void open_scope(struct ptx_parser *p) {
    uint32_t id = p->scope_parents.len, parent = p->open_scopes.len ? current_scope(p) : 0;
    if (!ptx_names_open(&p->names))
        ptx_fail(p, p->tok.pos, "more than %d nested scopes", PTX_MAX_SCOPES);
    vec_push(p->arena, &p->scope_parents, parent);
    vec_push(p->arena, &p->open_scopes, id);
}

static void parse_brace(struct ptx_parser *p) {
    struct ptx_stmt s = {.kind = ptx_at(p, '{') ? PTX_STMT_OPEN : PTX_STMT_CLOSE,
                         .pos = p->tok.pos};
    if (s.kind == PTX_STMT_OPEN) {
        open_scope(p);
    } else {
        ptx_names_close(&p->names);
        p->open_scopes.len--;
    }
    vec_push(p->arena, &p->func->body, s);
    ptx_next(p);
}

static void parse_statement(struct ptx_parser *p) {
    if (p->tok.kind == PTX_TOKEN_NAME && ptx_peek(p).punct == ':')
        parse_labelled(p);
    else if (p->tok.kind == PTX_TOKEN_NAME || ptx_at(p, '@'))
        ptx_parse_instruction(p);
    else if (p->tok.kind == PTX_TOKEN_DIRECTIVE)
        parse_body_directive(p);
    else if (ptx_at(p, '{') || ptx_at(p, '}'))
        parse_brace(p);
    else if (!ptx_accept(p, ';'))
        ptx_expected(p, "a statement");
}

// After an error: on to the next statement, or to a brace that closes a scope on its own line.
static void resume(struct ptx_parser *p, jmp_buf *outer) {
    p->depth = 0;
    uint32_t line = p->tok.pos.line;
    while (!ptx_at(p, ';')) {
        if (p->tok.kind == PTX_TOKEN_END || p->errors >= PTX_MAX_ERRORS)
            longjmp(*outer, 1);
        if (ptx_at(p, '}') && p->tok.pos.line > line)
            return;
        line = p->tok.pos.line;
        ptx_next(p);
    }
    ptx_next(p);
}

static void parse_body(struct ptx_parser *p) {
    jmp_buf here, *outer = p->recover;
    p->recover = &here;
    if (setjmp(here))
        resume(p, outer);
    while (p->open_scopes.len > 1 || !ptx_at(p, '}')) {
        if (p->tok.kind == PTX_TOKEN_END) {
            ptx_error_at(p, p->tok.pos, "expected '}' to end function '%s'", p->func->name);
            longjmp(*outer, 1);
        }
        parse_statement(p);
    }
    p->recover = outer;
    resolve_labels(p);
}

static void enter_function(struct ptx_parser *p, struct ptx_func *f) {
    p->func = f;
    p->loc = (struct ptx_loc){0};
    p->scope_parents.len = p->open_scopes.len = 0;
    p->pending.len = p->pending_targets.len = p->targets.len = p->protos.len = 0;
    p->labels = NULL;
    p->nlabels = p->label_buckets = 0;
    ptx_names_open(&p->names); // parameters
    declare_params(p, f->rets, f->nrets);
    declare_params(p, f->params, f->nparams);
    open_scope(p);
}

static void parse_definition(struct ptx_parser *p, struct ptx_func *f) {
    f->has_body = true;
    enter_function(p, f);
    ptx_expect(p, '{', "to begin the function");
    parse_body(p);
    ptx_names_close(&p->names);
    ptx_names_close(&p->names);
    p->func = NULL;
    ptx_expect(p, '}', "to end the function");
}

void ptx_parse_function(struct ptx_parser *p, enum ptx_linkage linkage, bool is_entry) {
    struct ptx_func *f = arena_new(p->arena, struct ptx_func);
    bool managed;
    ptx_parse_attributes(p, &managed);
    f->is_entry = is_entry;
    f->linkage = (uint8_t)linkage;
    if (!is_entry)
        f->rets = ptx_parse_params(p, &f->nrets, false);
    f->pos = p->tok.pos;
    f->name = ptx_expect_name(p, is_entry ? "the kernel's name" : "the function's name");
    f->params = ptx_parse_params(p, &f->nparams, is_entry);
    parse_directives(p, f);
    bool has_body = ptx_at(p, '{');
    if (has_body && linkage == PTX_LINK_EXTERN)
        ptx_fail(p, f->pos, "'%s' is .extern and cannot have a body", f->name);
    f = merge_function(p, f, has_body);
    struct ptx_item item = {
        .kind = has_body ? PTX_ITEM_FUNC : PTX_ITEM_FUNC_DECL, .func = f, .pos = f->pos};
    vec_push(p->arena, &p->module->items, item);
    if (has_body)
        parse_definition(p, f);
    else
        ptx_expect(p, ';', "or a body after the function's parameters");
}
