// Relocations of x86-64 (System V psABI, table 4.9).
#include <string.h>

#include "device/code/code_loader.h"

enum {
    R_64 = 1,
    R_PC32 = 2,
    R_PLT32 = 4,
    R_GOTPCREL = 9,
    R_32 = 10,
    R_32S = 11,
    R_PC64 = 24,
    R_GOTPCRELX = 41,
    R_REX_GOTPCRELX = 42,
};

unsigned reloc_needs_x86_64(uint32_t type, bool external) {
    switch (type) {
    case R_64:
    case R_32:
    case R_32S:
    case R_PC64:
        return RELOC_NOTHING;
    case R_PC32:
    case R_PLT32:
        // Libraries may lie farther away than 32 bits reach.
        return external ? RELOC_STUB : RELOC_NOTHING;
    case R_GOTPCREL:
    case R_GOTPCRELX:
    case R_REX_GOTPCRELX:
        return RELOC_GOT;
    default:
        return RELOC_UNKNOWN;
    }
}

static const char *put64(const struct reloc_site *s, uint64_t v) {
    if (s->room < 8)
        return "a relocation lies outside its section";
    memcpy(s->place, &v, 8);
    return NULL;
}

static const char *put32(const struct reloc_site *s, uint64_t v, bool is_signed) {
    if (s->room < 4)
        return "a relocation lies outside its section";
    if (is_signed ? (int64_t)v != (int32_t)v : v != (uint32_t)v)
        return "a relocation does not fit in 32 bits";
    memcpy(s->place, &v, 4);
    return NULL;
}

const char *reloc_apply_x86_64(uint32_t type, const struct reloc_site *s) {
    uint64_t target = s->stub ? s->stub : s->symbol, a = (uint64_t)s->addend;
    switch (type) {
    case R_64:
        return put64(s, s->symbol + a);
    case R_PC64:
        return put64(s, s->symbol + a - s->pc);
    case R_32:
        return put32(s, s->symbol + a, false);
    case R_32S:
        return put32(s, s->symbol + a, true);
    case R_PC32:
    case R_PLT32:
        return put32(s, target + a - s->pc, true);
    case R_GOTPCREL:
    case R_GOTPCRELX:
    case R_REX_GOTPCRELX:
        return put32(s, s->got + a - s->pc, true);
    default:
        return "a relocation of a type that is not known";
    }
}

// jmp *got(%rip); the rest traps.
void stub_write_x86_64(uint8_t *p, uint64_t pc, uint64_t got) {
    int32_t distance = (int32_t)(got - (pc + 6));
    memset(p, 0xcc, STUB_BYTES);
    p[0] = 0xff;
    p[1] = 0x25;
    memcpy(p + 2, &distance, 4);
}
