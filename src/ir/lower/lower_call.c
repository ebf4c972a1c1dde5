// Calls, and how parameters are passed: scalars as values, aggregates by the address of a slot
// in the caller's frame.
#include "ir/lower/lower.h"
#include "isa/ops/control.h"

static struct lower_param describe(const struct ptx_param *p) {
    struct lower_param to = {.ast = p};
    if (p->reg) {
        to.type = (uint8_t)kir_type_of(p->reg->type);
        return to;
    }
    const struct ptx_var *v = p->var;
    to.size = v->size;
    to.align = v->align ? v->align : 1;
    to.aggregate = v->is_array || v->vec > 1 || isa_type_bits(v->type) > 64;
    to.type = (uint8_t)(to.aggregate ? KIR_B64 : kir_type_of(v->type));
    return to;
}

void lower_signature(struct lower_module *lm, uint32_t nrets, const struct ptx_param *rets,
                     uint32_t nparams, const struct ptx_param *params, struct lower_sig *sig) {
    struct arena *a = &lm->m->arena;
    sig->nrets = nrets;
    sig->nparams = nparams;
    sig->rets = arena_array(&lm->tmp, struct lower_param, nrets);
    sig->params = arena_array(&lm->tmp, struct lower_param, nparams);
    sig->proto.params = arena_array(a, uint8_t, (size_t)nrets + nparams);
    sig->proto.rets = arena_array(a, uint8_t, nrets);
    for (uint32_t k = 0; k < nrets; k++) {
        sig->rets[k] = describe(&rets[k]);
        if (sig->rets[k].aggregate)
            sig->proto.params[sig->proto.nparams++] = KIR_B64;
        else
            sig->proto.rets[sig->proto.nrets++] = sig->rets[k].type;
    }
    for (uint32_t k = 0; k < nparams; k++) {
        sig->params[k] = describe(&params[k]);
        sig->proto.params[sig->proto.nparams++] = sig->params[k].type;
    }
}

// ---- the function's own parameters
// ---------------------------------------------------------------

static struct kir_value *memory_access(struct lower_func *lf, isa_op op, struct kir_symbol *s,
                                       enum kir_type type, struct kir_value *value) {
    static const uint8_t types[] = {
        [KIR_PRED] = ISA_B8, [KIR_B16] = ISA_B16, [KIR_B32] = ISA_B32,  [KIR_B64] = ISA_B64,
        [KIR_F32] = ISA_F32, [KIR_F64] = ISA_F64, [KIR_B128] = ISA_B128};
    struct kir_value *addr = lower_symaddr(lf, s, 0);
    bool is_load = op == ISA_OP_LD;
    struct kir_inst *i = lower_emit(lf, op, (enum isa_type)types[type], is_load ? 1 : 2, is_load,
                                    &(uint8_t){(uint8_t)type});
    if (s->size * 8 < kir_type_bits(type))
        i->ty = ISA_B8; // a one-byte scalar
    i->mods.space = ISA_SPACE_LOCAL;
    i->ops[0] = addr;
    if (!is_load)
        i->ops[1] = value;
    return is_load ? i->res[0] : NULL;
}

static struct kir_value *emit_param(struct lower_func *lf, enum kir_type type, uint32_t *index) {
    struct kir_value *v = lower_emit1(lf, ISA_OP_PARAM, kir_isa_type(type), type, 0, NULL);
    v->def->index = (*index)++;
    return v;
}

void lower_entry_params(struct lower_func *lf) {
    uint32_t index = 0;
    if (lf->ast->is_entry)
        return;
    for (uint32_t k = 0; k < lf->sig->nrets; k++)
        if (lf->sig->rets[k].aggregate)
            lower_assign(lf, lf->rets[k].var, emit_param(lf, KIR_B64, &index));
    for (uint32_t k = 0; k < lf->sig->nparams; k++) {
        const struct lower_param *p = &lf->sig->params[k];
        struct kir_value *v = emit_param(lf, (enum kir_type)p->type, &index);
        if (p->ast->reg)
            lower_assign(lf, p->ast->reg->id, v);
        else if (lf->params[k].place == LOWER_SYMBOL)
            memory_access(lf, ISA_OP_ST, lf->params[k].sym, (enum kir_type)p->type, v);
        else
            lower_assign(lf, lf->params[k].var, v);
    }
}

bool lower_ret(struct lower_func *lf) {
    uint32_t n = 0, count = lf->ast->is_entry ? 0 : lf->sig->proto.nrets;
    struct kir_value **values = arena_array(&lf->lm->tmp, struct kir_value *, count);
    for (uint32_t k = 0; n < count; k++) {
        const struct lower_param *p = &lf->sig->rets[k];
        if (p->aggregate)
            continue;
        if (p->ast->reg)
            values[n++] = lower_read(lf, p->ast->reg->id);
        else if (lf->rets[k].place == LOWER_SYMBOL)
            values[n++] =
                memory_access(lf, ISA_OP_LD, lf->rets[k].sym, (enum kir_type)p->type, NULL);
        else
            values[n++] = lower_read(lf, lf->rets[k].var);
    }
    struct kir_inst *ret = lower_emit(lf, ISA_OP_RET, ISA_VOID, count, 0, NULL);
    for (uint32_t k = 0; k < count; k++)
        ret->ops[k] = values[k];
    lf->cur = NULL;
    return true;
}

// ---- ld.param and st.param of scalars
// ------------------------------------------------------------

static bool find_scalar(struct lower_func *lf, const struct ptx_operand *addr, uint32_t *var) {
    if (addr->kind != PTX_OPERAND_ADDR || addr->reg || !addr->var)
        return false;
    struct lower_var v = lower_find_var(lf, addr->var);
    *var = v.var;
    return v.place == LOWER_VALUE;
}

static enum isa_type integer_type(enum isa_type t) {
    switch (isa_type_bits(t)) {
    case 8:
        return isa_type_is_signed(t) ? ISA_S8 : ISA_U8;
    case 16:
        return isa_type_is_signed(t) ? ISA_S16 : ISA_U16;
    case 32:
        return isa_type_is_signed(t) ? ISA_S32 : ISA_U32;
    default:
        return isa_type_is_signed(t) ? ISA_S64 : ISA_U64;
    }
}

// v's low bits as type ty, extended to `to`.
static struct kir_value *extend_low(struct lower_func *lf, struct kir_value *v, enum isa_type ty,
                                    enum kir_type to) {
    unsigned bits = isa_type_bits(ty);
    if (bits == kir_type_bits(v->type) && bits == kir_type_bits(to))
        return v;
    struct kir_value *r = lower_emit1(lf, ISA_OP_CVT, integer_type(ty), to, 1, &v);
    r->def->ty2 = (uint8_t)integer_type(kir_isa_type(v->type));
    return r;
}

bool lower_param_load(struct lower_func *lf, const struct ptx_inst *inst) {
    uint32_t var;
    if (inst->nops < 2 || !find_scalar(lf, &inst->ops[1], &var))
        return false;
    const struct ptx_operand *dst = &inst->ops[0];
    if (dst->kind == PTX_OPERAND_REG)
        lower_write(lf, dst,
                    extend_low(lf, lower_read(lf, var), (enum isa_type)inst->ty,
                               kir_type_of(dst->reg->type)));
    return true;
}

bool lower_param_store(struct lower_func *lf, const struct ptx_inst *inst, bool *ok) {
    uint32_t var;
    struct kir_value *v;
    *ok = true;
    if (inst->nops < 2 || !find_scalar(lf, &inst->ops[0], &var))
        return false;
    *ok = lower_operand(lf, &inst->ops[1], &v);
    if (!*ok)
        return true;
    static const uint8_t types[] = {[1] = ISA_U8, [2] = ISA_U16, [4] = ISA_U32, [8] = ISA_U64};
    enum isa_type ty = (enum isa_type)types[isa_type_bits(inst->ty) / 8];
    lower_assign(lf, var, extend_low(lf, v, ty, lower_read(lf, var)->type));
    return true;
}

// ---- calls
// ---------------------------------------------------------------------------------------

// The signature that a call is made by; NULL with a message.
static const struct lower_sig *call_signature(struct lower_func *lf, const struct ptx_call *c,
                                              struct lower_sig *made) {
    const struct ptx_func *f = c->callee;
    if (!f && !c->proto && c->targets && c->targets->n)
        f = c->targets->funcs[0];
    if (f) {
        f = ptx_func_target((struct ptx_func *)f);
        if (!f->is_entry)
            return &lf->lm->sigs[f->id];
        lower_error(lf->lm, lf->inst->pos, "'%s' is a kernel and cannot be called", f->name);
        return NULL;
    }
    if (!c->proto) {
        lower_error(lf->lm, lf->inst->pos, "an indirect call needs a .callprototype");
        return NULL;
    }
    lower_signature(lf->lm, c->proto->nrets, c->proto->rets, c->proto->nparams, c->proto->params,
                    made);
    return made;
}

// The slot that an aggregate argument or return value lies in, as an address.
static bool slot_address(struct lower_func *lf, const struct ptx_operand *o, uint64_t size,
                         struct kir_value **out) {
    if (o->kind == PTX_OPERAND_SYM && o->var && o->var->space == ISA_SPACE_PARAM) {
        struct lower_var v = lower_find_var(lf, o->var);
        if (o->var->size < size)
            return lower_error(lf->lm, o->pos, "'%s' has %llu bytes where the callee's has %llu",
                               o->var->name, (unsigned long long)o->var->size,
                               (unsigned long long)size);
        if (v.place == LOWER_SYMBOL && v.sym->space == ISA_SPACE_LOCAL) {
            *out = lower_symaddr(lf, v.sym, 0);
            return true;
        }
        if (v.place == LOWER_ADDRESS) {
            *out = lower_read(lf, v.var);
            return true;
        }
    }
    return lower_error(lf->lm, o->pos, "expected a .param variable of %llu bytes",
                       (unsigned long long)size);
}

static bool scalar_argument(struct lower_func *lf, const struct ptx_operand *o, enum kir_type type,
                            struct kir_value **out) {
    if (o->kind == PTX_OPERAND_SYM && o->var && o->var->func && o->var->space == ISA_SPACE_PARAM) {
        struct lower_var v = lower_find_var(lf, o->var);
        if (v.place == LOWER_ADDRESS || (v.sym && v.sym->space == ISA_SPACE_PARAM))
            return lower_error(lf->lm, o->pos, "'%s' cannot be passed as a scalar", o->var->name);
        if (v.place == LOWER_SYMBOL && v.sym->size * 8 < kir_type_bits(type) &&
            !(v.sym->size == 1 && type == KIR_B16))
            return lower_error(lf->lm, o->pos, "'%s' is smaller than the parameter", o->var->name);
        *out = v.place == LOWER_VALUE ? lower_read(lf, v.var)
                                      : memory_access(lf, ISA_OP_LD, v.sym, type, NULL);
    } else if (o->kind == PTX_OPERAND_IMM) {
        *out = kir_const(lf->f, type, o->imm);
    } else if (!lower_operand(lf, o, out)) {
        return false;
    }
    if ((type == KIR_PRED) != ((*out)->type == KIR_PRED))
        return lower_error(lf->lm, o->pos, "a predicate and another type meet in a call");
    *out = lower_resize(lf, *out, type);
    return true;
}

static bool write_result(struct lower_func *lf, const struct ptx_operand *o, struct kir_value *v) {
    if (o->kind == PTX_OPERAND_SYM && o->var && o->var->func && o->var->space == ISA_SPACE_PARAM) {
        struct lower_var to = lower_find_var(lf, o->var);
        if (to.place == LOWER_VALUE) {
            lower_assign(lf, to.var, lower_resize(lf, v, lower_read(lf, to.var)->type));
            return true;
        }
        if (to.place == LOWER_SYMBOL && to.sym->space == ISA_SPACE_LOCAL &&
            (to.sym->size * 8 >= kir_type_bits(v->type) ||
             (to.sym->size == 1 && v->type == KIR_B16))) {
            memory_access(lf, ISA_OP_ST, to.sym, (enum kir_type)v->type, v);
            return true;
        }
        return lower_error(lf->lm, o->pos, "'%s' cannot receive the returned value", o->var->name);
    }
    if (o->kind == PTX_OPERAND_REG &&
        (v->type == KIR_PRED) != (lower_read(lf, o->reg->id)->type == KIR_PRED))
        return lower_error(lf->lm, o->pos, "a predicate and another type meet in a call");
    lower_write(lf, o, v);
    return true;
}

static bool gather_operands(struct lower_func *lf, const struct ptx_call *c,
                            const struct lower_sig *sig, struct kir_value **ops) {
    if (!c->callee && !lower_operand(lf, &c->target, ops++))
        return false;
    for (uint32_t k = 0; k < sig->nrets; k++)
        if (sig->rets[k].aggregate && !slot_address(lf, &c->rets[k], sig->rets[k].size, ops++))
            return false;
    for (uint32_t k = 0; k < sig->nparams; k++) {
        const struct lower_param *p = &sig->params[k];
        bool ok = p->aggregate ? slot_address(lf, &c->args[k], p->size, ops)
                               : scalar_argument(lf, &c->args[k], (enum kir_type)p->type, ops);
        if (!ok)
            return false;
        ops++;
    }
    return true;
}

static struct kir_proto *copy_proto(struct lower_func *lf, const struct kir_proto *p) {
    return arena_memdup(&lf->lm->m->arena, p, sizeof *p);
}

bool lower_call(struct lower_func *lf, const struct ptx_call *c) {
    struct lower_sig made = {0};
    const struct lower_sig *sig = call_signature(lf, c, &made);
    if (!sig)
        return false;
    if (c->nargs != sig->nparams || c->nrets != sig->nrets)
        return lower_error(lf->lm, lf->inst->pos,
                           "the call has %u arguments and %u results, the function %u and %u",
                           c->nargs, c->nrets, sig->nparams, sig->nrets);
    uint32_t nops = sig->proto.nparams + !c->callee;
    struct kir_value **ops = arena_array(&lf->lm->tmp, struct kir_value *, nops);
    if (!gather_operands(lf, c, sig, ops))
        return false;
    struct kir_inst *call =
        lower_emit(lf, ISA_OP_CALL, ISA_VOID, nops, sig->proto.nrets, sig->proto.rets);
    for (uint32_t k = 0; k < nops; k++)
        call->ops[k] = ops[k];
    call->mods.uni = lf->inst->mods.uni;
    if (c->callee)
        call->callee = lf->lm->funcs[ptx_func_target(c->callee)->id];
    else
        call->proto = copy_proto(lf, &sig->proto);
    if (!c->callee)
        call->ops[0] = lower_resize(lf, call->ops[0], KIR_B64);
    uint32_t result = 0;
    for (uint32_t k = 0; k < sig->nrets; k++)
        if (!sig->rets[k].aggregate && !write_result(lf, &c->rets[k], call->res[result++]))
            return false;
    return true;
}
