// A version of a kernel's code for groups of lanes that lie in one row: k / n and k % n of an
// index.
#ifndef KUDZU_PASSES_GROUP_ROWS_H
#define KUDZU_PASSES_GROUP_ROWS_H

#include "passes/flow/flow.h"

// Is there a quotient or a remainder in the function, of a number that grows from lane to lane by
// known steps and one that all lanes have alike, which has not been looked at? loops: are there
// loops behind the first of these that it does not stand in itself?
bool group_rows_any(const struct flow *fl, bool *loops);

// What begins at the first of these and ends with the function, or with an iteration of the
// innermost loop around it, is there twice: where the remainders of all lanes follow from the first
// lane's, there is one quotient for all of them, and the remainders grow from lane to lane as the
// numbers do; else as before. So it is with quotients and remainders that follow from these.
//
// fl: of f, with the width of code that f will become; no longer true of it behind. False: f does
// what it did, and the division counts as looked at. f is valid before and after.
bool group_rows(struct kir_func *f, const struct flow *fl);

#endif
