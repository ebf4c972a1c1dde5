// Ctrl-C ends a process whose kernel never ends, and the program's own handler runs on one of
// the program's threads.
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/fake_module.h"

static void endless(struct kd_block *b) {
    for (;;)
        __asm__ volatile("" ::: "memory");
}
static void nothing(struct kd_block *b) {
}
static const struct fake_kernel kernels[] = {
    {.name = "endless", .entry = endless},
    {.name = "nothing", .entry = nothing},
};

static void child(bool wait) {
    struct kd_context *c = fake_context();
    struct kd_module *m = fake_module(c, kernels, 2);
    struct kd_queue *q = kd_context_legacy_queue(c);
    fake_launch(q, m, "endless", 100, 1, NULL, 0);
    REQUIRE(write(1, "x", 1) == 1);
    if (wait)
        kd_queue_wait(q);
    for (;;)
        pause();
}

static void test_interrupt(bool wait) {
    int pipes[2], status;
    char c;
    REQUIRE(pipe(pipes) == 0);
    pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        dup2(pipes[1], 1);
        child(wait);
    }
    REQUIRE(read(pipes[0], &c, 1) == 1);
    usleep(100000);
    kill(pid, SIGINT);
    REQUIRE(waitpid(pid, &status, 0) == pid);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    close(pipes[0]);
    close(pipes[1]);
}

static pthread_t handled_on;
static volatile sig_atomic_t handled;
static void handler(int sig) {
    handled_on = pthread_self();
    handled++;
}

static void test_own_thread(void) {
    struct kd_context *c = fake_context();
    struct kd_module *m = fake_module(c, kernels, 2);
    struct kd_queue *q = kd_context_legacy_queue(c);
    signal(SIGUSR1, handler);
    EXPECT_EQ(fake_launch(q, m, "nothing", 1, 1, NULL, 0), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    // Blocked here, it stays pending: no worker takes it.
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    kill(getpid(), SIGUSR1);
    usleep(50000);
    EXPECT_EQ(handled, 0);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    EXPECT_EQ(handled, 1);
    EXPECT(pthread_equal(handled_on, pthread_self()));
    kd_context_destroy(c);
}

int main(void) {
    test_interrupt(false);
    test_interrupt(true);
    test_own_thread();
    return expect_done();
}
