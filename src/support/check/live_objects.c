#include "support/check/live_objects.h"

void live_objects_add(struct live_objects *all, struct live_object *o) {
    pthread_mutex_lock(&all->lock);
    o->next = all->first;
    all->first = o;
    pthread_mutex_unlock(&all->lock);
}

// Where the list names it, or its end. Under the lock.
static struct live_object **find(struct live_objects *all, const void *o) {
    struct live_object **at = &all->first;
    while (*at && *at != o)
        at = &(*at)->next;
    return at;
}

bool live_objects_have(struct live_objects *all, const void *o) {
    pthread_mutex_lock(&all->lock);
    bool found = *find(all, o);
    pthread_mutex_unlock(&all->lock);
    return found;
}

bool live_objects_remove(struct live_objects *all, const void *o) {
    pthread_mutex_lock(&all->lock);
    struct live_object **at = find(all, o);
    bool found = *at;
    if (found)
        *at = (*at)->next;
    pthread_mutex_unlock(&all->lock);
    return found;
}
