// The handles that a library has given out: one that it has not, or that is gone, is found out
// without being followed.
#ifndef KUDZU_ASSEMBLER_HANDLE_LIST_H
#define KUDZU_ASSEMBLER_HANDLE_LIST_H

#include <pthread.h>
#include <stdbool.h>

struct handle_node { // first in what a handle points to
    struct handle_node *next;
};
struct handle_list {
    pthread_mutex_t lock; // PTHREAD_MUTEX_INITIALIZER
    struct handle_node *first;
};

void handle_list_add(struct handle_list *l, struct handle_node *n);
bool handle_list_has(struct handle_list *l, const void *handle);
bool handle_list_remove(struct handle_list *l, const void *handle); // false: it was not there

#endif
