// kudzu mps-control: the control program of the Multi-Process Service. Processes share a CPU's
// cores without a server; what the service adds here are limits of threads and memory for its
// clients, their priority, and a list of them. The server that commands name is this program
// itself, which runs as one from its first client on.
#define _GNU_SOURCE // accept4
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cc/processes/cc.h"
#include "support/environment.h"
#include "support/mps.h"
#include "tools/tools.h"

enum { MOST = 256 };

// A connection; of a client it lasts as long as the process.
struct peer {
    int fd, pid; // pid 0: no client
    char line[MPS_LINE];
    size_t n;
};

static struct {
    struct peer peer[MOST];
    int peers, listener;
    double by_default, percentage; // of servers to come, and of the one that runs
    uint64_t memory_by_default[MPS_DEVICES], memory[MPS_DEVICES]; // the same; 0: no limit
    int priority;                                                 // of clients to come
    bool serves;                                                  // there is a server
    bool ending;     // with the last client, or at `deadline`
    time_t deadline; // 0: none
} control;

// ---- Commands -----------------------------------------------------------------------------------

static void say(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(int fd, const char *format, ...) {
    char text[MPS_LINE];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (n > 0)
        (void)!send(fd, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1, MSG_NOSIGNAL);
}

static void serve(void) {
    if (!control.serves) {
        control.percentage = control.by_default;
        memcpy(control.memory, control.memory_by_default, sizeof control.memory);
    }
    control.serves = true;
}

// Whether `text` is the server's number; else it says so.
static bool is_server(int fd, const char *text) {
    bool ours = control.serves && text && atoi(text) == (int)getpid();
    if (!ours)
        say(fd, "Server %s not found\n", text ? text : "");
    return ours;
}

static void list_clients(int fd) {
    for (int k = 0; k < control.peers; k++)
        if (control.peer[k].pid)
            say(fd, "%d\n", control.peer[k].pid);
}

static void set(int fd, const char *text, double *to) {
    if (!text || !mps_percentage(text, to))
        say(fd, "Invalid percentage value %s\n", text ? text : "");
    else
        say(fd, "%.1f\n", *to);
}

// A limit of memory as text: "10G", "512M".
static void write_memory(char text[32], uint64_t bytes) {
    bool whole = bytes >> 30 && !(bytes & ((UINT64_C(1) << 30) - 1));
    snprintf(text, 32, "%llu%c", (unsigned long long)(bytes >> (whole ? 30 : 20)),
             whole ? 'G' : 'M');
}

// The limit of the device that `text` names, or NULL after it has said that there is none.
static uint64_t *limit_of(int fd, const char *text, uint64_t *limits) {
    char *end = NULL;
    unsigned long device = text ? strtoul(text, &end, 10) : 0;
    if (text && end != text && !*end && device < MPS_DEVICES)
        return &limits[device];
    say(fd, "Invalid device %s\n", text ? text : "");
    return NULL;
}

static void get_memory(int fd, const char *device, uint64_t *limits) {
    char text[32] = "No limit";
    const uint64_t *limit = limit_of(fd, device, limits);
    if (limit && *limit)
        write_memory(text, *limit);
    if (limit)
        say(fd, "%s\n", text);
}

static void set_memory(int fd, const char *device, const char *value, uint64_t *limits) {
    uint64_t *limit = limit_of(fd, device, limits);
    if (limit && (!value || !mps_memory(value, limit)))
        say(fd, "Invalid memory limit %s: a number with G or M is one\n", value ? value : "");
}

// Limits of memory and priorities; false: the command is another one.
static bool command_of_memory(int fd, const char *word, char **more) {
    bool of_server = !strcmp(word, "set_device_pinned_mem_limit") ||
                     !strcmp(word, "get_device_pinned_mem_limit");
    bool by_default = !strcmp(word, "set_default_device_pinned_mem_limit") ||
                      !strcmp(word, "get_default_device_pinned_mem_limit");
    if (!of_server && !by_default)
        return false;
    if (of_server && !is_server(fd, strtok_r(NULL, " \t", more)))
        return true;
    uint64_t *limits = of_server ? control.memory : control.memory_by_default;
    const char *device = strtok_r(NULL, " \t", more);
    if (word[0] == 'g')
        get_memory(fd, device, limits);
    else
        set_memory(fd, device, device ? strtok_r(NULL, " \t", more) : NULL, limits);
    return true;
}

static void command(int fd, char *line) {
    char *more = NULL, *word = strtok_r(line, " \t", &more);
    if (!word || command_of_memory(fd, word, &more))
        return;
    char *first = strtok_r(NULL, " \t", &more);
    char *second = first ? strtok_r(NULL, " \t", &more) : NULL;
    if (!strcmp(word, "get_server_list")) {
        if (control.serves)
            say(fd, "%d\n", (int)getpid());
    } else if (!strcmp(word, "start_server")) {
        if (!first || strcmp(first, "-uid") || !second || atoi(second) != (int)geteuid())
            say(fd, "Only user %d is served\n", (int)geteuid());
        else
            serve();
    } else if (!strcmp(word, "get_server_status")) {
        if (is_server(fd, first))
            say(fd, "ACTIVE\n");
    } else if (!strcmp(word, "get_client_list")) {
        if (is_server(fd, first))
            list_clients(fd);
    } else if (!strcmp(word, "ps")) {
        say(fd, "PID       SERVER\n");
        for (int k = 0; k < control.peers; k++)
            if (control.peer[k].pid)
                say(fd, "%-9d %d\n", control.peer[k].pid, (int)getpid());
    } else if (!strcmp(word, "get_default_active_thread_percentage")) {
        say(fd, "%.1f\n", control.by_default);
    } else if (!strcmp(word, "set_default_active_thread_percentage")) {
        set(fd, first, &control.by_default);
    } else if (!strcmp(word, "get_active_thread_percentage")) {
        if (is_server(fd, first))
            say(fd, "%.1f\n", control.percentage);
    } else if (!strcmp(word, "set_active_thread_percentage")) {
        if (is_server(fd, first))
            set(fd, second, &control.percentage);
    } else if (!strcmp(word, "get_default_client_priority")) {
        say(fd, "%d\n", control.priority);
    } else if (!strcmp(word, "set_default_client_priority")) {
        if (!first || !mps_priority(first, &control.priority))
            say(fd, "Invalid priority %s: 0 is normal, 1 below normal\n", first ? first : "");
    } else if (!strcmp(word, "shutdown_server")) {
        bool forced = second && (!strcmp(second, "-f") || !strcmp(second, "--force"));
        bool any = false;
        if (!is_server(fd, first))
            return;
        for (int k = 0; k < control.peers && forced; k++)
            if (control.peer[k].pid)
                kill(control.peer[k].pid, SIGTERM);
        for (int k = 0; k < control.peers && !forced; k++)
            any |= control.peer[k].pid != 0;
        if (any)
            say(fd, "The server has clients: shutdown_server %d -f ends them\n", (int)getpid());
        else
            control.serves = false;
    } else if (!strcmp(word, "quit")) {
        control.ending = true;
        if (first && !strcmp(first, "-t") && second)
            control.deadline = time(NULL) + atoi(second);
    } else {
        say(fd, "Unknown command or one without a meaning for CPU devices: %s\n", word);
    }
}

// ---- The program that runs in the background ----------------------------------------------------

static void drop(int k) {
    close(control.peer[k].fd);
    control.peer[k] = control.peer[--control.peers];
}

// True: the connection stays.
static bool answer(struct peer *p, char *line) {
    int pid;
    double own;
    if (sscanf(line, "client %d %lf", &pid, &own) != 2) {
        command(p->fd, line);
        return false;
    }
    serve();
    p->pid = pid;
    char limits[MPS_LINE] = "-", text[32];
    size_t n = 0;
    for (int k = 0; k < MPS_DEVICES; k++)
        if (control.memory[k]) {
            write_memory(text, control.memory[k]);
            n += (size_t)snprintf(limits + n, sizeof limits - n, "%s%d=%s", n ? "," : "", k, text);
        }
    say(p->fd, "%.2f %d %s\n", own < control.percentage ? own : control.percentage,
        control.priority, limits);
    return true;
}

static bool hear(struct peer *p) {
    ssize_t n = read(p->fd, p->line + p->n, sizeof p->line - 1 - p->n);
    if (n <= 0)
        return false;
    p->n += (size_t)n;
    p->line[p->n] = 0;
    char *end = strchr(p->line, '\n');
    if (!end)
        return p->n < sizeof p->line - 1;
    *end = 0;
    p->n = 0;
    return answer(p, p->line);
}

static bool has_ended(void) {
    bool clients = false;
    for (int k = 0; k < control.peers; k++)
        clients |= control.peer[k].pid != 0;
    return control.ending && (!clients || (control.deadline && time(NULL) >= control.deadline));
}

static void accept_one(void) {
    int fd = accept4(control.listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    if (control.peers == MOST) {
        close(fd);
        return;
    }
    control.peer[control.peers++] = (struct peer){.fd = fd};
}

static int run_control(void) {
    while (!has_ended()) {
        struct pollfd set[MOST + 1];
        int n = control.peers;
        for (int k = 0; k < n; k++)
            set[k] = (struct pollfd){control.peer[k].fd, POLLIN, 0};
        set[n] = (struct pollfd){control.listener, POLLIN, 0};
        if (poll(set, (nfds_t)n + 1, control.ending ? 200 : -1) < 0 && errno != EINTR)
            break;
        for (int k = n - 1; k >= 0; k--) // drop puts the last in its place
            if (set[k].revents && !hear(&control.peer[k]))
                drop(k);
        if (set[n].revents)
            accept_one();
    }
    mps_unlink();
    return 0;
}

static void end_by_signal(int sig) {
    (void)sig;
    mps_unlink();
    _exit(0);
}

// Whether the limits in the environment are some; else it says so.
static bool take_environment(void) {
    const char *limits = environment_get("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT");
    const char *level = environment_get("CUDA_MPS_CLIENT_PRIORITY");
    if (limits && !mps_memory_list(limits, control.memory_by_default)) {
        cc_error("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT is '%s': it must be like 0=1G,1=512M", limits);
        return false;
    }
    if (level && !mps_priority(level, &control.priority)) {
        cc_error("CUDA_MPS_CLIENT_PRIORITY is '%s': it must be 0 or 1", level);
        return false;
    }
    return true;
}

static int start(bool background) {
    const char *text = environment_get("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
    control.by_default = 100;
    if (!take_environment())
        return 1;
    if (text && !mps_percentage(text, &control.by_default)) {
        cc_error("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE is '%s': it must be above 0 and at most 100",
                 text);
        return 1;
    }
    control.listener = mps_listen();
    if (control.listener < 0 && errno == EADDRINUSE) {
        cc_error("an instance of this daemon is already running");
        return 1;
    }
    if (control.listener < 0) {
        cc_error("%s/control: %s", mps_folder(), strerror(errno));
        return 1;
    }
    signal(SIGTERM, end_by_signal);
    signal(SIGINT, end_by_signal);
    signal(SIGPIPE, SIG_IGN);
    if (background && daemon(0, 0)) {
        cc_error("the system starts no process: %s", strerror(errno));
        return 1;
    }
    return run_control();
}

// ---- The program that asks it -------------------------------------------------------------------

static bool ask(const char *line) {
    char text[MPS_LINE];
    int fd = mps_connect();
    if (fd < 0) {
        puts("Cannot find MPS control daemon process");
        return false;
    }
    int n = snprintf(text, sizeof text, "%.*s\n", MPS_LINE - 2, line);
    bool ok = send(fd, text, (size_t)n, MSG_NOSIGNAL) == n;
    for (ssize_t got; ok && (got = read(fd, text, sizeof text)) > 0;)
        fwrite(text, 1, (size_t)got, stdout);
    close(fd);
    return ok;
}

static int ask_all(void) {
    char line[MPS_LINE];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (line[strspn(line, " \t")] && !ask(line))
            return 1;
        if (!strncmp(line, "quit", 4))
            break;
    }
    return 0;
}

int tool_mps_control(int argc, char **argv) {
    const char *option = argc > 1 ? argv[1] : NULL;
    if (!option)
        return ask_all();
    if (!strcmp(option, "-d") || !strcmp(option, "-f"))
        return start(option[1] == 'd');
    if (!strcmp(option, "-v") || !strcmp(option, "--version")) {
        puts("kudzu mps-control");
        return 0;
    }
    bool help = !strcmp(option, "-h") || !strcmp(option, "--help");
    fprintf(help ? stdout : stderr,
            "Usage: kudzu mps-control [-d | -f]\n\n"
            "The control program of the Multi-Process Service. -d starts it in the background,\n"
            "-f in the foreground; without options commands are read from standard input.\n\n"
            "Commands:\n"
            "  get_server_list, get_server_status PID, get_client_list PID, ps\n"
            "  start_server -uid UID, shutdown_server PID [-f], quit [-t SECONDS]\n"
            "  get_default_active_thread_percentage, set_default_active_thread_percentage PERCENT\n"
            "  get_active_thread_percentage PID, set_active_thread_percentage PID PERCENT\n"
            "  get_default_device_pinned_mem_limit DEVICE, get_device_pinned_mem_limit PID DEVICE\n"
            "  set_default_device_pinned_mem_limit DEVICE LIMIT (10G, 512M)\n"
            "  set_device_pinned_mem_limit PID DEVICE LIMIT\n"
            "  get_default_client_priority, set_default_client_priority 0 | 1\n\n"
            "CUDA_MPS_PIPE_DIRECTORY says where it listens; CUDA_MPS_ACTIVE_THREAD_PERCENTAGE,\n"
            "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT (0=1G,1=512M) and CUDA_MPS_CLIENT_PRIORITY what the\n"
            "defaults are. The same variables of a client limit it further.\n");
    return help ? 0 : 1;
}
