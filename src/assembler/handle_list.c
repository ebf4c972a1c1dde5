#include "assembler/handle_list.h"

#include <stddef.h>

void handle_list_add(struct handle_list *l, struct handle_node *n) {
    pthread_mutex_lock(&l->lock);
    n->next = l->first;
    l->first = n;
    pthread_mutex_unlock(&l->lock);
}

// Where the list points to it; NULL: nowhere.
static struct handle_node **find(struct handle_list *l, const void *handle) {
    struct handle_node **at = &l->first;
    while (*at && *at != handle)
        at = &(*at)->next;
    return *at ? at : NULL;
}

bool handle_list_has(struct handle_list *l, const void *handle) {
    pthread_mutex_lock(&l->lock);
    bool found = find(l, handle) != NULL;
    pthread_mutex_unlock(&l->lock);
    return found;
}

bool handle_list_remove(struct handle_list *l, const void *handle) {
    pthread_mutex_lock(&l->lock);
    struct handle_node **at = find(l, handle);
    if (at)
        *at = (*at)->next;
    pthread_mutex_unlock(&l->lock);
    return at != NULL;
}
