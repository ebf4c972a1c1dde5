// A libkudzu-jit.so for tests under qemu-user: its compiler is the one of the machine that qemu
// runs on, which KUDZU_COMPILE_FOR names (compile_for.c); started from here it runs as it is.
#define kj_module_load load_module
#define kj_module_free free_module
#include "jit/module.c"
#undef kj_module_load
#undef kj_module_free

#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

KJ_API struct kj_module *kj_module_load(const char *ptx, size_t len, char *log, size_t log_size);
KJ_API void kj_module_free(struct kj_module *m);

// The text of each module.
struct text {
    struct text *next;
    const struct kj_module *module;
    char *ptx;
};
static struct text *texts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct kj_module *kj_module_load(const char *ptx, size_t len, char *log, size_t log_size) {
    struct kj_module *m = load_module(ptx, len, log, log_size);
    struct text *t = m ? malloc(sizeof *t) : NULL;
    if (t) {
        pthread_mutex_lock(&lock);
        *t = (struct text){texts, m, strndup(ptx, len)};
        texts = t;
        pthread_mutex_unlock(&lock);
    }
    return m;
}

void kj_module_free(struct kj_module *m) {
    pthread_mutex_lock(&lock);
    for (struct text **at = &texts; m && *at; at = &(*at)->next) {
        struct text *t = *at;
        if (t->module != m)
            continue;
        *at = t->next;
        free(t->ptx);
        free(t);
        break;
    }
    pthread_mutex_unlock(&lock);
    free_module(m);
}

static const char *text_of(const struct kj_module *m) {
    pthread_mutex_lock(&lock);
    struct text *t = texts;
    while (t && t->module != m)
        t = t->next;
    pthread_mutex_unlock(&lock);
    return t ? t->ptx : NULL;
}

static bool write_text(char *path, const char *text) {
    int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    bool ok = f && fputs(text, f) >= 0;
    return f && fclose(f) == 0 && ok;
}

static bool run(const char *ptx, uint32_t kernel, const struct kd_spec *s, const char *out) {
    const char *tool = getenv("KUDZU_COMPILE_FOR");
    char index[16], spec[128];
    snprintf(index, sizeof index, "%u", kernel);
    snprintf(spec, sizeof spec, "%u,%u,%u,%u,%u,%u", s->ntid[0], s->ntid[1], s->ntid[2], s->flags,
             s->width, s->level);
    char *args[] = {(char *)tool, (char *)ptx, index, spec, (char *)out, NULL};
    pid_t pid;
    int status;
    return tool && posix_spawn(&pid, tool, NULL, NULL, args, environ) == 0 &&
           waitpid(pid, &status, 0) == pid && status == 0;
}

// The description, then the object; of a failure, the reason.
static bool read_answer(const char *path, void **obj, size_t *size, struct kd_code_info *info,
                        char *log, size_t log_size) {
    FILE *f = fopen(path, "r");
    bool ok = f && fread(info, sizeof *info, 1, f) == 1 && fread(size, sizeof *size, 1, f) == 1;
    *obj = ok ? malloc(*size) : NULL;
    ok = *obj && fread(*obj, 1, *size, f) == *size;
    if (!ok)
        snprintf(log, log_size, "compile_for gave no code");
    if (f)
        fclose(f);
    return ok;
}

bool kj_compile(struct kj_module *m, uint32_t kernel, const struct kd_spec *spec, void **obj,
                size_t *obj_size, struct kd_code_info *info, char *log, size_t log_size) {
    char ptx[] = "/tmp/kudzu-elsewhere-XXXXXX", out[sizeof ptx + 4];
    const char *text = text_of(m);
    if (!text || !write_text(ptx, text)) {
        snprintf(log, log_size, "no file for compile_for");
        return false;
    }
    snprintf(out, sizeof out, "%s.out", ptx);
    bool ok = run(ptx, kernel, spec, out) && read_answer(out, obj, obj_size, info, log, log_size);
    if (!ok)
        snprintf(log, log_size, "compile_for failed: see above");
    unlink(ptx);
    unlink(out);
    return ok;
}
