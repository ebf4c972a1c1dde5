// Operators of the device alone, in functions of the host. nvcc's device pass takes the best one,
// whatever it is for, since no code is made of functions of the host. For clang it is no candidate
// there, and what is left can be ambiguous, as of Eigen's half. Another attempt makes the device's
// operators the host's, too, where it compiles for the device.
#ifndef KUDZU_CC_DEVICE_OPERATORS_H
#define KUDZU_CC_DEVICE_OPERATORS_H

#include "cc/processes/cc.h"

// Whether one of clang's errors (in files) is about an operator that is ambiguous.
bool device_operators_told(struct arena *arena, const cc_strings *diagnostics);

#endif
