#include "support/check/ignored_result.h"

#include <stdint.h>
#include <string.h>

#ifdef __x86_64__

// What an instruction does with eax, and where it goes.
enum use { NEXT, READS, KILLS, RETURNS, JUMPS, BRANCHES, UNKNOWN };
struct instruction {
    enum use use;
    const uint8_t *next, *target; // target: of jumps and branches
};

struct prefixes {
    unsigned rex;
    bool narrow, repeats; // 66; F2, F3
};

// A ModRM byte with what follows it, and which of its parts are eax or rax.
struct operands {
    unsigned reg;
    bool memory, address_reads, rm_is_a, reg_is_a; // address_reads: through rax
    const uint8_t *end;
};

static struct operands read_operands(const uint8_t *p, const struct prefixes *x) {
    struct operands o = {0};
    unsigned mod = *p >> 6, rm = *p & 7;
    o.reg = *p >> 3 & 7;
    o.reg_is_a = !o.reg && !(x->rex & 4);
    o.memory = mod != 3;
    bool has_sib = o.memory && rm == 4;
    o.rm_is_a = !o.memory && !rm && !(x->rex & 1);
    p++;
    if (has_sib) {
        unsigned base = *p & 7, index = *p >> 3 & 7;
        o.address_reads = (!base && !(x->rex & 1)) || (!index && !(x->rex & 2));
        if (mod == 0 && base == 5)
            p += 4;
        p++;
    } else if (o.memory) {
        o.address_reads = !rm && !(x->rex & 1);
        if (mod == 0 && rm == 5)
            p += 4;
    }
    p += mod == 1 ? 1 : mod == 2 ? 4 : 0;
    o.end = p;
    return o;
}

static struct instruction does(enum use use, const uint8_t *next) {
    return (struct instruction){.use = use, .next = next};
}

static int32_t displacement(const uint8_t *p, int bytes) {
    int32_t far;
    if (bytes == 1)
        return (int8_t)*p;
    memcpy(&far, p, sizeof far);
    return far;
}

static struct instruction goes(enum use use, const uint8_t *p, int bytes) {
    const uint8_t *next = p + bytes;
    return (struct instruction){use, next, next + displacement(p, bytes)};
}

// Writes its register from its other operand: mov, lea, movzx. Less than 32 bits keep the rest.
static struct instruction loads(const uint8_t *p, const struct prefixes *x, bool byte) {
    struct operands o = read_operands(p, x);
    bool high = byte && !o.memory && !x->rex && (*p & 7) == 4; // ah
    if (o.address_reads || o.rm_is_a || high)
        return does(READS, o.end);
    return does(o.reg_is_a && !x->narrow ? KILLS : NEXT, o.end);
}

// Reads both operands, whatever it writes; `more` bytes follow.
static struct instruction reads_both(const uint8_t *p, const struct prefixes *x, bool byte,
                                     int more) {
    struct operands o = read_operands(p, x);
    bool high = byte && !x->rex && (o.reg == 4 || (!o.memory && (*p & 7) == 4));
    return does(o.address_reads || o.rm_is_a || o.reg_is_a || high ? READS : NEXT, o.end + more);
}

// The register field is a part of the operation, or no general register.
static struct instruction reads_one(const uint8_t *p, const struct prefixes *x, int more) {
    struct operands o = read_operands(p, x);
    return does(o.address_reads || o.rm_is_a ? READS : NEXT, o.end + more);
}

static struct instruction writes_one(const uint8_t *p, const struct prefixes *x, bool byte,
                                     int more) {
    struct operands o = read_operands(p, x);
    // A result of which the lowest byte is gone is not looked at later.
    enum use use = o.address_reads ? READS : o.rm_is_a && (byte || !x->narrow) ? KILLS : NEXT;
    return does(use, o.end + more);
}

static struct instruction two_bytes(const uint8_t *p, const struct prefixes *x) {
    uint8_t op = *p++;
    if (op >= 0x80 && op <= 0x8f)
        return goes(BRANCHES, p, 4);
    if (op >= 0x90 && op <= 0x9f) // setcc
        return writes_one(p, x, true, 0);
    if (op >= 0x40 && op <= 0x4f) // cmov keeps what it does not move
        return reads_both(p, x, false, 0);
    if (op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf)
        return loads(p, x, op == 0xb6 || op == 0xbe);
    if (op == 0xaf)
        return reads_both(p, x, false, 0);
    if (op == 0x1e || op == 0x1f || op == 0x0d || op == 0x18) // endbr64, nop, prefetch
        return does(NEXT, read_operands(p, x).end);
    if (op == 0x7e && !x->repeats) // movd to a general register
        return writes_one(p, x, false, 0);
    if (op == 0x2c || op == 0x2d) // to an integer
        return loads(p, x, false);
    if (op == 0x6e || op == 0x2a)
        return reads_one(p, x, 0);
    if (op == 0x70 || op == 0xc6)
        return does(read_operands(p, x).address_reads ? READS : NEXT, read_operands(p, x).end + 1);
    bool vector = op == 0x10 || op == 0x11 || op == 0x12 || op == 0x13 || op == 0x14 ||
                  op == 0x16 || op == 0x17 || op == 0x28 || op == 0x29 || op == 0x2e ||
                  op == 0x2f || (op >= 0x51 && op <= 0x6d) || op == 0x6f || op == 0x7f ||
                  op == 0x7e || op == 0xd6 || op == 0xef || op == 0x6c;
    if (vector) {
        struct operands o = read_operands(p, x);
        return does(o.address_reads ? READS : NEXT, o.end);
    }
    return does(UNKNOWN, p);
}

static struct instruction one_byte(const uint8_t *p, const struct prefixes *x) {
    uint8_t op = *p++;
    int word = x->narrow ? 2 : 4;
    if (op < 0x40 && (op & 7) < 4) { // add, or, adc, sbb, and, sub, xor, cmp
        struct operands o = read_operands(p, x);
        bool zero = (op & ~2) == 0x31 || (op & ~2) == 0x29;
        if (zero && o.rm_is_a && o.reg_is_a)
            return does(KILLS, o.end);
        return reads_both(p, x, !(op & 1), 0);
    }
    if (op >= 0x50 && op <= 0x57)
        return does(op == 0x50 && !(x->rex & 1) ? READS : NEXT, p);
    if (op >= 0x58 && op <= 0x5f)
        return does(op == 0x58 && !(x->rex & 1) ? KILLS : NEXT, p);
    if (op >= 0x70 && op <= 0x7f)
        return goes(BRANCHES, p, 1);
    if (op >= 0xb0 && op <= 0xb7)
        return does(op == 0xb0 && !(x->rex & 1) ? KILLS : NEXT, p + 1);
    if (op >= 0xb8 && op <= 0xbf)
        return does(op == 0xb8 && !(x->rex & 1) && !x->narrow ? KILLS : NEXT,
                    p + (x->rex & 8 ? 8 : word));
    switch (op) {
    case 0x63: // movsxd
        return loads(p, x, false);
    case 0x68:
        return does(NEXT, p + 4);
    case 0x6a:
        return does(NEXT, p + 1);
    case 0x69:
    case 0x6b: { // imul with a number writes its register
        struct instruction i = loads(p, x, false);
        i.next += op == 0x69 ? word : 1;
        return i;
    }
    case 0x80:
        return reads_one(p, x, 1);
    case 0x83:
        return reads_one(p, x, 1);
    case 0x81:
        return reads_one(p, x, word);
    case 0x84:
    case 0x86:
    case 0x88:
        return reads_both(p, x, true, 0);
    case 0x85:
    case 0x87:
    case 0x89: {
        struct operands o = read_operands(p, x);
        if (op == 0x89 && o.rm_is_a && !o.reg_is_a && !x->narrow)
            return does(KILLS, o.end);
        return reads_both(p, x, false, 0);
    }
    case 0x8a:
        return loads(p, x, true);
    case 0x8b:
    case 0x8d:
        return loads(p, x, false);
    case 0x90:
    case 0xc9:
        return does(NEXT, p);
    case 0xc0:
    case 0xc1:
        return reads_one(p, x, 1);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        return reads_one(p, x, 0);
    case 0xc2:
    case 0xc3:
        return does(RETURNS, p);
    case 0xc6:
        return writes_one(p, x, true, 1);
    case 0xc7:
        return writes_one(p, x, false, word);
    case 0xe8: // the callee's result comes in eax; before, al counts vector arguments at most
        return does(KILLS, p + 4);
    case 0xe9:
        return goes(JUMPS, p, 4);
    case 0xeb:
        return goes(JUMPS, p, 1);
    case 0xf6:
    case 0xf7: { // test with a number, not, neg; multiplications and divisions read eax
        struct instruction i = reads_one(p, x, 0);
        unsigned what = *p >> 3 & 7;
        i.next += what > 1 ? 0 : op == 0xf6 ? 1 : word;
        return what > 3 ? does(READS, i.next) : i;
    }
    case 0xfe:
        return reads_one(p, x, 0);
    case 0xff: {
        struct operands o = read_operands(p, x);
        bool reads = o.address_reads || o.rm_is_a;
        return does(reads                                    ? READS
                    : o.reg == 2                             ? KILLS
                    : o.reg == 0 || o.reg == 1 || o.reg == 6 ? NEXT
                                                             : UNKNOWN,
                    o.end);
    }
    default:
        return does(UNKNOWN, p);
    }
}

static struct instruction read_instruction(const uint8_t *p) {
    struct prefixes x = {0};
    for (;; p++) {
        if (*p == 0x66)
            x.narrow = true;
        else if (*p == 0xf2 || *p == 0xf3)
            x.repeats = true;
        else if (*p != 0x2e && *p != 0x3e && *p != 0x64 && *p != 0x65)
            break;
    }
    if ((*p & 0xf0) == 0x40)
        x.rex = *p++;
    return *p == 0x0f ? two_bytes(p + 1, &x) : one_byte(p, &x);
}

static bool ignored_from(const uint8_t *p, void *const *callers, int n, int *steps) {
    while (--*steps > 0) {
        struct instruction i = read_instruction(p);
        switch (i.use) {
        case NEXT:
            p = i.next;
            break;
        case KILLS:
            return true;
        case RETURNS:
            if (!n)
                return false;
            p = *callers++;
            n--;
            break;
        case JUMPS:
            p = i.target;
            break;
        case BRANCHES:
            if (!ignored_from(i.target, callers, n, steps))
                return false;
            p = i.next;
            break;
        default:
            return false;
        }
    }
    return false;
}

bool result_is_ignored(void *const *returns, int n) {
    int steps = 128;
    return n > 0 && ignored_from(returns[0], returns + 1, n - 1, &steps);
}

#else

bool result_is_ignored(void *const *returns, int n) {
    (void)returns;
    (void)n;
    return false;
}

#endif
