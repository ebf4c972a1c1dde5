// User objects: a destructor of the program's behind a count of references (guide 6.2.8.7.4).
#ifndef KUDZU_DRIVER_USER_OBJECT_H
#define KUDZU_DRIVER_USER_OBJECT_H

#include "driver/graph/graph.h"

struct drv_user_object;

// One reference, the caller's; the program has no handle of it.
CUresult drv_user_object_new(void *ptr, CUhostFn destroy, struct drv_user_object **out);
void drv_user_object_retain(struct drv_user_object *o, unsigned count);
// Calls the destructor with the last reference, on the calling thread.
void drv_user_object_drop(struct drv_user_object *o, unsigned count);
// g gets `count` references of its own.
CUresult drv_graph_hold_same(struct drv_graph *to,
                             const struct drv_graph *from); // instead of its own
CUresult drv_graph_hold(struct drv_graph *g, struct drv_user_object *o, unsigned count);

#endif
