// The processes that were started and not yet waited for: a signal that ends this one ends them,
// too.
#ifndef KUDZU_CC_CHILDREN_H
#define KUDZU_CC_CHILDREN_H

#include <signal.h>
#include <sys/types.h>

// Between these two no signal that ends processes is taken: a child that is started there is noted.
void children_begin_start(sigset_t *before);
// `child`: none where it is not above 0.
void children_end_start(pid_t child, const sigset_t *before);
// It was waited for.
void children_ended(pid_t child);
// In a child: the others are not its own.
void children_forget(void);
// Ends all with SIGTERM and waits for them. May be called in a signal handler.
void children_end(void);

#endif
