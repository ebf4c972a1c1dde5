// Two processes of a test: messages with file descriptors between them.
#ifndef KUDZU_TESTS_DRIVER_PROCESSES_H
#define KUDZU_TESTS_DRIVER_PROCESSES_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// fd -1: none goes along.
static inline void send_message(int to, const void *data, size_t size, int fd) {
    char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {(void *)data, size};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = control;
        m.msg_controllen = sizeof control;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    if (sendmsg(to, &m, 0) != (ssize_t)size)
        exit(1);
}

// Returns the descriptor that came along, or -1.
static inline int receive_message(int from, void *data, size_t size) {
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {data, size};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = control,
                       .msg_controllen = sizeof control};
    int fd = -1;
    if (recvmsg(from, &m, MSG_WAITALL) != (ssize_t)size)
        exit(1);
    if (CMSG_FIRSTHDR(&m))
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}

// One byte, to say that a step is done.
static inline void tell(int to) {
    send_message(to, "", 1, -1);
}

static inline void await(int from) {
    char byte;
    receive_message(from, &byte, 1);
}

// Starts child(socket) in a process of its own, which must not have used the driver before, and
// returns the other end of the socket.
static inline int start_process(int (*child)(int), pid_t *pid) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
        exit(1);
    *pid = fork();
    if (*pid < 0)
        exit(1);
    if (*pid == 0) {
        close(sockets[0]);
        exit(child(sockets[1]));
    }
    close(sockets[1]);
    return sockets[0];
}

static inline int end_of_process(pid_t pid) {
    int status = 1;
    waitpid(pid, &status, 0);
    return status;
}

// A descriptor of a file in memory that cannot shrink, but is none of ours.
static inline int foreign_file(size_t size) {
    int fd = memfd_create("foreign", MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, (off_t)size) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
        exit(1);
    return fd;
}

#endif
