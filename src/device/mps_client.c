#include "device/mps_client.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/environment.h"
#include "support/mps.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static double percentage; // 0: no client

// The connection stays open: its end tells that the process has ended.
static void join(void) {
    char line[MPS_LINE];
    double own = 100, allowed;
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
    if (mps_percentage(line, &allowed))
        percentage = allowed;
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
