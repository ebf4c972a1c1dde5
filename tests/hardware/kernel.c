// See kernel.h.
#include "kernel.h"

#define emit(...) strbuf_printf(out, __VA_ARGS__)

static void declare(const struct hw_register *r, struct strbuf *out) {
    unsigned bits = hw_register_bits((enum isa_type)r->type);
    if (bits == 1)
        emit("    .reg .pred %%%s;\n", r->name);
    else
        emit("    .reg .b%u %%%s;\n", bits, r->name);
}

static void load(const struct hw_register *r, unsigned index, struct strbuf *out) {
    unsigned bits = hw_register_bits((enum isa_type)r->type);
    emit("    mad.wide.u32 %%slot, %%sets, %u, %%in;\n", 16 * index);
    emit("    ld.global.v2.u64 {%%low, %%high}, [%%slot];\n");
    if (bits == 1)
        emit("    setp.ne.u64 %%%s, %%low, 0;\n", r->name);
    else if (bits == 128)
        emit("    mov.b128 %%%s, {%%low, %%high};\n", r->name);
    else if (bits == 64)
        emit("    mov.b64 %%%s, %%low;\n", r->name);
    else
        emit("    cvt.u%u.u64 %%%s, %%low;\n", bits, r->name);
}

static void store(const struct hw_register *r, unsigned index, struct strbuf *out) {
    unsigned bits = hw_register_bits((enum isa_type)r->type);
    emit("    mov.u64 %%high, 0;\n");
    if (bits == 1)
        emit("    selp.u64 %%low, 1, 0, %%%s;\n", r->name);
    else if (bits == 128)
        emit("    mov.b128 {%%low, %%high}, %%%s;\n", r->name);
    else if (bits == 64)
        emit("    mov.b64 %%low, %%%s;\n", r->name);
    else
        emit("    cvt.u64.u%u %%low, %%%s;\n", bits, r->name);
    emit("    mad.wide.u32 %%slot, %%sets, %u, %%out;\n", 16 * index);
    emit("    st.global.v2.u64 [%%slot], {%%low, %%high};\n");
}

// A value for lanes that take no part.
static void preset(const struct hw_register *r, struct strbuf *out) {
    if (r->type == ISA_PRED)
        emit("    setp.ne.u64 %%%s, %%low, %%low;\n", r->name);
    else
        emit("    mov.b%u %%%s, 0x5a5a;\n", hw_register_bits((enum isa_type)r->type), r->name);
}

static void run_pointwise(const struct hw_case *c, struct strbuf *out) {
    if (c->carry_in) // 1 + 0xffffffff carries
        emit("    selp.u32 %%flag, 1, 0, %%carry_in;\n"
             "    add.cc.u32 %%flag, %%flag, 0xffffffff;\n");
    emit("    %s\n", c->text);
    if (c->mods.cc)
        emit("    addc.u32 %%flag, 0, 0;\n    setp.ne.u32 %%carry_out, %%flag, 0;\n");
}

static void run_warp(const struct hw_case *c, struct strbuf *out) {
    for (unsigned k = 0; k < c->nresults; k++)
        preset(&c->results[k], out);
    emit("    mov.u32 %%flag, %%lanemask_eq;\n"
         "    and.b32 %%flag, %%flag, %%membermask;\n"
         "    setp.eq.u32 %%skip, %%flag, 0;\n"
         "    @%%skip bra DONE;\n"
         "    %s\n"
         "DONE:\n",
         c->text);
}

// The cell is the thread's own 16 bytes, in shared memory or where the last result goes.
static void run_atomic(const struct hw_case *c, struct strbuf *out) {
    bool shared = c->mods.space == ISA_SPACE_SHARED;
    const char *space = shared ? "shared" : "global";
    const struct hw_register *before = &c->sources[c->nsources - 1];
    unsigned bits = isa_type_bits((enum isa_type)before->type);
    if (shared)
        emit("    mov.u64 %%address, cells;\n"
             "    mov.u32 %%flag, %%tid.x;\n"
             "    mad.wide.u32 %%address, %%flag, 16, %%address;\n");
    else
        emit("    mad.wide.u32 %%address, %%sets, %u, %%out;\n", 16 * (c->nresults - 1));
    if (bits == 128)
        emit("    mov.b128 {%%low, %%high}, %%before;\n"
             "    st.%s.v2.u64 [%%address], {%%low, %%high};\n",
             space);
    else
        emit("    st.%s.b%u [%%address], %%before;\n", space, bits);
    emit("    %s\n", c->text);
    if (bits == 128)
        emit("    ld.%s.v2.u64 {%%low, %%high}, [%%address];\n"
             "    mov.b128 %%after, {%%low, %%high};\n",
             space);
    else
        emit("    ld.%s.b%u %%after, [%%address];\n", space, bits);
}

static void kernel(const struct hw_case *c, unsigned number, struct strbuf *out) {
    emit(".visible .entry k%u(.param .u64 in, .param .u64 out, .param .u32 sets) {\n", number);
    emit("    .reg .u64 %%in, %%out, %%slot, %%low, %%high, %%address;\n"
         "    .reg .u32 %%sets, %%index, %%flag;\n    .reg .pred %%skip;\n");
    if (c->kind == HW_ATOMIC && c->mods.space == ISA_SPACE_SHARED)
        emit("    .shared .align 16 .b8 cells[%d];\n", 16 * HW_BLOCK);
    for (unsigned k = 0; k < c->nsources; k++)
        declare(&c->sources[k], out);
    for (unsigned k = 0; k < c->nresults; k++)
        declare(&c->results[k], out);
    emit("    ld.param.u64 %%in, [in];\n    ld.param.u64 %%out, [out];\n"
         "    ld.param.u32 %%sets, [sets];\n"
         "    mov.u32 %%index, %%ctaid.x;\n    mov.u32 %%flag, %%tid.x;\n"
         "    mad.lo.u32 %%index, %%index, %d, %%flag;\n"
         "    setp.ge.u32 %%skip, %%index, %%sets;\n    @%%skip exit;\n"
         "    mad.wide.u32 %%in, %%index, 16, %%in;\n"
         "    mad.wide.u32 %%out, %%index, 16, %%out;\n",
         HW_BLOCK);
    for (unsigned k = 0; k < c->nsources; k++)
        load(&c->sources[k], k, out);
    (c->kind == HW_POINTWISE ? run_pointwise : c->kind == HW_WARP ? run_warp : run_atomic)(c, out);
    for (unsigned k = 0; k < c->nresults; k++)
        store(&c->results[k], k, out);
    emit("    ret;\n}\n");
}

void hw_module_text(const struct hw_case *cases, unsigned count, unsigned sm, struct strbuf *out) {
    emit(".version 8.5\n.target sm_%u\n.address_size 64\n", sm);
    for (unsigned k = 0; k < count; k++)
        kernel(&cases[k], k, out);
}
