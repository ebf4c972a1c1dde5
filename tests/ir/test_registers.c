// The register estimate: functions whose pressure can be counted by hand.
#include <stdio.h>

#include "ir/registers.h"
#include "isa/ops/control.h"

// n values of one type, all alive until a chain of additions; in one block, or across a branch.
static struct kir_func *make(struct kir_module *m, unsigned n, enum kir_type type, bool across) {
    uint8_t t = (uint8_t)type, pred = KIR_PRED;
    enum isa_type ty = type == KIR_B64 ? ISA_U64 : ISA_U32;
    struct kir_func *f = kir_func_new(m, "f");
    struct kir_block *b = kir_block_new(f, NULL);
    struct kir_value *v[300];
    for (unsigned k = 0; k < n; k++) {
        struct kir_inst *i = kir_inst_new(f, ISA_OP_SREG, ty, 0, 1, &t, 0);
        i->sreg = ISA_SREG_CLOCK64;
        kir_append(b, i);
        v[k] = i->res[0];
    }
    if (across) {
        struct kir_inst *p = kir_inst_new(f, ISA_OP_SETP, ISA_U32, 2, 1, &pred, 0);
        p->ops[0] = p->ops[1] = kir_const(f, KIR_B32, 1);
        kir_append(b, p);
        struct kir_inst *br = kir_inst_new(f, ISA_OP_CBR, ISA_VOID, 1, 0, NULL, 2);
        br->ops[0] = p->res[0];
        br->targets[0] = kir_block_new(f, NULL);
        br->targets[1] = kir_block_new(f, NULL);
        kir_append(b, br);
        struct kir_inst *j = kir_inst_new(f, ISA_OP_BRA, ISA_VOID, 0, 0, NULL, 1);
        j->targets[0] = br->targets[1];
        kir_append(br->targets[0], j);
        b = br->targets[1];
    }
    struct kir_value *sum = v[0];
    for (unsigned k = 1; k < n; k++) {
        struct kir_inst *i = kir_inst_new(f, ISA_OP_ADD, ty, 2, 1, &t, 0);
        i->ops[0] = sum;
        i->ops[1] = v[k];
        kir_append(b, i);
        sum = i->res[0];
    }
    kir_append(b, kir_inst_new(f, ISA_OP_RET, ISA_VOID, 0, 0, NULL, 0));
    kir_compute_preds(f);
    return f;
}

static int expect(unsigned n, enum kir_type type, bool across, unsigned least, unsigned most) {
    struct kir_module *m = kir_module_new();
    unsigned got = kir_estimate_registers(make(m, n, type, across));
    kir_module_free(m);
    if (got >= least && got <= most)
        return 0;
    printf("%u values of %u bits%s: %u, expected %u to %u\n", n, kir_type_bits(type),
           across ? " across blocks" : "", got, least, most);
    return 1;
}

int main(void) {
    int bad = expect(4, KIR_B32, false, 16, 16) + expect(40, KIR_B32, false, 40, 42) +
              expect(40, KIR_B64, false, 80, 84) + expect(40, KIR_B32, true, 40, 42) +
              expect(40, KIR_B64, true, 80, 84) + expect(280, KIR_B32, false, 255, 255);
    printf("%d problems\n", bad);
    return bad != 0;
}
