// Kernel nodes that kernels change.
#ifndef KUDZU_DRIVER_GRAPH_UPDATABLE_H
#define KUDZU_DRIVER_GRAPH_UPDATABLE_H

#include "driver/graph/graph_exec.h"

bool drv_node_updatable(const struct drv_node *n);
bool drv_graph_updatable(const struct drv_graph *g); // or a graph within it
// What device code knows the node by.
CUgraphDeviceNode drv_node_device_handle(const struct drv_node *n);
// The nodes of a new executable graph can be changed from now on; and no more.
CUresult drv_updatable_add(struct drv_exec *exec);
void drv_updatable_remove(const struct drv_exec *exec);
enum kd_status drv_updatable_change(uint64_t handle, const struct kd_kernel_update *u);

#endif
