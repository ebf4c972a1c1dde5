// Relocations of aarch64 (ELF for the Arm 64-bit Architecture): those of position-independent
// small-model code.
#include <string.h>

#include "device/code/code_loader.h"

enum {
    R_ABS64 = 257,
    R_ABS32 = 258,
    R_PREL64 = 260,
    R_PREL32 = 261,
    R_ADR_PREL_PG_HI21 = 275,
    R_ADD_ABS_LO12_NC = 277,
    R_LDST8_LO12 = 278,
    R_JUMP26 = 282,
    R_CALL26 = 283,
    R_LDST16_LO12 = 284,
    R_LDST32_LO12 = 285,
    R_LDST64_LO12 = 286,
    R_LDST128_LO12 = 299,
    R_ADR_GOT_PAGE = 311,
    R_LD64_GOT_LO12 = 312,
};

static const char outside[] = "a relocation lies outside its section";
static const char too_far[] = "a relocation does not reach its target";

unsigned reloc_needs_aarch64(uint32_t type, bool external) {
    switch (type) {
    case R_ABS64:
    case R_ABS32:
    case R_PREL64:
    case R_PREL32:
    case R_ADR_PREL_PG_HI21:
    case R_ADD_ABS_LO12_NC:
    case R_LDST8_LO12:
    case R_LDST16_LO12:
    case R_LDST32_LO12:
    case R_LDST64_LO12:
    case R_LDST128_LO12:
        return RELOC_NOTHING;
    case R_JUMP26:
    case R_CALL26:
        return external ? RELOC_STUB : RELOC_NOTHING;
    case R_ADR_GOT_PAGE:
    case R_LD64_GOT_LO12:
        return RELOC_GOT;
    default:
        return RELOC_UNKNOWN;
    }
}

static const char *put_data(const struct reloc_site *s, uint64_t v, unsigned bytes) {
    if (s->room < bytes)
        return outside;
    if (bytes == 4 && (int64_t)v != (int32_t)v && v != (uint32_t)v)
        return too_far;
    memcpy(s->place, &v, bytes);
    return NULL;
}

// Replaces the bits of `mask` in the instruction.
static const char *put_bits(const struct reloc_site *s, uint32_t mask, uint32_t bits) {
    uint32_t word;
    if (s->room < 4)
        return outside;
    memcpy(&word, s->place, 4);
    word = (word & ~mask) | (bits & mask);
    memcpy(s->place, &word, 4);
    return NULL;
}

static uint64_t page(uint64_t address) {
    return address & ~(uint64_t)0xfff;
}

static const char *put_page(const struct reloc_site *s, uint64_t target) {
    int64_t pages = (int64_t)(page(target) - page(s->pc)) >> 12;
    if (pages < -(1 << 20) || pages >= 1 << 20)
        return too_far;
    uint32_t imm = (uint32_t)pages;
    return put_bits(s, 0x60ffffe0, (imm & 3) << 29 | (imm >> 2 & 0x7ffff) << 5);
}

// The low 12 bits, divided by an access's size.
static const char *put_low12(const struct reloc_site *s, uint64_t target, unsigned shift) {
    if (target & ((1u << shift) - 1))
        return "a relocation's target is not aligned";
    return put_bits(s, 0xfff << 10, (uint32_t)(target & 0xfff) >> shift << 10);
}

static const char *put_branch(const struct reloc_site *s, uint64_t target) {
    int64_t distance = (int64_t)(target - s->pc);
    if (distance & 3 || distance < -(1 << 27) || distance >= 1 << 27)
        return too_far;
    return put_bits(s, 0x03ffffff, (uint32_t)(distance >> 2));
}

const char *reloc_apply_aarch64(uint32_t type, const struct reloc_site *s) {
    uint64_t v = s->symbol + (uint64_t)s->addend;
    switch (type) {
    case R_ABS64:
        return put_data(s, v, 8);
    case R_ABS32:
        return put_data(s, v, 4);
    case R_PREL64:
        return put_data(s, v - s->pc, 8);
    case R_PREL32:
        return put_data(s, v - s->pc, 4);
    case R_ADR_PREL_PG_HI21:
        return put_page(s, v);
    case R_ADR_GOT_PAGE:
        return put_page(s, s->got);
    case R_LD64_GOT_LO12:
        return put_low12(s, s->got, 3);
    case R_ADD_ABS_LO12_NC:
    case R_LDST8_LO12:
        return put_low12(s, v, 0);
    case R_LDST16_LO12:
        return put_low12(s, v, 1);
    case R_LDST32_LO12:
        return put_low12(s, v, 2);
    case R_LDST64_LO12:
        return put_low12(s, v, 3);
    case R_LDST128_LO12:
        return put_low12(s, v, 4);
    case R_JUMP26:
    case R_CALL26:
        return put_branch(s, s->stub ? s->stub + (uint64_t)s->addend : v);
    default:
        return "a relocation of a type that is not known";
    }
}

// adrp x16, got; ldr x16, [x16, :lo12:got]; br x16; brk
void stub_write_aarch64(uint8_t *p, uint64_t pc, uint64_t got) {
    uint32_t words[4] = {0x90000010, 0xf9400210, 0xd61f0200, 0xd4200020};
    memcpy(p, words, sizeof words);
    struct reloc_site s = {.place = p, .room = 4, .pc = pc};
    put_page(&s, got);
    s.place = p + 4;
    put_low12(&s, got, 3);
}
