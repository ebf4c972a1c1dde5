// What the files of stream capture share. The lock is held for all of it.
#ifndef KUDZU_DRIVER_CAPTURE_STATE_H
#define KUDZU_DRIVER_CAPTURE_STATE_H

#include "driver/driver.h"

// Nodes that come before what follows in a stream, by handle, since the program may destroy them.
struct dependencies {
    CUgraphNode *nodes;
    CUgraphEdgeData *data;
    size_t n, room;
};

// A stream that is being captured.
struct capturing {
    struct capture *capture;
    struct kd_queue *q;
    struct drv_context *context;
    struct dependencies dependencies;
    struct capturing *next;
};

// One capture: a graph, and all streams that are captured into it.
struct capture {
    uint64_t id; // unique in the process
    CUgraph graph;
    bool own_graph; // made by cuStreamBeginCapture
    CUstreamCaptureMode mode;
    uint64_t thread; // that began it
    struct kd_queue *origin;
    bool invalid;
    struct capturing *streams;
    struct capture *next;
};

// What an event stands for that was recorded in a capturing stream.
struct drv_captured_event {
    uint64_t capture;
    struct dependencies dependencies;
};

// One recursive lock for captures and graphs (drv_graphs_hold).
void capture_lock(void);
void capture_unlock(void);
uint64_t capture_thread(void); // a number of the calling thread, never used twice

// False: no memory.
bool capture_add_dependency(struct dependencies *d, CUgraphNode node, const CUgraphEdgeData *data);
bool capture_join_dependencies(struct dependencies *d, const struct dependencies *more);
void capture_free_dependencies(struct dependencies *d);

struct capturing *capture_of(const struct kd_queue *q); // NULL: it is not capturing
struct capture *capture_with_id(uint64_t id);           // NULL: it has ended
// NULL: no memory.
struct capture *capture_new(CUgraph graph, bool own_graph, CUstreamCaptureMode mode,
                            struct kd_queue *q, struct drv_context *ctx);
struct capturing *capture_add_stream(struct capture *c, struct kd_queue *q,
                                     struct drv_context *ctx);
// Takes all its streams out of capture mode. The graph stays.
void capture_free(struct capture *c);
struct drv_graph;
struct drv_graph *capture_graph(struct capture *c); // NULL: the program has destroyed it
// CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: q is the legacy stream, and a blocking stream is capturing.
CUresult capture_check_legacy(struct kd_queue *q, struct drv_context *ctx, bool invalidate);

#endif
