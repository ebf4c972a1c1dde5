// The .approx instructions of f32: one algorithm each, in plain float arithmetic without
// branches, so that interpreter and vector code agree bit for bit. Every + - * / is rounded to
// nearest even on its own; fma is a true fused multiply-add; nothing is flushed. A caller that
// implements .ftz flushes the operand before and the result after.
//
// In approx.c a conditional is a lane select: both sides may be computed. A NaN operand gives a
// NaN; the caller makes it canonical. Errors stated are the largest found over all operands.
//
//   rcp     1 / x                  correctly rounded      (manual: 1 ulp)
//   div     a / b                  correctly rounded      (manual: 2 ulp, .full and .approx)
//   sqrt    sqrt(x)                correctly rounded      (manual: relative 2^-23)
//   rsqrt   1 / sqrt(x)            two roundings          (manual: relative 2^-22.9)
//   sin cos approx_sin, _cos       absolute 2^-23         (manual: 2^-20.9 in -pi..pi)
//   lg2     approx_lg2             absolute 2^-23 in 0.5..2, else relative 2^-22 (manual: 2^-22.6)
//   ex2     approx_ex2             relative 2^-22.9       (manual: 2^-22.5)
//   tanh    approx_tanh            relative 2^-13         (manual: 2^-11)
#ifndef KUDZU_ISA_APPROX_H
#define KUDZU_ISA_APPROX_H

float approx_rsqrt(float x);
float approx_sin(float x);
float approx_cos(float x);
float approx_lg2(float x);
float approx_ex2(float x);
float approx_tanh(float x);

// Constants, for whoever writes the same arithmetic in another form.

// 1.5 * 2^23: adding it rounds a small float to an integer, which then stands in the low bits.
#define APPROX_ROUND 0x1.8p+23f

#define APPROX_TWO_OVER_PI 0x1.45f306p-1f
#define APPROX_PIO2_HI 0x1.921fb4p+0f // rounded down, so that both products keep the sign of zero
#define APPROX_PIO2_LO 0x1.4442d2p-24f
#define APPROX_REDUCED_MAX 1.0f // the reduced argument is held within this
#define APPROX_SIN1 -0x1.555540p-3f
#define APPROX_SIN2 0x1.1105a6p-7f
#define APPROX_SIN3 -0x1.98d5b6p-13f
#define APPROX_COS1 -0x1.ffffb8p-2f
#define APPROX_COS2 0x1.553f78p-5f
#define APPROX_COS3 -0x1.647084p-10f

#define APPROX_EX2_MIN -160.0f
#define APPROX_EX2_MAX 130.0f
#define APPROX_EX2_1 0x1.62e430p-1f
#define APPROX_EX2_2 0x1.ebfbdcp-3f
#define APPROX_EX2_3 0x1.c6aee8p-5f
#define APPROX_EX2_4 0x1.3b2d4cp-7f
#define APPROX_EX2_5 0x1.5f3e52p-10f
#define APPROX_EX2_6 0x1.41fbbcp-13f

#define APPROX_SQRT_HALF_BITS 0x3f3504f3 // mantissas lie in sqrt(1/2) .. sqrt(2)
#define APPROX_LG2_1 0x1.715476p+0f
#define APPROX_LG2_2 -0x1.715470p-1f
#define APPROX_LG2_3 0x1.ec73d6p-2f
#define APPROX_LG2_4 -0x1.715c4ep-2f
#define APPROX_LG2_5 0x1.26d384p-2f
#define APPROX_LG2_6 -0x1.e95be6p-3f
#define APPROX_LG2_7 0x1.b9c91ap-3f
#define APPROX_LG2_8 -0x1.a87d0cp-3f
#define APPROX_LG2_9 0x1.01b6d8p-3f

#define APPROX_TANH_MAX 5.0f // there the quotient exceeds 1 and is held at it

#endif
