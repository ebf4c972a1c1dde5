// The vocabulary that PTX text, kernel IR, interpreter and code generator share: types,
// state spaces, modifiers, special registers. Which instruction forms exist, and what
// each means, stands once in instructions.py; isa/ops/*.h and isa_table.c come from it.
#ifndef KUDZU_ISA_ISA_H
#define KUDZU_ISA_ISA_H

#include <stdbool.h>
#include <stdint.h>

// Types as PTX instructions name them (.u32, .f16x2, ...).
enum isa_type {
    ISA_VOID,
    ISA_PRED,
    ISA_B8,
    ISA_B16,
    ISA_B32,
    ISA_B64,
    ISA_B128,
    ISA_U8,
    ISA_U16,
    ISA_U32,
    ISA_U64,
    ISA_S8,
    ISA_S16,
    ISA_S32,
    ISA_S64,
    ISA_F16,
    ISA_F16X2,
    ISA_BF16,
    ISA_BF16X2,
    ISA_F32,
    ISA_F64,
    ISA_TF32,
    ISA_E4M3X2,
    ISA_E5M2X2,
    ISA_U16X2,
    ISA_S16X2,
    ISA_E2M1X2,
    ISA_E2M3X2,
    ISA_E3M2X2,
    ISA_UE8M0X2,
    ISA_E2M1X4,
    ISA_E4M3X4,
    ISA_E5M2X4,
    ISA_E2M3X4,
    ISA_E3M2X4,
    ISA_S2F6X2,
    ISA_TYPE_COUNT
};

unsigned isa_type_bits(enum isa_type t);    // storage size; 1 for ISA_PRED, 0 for ISA_VOID
bool isa_type_is_float(enum isa_type t);    // F16 ... F64, TF32, packed and smaller forms
bool isa_type_is_signed(enum isa_type t);   // S8 ... S64, S16X2
const char *isa_type_name(enum isa_type t); // "u32", no dot

enum isa_space {
    ISA_SPACE_GENERIC,
    ISA_SPACE_GLOBAL,
    ISA_SPACE_SHARED,
    ISA_SPACE_CONST,
    ISA_SPACE_LOCAL,
    ISA_SPACE_PARAM,
    ISA_SPACE_CLUSTER,
    ISA_SPACE_COUNT
};
enum isa_rnd {
    ISA_RND_NONE,
    ISA_RND_RN,
    ISA_RND_RZ,
    ISA_RND_RM,
    ISA_RND_RP,
    ISA_RND_RNA,
    ISA_RND_RNI,
    ISA_RND_RZI,
    ISA_RND_RMI,
    ISA_RND_RPI,
    ISA_RND_RS, // by random bits, an operand
    ISA_RND_COUNT
};
enum isa_cmp {
    ISA_CMP_EQ,
    ISA_CMP_NE,
    ISA_CMP_LT,
    ISA_CMP_LE,
    ISA_CMP_GT,
    ISA_CMP_GE,
    ISA_CMP_LO,
    ISA_CMP_LS,
    ISA_CMP_HI,
    ISA_CMP_HS,
    ISA_CMP_EQU,
    ISA_CMP_NEU,
    ISA_CMP_LTU,
    ISA_CMP_LEU,
    ISA_CMP_GTU,
    ISA_CMP_GEU,
    ISA_CMP_NUM,
    ISA_CMP_NAN,
    ISA_CMP_COUNT
};
// The comparison of integers that holds where c does not; ISA_CMP_COUNT: c is one of floats alone.
enum isa_cmp isa_cmp_opposite(enum isa_cmp c);
// y c x as x c y, of integers; ISA_CMP_COUNT: c is one of floats alone.
enum isa_cmp isa_cmp_turned(enum isa_cmp c);
// lo, ls, hi and hs, which are of unsigned numbers whatever the type, by their common names.
enum isa_cmp isa_cmp_ordered(enum isa_cmp c);
enum isa_boolop { ISA_BOOL_NONE, ISA_BOOL_AND, ISA_BOOL_OR, ISA_BOOL_XOR, ISA_BOOL_POPC };
enum isa_half { ISA_HALF_NONE, ISA_LO, ISA_HI, ISA_WIDE }; // mul, mad, mul24, mad24
enum isa_sem {
    ISA_SEM_WEAK,
    ISA_SEM_RELAXED,
    ISA_SEM_ACQUIRE,
    ISA_SEM_RELEASE,
    ISA_SEM_ACQ_REL,
    ISA_SEM_SC,
    ISA_SEM_VOLATILE,
    ISA_SEM_MMIO
};
enum isa_scope { ISA_SCOPE_NONE, ISA_SCOPE_CTA, ISA_SCOPE_CLUSTER, ISA_SCOPE_GPU, ISA_SCOPE_SYS };
enum isa_atom {
    ISA_ATOM_NONE,
    ISA_ATOM_AND,
    ISA_ATOM_OR,
    ISA_ATOM_XOR,
    ISA_ATOM_CAS,
    ISA_ATOM_EXCH,
    ISA_ATOM_ADD,
    ISA_ATOM_INC,
    ISA_ATOM_DEC,
    ISA_ATOM_MIN,
    ISA_ATOM_MAX
};
// A sub-operation that belongs to one family of instructions.
enum isa_mode {
    ISA_MODE_NONE,
    ISA_SHFL_UP,
    ISA_SHFL_DOWN,
    ISA_SHFL_BFLY,
    ISA_SHFL_IDX,
    ISA_VOTE_ALL,
    ISA_VOTE_ANY,
    ISA_VOTE_UNI,
    ISA_VOTE_BALLOT,
    ISA_MATCH_ANY,
    ISA_MATCH_ALL,
    ISA_SHF_L_CLAMP,
    ISA_SHF_L_WRAP,
    ISA_SHF_R_CLAMP,
    ISA_SHF_R_WRAP,
    ISA_PRMT_F4E,
    ISA_PRMT_B4E,
    ISA_PRMT_RC8,
    ISA_PRMT_ECL,
    ISA_PRMT_ECR,
    ISA_PRMT_RC16,
    ISA_TESTP_FINITE,
    ISA_TESTP_INFINITE,
    ISA_TESTP_NUMBER,
    ISA_TESTP_NOTANUMBER,
    ISA_TESTP_NORMAL,
    ISA_TESTP_SUBNORMAL,
    ISA_SZEXT_CLAMP,
    ISA_SZEXT_WRAP,
    ISA_TEX_1D,
    ISA_TEX_2D,
    ISA_TEX_3D,
    ISA_TEX_A1D,
    ISA_TEX_A2D,
    ISA_TEX_CUBE,
    ISA_TEX_ACUBE,
    ISA_TEX_2DMS,
    ISA_TEX_A2DMS,
    ISA_TENSOR_TILE,
    ISA_TENSOR_IM2COL,
    ISA_TENSOR_ROWS, // gather4, scatter4: four rows of a matrix
    ISA_MODE_COUNT
};

// Coordinates of a texture or surface: how many the text has, how many of them count, and how many
// of those, the first, are integers (layer, sample). Gradients and offsets have one element a
// dimension; the text has four for three.
struct isa_geometry {
    uint8_t text, used, indices, dims;
};
static inline struct isa_geometry isa_geometry(enum isa_mode m) {
    switch (m) {
    case ISA_TEX_1D:
        return (struct isa_geometry){1, 1, 0, 1};
    case ISA_TEX_2D:
        return (struct isa_geometry){2, 2, 0, 2};
    case ISA_TEX_3D:
    case ISA_TEX_CUBE:
        return (struct isa_geometry){4, 3, 0, 3};
    case ISA_TEX_A1D:
        return (struct isa_geometry){2, 2, 1, 1};
    case ISA_TEX_A2D:
    case ISA_TEX_2DMS:
        return (struct isa_geometry){4, 3, 1, 2};
    case ISA_TEX_ACUBE:
        return (struct isa_geometry){4, 4, 1, 3};
    case ISA_TEX_A2DMS:
        return (struct isa_geometry){4, 4, 2, 2};
    default: // no geometry
        return (struct isa_geometry){0, 0, 0, 0};
    }
}

// What a .samplerref variable holds when PTX says how it samples, instead of a handle (whose top
// bit is 0): filter_mode, force_unnormalized_coords, and two bits for each addr_mode.
static const uint64_t ISA_SAMPLER = 1ull << 63;
enum { ISA_SAMPLER_LINEAR = 1, ISA_SAMPLER_UNNORMALIZED = 2, ISA_SAMPLER_ADDRESSING = 2 };

// Everything that stands after the dots of one instruction, except its types.
struct isa_mods {
    uint8_t rnd;    // enum isa_rnd
    uint8_t cmp;    // enum isa_cmp (setp, set, slct has none)
    uint8_t boolop; // enum isa_boolop: setp/set combination, bar.red operation
    uint8_t half;   // enum isa_half
    uint8_t space;  // enum isa_space: of ld, st, atom, red, cvta, isspacep
    uint8_t sem;    // enum isa_sem
    uint8_t scope;  // enum isa_scope
    uint8_t atom;   // enum isa_atom: atom, red, redux operation
    uint8_t mode;   // enum isa_mode
    uint8_t vec;    // 0 scalar, else 2, 4, 8: ld, st, cvt.rs
    uint8_t mask;   // spare for later families
    uint8_t ty3;    // enum isa_type: third type, of video instructions
    uint8_t scale;  // vmad: bits that the result is shifted right
    bool po;        // vmad: plus one
    uint8_t space2; // enum isa_space of the second address: asynchronous copies
    bool ftz, sat, approx, full, nan, relu, satfinite, xorsign_abs;
    bool abs;      // min.abs, max.abs of three, redux.abs: magnitudes are compared
    bool oob;      // fma.rn.oob: a factor that a tensor copy filled in makes zero
    bool cc;       // writes the carry flag (add.cc, ...)
    bool to;       // cvta.to
    bool uni;      // bra.uni, call.uni
    bool aligned;  // bar, barrier
    bool shiftamt; // bfind.shiftamt
    bool nc;       // ld.global.nc
    // Matrix instructions (isa/matrix.h): what stands in the form's name
    uint8_t shape;                      // isa_matrix_shape
    uint8_t frag;                       // enum isa_frag: of wmma.load, wmma.store
    uint8_t mat_d, mat_a, mat_b, mat_c; // enum isa_matrix_type of each matrix
    uint8_t sparse;                     // 1: .sp, 2: .sp::ordered_metadata
    bool col_a, col_b;                  // .col; of wmma.load and wmma.store col_a
    bool trans;                         // ldmatrix, stmatrix
    bool a_shared;                      // wgmma: a is a descriptor
};

// Special registers (%tid.x is ISA_SREG_TID with component 0, encoded as sreg + component).
enum isa_sreg {
    ISA_SREG_NONE,
    ISA_SREG_TID_X,
    ISA_SREG_TID_Y,
    ISA_SREG_TID_Z,
    ISA_SREG_NTID_X,
    ISA_SREG_NTID_Y,
    ISA_SREG_NTID_Z,
    ISA_SREG_CTAID_X,
    ISA_SREG_CTAID_Y,
    ISA_SREG_CTAID_Z,
    ISA_SREG_NCTAID_X,
    ISA_SREG_NCTAID_Y,
    ISA_SREG_NCTAID_Z,
    ISA_SREG_LANEID,
    ISA_SREG_WARPID,
    ISA_SREG_NWARPID,
    ISA_SREG_SMID,
    ISA_SREG_NSMID,
    ISA_SREG_GRIDID,
    ISA_SREG_LANEMASK_EQ,
    ISA_SREG_LANEMASK_LE,
    ISA_SREG_LANEMASK_LT,
    ISA_SREG_LANEMASK_GE,
    ISA_SREG_LANEMASK_GT,
    ISA_SREG_CLOCK,
    ISA_SREG_CLOCK_HI,
    ISA_SREG_CLOCK64,
    ISA_SREG_GLOBALTIMER,
    ISA_SREG_GLOBALTIMER_LO,
    ISA_SREG_GLOBALTIMER_HI,
    ISA_SREG_DYNAMIC_SMEM_SIZE,
    ISA_SREG_TOTAL_SMEM_SIZE,
    ISA_SREG_AGGR_SMEM_SIZE,
    ISA_SREG_IS_EXPLICIT_CLUSTER,
    ISA_SREG_CLUSTERID_X,
    ISA_SREG_CLUSTERID_Y,
    ISA_SREG_CLUSTERID_Z,
    ISA_SREG_NCLUSTERID_X,
    ISA_SREG_NCLUSTERID_Y,
    ISA_SREG_NCLUSTERID_Z,
    ISA_SREG_CLUSTER_CTAID_X,
    ISA_SREG_CLUSTER_CTAID_Y,
    ISA_SREG_CLUSTER_CTAID_Z,
    ISA_SREG_CLUSTER_NCTAID_X,
    ISA_SREG_CLUSTER_NCTAID_Y,
    ISA_SREG_CLUSTER_NCTAID_Z,
    ISA_SREG_CLUSTER_CTARANK,
    ISA_SREG_CLUSTER_NCTARANK,
    ISA_SREG_ENVREG0,
    ISA_SREG_ENVREG1,
    ISA_SREG_ENVREG2,
    ISA_SREG_ENVREG3,
    ISA_SREG_ENVREG4,
    ISA_SREG_ENVREG5,
    ISA_SREG_ENVREG6,
    ISA_SREG_ENVREG7,
    ISA_SREG_ENVREG8,
    ISA_SREG_ENVREG9,
    ISA_SREG_ENVREG10,
    ISA_SREG_ENVREG11,
    ISA_SREG_ENVREG12,
    ISA_SREG_ENVREG13,
    ISA_SREG_ENVREG14,
    ISA_SREG_ENVREG15,
    ISA_SREG_ENVREG16,
    ISA_SREG_ENVREG17,
    ISA_SREG_ENVREG18,
    ISA_SREG_ENVREG19,
    ISA_SREG_ENVREG20,
    ISA_SREG_ENVREG21,
    ISA_SREG_ENVREG22,
    ISA_SREG_ENVREG23,
    ISA_SREG_ENVREG24,
    ISA_SREG_ENVREG25,
    ISA_SREG_ENVREG26,
    ISA_SREG_ENVREG27,
    ISA_SREG_ENVREG28,
    ISA_SREG_ENVREG29,
    ISA_SREG_ENVREG30,
    ISA_SREG_ENVREG31,
    ISA_SREG_PM0,
    ISA_SREG_PM1,
    ISA_SREG_PM2,
    ISA_SREG_PM3,
    ISA_SREG_PM4,
    ISA_SREG_PM5,
    ISA_SREG_PM6,
    ISA_SREG_PM7,
    ISA_SREG_PM0_64,
    ISA_SREG_PM1_64,
    ISA_SREG_PM2_64,
    ISA_SREG_PM3_64,
    ISA_SREG_PM4_64,
    ISA_SREG_PM5_64,
    ISA_SREG_PM6_64,
    ISA_SREG_PM7_64,
    ISA_SREG_RESERVED_SMEM_BEGIN,
    ISA_SREG_RESERVED_SMEM_END,
    ISA_SREG_RESERVED_SMEM_CAP,
    ISA_SREG_RESERVED_SMEM_0,
    ISA_SREG_RESERVED_SMEM_1,
    ISA_SREG_CURRENT_GRAPH_EXEC,
    ISA_SREG_COUNT
};
const char *isa_sreg_name(enum isa_sreg r); // "%tid.x"

// An opcode: ISA_OP_ADD, ... below ISA_OP_COUNT; not every number is one. These headers are
// generated: core.h has the opcodes that much of the compiler names; who names others includes
// their family's.
typedef uint16_t isa_op;
#include "isa/ops/core.h"

// What holds for every form of one opcode.
enum isa_class {
    ISA_CLASS_POINTWISE, // lane i's result depends on lane i's operands alone: isa_eval knows it
    ISA_CLASS_SOURCE,    // reads machine state: special registers, parameters, symbols
    ISA_CLASS_MEMORY,    // ld, st, atom, red, prefetch, tex, ...
    ISA_CLASS_CONTROL,   // bra, call, ret, exit, brx.idx, trap
    ISA_CLASS_WARP,      // shfl, vote, match, redux, activemask, bar.warp.sync
    ISA_CLASS_BLOCK,     // bar, barrier: can block
    ISA_CLASS_FENCE,     // membar, fence
    ISA_CLASS_COMPOSITE, // several of the first class, which kernel IR has in its place
    ISA_CLASS_ASYNC,     // mbarrier, asynchronous copies: done by the device's kd_rt_async
    ISA_CLASS_CHECK,     // what `kudzu check` puts into kernels: done by the device's kd_rt_check_*
};

struct isa_op_info {
    const char *name; // "mad"
    enum isa_class klass;
    bool can_block;
    bool side_effect; // must not be removed, repeated or moved
    bool commutative; // first two operands
};
extern const struct isa_op_info isa_op_info[ISA_OP_COUNT];

// One operand or result of up to 128 bits. Unused high bits are zero; a predicate is 0 or 1.
union isa_bits {
    uint64_t u64[2];
    uint32_t u32[4];
    uint16_t u16[8];
    uint8_t u8[16];
    int64_t s64;
    int32_t s32;
    int16_t s16;
    float f32;
    double f64;
};

// Reference semantics of the pointwise instructions, made from instructions.py: computes
// dst[0..] (setp can have two results) from src[0..], as real hardware does: bit for bit,
// with canonical NaNs, .ftz, rounding modes. `ty` is the instruction's first type, `ty2`
// the second (cvt's source type; set's and slct's second type; else ISA_VOID). An operand may
// have bits above its type: they are ignored. mov.pack and mov.unpack: mods->vec elements.
// addc, subc, madc: the carry in is one operand more; with mods->cc the carry out is dst[1]. As in
// hardware, the carry of a subtraction is the complement of the borrow. setp always writes dst[1],
// the complement's result.
// Returns false when the combination is not in the table.
bool isa_eval(isa_op op, enum isa_type ty, enum isa_type ty2, const struct isa_mods *mods,
              const union isa_bits *src, union isa_bits *dst);

#endif
