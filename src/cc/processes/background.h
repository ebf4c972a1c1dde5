// A process that nobody waits for.
#ifndef KUDZU_CC_BACKGROUND_H
#define KUDZU_CC_BACKGROUND_H

#include <stdbool.h>

// True in the new process, false in the one that called. The new one is nobody's child, has a
// session of its own, the lowest priority, no open file but *kept, whose number changes (a caller
// that reads its compiler's output to the end, and make with its jobserver, do not notice it), / as
// its directory, and none of this run's temporary files. It ends with _exit.
bool background_begin(int *kept);

#endif
