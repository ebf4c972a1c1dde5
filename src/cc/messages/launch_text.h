// What was written around launches by device code (compat/device_launches.h) is not the user's.
#ifndef KUDZU_CC_LAUNCH_TEXT_H
#define KUDZU_CC_LAUNCH_TEXT_H

#include "support/arena.h"

// With a type of its own, a wrong launch gives no second message about the lambda.
extern const char launch_text_before_launch[], launch_text_before_call[], launch_text_behind[];

// clang's messages, coloured or not, with the lines that they show, marks below them and columns as
// in the user's file.
const char *launch_text_remove(struct arena *arena, const char *messages);

#endif
