// A version of a kernel's code for groups of lanes that no edge touches: tests of an index against
// bounds, and its minima and maxima, are decided for all lanes at once.
#ifndef KUDZU_PASSES_GROUP_EDGES_H
#define KUDZU_PASSES_GROUP_EDGES_H

#include "passes/flow/flow.h"

// Is there a comparison, a minimum or a maximum in the function of a number that differs from lane
// to lane by known steps and one that all lanes have alike, which has not been looked at, beside
// `if (i >= n) return`?
bool group_edges_any(const struct flow *fl);

// What begins at one of these, or before the counting loops that it stands in, and ends with the
// function or with an iteration of the loop around that, is there twice: where one test shows that
// all lanes pass such comparisons as indices inside a picture do, those are constants, and the
// extremes are the index itself. Only where that makes places in memory neighbours, or takes masks
// from several blocks.
//
// fl: of f, with the width of code that f will become; no longer true of it behind. False: f does
// what it did, and all of these count as looked at. f is valid before and after.
bool group_edges(struct kir_func *f, const struct flow *fl);

#endif
