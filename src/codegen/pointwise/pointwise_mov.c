// mov, and registers packed into and unpacked from a wider one.
#include "codegen/pointwise/pointwise_internal.h"
#include "isa/ops/move.h"

static bool mov(const struct em *e) {
    if (op_is_copy(e, 0))
        e->dst[0] = e->src[0];
    else
        res_typed(e, 0, op_typed(e, 0, e->i->ty), e->i->ty);
    return true;
}

// Operand 0 holds the lowest bits.
static bool pack(const struct em *e) {
    unsigned n = e->i->nops, w = isa_type_bits(e->i->ty), part = w / n;
    val r = v_zext(e, op_int(e, 0, part, false), w);
    for (unsigned k = 1; k < n; k++) {
        val v = v_zext(e, op_int(e, k, part, false), w);
        r = v_or(e, r, v_shli(e, v, k * part));
    }
    res_int(e, 0, r, false);
    return true;
}

static bool unpack(const struct em *e) {
    unsigned n = e->i->nres, w = isa_type_bits(e->i->ty), part = w / n;
    val a = op_int(e, 0, w, false);
    for (unsigned k = 0; k < n; k++)
        res_int(e, k, v_trunc(e, k ? v_lshri(e, a, k * part) : a, part), false);
    return true;
}

bool pw_mov(const struct em *e) {
    return e->i->op == ISA_OP_MOV ? mov(e) : e->i->op == ISA_OP_MOV_PACK ? pack(e) : unpack(e);
}
