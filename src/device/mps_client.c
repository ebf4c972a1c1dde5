#include "device/mps_client.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/environment.h"
#include "support/mps.h"

enum { NICER = 10 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static double percentage; // 0: no client
static int priority;      // as mps_priority has it
static uint64_t memory[MPS_DEVICES];

// The control program's answer; false: it is none.
static bool take_answer(char *line) {
    char percent[32], level[8], limits[MPS_LINE];
    if (sscanf(line, "%31s %7s %2047s", percent, level, limits) != 3 ||
        !mps_priority(level, &priority))
        return false;
    if (strcmp(limits, "-") && !mps_memory_list(limits, memory))
        return false;
    return mps_percentage(percent, &percentage);
}

// What the process's own environment says: limits can be lower than the control program's alone.
static void take_environment(void) {
    uint64_t own[MPS_DEVICES];
    const char *limits = environment_get("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT");
    const char *level = environment_get("CUDA_MPS_CLIENT_PRIORITY");
    for (int k = 0; limits && mps_memory_list(limits, own) && k < MPS_DEVICES; k++)
        if (own[k] && (!memory[k] || own[k] < memory[k]))
            memory[k] = own[k];
    if (level)
        mps_priority(level, &priority);
}

// The connection stays open: its end tells that the process has ended.
static void join(void) {
    char line[MPS_LINE];
    double own = 100;
    const char *text = environment_get("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
    int fd = mps_connect();
    if (fd < 0)
        return;
    if (text && !mps_percentage(text, &own))
        own = 100;
    int n = snprintf(line, sizeof line, "client %d %.2f\n", (int)getpid(), own);
    ssize_t got =
        send(fd, line, (size_t)n, MSG_NOSIGNAL) == n ? read(fd, line, sizeof line - 1) : 0;
    line[got > 0 ? got - 1 : 0] = 0; // without the end of the line
    if (take_answer(line))
        take_environment();
    else
        close(fd);
}

bool kd_is_mps_client(void) {
    pthread_once(&once, join);
    return percentage > 0;
}

int mps_client_workers(int workers) {
    if (!kd_is_mps_client())
        return workers;
    int n = (int)ceil(workers * percentage / 100);
    return n < 1 ? 1 : n;
}

uint64_t mps_client_memory(int device, uint64_t bytes) {
    bool limited = kd_is_mps_client() && device < MPS_DEVICES && memory[device];
    return limited && memory[device] < bytes ? memory[device] : bytes;
}

void mps_client_take_priority(void) {
    if (!kd_is_mps_client() || !priority)
        return;
    id_t thread = (id_t)syscall(SYS_gettid); // glibc has gettid since 2.30
    setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + NICER);
}
