// Video instructions (PTX ISA 9.7.17): parts of registers as PTX writes them, the constant that
// kernel IR keeps them in, and the reference semantics.
#ifndef KUDZU_ISA_VIDEO_H
#define KUDZU_ISA_VIDEO_H

#include "isa/grammar.h"
#include "isa/isa.h"

// What stands after the dot of %r1.b3210, as a number; 0 is the whole register.
uint16_t isa_part_parse(const char *text, size_t len); // 0: no such part
void isa_part_print(uint16_t part, char text[8]);
bool isa_part_fits(enum isa_part kind, uint16_t part);

// The last operand of a video instruction in kernel IR: selectors of a, b and the result.
//   scalar  from bit 0, 4 and 8: 0 the word, 1 to 4 a byte, 5 and 6 a half; bits 12 to 14: a, b,
//           c negated
//   SIMD    from bit 0 and 12, 3 bits an element: index among the elements of a, then of b;
//           from bit 24 a bit for each element that is written
struct isa_video {
    uint16_t part[3]; // of a, b and d
    bool negated[3];  // a, b and c
};
bool isa_is_video(isa_op op);
unsigned isa_video_elements(isa_op op); // 2 or 4; 0: scalar
uint32_t isa_video_control(isa_op op, const struct isa_video *v);

enum isa_video_op {
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_AVRG,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_SHL,
    VIDEO_SHR,
    VIDEO_SET
};
enum isa_video_op isa_video_op(isa_op op);

// Called by the table: src is a, b, c and the control.
void eval_video(enum isa_video_op op, enum isa_type dtype, enum isa_type atype, enum isa_type btype,
                const struct isa_mods *m, const union isa_bits *src, union isa_bits *dst);
void eval_vmad(enum isa_type atype, enum isa_type btype, const struct isa_mods *m,
               const union isa_bits *src, union isa_bits *dst);
void eval_video_simd(enum isa_video_op op, unsigned elements, enum isa_type dtype,
                     enum isa_type atype, enum isa_type btype, const struct isa_mods *m,
                     const union isa_bits *src, union isa_bits *dst);

#endif
