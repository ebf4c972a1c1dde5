// The instructions whose results are recorded on hardware: every combination of modifiers and
// types of every pointwise form of the instruction table, of the warp forms and of the atomics.
#ifndef KUDZU_TESTS_HARDWARE_CASES_H
#define KUDZU_TESTS_HARDWARE_CASES_H

#include "isa/grammar.h"
#include "isa/video.h"

enum { HW_MAX_SOURCES = 8, HW_MAX_RESULTS = 4, HW_TEXT = 160 };

enum hw_kind {
    HW_POINTWISE,
    HW_WARP,  // 32 sets make a warp; the last source is the mask of the lanes that take part
    HW_ATOMIC // the last source is what the cell held before; the last result what it holds after
};

// A register that the instruction reads or writes.
struct hw_register {
    char name[16];
    uint8_t type; // enum isa_type
};

struct hw_case {
    enum hw_kind kind;
    char text[HW_TEXT]; // the instruction as it stands in the kernel: what identifies the case
    uint16_t op;        // isa_op
    uint8_t ty, ty2, ptx, sm;
    struct isa_mods mods;
    unsigned nsources, nresults;
    struct hw_register sources[HW_MAX_SOURCES], results[HW_MAX_RESULTS];
    bool has_immediate; // the last source of the table's form is `immediate`, in the text
    uint32_t immediate;
    unsigned immediate_at;  // its position among the form's sources
    bool carry_in;          // the last source is the carry
    struct isa_video video; // of video instructions: the parts that the text names
};

struct hw_cases {
    struct hw_case *data;
    unsigned count, capacity;
};

// In the order of the table, no text twice.
void hw_cases_make(struct hw_cases *out);
void hw_cases_free(struct hw_cases *c);

// Bits of the register that holds a value of the type: 1 for a predicate; 8-bit types lie in 32.
unsigned hw_register_bits(enum isa_type t);
// Results are approximations, compared by their distance.
bool hw_is_approximate(const struct hw_case *c);

#endif
