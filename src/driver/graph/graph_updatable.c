// Kernel nodes that kernels change (cudaLaunchAttributeDeviceUpdatableKernelNode). Device code
// knows such a node by the handle that it has in the graph; the graph may be gone by then, so that
// a list leads from handles to executable graphs, of which there is one at most.
#include "driver/graph/graph_updatable.h"

#include <pthread.h>
#include <stdlib.h>

struct entry {
    struct entry *next;
    uint64_t handle;
    const struct drv_exec *exec;
    uint32_t slot;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;

bool drv_node_updatable(const struct drv_node *n) {
    const CUlaunchAttributeValue *v =
        drv_node_attribute(n, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE);
    return v && v->deviceUpdatableKernelNode.deviceUpdatable;
}

bool drv_graph_updatable(const struct drv_graph *g) {
    for (const struct drv_node *n = g->first; n; n = n->next) {
        if (drv_node_updatable(n))
            return true;
        for (unsigned i = 0; i < n->ngraphs; i++)
            if (drv_graph_updatable(n->graphs[i]))
                return true;
    }
    return false;
}

CUgraphDeviceNode drv_node_device_handle(const struct drv_node *n) {
    return (CUgraphDeviceNode)n->object.handle;
}

CUresult drv_updatable_add(struct drv_exec *exec) {
    for (size_t i = 0; i < exec->nnodes; i++) {
        const struct drv_node *n = exec->nodes[i].node;
        if (!drv_node_updatable(n))
            continue;
        struct entry *e = malloc(sizeof *e);
        REQUIRE(e, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node that the device updates");
        kd_graph_set_updatable(exec->k);
        *e = (struct entry){NULL, (uint64_t)(uintptr_t)n->original, exec, n->slot};
        pthread_mutex_lock(&lock);
        e->next = entries;
        entries = e;
        pthread_mutex_unlock(&lock);
    }
    return CUDA_SUCCESS;
}

void drv_updatable_remove(const struct drv_exec *exec) {
    pthread_mutex_lock(&lock);
    for (struct entry **at = &entries; *at;) {
        struct entry *e = *at;
        if (e->exec != exec) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        free(e);
    }
    pthread_mutex_unlock(&lock);
}

enum kd_status drv_updatable_change(uint64_t handle, const struct kd_kernel_update *u) {
    enum kd_status status = KD_NOT_FOUND;
    pthread_mutex_lock(&lock);
    for (const struct entry *e = entries; e; e = e->next)
        if (e->handle == handle) {
            status = kd_graph_update(e->exec->k, e->slot, u);
            break;
        }
    pthread_mutex_unlock(&lock);
    return status;
}
