// Sets of events to wait for. A CPU device reports none, so that every wait ends with its time.
#include "nvml/nvml.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

struct nvmlEventSet_st {
    struct nvmlEventSet_st *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static nvmlEventSet_t sets;

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set) {
    ENTER(s);
    REQUIRE(set);
    *set = malloc(sizeof **set);
    if (!*set)
        return NVML_ERROR_MEMORY;
    pthread_mutex_lock(&lock);
    (*set)->next = sets;
    sets = *set;
    pthread_mutex_unlock(&lock);
    return NVML_SUCCESS;
}

// Where the set hangs in the list, or NULL. Only under the lock.
static nvmlEventSet_t *find(nvmlEventSet_t set) {
    for (nvmlEventSet_t *at = &sets; *at; at = &(*at)->next)
        if (*at == set)
            return at;
    return NULL;
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
    ENTER(s);
    pthread_mutex_lock(&lock);
    nvmlEventSet_t *at = find(set);
    if (at) {
        *at = set->next;
        free(set);
    }
    pthread_mutex_unlock(&lock);
    return at ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

// The time is in milliseconds. The set may be freed meanwhile: it is not looked at again.
nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data,
                                 unsigned int timeoutms) {
    ENTER(s);
    pthread_mutex_lock(&lock);
    bool there = find(set);
    pthread_mutex_unlock(&lock);
    REQUIRE(there && data);
    poll(NULL, 0, timeoutms > INT_MAX ? INT_MAX : (int)timeoutms);
    return NVML_ERROR_TIMEOUT;
}
