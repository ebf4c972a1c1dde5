// Webs: values that are connected by phis, or because one takes another's place, of which never two
// are alive. They can have one place in memory.
#ifndef KUDZU_CODEGEN_CG_WEB_H
#define KUDZU_CODEGEN_CG_WEB_H

#include "codegen/core/state.h"

struct cg_webs {
    uint32_t *up;    // by value id: towards the value that stands for all that are connected
    uint8_t *member; // by value id: the caller says which values may belong to webs
    uint8_t *bad;    // by web: two of it are alive at a time, or the caller refuses it
    uint32_t *alive; // by web: while it is checked
    // Members by number; by value id their numbers; by block id which are alive where it begins.
    uint32_t *members, *number, nmembers;
    uint64_t **live_in;
    uint32_t words;
};

void cg_begin_webs(struct cg_func *g, struct cg_webs *w); // no members, nothing connected
uint32_t cg_web_of(struct cg_webs *w, uint32_t value);    // the value that stands for its web
bool cg_join_webs(struct cg_webs *w, const struct kir_value *x, const struct kir_value *y);
// Marks webs of which two are alive somewhere as bad.
void cg_check_webs(struct cg_func *g, struct cg_webs *w);

#endif
