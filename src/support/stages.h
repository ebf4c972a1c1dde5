// KUDZU_DEBUG=time: where a compilation's time goes.
#ifndef KUDZU_SUPPORT_STAGES_H
#define KUDZU_SUPPORT_STAGES_H

// A compilation begins in this thread.
void stages_begin(void);

// What this thread has done since the last call of these functions was `stage` (a literal).
void stages_end(const char *stage);

// Prints the stages since stages_begin with the processor time of each in milliseconds. Functions
// may be called without KUDZU_DEBUG=time: nothing happens then.
void stages_print(const char *what);

#endif
