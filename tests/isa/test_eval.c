// isa_eval against values worked out by hand from the PTX manual and from what hardware does
// (canonical NaNs, division by zero, saturation, flushing before rounding).
#include <stdio.h>
#include <string.h>

#include "isa/isa.h"
#include "isa/ops/all.h"

static unsigned failures, cases;

struct test {
    int line;
    isa_op op;
    enum isa_type ty, ty2;
    struct isa_mods m;
    uint64_t src[5];
    uint64_t want[2]; // the second result, where there is one
};

#define M(...) ((struct isa_mods){__VA_ARGS__})
#define S(...)                                                                                     \
    { __VA_ARGS__ }
#define T(op, ty, ty2, m, src, ...)                                                                \
    {                                                                                              \
        __LINE__, ISA_OP_##op, ISA_##ty, ISA_##ty2, m, src, {                                      \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define ONE 0x3f800000u
#define NAN32 0x7fffffffu
#define INF32 0x7f800000u
#define NAN64 0xfff8000000000000u
#define RN .rnd = ISA_RND_RN

static const struct test integers[] = {
    T(ADD, U32, VOID, M(0), S(0xffffffff, 1), 0),
    T(ADD, S16, VOID, M(0), S(0x7fff, 1), 0x8000),
    T(ADD, U32, VOID, M(0), S(0xdead00000001, 0xbeef00000002), 3),
    T(ADD, S32, VOID, M(.sat = true), S(0x7fffffff, 1), 0x7fffffff),
    T(SUB, S32, VOID, M(.sat = true), S(0x80000000, 1), 0x80000000),
    T(ADD, S16X2, VOID, M(0), S(0x7fff0001, 0x0001ffff), 0x80000000),
    T(SUB, S64, VOID, M(0), S(0, 1), ~0ull),
    T(ADD, U32, VOID, M(.cc = true), S(0xffffffff, 2), 1, 1),
    T(ADD, U32, VOID, M(.cc = true), S(0xfffffffe, 1), 0xffffffff, 0),
    T(ADDC, U32, VOID, M(.cc = true), S(0xffffffff, 0, 1), 0, 1),
    T(ADDC, U64, VOID, M(.cc = true), S(~0ull, ~0ull, 1), ~0ull, 1),
    T(SUB, U32, VOID, M(.cc = true), S(1, 2), 0xffffffff, 0),
    T(SUB, U32, VOID, M(.cc = true), S(2, 2), 0, 1),
    T(SUBC, U32, VOID, M(.cc = true), S(2, 2, 0), 0xffffffff, 0),
    T(SUBC, S64, VOID, M(.cc = true), S(2, 2, 1), 0, 1),
    T(SUBC, U64, VOID, M(0), S(5, 2, 0), 2),
    T(MUL, S32, VOID, M(.half = ISA_LO), S(0xffffffff, 7), 0xfffffff9),
    T(MUL, S32, VOID, M(.half = ISA_HI), S(0xffffffff, 7), 0xffffffff),
    T(MUL, U32, VOID, M(.half = ISA_HI), S(0xffffffff, 7), 6),
    T(MUL, U64, VOID, M(.half = ISA_HI), S(~0ull, ~0ull), ~1ull),
    T(MUL, S64, VOID, M(.half = ISA_HI), S(~0ull, ~0ull), 0),
    T(MUL, S16, VOID, M(.half = ISA_WIDE), S(0x8000, 2), 0xffff0000),
    T(MUL, U32, VOID, M(.half = ISA_WIDE), S(0xffffffff, 0xffffffff), 0xfffffffe00000001),
    T(MUL24, U32, VOID, M(.half = ISA_LO), S(0xff000003, 0x12000005), 15),
    T(MUL24, S32, VOID, M(.half = ISA_LO), S(0x00ffffff, 5), 0xfffffffb),
    T(MUL24, U32, VOID, M(.half = ISA_HI), S(0x00ffffff, 0x00ffffff), 0xfffffe00),
    T(MAD, S32, VOID, M(.half = ISA_LO), S(3, 4, 5), 17),
    T(MAD, U32, VOID, M(.half = ISA_WIDE), S(0xffffffff, 2, 1ull << 40),
      (1ull << 40) + 0x1fffffffe),
    T(MAD, S32, VOID, M(.half = ISA_HI, .sat = true), S(0x7fffffff, 0x7fffffff, 0x7fffffff),
      0x7fffffff),
    T(MAD, U32, VOID, M(.half = ISA_LO, .cc = true), S(0x10000, 0x10000, 5), 5, 0),
    T(MAD, U32, VOID, M(.half = ISA_HI, .cc = true), S(0x10000, 0x10000, 0xffffffff), 0, 1),
    T(MADC, U32, VOID, M(.half = ISA_HI), S(0x10000, 0x10000, 1, 1), 3),
    T(SAD, S32, VOID, M(0), S(0xfffffffe, 3, 10), 15),
    T(SAD, U32, VOID, M(0), S(3, 10, 1), 8),
    T(DIV, U32, VOID, M(0), S(7, 0), 0xffffffff),
    T(DIV, S32, VOID, M(0), S(7, 0), 0xffffffff),
    T(DIV, U64, VOID, M(0), S(7, 0), ~0ull),
    T(DIV, S32, VOID, M(0), S(0x80000000, 0xffffffff), 0x80000000),
    T(DIV, S32, VOID, M(0), S(0xfffffff9, 2), 0xfffffffd),
    T(DIV, S64, VOID, M(0), S(1ull << 63, ~0ull), 1ull << 63),
    T(REM, S32, VOID, M(0), S(0xfffffff9, 2), 0xffffffff),
    T(REM, S64, VOID, M(0), S(1ull << 63, ~0ull), 0),
    T(REM, U16, VOID, M(0), S(1000, 7), 6),
    T(ABS, S32, VOID, M(0), S(0x80000000), 0x80000000),
    T(ABS, S16, VOID, M(0), S(0xfffe), 2),
    T(NEG, S64, VOID, M(0), S(5), ~4ull),
    T(MIN, S32, VOID, M(0), S(0xffffffff, 1), 0xffffffff),
    T(MIN, U32, VOID, M(0), S(0xffffffff, 1), 1),
    T(MAX, S16X2, VOID, M(0), S(0xffff0001, 0x0001ffff), 0x00010001),
    T(MAX, S32, VOID, M(.relu = true), S(0xffffffff, 0xfffffffe), 0),
    T(NOT, PRED, VOID, M(0), S(1), 0),
    T(XOR, PRED, VOID, M(0), S(1, 0), 1),
    T(CNOT, B32, VOID, M(0), S(0), 1),
    T(CNOT, B16, VOID, M(0), S(4), 0),
};

// The fourth operand: which parts (isa/video.h).
#define V(ty, ...) M(.ty3 = ISA_##ty, __VA_ARGS__)
static const struct test video[] = {
    T(VADD, U32, U32, V(U32), S(0xffffffff, 2, 0, 0), 1),
    T(VADD, U32, U32, V(U32, .sat = true), S(0xffffffff, 2, 0, 0), 1), // not above u32
    T(VADD, U32, S32, V(S32, .sat = true), S(0xffffffff, 0xfffffffe, 0, 0), 0),
    T(VADD, S32, U32, V(U32, .sat = true), S(0x7fffffff, 2, 0, 0), 0x7fffffff),
    T(VADD, S32, S32, V(U32), S(0x00ff0000, 0x8000, 0, 0x053), 0x7fff), // b2 as -1, h0
    T(VADD, S32, U32, V(S32, .atom = ISA_ATOM_ADD), S(5, 0xffffffff, 100, 0), 104),
    T(VADD, S32, U32, V(U32, .sat = true), S(100, 100, 0x11223344, 0x200), 0x11227f44),
    T(VADD, U32, U32, V(U32), S(0x1234, 0x4321, 0xaaaabbbb, 0x500), 0xaaaa5555),
    T(VSUB, S32, U32, V(U32), S(1, 3, 0, 0), 0xfffffffe),
    T(VSUB, U32, U32, V(U32, .sat = true), S(1, 3, 0, 0), 0),
    T(VSUB, U32, U32, V(U32, .atom = ISA_ATOM_MIN), S(1, 3, 7, 0), 7),
    T(VABSDIFF, U32, S32, V(S32), S(0x80000000, 0x7fffffff, 0, 0), 0xffffffff),
    T(VABSDIFF, S32, S32, V(S32, .sat = true), S(0x80000000, 0x7fffffff, 0, 0), 0x7fffffff),
    T(VMIN, S32, S32, V(U32), S(0xffffffff, 0, 0, 0), 0xffffffff),
    T(VMAX, S32, S32, V(U32), S(0xffffffff, 0x80000000, 0, 0), 0x80000000),
    T(VMAX, S32, S32, V(S32, .atom = ISA_ATOM_MAX), S(0xfffffff0, 0xfffffff1, 0xfffffff5, 0),
      0xfffffff5),
    T(VSHL, U32, U32, V(U32, .mode = ISA_SZEXT_CLAMP), S(1, 31, 0, 0), 0x80000000),
    T(VSHL, U32, U32, V(U32, .mode = ISA_SZEXT_CLAMP), S(1, 99, 0, 0), 0),
    T(VSHL, U32, U32, V(U32, .mode = ISA_SZEXT_CLAMP, .sat = true), S(1, 99, 0, 0), 0xffffffff),
    T(VSHL, S32, S32, V(U32, .mode = ISA_SZEXT_CLAMP, .sat = true), S(0xffffffff, 32, 0, 0),
      0x80000000),
    T(VSHL, U32, U32, V(U32, .mode = ISA_SZEXT_WRAP), S(3, 33, 0, 0), 6),
    T(VSHR, S32, S32, V(U32, .mode = ISA_SZEXT_CLAMP), S(0x8000, 4, 0, 0x005), 0xfffff800),
    T(VSHR, U32, U32, V(U32, .mode = ISA_SZEXT_CLAMP), S(0xffffffff, 32, 0, 0), 0),
    T(VMAD, U32, U32, V(U32), S(7, 6, 5, 0), 47),
    T(VMAD, U32, U32, V(U32, .po = true), S(7, 6, 5, 0), 48),
    T(VMAD, S32, U32, V(U32), S(7, 6, 5, 0x1000), 0xffffffdb), // -42 + 5
    T(VMAD, S32, U32, V(U32), S(7, 6, 5, 0x3000), 47),
    T(VMAD, S32, U32, V(U32), S(7, 6, 50, 0x4000), 0xfffffff8), // 42 - 50
    T(VMAD, U32, U32, V(U32, .scale = 7), S(0x100, 0x100, 0x80, 0), 0x201),
    T(VMAD, S32, S32, V(U32, .scale = 15), S(0xffff8000, 3, 0, 0), 0xfffffffd),
    T(VMAD, U32, U32, V(U32, .sat = true), S(0x10000, 0x10000, 0, 0), 0xffffffff),
    T(VMAD, S32, S32, V(S32, .sat = true), S(0x80000000, 0x7fffffff, 0, 0), 0x80000000),
    T(VSET, S32, U32, M(.cmp = ISA_CMP_LT), S(0xffffffff, 0, 0, 0), 1),
    T(VSET, U32, U32, M(.cmp = ISA_CMP_LT), S(0xffffffff, 0, 0, 0), 0),
    T(VSET, U32, U32, M(.cmp = ISA_CMP_GE, .atom = ISA_ATOM_ADD), S(3, 3, 9, 0), 10),
    T(VSET, U32, U32, M(.cmp = ISA_CMP_EQ), S(0x0500, 5, 0x11223344, 0x312), 0x11013344),
    // Where an H100's results depart from the manual; all but the first are from its recording.
    T(VSUB, U32, U32, V(U32, .atom = ISA_ATOM_MAX), S(1, 3, 7, 0), 0xfffffffe),
    T(VADD, U32, U32, V(U32, .sat = true), S(0xffffffff, 1, 0, 0x010), 0),
    T(VADD, S32, S32, V(U32), S(1, 0, 0x7fff7f7f, 0x635), 0x00007f7f),
    T(VADD, S32, S32, V(U32), S(0xffffffff, 0, 0x7fff7f7f, 0x635), 0xffff7f7f),
    T(VADD, U32, U32, V(S32, .atom = ISA_ATOM_MIN), S(0, 0xffffffff, 0, 0x020), 0),
    T(VADD, U32, S32, V(U32, .atom = ISA_ATOM_MIN), S(0xffffffff, 0, 0xff, 0x005), 0xff),
    T(VSUB, U32, S32, V(U32, .sat = true), S(0xffffffff, 0, 0x40, 0x503), 0x0000ffff),
    T(VABSDIFF, S32, U32, V(U32, .atom = ISA_ATOM_MIN), S(0xffffffff, 0, 0x20, 0x040), 0x20),
    T(VSHL, U32, U32, V(U32, .mode = ISA_SZEXT_CLAMP, .sat = true), S(0xffffffff, 255, 0, 0x010),
      0),
    T(VSHL, S32, U32, V(U32, .mode = ISA_SZEXT_CLAMP, .atom = ISA_ATOM_MAX),
      S(1, 0xffffffff, 7, 0x041), 0),
    T(VSHL, U32, U32, V(U32, .mode = ISA_SZEXT_CLAMP, .atom = ISA_ATOM_MIN),
      S(1, 0xffffffff, 0x40, 0x020), 0x40),
    T(VSHR, S32, U32, V(U32, .mode = ISA_SZEXT_CLAMP, .sat = true), S(0xff, 0, 0, 0x120), 0xff),
    T(VMAD, U32, U32, V(U32, .scale = 15), S(0xffffffff, 0xffffffff, 0, 0x020), 0xffffffff),
    T(VMAD, U32, U32, V(U32, .po = true, .sat = true), S(1, 1, 0x80000000, 0x035), 0),
    T(VMAD, U32, U32, V(U32, .po = true, .sat = true, .scale = 7), S(1, 1, 0x80008080, 0x024),
      0xffffffff),
    T(VSET, S32, U32, M(.cmp = ISA_CMP_EQ, .atom = ISA_ATOM_MAX), S(0, 0, 0xffffffff, 0x010), 1),
    // Elements in order, or as the selector says; every element written, or some.
    T(VADD4, U32, U32, V(U32), S(0x01020304, 0x10ff2030, 0, 0xffac688), 0x11012334),
    T(VADD4, U32, U32, V(U32, .sat = true), S(0x01020304, 0x10ff2030, 0, 0xffac688), 0x11ff2334),
    T(VADD4, S32, S32, V(S32, .sat = true), S(0x7f800102, 0x01ff0202, 0, 0xffac688), 0x7f800304),
    T(VADD4, U32, U32, V(U32), S(0x01020304, 0x10203040, 0xaabbccdd, 0x5fac688), 0xaa22cc44),
    T(VADD4, U32, U32, V(U32, .atom = ISA_ATOM_ADD), S(0x01020304, 0xff000000, 1, 0xffac688), 266),
    T(VADD4, U32, U32, V(U32), S(0x01020304, 0x10203040, 0, 0xf688fac), 0x11223344),
    T(VADD2, U32, U32, V(U32), S(0x0001ffff, 0x00020003, 0, 0x301a008), 0x00030002),
    T(VSUB2, S32, S32, V(S32, .sat = true), S(0x80000001, 0x00010002, 0, 0x301a008), 0x8000ffff),
    T(VSUB4, S32, U32, V(U32, .atom = ISA_ATOM_ADD), S(0, 0x01010101, 0, 0xffac688), 0xfffffffc),
    T(VAVRG4, U32, U32, V(U32), S(0x0105ff00, 0x0204ff00, 0, 0xffac688), 0x0205ff00),
    T(VAVRG2, S32, S32, V(S32), S(0xfffd0001, 0xfffe0002, 0, 0x301a008), 0xfffd0002), // -5 / 2
    T(VABSDIFF4, U32, U32, V(U32), S(0x00ff1020, 0xff002010, 0, 0xffac688), 0xffff1010),
    T(VABSDIFF4, U32, U32, V(U32, .atom = ISA_ATOM_ADD), S(0x00ff1020, 0xff002010, 1, 0xffac688),
      543),
    T(VMIN4, S32, S32, V(S32), S(0x80017f00, 0x0002ff01, 0, 0xffac688), 0x8001ff00),
    T(VMAX2, U32, U32, V(U32), S(0x8000ffff, 0x00011234, 0, 0x301a008), 0x8000ffff),
    T(VSET4, S32, S32, M(.cmp = ISA_CMP_LT), S(0x80017f00, 0x0002ff01, 0, 0xffac688), 0x01010001),
    T(VSET2, U32, U32, M(.cmp = ISA_CMP_NE, .atom = ISA_ATOM_ADD),
      S(0x00010002, 0x00010003, 8, 0x301a008), 9),
};

static const struct test bits[] = {
    T(POPC, B64, VOID, M(0), S(~0ull), 64),
    T(POPC, B32, VOID, M(0), S(0xff000000f0), 4),
    T(CLZ, B32, VOID, M(0), S(0), 32),
    T(CLZ, B32, VOID, M(0), S(1), 31),
    T(CLZ, B64, VOID, M(0), S(0), 64),
    T(BFIND, U32, VOID, M(0), S(0x00010000), 16),
    T(BFIND, U32, VOID, M(.shiftamt = true), S(0x00010000), 15),
    T(BFIND, S32, VOID, M(0), S(0xffffffff), 0xffffffff),
    T(BFIND, S32, VOID, M(0), S(0xfffffffe), 0),
    T(BFIND, S64, VOID, M(0), S(0x8000000000000000), 62),
    T(BREV, B32, VOID, M(0), S(1), 0x80000000),
    T(BREV, B64, VOID, M(0), S(2), 0x4000000000000000),
    T(BFE, U32, VOID, M(0), S(0x12345678, 8, 8), 0x56),
    T(BFE, S32, VOID, M(0), S(0x00008000, 8, 8), 0xffffff80),
    T(BFE, U32, VOID, M(0), S(0x12345678, 0, 0), 0),
    T(BFE, S32, VOID, M(0), S(0x80000000, 28, 8), 0xfffffff8),
    T(BFE, U32, VOID, M(0), S(0x80000000, 28, 8), 8),
    T(BFE, S32, VOID, M(0), S(0x80000000, 40, 8), 0xffffffff),
    T(BFE, U64, VOID, M(0), S(~0ull, 60, 255), 15),
    T(BFE, U64, VOID, M(0), S(~0ull, 256, 8), 0),
    T(BFE, U32, VOID, M(0), S(~0u, 256, 8), 0xff),
    T(BFI, B32, VOID, M(0), S(0xff, 0, 8, 4), 0xf00),
    T(BFI, B32, VOID, M(0), S(0xff, 0x12345678, 32, 4), 0x12345678),
    T(BFI, B64, VOID, M(0), S(5, ~0ull, 62, 8), 0x7fffffffffffffff),
    T(BMSK, B32, VOID, M(.mode = ISA_SZEXT_CLAMP), S(4, 8), 0xff0),
    T(BMSK, B32, VOID, M(.mode = ISA_SZEXT_CLAMP), S(40, 8), 0),
    T(BMSK, B32, VOID, M(.mode = ISA_SZEXT_WRAP), S(36, 40), 0xff0),
    T(SZEXT, S32, VOID, M(.mode = ISA_SZEXT_CLAMP), S(0xf8, 8), 0xfffffff8),
    T(SZEXT, U32, VOID, M(.mode = ISA_SZEXT_WRAP), S(0xfff8, 40), 0xf8),
    T(FNS, B32, VOID, M(0), S(0xa5, 0, 1), 0),
    T(FNS, B32, VOID, M(0), S(0xa5, 0, 3), 5),
    T(FNS, B32, VOID, M(0), S(0xa5, 6, 0xffffffff), 5),
    T(FNS, B32, VOID, M(0), S(0xa5, 1, 0), 0xffffffff),
    T(FNS, B32, VOID, M(0), S(0xa5, 0, 9), 0xffffffff),
    T(FNS, B32, VOID, M(0), S(0xa5, 0, 0x80000000), 0),
    T(DP4A, U32, U32, M(0), S(0x01020304, 0x01010101, 5), 15),
    T(DP4A, S32, S32, M(0), S(0xff020304, 0x7f010101, 0), (uint32_t)(9 - 127)),
    T(DP4A, U32, S32, M(0), S(0xff000000, 0xff000000, 0), (uint32_t)-255),
    T(DP2A, S32, S32, M(.half = ISA_LO), S(0x0003fffe, 0x09080502, 1), 12),
    T(DP2A, S32, S32, M(.half = ISA_HI), S(0x0003fffe, 0x09080502, 1), 12),
    T(SHL, B32, VOID, M(0), S(1, 31), 0x80000000),
    T(SHL, B32, VOID, M(0), S(1, 32), 0),
    T(SHL, B16, VOID, M(0), S(0x8001, 1), 2),
    T(SHL, B64, VOID, M(0), S(1, 0xffffffff), 0),
    T(SHR, S32, VOID, M(0), S(0x80000000, 99), 0xffffffff),
    T(SHR, U32, VOID, M(0), S(0x80000000, 32), 0),
    T(SHR, S16, VOID, M(0), S(0x8000, 3), 0xf000),
    T(SHR, B64, VOID, M(0), S(1ull << 63, 63), 1),
    T(SHR, U64, VOID, M(0), S(1ull << 63, 64), 0),
    T(SHF, B32, VOID, M(.mode = ISA_SHF_L_WRAP), S(0x80000001, 0x12345678, 4), 0x23456788),
    T(SHF, B32, VOID, M(.mode = ISA_SHF_L_CLAMP), S(0xaaaaaaaa, 0x12345678, 40), 0xaaaaaaaa),
    T(SHF, B32, VOID, M(.mode = ISA_SHF_R_WRAP), S(0x12345678, 0x0000000f, 36), 0xf1234567),
    T(SHF, B32, VOID, M(.mode = ISA_SHF_R_CLAMP), S(1, 0xbbbbbbbb, 32), 0xbbbbbbbb),
    T(LOP3, B32, VOID, M(0), S(0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x96), 0x96969696),
    T(LOP3, B32, VOID, M(.boolop = ISA_BOOL_OR), S(0xf0, 0xcc, 0xaa, 0x80, 0), 0x80, 1),
    T(LOP3, B32, VOID, M(.boolop = ISA_BOOL_AND), S(0xf0, 0xcc, 0xaa, 0x80, 0), 0x80, 0),
    T(PRMT, B32, VOID, M(0), S(0x33221100, 0x77665544, 0x7531), 0x77553311),
    T(PRMT, B32, VOID, M(0), S(0x000080ff, 0, 0x9a80), 0xff00ffff),
    T(PRMT, B32, VOID, M(.mode = ISA_PRMT_F4E), S(0x33221100, 0x77665544, 1), 0x44332211),
    T(PRMT, B32, VOID, M(.mode = ISA_PRMT_B4E), S(0x33221100, 0x77665544, 1), 0x66770011),
    T(PRMT, B32, VOID, M(.mode = ISA_PRMT_RC8), S(0x33221100, 0, 2), 0x22222222),
    T(PRMT, B32, VOID, M(.mode = ISA_PRMT_ECL), S(0x33221100, 0, 2), 0x33222222),
    T(PRMT, B32, VOID, M(.mode = ISA_PRMT_ECR), S(0x33221100, 0, 2), 0x22221100),
    T(PRMT, B32, VOID, M(.mode = ISA_PRMT_RC16), S(0x33221100, 0, 1), 0x33223322),
    T(MOV_PACK, B64, VOID, M(.vec = 2), S(0x11111111, 0x22222222), 0x2222222211111111),
    T(MOV_PACK, B32, VOID, M(.vec = 4), S(0xaa11, 0x22, 0x33, 0x44), 0x44332211),
    T(MOV_UNPACK, B64, VOID, M(.vec = 2), S(0x2222222211111111), 0x11111111, 0x22222222),
    T(MOV_UNPACK, B32, VOID, M(.vec = 2), S(0x87654321), 0x4321, 0x8765),
    T(MOV, U16, VOID, M(0), S(0x12345678), 0x5678),
    T(MOV, PRED, VOID, M(0), S(1), 1),
};

static const struct test floats[] = {
    T(ADD, F32, VOID, M(0), S(ONE, ONE), 0x40000000),
    T(ADD, F32, VOID, M(0), S(0x7fc01234, ONE), NAN32),
    T(ADD, F32, VOID, M(0), S(INF32, 0xff800000), NAN32),
    T(ADD, F32, VOID, M(.rnd = ISA_RND_RP), S(ONE, 1), ONE + 1),
    T(ADD, F32, VOID, M(.rnd = ISA_RND_RM), S(ONE, 0xbf800000), 0x80000000),
    T(ADD, F32, VOID, M(.rnd = ISA_RND_RZ), S(0x7f7fffff, 0x7f7fffff), 0x7f7fffff),
    T(ADD, F32, VOID, M(.sat = true), S(ONE, ONE), ONE),
    T(ADD, F32, VOID, M(.sat = true), S(NAN32, ONE), 0),
    T(ADD, F32, VOID, M(.sat = true), S(0xbf800000, 0), 0),
    T(ADD, F32, VOID, M(.ftz = true), S(0x80000001, 0x80000001), 0x80000000),
    T(ADD, F64, VOID, M(0), S(0x7ff0000000000001, 0x7ff8000000000abc), 0x7ff8000000000abc),
    T(ADD, F64, VOID, M(0), S(0x7ff0000000000123, 0x3ff0000000000000), 0x7ff8000000000123),
    T(MUL, F64, VOID, M(0), S(0xfff8000000000001, 0x7ff8000000000002), 0x7ff8000000000002),
    T(DIV, F64, VOID, M(RN), S(0xfff8000000000001, 0x7ff8000000000002), 0xfff8000000000001),
    T(DIV, F64, VOID, M(RN), S(0, 0), NAN64),
    // 2^-126 * (1 - 2^-24) rounds to 2^-126 but is flushed: the exact product is below it.
    T(MUL, F32, VOID, M(.ftz = true), S(0x00800000, 0x3f7fffff), 0),
    T(MUL, F32, VOID, M(0), S(0x00800000, 0x3f7fffff), 0x00800000),
    T(FMA, F32, VOID, M(RN, .ftz = true), S(0x00800000, 0x3f7fffff, 0), 0),
    T(FMA, F32, VOID, M(RN, .ftz = true), S(0x00800400, 0x3f7ff800, 0), 0x00800000),
    T(DIV, F32, VOID, M(RN, .ftz = true), S(0x00ffffff, 0x40000000), 0),
    T(DIV, F32, VOID, M(RN), S(0x00ffffff, 0x40000000), 0x00800000),
    T(RCP, F32, VOID, M(RN, .ftz = true), S(0x7e800001), 0),
    T(RCP, F32, VOID, M(RN), S(0x40400000), 0x3eaaaaab),
    T(RCP, F32, VOID, M(.approx = true), S(0), INF32),
    T(RCP, F32, VOID, M(.approx = true, .ftz = true), S(1), INF32),
    T(RCP, F64, VOID, M(.approx = true, .ftz = true), S(0x4000000000000000), 0x3fe0000000000000),
    T(SQRT, F32, VOID, M(RN), S(0x40800000), 0x40000000),
    T(SQRT, F32, VOID, M(RN), S(0xbf800000), NAN32),
    T(SQRT, F32, VOID, M(RN), S(0x80000000), 0x80000000),
    T(SQRT, F32, VOID, M(.rnd = ISA_RND_RP), S(0x40000000), 0x3fb504f4),
    T(SQRT, F32, VOID, M(.rnd = ISA_RND_RM), S(0x40000000), 0x3fb504f3),
    T(RSQRT, F32, VOID, M(.approx = true), S(0x40800000), 0x3f000000),
    T(RSQRT, F32, VOID, M(.approx = true), S(0x80000000), 0xff800000),
    T(RSQRT, F64, VOID, M(.approx = true), S(0x4010000000000000), 0x3fe0000000000000),
    T(SIN, F32, VOID, M(.approx = true), S(0x80000000), 0x80000000),
    T(SIN, F32, VOID, M(.approx = true), S(INF32), NAN32),
    T(COS, F32, VOID, M(.approx = true), S(0), ONE),
    T(LG2, F32, VOID, M(.approx = true), S(0), 0xff800000),
    T(LG2, F32, VOID, M(.approx = true), S(0x41000000), 0x40400000),
    T(LG2, F32, VOID, M(.approx = true, .ftz = true), S(1), 0xff800000),
    T(LG2, F32, VOID, M(.approx = true), S(1), 0xc3150000),
    T(LG2, F32, VOID, M(.approx = true), S(0xbf800000), NAN32),
    T(EX2, F32, VOID, M(.approx = true), S(0x40400000), 0x41000000),
    T(EX2, F32, VOID, M(.approx = true), S(0xff800000), 0),
    T(EX2, F32, VOID, M(.approx = true), S(0x43000000), INF32),
    T(EX2, F32, VOID, M(.approx = true), S(0xc3150000), 1),
    T(EX2, F32, VOID, M(.approx = true, .ftz = true), S(0xc3150000), 0),
    T(EX2, F16, VOID, M(.approx = true), S(0x4200), 0x4800),
    T(EX2, F16X2, VOID, M(.approx = true), S(0x42000000), 0x48003c00),
    T(TANH, F32, VOID, M(.approx = true), S(0x42c80000), ONE),
    T(TANH, F32, VOID, M(.approx = true), S(0x80000000), 0x80000000),
    T(FMA, F32, VOID, M(RN), S(0x3f800001, 0x3f800001, 0xbf800002), 0x28800000),
    T(FMA, F32, VOID, M(RN), S(INF32, 0, ONE), NAN32),
    T(FMA, F16, VOID, M(RN, .relu = true), S(0x3c00, 0xbc00, 0), 0),
    T(FMA, BF16, VOID, M(RN), S(0x3f80, 0x4000, 0x3f80), 0x4040),
    T(FMA, F16, VOID, M(RN), S(0x7c00, 0, 0), 0x7fff),
    T(ADD, F16, VOID, M(0), S(0x3c00, 0x1000), 0x3c00),
    T(ADD, F16, VOID, M(0), S(0x3c01, 0x1000), 0x3c02),
    T(ADD, F16X2, VOID, M(0), S(0x3c007bff, 0x40007bff), 0x42007c00),
    T(MUL, BF16X2, VOID, M(0), S(0x3f804000, 0xbf804040), 0xbf8040c0),
    T(ABS, F32, VOID, M(0), S(0xff800001), NAN32),
    T(NEG, F32, VOID, M(0), S(0x7f800001), NAN32),
    T(NEG, F32, VOID, M(.ftz = true), S(1), 0x80000000),
    T(NEG, F64, VOID, M(0), S(0), 1ull << 63),
    T(NEG, F64, VOID, M(0), S(0xfff4cba987654321), 0xfffccba987654321),
    T(ABS, F64, VOID, M(0), S(0xfff8cba987654321), 0xfff8cba987654321),
    T(NEG, F16, VOID, M(0), S(0xfe01), 0x7fff),
    T(MIN, F32, VOID, M(0), S(0x80000000, 0), 0x80000000),
    T(MAX, F32, VOID, M(0), S(0x80000000, 0), 0),
    T(MIN, F32, VOID, M(0), S(NAN32, ONE), ONE),
    T(MIN, F32, VOID, M(0), S(0x7f800001, 0xffffffff), NAN32),
    T(MAX, F32, VOID, M(.nan = true), S(ONE, 0x7fc00000), NAN32),
    T(MAX, F32, VOID, M(.xorsign_abs = true), S(0xc0000000, ONE), 0xc0000000),
    T(MIN, F64, VOID, M(0), S(0x7ff8000000000001, 0x7ff8000000000002), 0x7ff8000000000002),
    T(MAX, BF16, VOID, M(0), S(0x7fc0, 0xbf80), 0xbf80),
    T(COPYSIGN, F32, VOID, M(0), S(0x80000000, ONE), 0xbf800000),
    T(TESTP, F32, VOID, M(.mode = ISA_TESTP_SUBNORMAL), S(1), 1),
    T(TESTP, F64, VOID, M(.mode = ISA_TESTP_FINITE), S(0x7ff0000000000000), 0),
    T(TESTP, F32, VOID, M(.mode = ISA_TESTP_NORMAL), S(0), 1),
    T(TESTP, F32, VOID, M(.mode = ISA_TESTP_NORMAL), S(1), 0),
    T(TESTP, F32, VOID, M(.mode = ISA_TESTP_NOTANUMBER), S(0xffc00000), 1),
};

static const struct test comparisons[] = {
    T(SETP, S32, VOID, M(.cmp = ISA_CMP_LT), S(0xffffffff, 0), 1, 0),
    T(SETP, U32, VOID, M(.cmp = ISA_CMP_LT), S(0xffffffff, 0), 0, 1),
    T(SETP, U32, VOID, M(.cmp = ISA_CMP_HS), S(5, 5), 1, 0),
    T(SETP, F32, VOID, M(.cmp = ISA_CMP_NE), S(NAN32, 0), 0, 1),
    T(SETP, F32, VOID, M(.cmp = ISA_CMP_NEU), S(NAN32, 0), 1, 0),
    T(SETP, F32, VOID, M(.cmp = ISA_CMP_EQ), S(0x80000000, 0), 1, 0),
    T(SETP, F32, VOID, M(.cmp = ISA_CMP_EQ, .ftz = true), S(0x80000001, 2), 1, 0),
    T(SETP, F64, VOID, M(.cmp = ISA_CMP_NUM), S(0, NAN64), 0, 1),
    T(SETP, S32, VOID, M(.cmp = ISA_CMP_EQ, .boolop = ISA_BOOL_AND), S(1, 1, 0), 0, 0),
    T(SETP, S32, VOID, M(.cmp = ISA_CMP_EQ, .boolop = ISA_BOOL_XOR), S(1, 1, 1), 0, 1),
    T(SETP, F16, VOID, M(.cmp = ISA_CMP_GT), S(0xbc00, 0xc000), 1, 0),
    T(SETP, F16X2, VOID, M(.cmp = ISA_CMP_LT), S(0x3c004000, 0x40003c00), 0, 1),
    T(SET, U32, S32, M(.cmp = ISA_CMP_LT), S(0xffffffff, 0), 0xffffffff),
    T(SET, F32, F32, M(.cmp = ISA_CMP_LT), S(0, ONE), ONE),
    T(SET, S32, F32, M(.cmp = ISA_CMP_NAN), S(0, ONE), 0),
    T(SET, F16X2, F16X2, M(.cmp = ISA_CMP_EQ), S(0x3c004000, 0x3c003c00), 0x3c000000),
    T(SET, U32, F16X2, M(.cmp = ISA_CMP_EQ), S(0x3c004000, 0x3c003c00), 0xffff0000),
    T(SET, U16, F16, M(.cmp = ISA_CMP_EQ), S(0, 0x8000), 0xffff),
    T(SELP, B64, VOID, M(0), S(~0ull, 5, 0), 5),
    T(SELP, S16, VOID, M(0), S(0xffff, 5, 1), 0xffff),
    T(SLCT, U32, S32, M(0), S(1, 2, 0x80000000), 2),
    T(SLCT, U32, F32, M(0), S(1, 2, 0x80000000), 1),
    T(SLCT, U32, F32, M(0), S(1, 2, NAN32), 2),
    T(SLCT, U32, F32, M(.ftz = true), S(1, 2, 0x80000001), 1),
};

static const struct test conversions[] = {
    T(CVT, S32, S8, M(0), S(0xff), 0xffffffff),
    T(CVT, U64, S32, M(0), S(0x80000000), 0xffffffff80000000),
    T(CVT, U8, S32, M(.sat = true), S(0xffffffff), 0),
    T(CVT, S8, S32, M(.sat = true), S(200), 0x7f),
    T(CVT, S8, U32, M(.sat = true), S(0xffffffff), 0x7f),
    T(CVT, S32, U64, M(.sat = true), S(~0ull), 0x7fffffff),
    T(CVT, S64, U64, M(.sat = true), S(~0ull), 0x7fffffffffffffff),
    T(CVT, S32, F32, M(.rnd = ISA_RND_RZI), S(0x4f000000), 0x7fffffff),
    T(CVT, S32, F32, M(.rnd = ISA_RND_RZI), S(NAN32), 0),
    T(CVT, S32, F64, M(.rnd = ISA_RND_RZI), S(NAN64), 0x80000000),
    T(CVT, U16, F64, M(.rnd = ISA_RND_RZI), S(NAN64), 0x8000),
    T(CVT, S64, F64, M(.rnd = ISA_RND_RZI), S(NAN64), 1ull << 63),
    T(CVT, U64, F64, M(.rnd = ISA_RND_RZI), S(NAN64), 1ull << 63),
    T(CVT, S64, F32, M(.rnd = ISA_RND_RZI), S(NAN32), 1ull << 63),
    T(CVT, U32, F32, M(.rnd = ISA_RND_RZI), S(0xbf800000), 0),
    T(CVT, U8, F32, M(.rnd = ISA_RND_RZI), S(0x43960000), 0xff),
    T(CVT, S16, F32, M(.rnd = ISA_RND_RNI), S(0xc7000100), 0x8000),
    T(CVT, S32, F32, M(.rnd = ISA_RND_RNI), S(0x40200000), 2),
    T(CVT, S32, F32, M(.rnd = ISA_RND_RPI), S(0x40200000), 3),
    T(CVT, S32, F32, M(.rnd = ISA_RND_RMI), S(0xc0200000), 0xfffffffd),
    T(CVT, S32, F32, M(.rnd = ISA_RND_RPI), S(1), 1),
    T(CVT, S32, F32, M(.rnd = ISA_RND_RPI, .ftz = true), S(1), 0),
    T(CVT, U64, F32, M(.rnd = ISA_RND_RZI), S(0x5f800000), ~0ull),
    T(CVT, F32, S32, M(RN), S(0x01000001), 0x4b800000),
    T(CVT, F32, S32, M(.rnd = ISA_RND_RP), S(0x01000001), 0x4b800001),
    T(CVT, F32, U64, M(RN), S(~0ull), 0x5f800000),
    T(CVT, F16, S32, M(RN), S(100000), 0x7c00),
    T(CVT, F64, S32, M(RN), S(0xffffffff), 0xbff0000000000000),
    T(CVT, F32, F64, M(RN), S(0x3810000000000000), 0x00800000),
    // just below 2^-126: rounds up to it, flushed with .ftz
    T(CVT, F32, F64, M(RN), S(0x380fffffffffffff), 0x00800000),
    T(CVT, F32, F64, M(RN, .ftz = true), S(0x380fffffffffffff), 0x00800000),
    T(CVT, F32, F64, M(RN, .ftz = true), S(0x380fffffefffffff), 0),
    T(CVT, F32, F64, M(RN), S(0xfff4cba987654321), 0xffe65d4c),
    T(CVT, F16, F64, M(RN), S(0x7ff8123456789abc), 0x7e04),
    T(CVT, F64, F32, M(.ftz = true), S(0xffa54321), 0x7fffffffe0000000),
    T(CVT, F32, F32, M(0), S(0xffa54321), 0xffa54321),
    T(CVT, TF32, F32, M(.rnd = ISA_RND_RNA), S(0xffa54321), 0xffa54000),
    T(CVT, F16, F32, M(.rnd = ISA_RND_RP, .ftz = true), S(1), 1),
    T(CVT, F32, F64, M(.rnd = ISA_RND_RZ), S(0x7fefffffffffffff), 0x7f7fffff),
    T(CVT, F64, F32, M(0), S(1), 0x36a0000000000000),
    T(CVT, F64, F32, M(.ftz = true), S(1), 0),
    T(CVT, F16, F32, M(RN), S(0x477ff000), 0x7c00),
    T(CVT, F16, F32, M(RN, .satfinite = true), S(0x477ff000), 0x7bff),
    T(CVT, F16, F32, M(.rnd = ISA_RND_RZ), S(0x477ff000), 0x7bff),
    T(CVT, F16, F32, M(RN), S(0x33000000), 0),
    T(CVT, F16, F32, M(RN), S(0x33000001), 1),
    T(CVT, F32, F16, M(0), S(1), 0x33800000),
    T(CVT, F32, F16, M(0), S(0xfe00), NAN32),
    T(CVT, BF16, F32, M(RN), S(0x3f808000), 0x3f80),
    T(CVT, BF16, F32, M(RN), S(0x3f818000), 0x3f82),
    T(CVT, F32, BF16, M(0), S(0x7fc0), 0x7fc00000),
    T(CVT, F32, F32, M(.rnd = ISA_RND_RMI), S(0xbf000000), 0xbf800000),
    T(CVT, F32, F32, M(.rnd = ISA_RND_RPI), S(0xbf000000), 0x80000000),
    T(CVT, F32, F32, M(.sat = true), S(NAN32), 0),
    T(CVT, F64, F64, M(.rnd = ISA_RND_RNI), S(0x4004000000000000), 0x4000000000000000),
    T(CVT, F16X2, F32, M(RN), S(ONE, 0x40000000), 0x3c004000),
    T(CVT, BF16X2, F32, M(RN, .relu = true), S(0xbf800000, 0x40000000), 0x00004000),
    T(CVT, TF32, F32, M(.rnd = ISA_RND_RNA), S(0x3f801000), 0x3f802000),
    T(CVT, TF32, F32, M(RN), S(0x3f801000), 0x3f800000),
    T(CVT, E4M3X2, F32, M(RN, .satfinite = true), S(0x47000000, ONE), 0x7e38),
    T(CVT, E5M2X2, F32, M(RN, .satfinite = true), S(0xc0000000, NAN32), 0xc07f),
    T(CVT, F16X2, E4M3X2, M(RN), S(0x7f38), 0x7fff3c00),
    T(CVT, F16X2, E5M2X2, M(RN), S(0x7c01), 0x7c000100),
    T(CVT_PACK, S16, S32, M(.sat = true), S(70000, 0xffff0000), 0x7fff8000),
    T(CVT_PACK, U8, S32, M(.sat = true), S(300, 5, 0x11112222), 0x2222ff05),
    T(CVT_PACK, S32, B32, M(.sat = true, .mask = 4), S(99, 5, 0x11223344), 0x223344f5),
    T(CVT_PACK, S32, B32, M(.sat = true, .mask = 132), S(0xffffff00, 99, 0x11223344), 0x22334487),
    T(CVT_PACK, S32, B32, M(.sat = true, .mask = 2), S(0xffffffff, 2, 0x11), 0x112),
    T(CVT_PACK, S32, B32, M(.sat = true, .mask = 130), S(1, 0xfffffffe, 0), 6),
};

static void run(const struct test *t) {
    union isa_bits src[5] = {0}, dst[4] = {0};
    for (unsigned i = 0; i < 5; i++)
        src[i].u64[0] = t->src[i];
    dst[0].u64[0] = dst[1].u64[0] = 0x5555555555555555;
    cases++;
    bool known = isa_eval(t->op, t->ty, t->ty2, &t->m, src, dst);
    bool has_second = dst[1].u64[0] != 0x5555555555555555;
    if (known && dst[0].u64[0] == t->want[0] && (!has_second || dst[1].u64[0] == t->want[1]))
        return;
    failures++;
    printf("line %d: %s.%s: ", t->line, isa_op_info[t->op].name, isa_type_name(t->ty));
    if (known)
        printf("%llx %llx, expected %llx %llx\n", (unsigned long long)dst[0].u64[0],
               (unsigned long long)dst[1].u64[0], (unsigned long long)t->want[0],
               (unsigned long long)t->want[1]);
    else
        printf("not in the table\n");
}

#define RUN(table)                                                                                 \
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)                                      \
    run(&table[i])

int main(void) {
    RUN(integers);
    RUN(video);
    RUN(bits);
    RUN(floats);
    RUN(comparisons);
    RUN(conversions);
    struct isa_mods none = {0};
    union isa_bits src[4] = {0}, dst[4];
    if (isa_eval(ISA_OP_ADD, ISA_B8, ISA_VOID, &none, src, dst) ||
        isa_eval(ISA_OP_LD, ISA_B32, ISA_VOID, &none, src, dst)) {
        printf("evaluates what the table does not have\n");
        failures++;
    }
    printf("%u cases, %u failures\n", cases, failures);
    return failures != 0;
}
