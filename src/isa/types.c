// Sizes and names of the PTX types and special registers.
#include "isa/isa.h"

static const struct {
    const char *name;
    uint8_t bits;
    bool is_float, is_signed;
} types[ISA_TYPE_COUNT] = {
    [ISA_VOID] = {"void", 0, false, false},     [ISA_PRED] = {"pred", 1, false, false},
    [ISA_B8] = {"b8", 8, false, false},         [ISA_B16] = {"b16", 16, false, false},
    [ISA_B32] = {"b32", 32, false, false},      [ISA_B64] = {"b64", 64, false, false},
    [ISA_B128] = {"b128", 128, false, false},   [ISA_U8] = {"u8", 8, false, false},
    [ISA_U16] = {"u16", 16, false, false},      [ISA_U32] = {"u32", 32, false, false},
    [ISA_U64] = {"u64", 64, false, false},      [ISA_S8] = {"s8", 8, false, true},
    [ISA_S16] = {"s16", 16, false, true},       [ISA_S32] = {"s32", 32, false, true},
    [ISA_S64] = {"s64", 64, false, true},       [ISA_F16] = {"f16", 16, true, false},
    [ISA_F16X2] = {"f16x2", 32, true, false},   [ISA_BF16] = {"bf16", 16, true, false},
    [ISA_BF16X2] = {"bf16x2", 32, true, false}, [ISA_F32] = {"f32", 32, true, false},
    [ISA_F64] = {"f64", 64, true, false},       [ISA_TF32] = {"tf32", 32, true, false},
    [ISA_E4M3X2] = {"e4m3x2", 16, true, false}, [ISA_E5M2X2] = {"e5m2x2", 16, true, false},
    [ISA_U16X2] = {"u16x2", 32, false, false},  [ISA_S16X2] = {"s16x2", 32, false, true},
    [ISA_E2M1X2] = {"e2m1x2", 8, true, false},  [ISA_E2M3X2] = {"e2m3x2", 16, true, false},
    [ISA_E3M2X2] = {"e3m2x2", 16, true, false}, [ISA_UE8M0X2] = {"ue8m0x2", 16, true, false},
    [ISA_E2M1X4] = {"e2m1x4", 16, true, false}, [ISA_E4M3X4] = {"e4m3x4", 32, true, false},
    [ISA_E5M2X4] = {"e5m2x4", 32, true, false}, [ISA_E2M3X4] = {"e2m3x4", 32, true, false},
    [ISA_E3M2X4] = {"e3m2x4", 32, true, false}, [ISA_S2F6X2] = {"s2f6x2", 16, true, false},
};

unsigned isa_type_bits(enum isa_type t) {
    return types[t].bits;
}

bool isa_type_is_float(enum isa_type t) {
    return types[t].is_float;
}

bool isa_type_is_signed(enum isa_type t) {
    return types[t].is_signed;
}

const char *isa_type_name(enum isa_type t) {
    return types[t].name;
}

static const char *const sregs[ISA_SREG_COUNT] = {
    [ISA_SREG_NONE] = "%none",
    [ISA_SREG_TID_X] = "%tid.x",
    [ISA_SREG_TID_Y] = "%tid.y",
    [ISA_SREG_TID_Z] = "%tid.z",
    [ISA_SREG_NTID_X] = "%ntid.x",
    [ISA_SREG_NTID_Y] = "%ntid.y",
    [ISA_SREG_NTID_Z] = "%ntid.z",
    [ISA_SREG_CTAID_X] = "%ctaid.x",
    [ISA_SREG_CTAID_Y] = "%ctaid.y",
    [ISA_SREG_CTAID_Z] = "%ctaid.z",
    [ISA_SREG_NCTAID_X] = "%nctaid.x",
    [ISA_SREG_NCTAID_Y] = "%nctaid.y",
    [ISA_SREG_NCTAID_Z] = "%nctaid.z",
    [ISA_SREG_LANEID] = "%laneid",
    [ISA_SREG_WARPID] = "%warpid",
    [ISA_SREG_NWARPID] = "%nwarpid",
    [ISA_SREG_SMID] = "%smid",
    [ISA_SREG_NSMID] = "%nsmid",
    [ISA_SREG_GRIDID] = "%gridid",
    [ISA_SREG_LANEMASK_EQ] = "%lanemask_eq",
    [ISA_SREG_LANEMASK_LE] = "%lanemask_le",
    [ISA_SREG_LANEMASK_LT] = "%lanemask_lt",
    [ISA_SREG_LANEMASK_GE] = "%lanemask_ge",
    [ISA_SREG_LANEMASK_GT] = "%lanemask_gt",
    [ISA_SREG_CLOCK] = "%clock",
    [ISA_SREG_CLOCK_HI] = "%clock_hi",
    [ISA_SREG_CLOCK64] = "%clock64",
    [ISA_SREG_GLOBALTIMER] = "%globaltimer",
    [ISA_SREG_GLOBALTIMER_LO] = "%globaltimer_lo",
    [ISA_SREG_GLOBALTIMER_HI] = "%globaltimer_hi",
    [ISA_SREG_DYNAMIC_SMEM_SIZE] = "%dynamic_smem_size",
    [ISA_SREG_TOTAL_SMEM_SIZE] = "%total_smem_size",
    [ISA_SREG_AGGR_SMEM_SIZE] = "%aggr_smem_size",
    [ISA_SREG_IS_EXPLICIT_CLUSTER] = "%is_explicit_cluster",
    [ISA_SREG_CLUSTERID_X] = "%clusterid.x",
    [ISA_SREG_CLUSTERID_Y] = "%clusterid.y",
    [ISA_SREG_CLUSTERID_Z] = "%clusterid.z",
    [ISA_SREG_NCLUSTERID_X] = "%nclusterid.x",
    [ISA_SREG_NCLUSTERID_Y] = "%nclusterid.y",
    [ISA_SREG_NCLUSTERID_Z] = "%nclusterid.z",
    [ISA_SREG_CLUSTER_CTAID_X] = "%cluster_ctaid.x",
    [ISA_SREG_CLUSTER_CTAID_Y] = "%cluster_ctaid.y",
    [ISA_SREG_CLUSTER_CTAID_Z] = "%cluster_ctaid.z",
    [ISA_SREG_CLUSTER_NCTAID_X] = "%cluster_nctaid.x",
    [ISA_SREG_CLUSTER_NCTAID_Y] = "%cluster_nctaid.y",
    [ISA_SREG_CLUSTER_NCTAID_Z] = "%cluster_nctaid.z",
    [ISA_SREG_CLUSTER_CTARANK] = "%cluster_ctarank",
    [ISA_SREG_CLUSTER_NCTARANK] = "%cluster_nctarank",
    [ISA_SREG_ENVREG0] = "%envreg0",
    [ISA_SREG_ENVREG1] = "%envreg1",
    [ISA_SREG_ENVREG2] = "%envreg2",
    [ISA_SREG_ENVREG3] = "%envreg3",
    [ISA_SREG_ENVREG4] = "%envreg4",
    [ISA_SREG_ENVREG5] = "%envreg5",
    [ISA_SREG_ENVREG6] = "%envreg6",
    [ISA_SREG_ENVREG7] = "%envreg7",
    [ISA_SREG_ENVREG8] = "%envreg8",
    [ISA_SREG_ENVREG9] = "%envreg9",
    [ISA_SREG_ENVREG10] = "%envreg10",
    [ISA_SREG_ENVREG11] = "%envreg11",
    [ISA_SREG_ENVREG12] = "%envreg12",
    [ISA_SREG_ENVREG13] = "%envreg13",
    [ISA_SREG_ENVREG14] = "%envreg14",
    [ISA_SREG_ENVREG15] = "%envreg15",
    [ISA_SREG_ENVREG16] = "%envreg16",
    [ISA_SREG_ENVREG17] = "%envreg17",
    [ISA_SREG_ENVREG18] = "%envreg18",
    [ISA_SREG_ENVREG19] = "%envreg19",
    [ISA_SREG_ENVREG20] = "%envreg20",
    [ISA_SREG_ENVREG21] = "%envreg21",
    [ISA_SREG_ENVREG22] = "%envreg22",
    [ISA_SREG_ENVREG23] = "%envreg23",
    [ISA_SREG_ENVREG24] = "%envreg24",
    [ISA_SREG_ENVREG25] = "%envreg25",
    [ISA_SREG_ENVREG26] = "%envreg26",
    [ISA_SREG_ENVREG27] = "%envreg27",
    [ISA_SREG_ENVREG28] = "%envreg28",
    [ISA_SREG_ENVREG29] = "%envreg29",
    [ISA_SREG_ENVREG30] = "%envreg30",
    [ISA_SREG_ENVREG31] = "%envreg31",
    [ISA_SREG_PM0] = "%pm0",
    [ISA_SREG_PM1] = "%pm1",
    [ISA_SREG_PM2] = "%pm2",
    [ISA_SREG_PM3] = "%pm3",
    [ISA_SREG_PM4] = "%pm4",
    [ISA_SREG_PM5] = "%pm5",
    [ISA_SREG_PM6] = "%pm6",
    [ISA_SREG_PM7] = "%pm7",
    [ISA_SREG_PM0_64] = "%pm0_64",
    [ISA_SREG_PM1_64] = "%pm1_64",
    [ISA_SREG_PM2_64] = "%pm2_64",
    [ISA_SREG_PM3_64] = "%pm3_64",
    [ISA_SREG_PM4_64] = "%pm4_64",
    [ISA_SREG_PM5_64] = "%pm5_64",
    [ISA_SREG_PM6_64] = "%pm6_64",
    [ISA_SREG_PM7_64] = "%pm7_64",
    [ISA_SREG_RESERVED_SMEM_BEGIN] = "%reserved_smem_offset_begin",
    [ISA_SREG_RESERVED_SMEM_END] = "%reserved_smem_offset_end",
    [ISA_SREG_RESERVED_SMEM_CAP] = "%reserved_smem_offset_cap",
    [ISA_SREG_RESERVED_SMEM_0] = "%reserved_smem_offset_0",
    [ISA_SREG_RESERVED_SMEM_1] = "%reserved_smem_offset_1",
    [ISA_SREG_CURRENT_GRAPH_EXEC] = "%current_graph_exec",
};

const char *isa_sreg_name(enum isa_sreg r) {
    return sregs[r];
}

enum isa_cmp isa_cmp_opposite(enum isa_cmp c) {
    static const uint8_t of[] = {
        [ISA_CMP_EQ] = ISA_CMP_NE, [ISA_CMP_NE] = ISA_CMP_EQ, [ISA_CMP_LT] = ISA_CMP_GE,
        [ISA_CMP_LE] = ISA_CMP_GT, [ISA_CMP_GT] = ISA_CMP_LE, [ISA_CMP_GE] = ISA_CMP_LT,
        [ISA_CMP_LO] = ISA_CMP_HS, [ISA_CMP_LS] = ISA_CMP_HI, [ISA_CMP_HI] = ISA_CMP_LS,
        [ISA_CMP_HS] = ISA_CMP_LO,
    };
    return c < sizeof of ? (enum isa_cmp)of[c] : ISA_CMP_COUNT;
}

enum isa_cmp isa_cmp_turned(enum isa_cmp c) {
    static const uint8_t of[] = {
        [ISA_CMP_EQ] = ISA_CMP_EQ, [ISA_CMP_NE] = ISA_CMP_NE, [ISA_CMP_LT] = ISA_CMP_GT,
        [ISA_CMP_LE] = ISA_CMP_GE, [ISA_CMP_GT] = ISA_CMP_LT, [ISA_CMP_GE] = ISA_CMP_LE,
        [ISA_CMP_LO] = ISA_CMP_HI, [ISA_CMP_LS] = ISA_CMP_HS, [ISA_CMP_HI] = ISA_CMP_LO,
        [ISA_CMP_HS] = ISA_CMP_LS,
    };
    return c < sizeof of ? (enum isa_cmp)of[c] : ISA_CMP_COUNT;
}

enum isa_cmp isa_cmp_ordered(enum isa_cmp c) {
    switch (c) {
    case ISA_CMP_LO:
        return ISA_CMP_LT;
    case ISA_CMP_LS:
        return ISA_CMP_LE;
    case ISA_CMP_HI:
        return ISA_CMP_GT;
    case ISA_CMP_HS:
        return ISA_CMP_GE;
    default:
        return c;
    }
}
