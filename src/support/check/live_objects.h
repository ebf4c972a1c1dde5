// The objects that a library has handed out and not taken back: a handle that is none of them is
// found out without being followed. From any thread.
#ifndef KUDZU_SUPPORT_LIVE_OBJECTS_H
#define KUDZU_SUPPORT_LIVE_OBJECTS_H

#include <pthread.h>
#include <stdbool.h>

// The first member of an object.
struct live_object {
    struct live_object *next;
};

struct live_objects {
    pthread_mutex_t lock;
    struct live_object *first;
};
#define LIVE_OBJECTS_INIT                                                                          \
    { PTHREAD_MUTEX_INITIALIZER, NULL }

void live_objects_add(struct live_objects *all, struct live_object *o);
// `o` may be any address.
bool live_objects_have(struct live_objects *all, const void *o);
// False: it was none of them.
bool live_objects_remove(struct live_objects *all, const void *o);

#endif
