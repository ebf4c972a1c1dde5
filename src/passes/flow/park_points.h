// Where lanes of a warp may have to wait for others of it that come another way: barriers and warp
// operations. See docs/design/partial_arrival.md.
#ifndef KUDZU_PASSES_PARK_POINTS_H
#define KUDZU_PASSES_PARK_POINTS_H

#include "passes/flow/flow.h"

// An uncounted barrier of the block, or an operation of a warp's lanes, at which lanes can be
// parked until the others have come.
bool is_park_point(const struct kir_inst *i);

// Can lanes of a kernel be parked at all of its barriers and warp operations? All barriers have to
// be one; what else lanes do together is not made for it.
bool can_park(const struct kir_func *kernel);

// Ends blocks behind each point of the kernel, so that what lives there crosses blocks, and behind
// the phis of loops that may wait, as `before` tells of the same blocks: what they wait for may be
// parked.
void make_park_points(struct kir_func *kernel, const struct flow *before);

#endif
