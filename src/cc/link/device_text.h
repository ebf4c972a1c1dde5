// PTX as it goes into images and files: with the directives that clang cannot write.
#ifndef KUDZU_CC_DEVICE_TEXT_H
#define KUDZU_CC_DEVICE_TEXT_H

#include "cc/options/options.h"

// The text with the shapes of clusters and the limit of registers (-maxrregcount) where they
// belong; the same text where there are none. A NUL follows it.
const char *device_text(struct arena *arena, const struct cc_options *o, const char *ptx,
                        size_t *size);

#endif
