// Constant expressions: C's operators on 64-bit integers, signed unless a literal says U or does
// not fit; floating-point literals, which only a sign may precede.
#include <string.h>

#include "isa/fp.h"
#include "ptx/parser.h"

static struct ptx_constant parse_binary(struct ptx_parser *p, int min_precedence);

static struct ptx_constant integer(uint64_t v, bool is_unsigned) {
    return (struct ptx_constant){.kind = PTX_CONST_INT, .bits = v, .is_unsigned = is_unsigned};
}

bool ptx_at_constant(const struct ptx_parser *p) {
    const struct ptx_token *t = &p->tok;
    if (t->kind == PTX_TOKEN_INT || t->kind == PTX_TOKEN_F32 || t->kind == PTX_TOKEN_F64)
        return true;
    if (t->kind == PTX_TOKEN_NAME)
        return t->len == 7 && !memcmp(t->text, "WARP_SZ", 7);
    return t->kind == PTX_TOKEN_PUNCT && strchr("-+~!(", t->punct);
}

// (.s64) and (.u64) in front of an operand convert it.
static bool accept_cast(struct ptx_parser *p, bool *is_unsigned) {
    struct ptx_token next = ptx_peek(p);
    if (!ptx_at(p, '(') || next.kind != PTX_TOKEN_DIRECTIVE)
        return false;
    ptx_next(p);
    if (!ptx_at_directive(p, ".s64") && !ptx_at_directive(p, ".u64"))
        ptx_expected(p, ".s64 or .u64");
    *is_unsigned = p->tok.text[1] == 'u';
    ptx_next(p);
    ptx_expect(p, ')', "after the cast's type");
    return true;
}

static struct ptx_constant parse_primary(struct ptx_parser *p) {
    struct ptx_token t = p->tok;
    if (!ptx_at_constant(p))
        ptx_expected(p, "a constant");
    ptx_next(p);
    switch (t.kind) {
    case PTX_TOKEN_INT:
        return integer(t.value, t.is_unsigned || t.value > INT64_MAX);
    case PTX_TOKEN_F32:
        return (struct ptx_constant){.kind = PTX_CONST_F32, .bits = t.value};
    case PTX_TOKEN_F64:
        return (struct ptx_constant){.kind = PTX_CONST_F64, .bits = t.value};
    case PTX_TOKEN_NAME:
        return integer(32, false); // WARP_SZ
    default: {
        struct ptx_constant c = parse_binary(p, 0);
        ptx_expect(p, ')', "to close the expression");
        return c;
    }
    }
}

static struct ptx_constant negate(struct ptx_constant c) {
    if (c.kind == PTX_CONST_INT)
        c.bits = 0 - c.bits;
    else
        c.bits ^= c.kind == PTX_CONST_F32 ? 1ull << 31 : 1ull << 63;
    return c;
}

static struct ptx_constant parse_unary(struct ptx_parser *p) {
    struct ptx_token t = p->tok;
    bool is_unsigned;
    if (++p->depth > PTX_MAX_DEPTH)
        ptx_fail(p, t.pos, "expression is nested too deeply");
    struct ptx_constant c;
    if (accept_cast(p, &is_unsigned)) {
        c = parse_unary(p);
        if (c.kind != PTX_CONST_INT)
            ptx_fail(p, t.pos, "expected an integer after the cast");
        c.is_unsigned = is_unsigned;
    } else if (t.kind != PTX_TOKEN_PUNCT || t.punct == '(') {
        c = parse_primary(p);
    } else if (!strchr("-+~!", t.punct)) {
        ptx_expected(p, "a constant");
    } else {
        ptx_next(p);
        c = parse_unary(p);
        if (t.punct == '-')
            c = negate(c);
        else if (t.punct != '+' && c.kind != PTX_CONST_INT)
            ptx_fail(p, t.pos, "expected an integer after '%c'", t.punct);
        else if (t.punct == '~')
            c.bits = ~c.bits;
        else if (t.punct == '!')
            c = integer(!c.bits, false);
    }
    p->depth--;
    return c;
}

static const struct binary {
    const char *text;
    int precedence;
} binaries[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
    {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
    {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

// The binary operator that stands here, NULL when none does.
static const struct binary *binary_operator(const struct ptx_parser *p) {
    if (p->tok.kind != PTX_TOKEN_PUNCT)
        return NULL;
    size_t left = (size_t)(p->lexer.end - p->tok.text);
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        size_t n = strlen(binaries[i].text);
        if (n <= left && !memcmp(p->tok.text, binaries[i].text, n))
            return &binaries[i];
    }
    return NULL;
}

// Of a shift's distance six bits count.
static uint64_t shift_right(uint64_t a, uint64_t n, bool is_unsigned) {
    return is_unsigned ? a >> n % 64 : (uint64_t)((int64_t)a >> n % 64);
}

// A remainder is one of unsigned numbers, whatever its operands are: NVIDIA's assembler has it so.
static uint64_t divide(struct ptx_parser *p, struct ptx_pos pos, uint64_t a, uint64_t b, bool u,
                       bool remainder) {
    if (!b)
        ptx_fail(p, pos, "division by zero in a constant expression");
    if (remainder)
        return a % b;
    if (u)
        return a / b;
    return b == ~0ull ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static struct ptx_constant combine(struct ptx_parser *p, struct ptx_pos pos, const char *op,
                                   struct ptx_constant x, struct ptx_constant y) {
    if (x.kind != PTX_CONST_INT || y.kind != PTX_CONST_INT)
        ptx_fail(p, pos, "expected integers on both sides of '%s'", op);
    uint64_t a = x.bits, b = y.bits;
    bool u = x.is_unsigned || y.is_unsigned;
    bool less = u ? a < b : (int64_t)a < (int64_t)b;
    switch (op[0] << 8 | op[1]) {
    case '|' << 8 | '|':
        return integer(a || b, false);
    case '&' << 8 | '&':
        return integer(a && b, false);
    case '=' << 8 | '=':
        return integer(a == b, false);
    case '!' << 8 | '=':
        return integer(a != b, false);
    case '<' << 8 | '=':
        return integer(less || a == b, false);
    case '>' << 8 | '=':
        return integer(!less, false);
    case '<' << 8:
        return integer(less, false);
    case '>' << 8:
        return integer(!less && a != b, false);
    case '<' << 8 | '<':
        return integer(a << b % 64, x.is_unsigned);
    case '>' << 8 | '>':
        return integer(shift_right(a, b, x.is_unsigned), x.is_unsigned);
    case '|' << 8:
        return integer(a | b, u);
    case '^' << 8:
        return integer(a ^ b, u);
    case '&' << 8:
        return integer(a & b, u);
    case '+' << 8:
        return integer(a + b, u);
    case '-' << 8:
        return integer(a - b, u);
    case '*' << 8:
        return integer(a * b, u);
    default:
        return integer(divide(p, pos, a, b, u, op[0] == '%'), u);
    }
}

static struct ptx_constant parse_binary(struct ptx_parser *p, int min_precedence) {
    if (++p->depth > PTX_MAX_DEPTH)
        ptx_fail(p, p->tok.pos, "expression is nested too deeply");
    struct ptx_constant left = parse_unary(p);
    const struct binary *op;
    while ((op = binary_operator(p)) && op->precedence > min_precedence) {
        struct ptx_pos pos = p->tok.pos;
        for (size_t i = 0; i < strlen(op->text); i++)
            ptx_next(p);
        left = combine(p, pos, op->text, left, parse_binary(p, op->precedence));
    }
    p->depth--;
    return left;
}

struct ptx_constant ptx_parse_constant(struct ptx_parser *p) {
    struct ptx_constant c = parse_binary(p, 0);
    if (!ptx_at(p, '?'))
        return c;
    struct ptx_pos pos = p->tok.pos;
    ptx_next(p);
    struct ptx_constant yes = parse_binary(p, 0);
    ptx_expect(p, ':', "in the conditional expression");
    struct ptx_constant no = parse_binary(p, 0);
    if (c.kind != PTX_CONST_INT)
        ptx_fail(p, pos, "expected an integer before '?'");
    return c.bits ? yes : no;
}

int64_t ptx_parse_int(struct ptx_parser *p) {
    struct ptx_pos pos = p->tok.pos;
    struct ptx_constant c = ptx_parse_constant(p);
    if (c.kind != PTX_CONST_INT)
        ptx_fail(p, pos, "expected an integer constant");
    return (int64_t)c.bits;
}

// 0f and eight digits are bits: where 64 are wanted, those and zeros above.
static bool float_bits(struct ptx_constant c, enum isa_type t, uint64_t *bits) {
    static const struct isa_mods nearest = {.rnd = ISA_RND_RN};
    enum fp_format from = c.kind == PTX_CONST_F32 ? FP_F32 : FP_F64, to = fp_format_of(t);
    *bits = from == to || to == FP_F64 ? c.bits : fp_convert(to, from, c.bits, &nearest);
    return true;
}

static uint64_t cut(uint64_t v, unsigned bits) {
    return bits >= 64 ? v : v & ((1ull << bits) - 1);
}

bool ptx_constant_bits(struct ptx_constant c, enum isa_type t, uint64_t *bits) {
    bool is_int = c.kind == PTX_CONST_INT;
    switch (t) {
    case ISA_PRED:
        *bits = c.bits != 0;
        return is_int;
    case ISA_F32:
    case ISA_F64:
        return !is_int && float_bits(c, t, bits);
    case ISA_F16:
    case ISA_BF16: // an integer gives the bits
        if (!is_int)
            return float_bits(c, t, bits);
        break;
    case ISA_B32:
    case ISA_B64: // a floating-point constant gives its bits
        if (!is_int)
            return float_bits(c, t == ISA_B32 ? ISA_F32 : ISA_F64, bits);
        break;
    case ISA_B128:
    case ISA_VOID:
        return false;
    default:
        break;
    }
    *bits = cut(c.bits, isa_type_bits(t));
    return is_int;
}
