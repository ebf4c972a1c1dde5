// Launches that wait for ever say so: after KUDZU_HANG_SECONDS without anything done, and when the
// process is interrupted (Ctrl-C), the threads that wait are listed on stderr: kernel, block,
// threads, source line, and what they wait for.
#ifndef KUDZU_DEVICE_HANG_H
#define KUDZU_DEVICE_HANG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct resident;
struct runner;

// Where lanes of a unit look for what others write, as generated code told last.
struct wait_site {
    const char *file; // of the source; NULL: not known
    uint32_t line;
    uint32_t thread, lanes; // lanes from that thread on
    uint64_t address;       // generic; 0: not known
    uint64_t seen;          // what had been done in the process by then
    bool alike;             // the loop goes on in the same way until others write there
};
enum { WAIT_SITES = 4 }; // of one unit: lanes of a warp may look in several loops

extern atomic_bool hang_watched; // is anybody interested?
extern _Atomic(uint64_t)
    hang_things_done; // stores, atomics, output, ends of blocks, as far as is known

// Begins to watch if the environment asks for it; calls behind the first do nothing.
void hang_watch(void);
// Something was done that others may have waited for.
static inline void hang_done(void) {
    if (atomic_load_explicit(&hang_watched, memory_order_relaxed))
        atomic_fetch_add_explicit(&hang_things_done, 1, memory_order_relaxed);
}
// Lanes of s's current unit have looked in vain. changes: the loop that they are in writes itself.
void hang_looks(struct resident *s, const struct wait_site *site, bool changes);
// Threads have only looked for what others write since the last call with *seen (0 first): they
// have looked, and nothing was done, as far as is known. false where nobody is interested.
bool hang_only_looked(uint64_t seen[2]);
// A block begins in s.
void hang_forget(struct resident *s);
// Between blocks: lists those that r keeps waiting, when that was asked for.
void hang_list(struct runner *r);

#endif
