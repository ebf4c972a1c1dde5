// Events that several processes record and wait for: words in a file that they all map.
#ifndef KUDZU_DEVICE_SHARED_EVENT_H
#define KUDZU_DEVICE_SHARED_EVENT_H

#include "device/device.h"

struct shared_event;
enum kd_status shared_event_new(struct kd_context *c, struct shared_event **out);
enum kd_status shared_event_open(struct kd_context *c, const struct kd_ipc_file *file,
                                 struct shared_event **out);
struct kd_ipc_file shared_event_handle(const struct shared_event *e);
// What queues still do with it goes on.
void shared_event_free(struct shared_event *e);
enum kd_status shared_event_record(struct shared_event *e, struct kd_queue *q);
enum kd_status shared_event_wait_on(struct kd_queue *q, struct shared_event *e);
bool shared_event_happened(struct shared_event *e);

#endif
