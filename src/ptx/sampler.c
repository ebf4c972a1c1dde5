// References: their names, and what a .samplerref is given where it is declared.
#include <string.h>

#include "ptx/parser.h"
#include "ptx/print.h"

const char *ptx_ref_name(uint8_t ref) {
    static const char *const names[] = {"", "texref", "samplerref", "surfref"};
    return names[ref];
}

struct property {
    const char *name;
    unsigned shift;
    const char *values[6]; // by number; two may have the same one
    uint8_t numbers[6];
};
#define ADDRESSING(dim)                                                                            \
    {"addr_mode_" #dim,                                                                            \
     ISA_SAMPLER_ADDRESSING + 2 * dim,                                                             \
     {"wrap", "clamp_to_edge", "mirror", "clamp_to_border", "clamp_ogl"},                          \
     {0, 1, 2, 3, 1}}
static const struct property properties[] = {
    {"filter_mode", 0, {"nearest", "linear"}, {0, 1}},
    {"force_unnormalized_coords", 1, {"0", "1"}, {0, 1}},
    ADDRESSING(0),
    ADDRESSING(1),
    ADDRESSING(2),
};
enum { PROPERTIES = sizeof properties / sizeof *properties };

static bool token_is(const struct ptx_token *t, const char *word) {
    return t->len == strlen(word) && !memcmp(t->text, word, t->len);
}

// name = value
static uint64_t parse_property(struct ptx_parser *p) {
    unsigned k = 0, n = 0;
    while (k < PROPERTIES && !token_is(&p->tok, properties[k].name))
        k++;
    if (k == PROPERTIES)
        ptx_expected(p, "a property of samplers such as filter_mode");
    ptx_next(p);
    ptx_expect(p, '=', "after the property");
    const struct property *r = &properties[k];
    while (r->values[n] && !token_is(&p->tok, r->values[n]))
        n++;
    if (!r->values[n])
        ptx_fail(p, p->tok.pos, "'%.*s' is no value of %s", p->tok.len > 60 ? 60 : (int)p->tok.len,
                 p->tok.text, r->name);
    ptx_next(p);
    return (uint64_t)r->numbers[n] << r->shift;
}

// { filter_mode = linear, ... }
void ptx_parse_sampler(struct ptx_parser *p, struct ptx_var *v) {
    uint64_t bits = ISA_SAMPLER;
    ptx_expect(p, '{', "before the sampler's properties");
    do
        bits |= parse_property(p);
    while (ptx_accept(p, ','));
    ptx_expect(p, '}', "after the sampler's properties");
    v->init = arena_memdup(p->arena, &bits, sizeof bits);
}

void ptx_print_sampler(uint64_t bits, struct strbuf *out) {
    for (unsigned k = 0; k < PROPERTIES; k++) {
        const struct property *r = &properties[k];
        unsigned n = (unsigned)(bits >> r->shift) & (r->values[2] ? 3 : 1);
        strbuf_printf(out, "%s%s = %s", k ? ", " : "{", r->name, r->values[n]);
    }
    strbuf_puts(out, "}");
}
