// Runs the rows: each file of rows in a process of its own, so that a row that fails spoils no
// other. The process checks and times its sides and sends a line per row; this one prints the
// table and the geometric means.
#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// What is asked for of every row; a row may ask for a part of its limit as well.
static const double goal_native = 0.6, goal_pocl = 1.0;

// Each side is timed for so long in all (or as BENCH_SECONDS says), in stretches, with a pause for
// others' threads that still spin.
static double side_seconds = 0.2;
static int runs_at_once = 1; // as BENCH_RUNS says
static const double stretch_seconds = 0.03, pause_seconds = 0.003;
static const unsigned row_seconds = 120; // a file that takes longer has failed

static struct {
    const char *name;
    void (*function)(void);
} files[256];
static int file_count;

void bench_register(const char *name, void (*function)(void)) {
    if (file_count == 256)
        abort();
    files[file_count].name = name;
    files[file_count++].function = function;
}

// The rows that have variants; without any, rows are measured beside other code instead.
static struct {
    const char *row;
    int reported;
} varied[256];
static int varied_count, native_missing;

void bench_register_variants(const char *row) {
    if (varied_count == 256)
        abort();
    varied[varied_count++].row = row;
}

void bench_no_native(void) {
    native_missing = 1;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// ---- in a row's process ---------------------------------------------------------------------

static FILE *report;
static const char *opencl_folder = ".";

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void pause_for(double seconds) {
    struct timespec t = {0, (long)(seconds * 1e9)};
    nanosleep(&t, NULL);
}

// The best time of one stretch of runs; adds what the runs took to *spent.
static double stretch(const struct bench_job *job, enum bench_side side, double *spent) {
    double best = INFINITY, sum = 0;
    pause_for(pause_seconds);
    do {
        if (job->fresh && side != BENCH_LIMIT)
            job->reset(job->data, side);
        int times = job->fresh ? 1 : runs_at_once;
        double t = now();
        job->run(job->data, side, times);
        t = now() - t;
        best = fmin(best, t / times);
        sum += t;
    } while (sum < stretch_seconds);
    *spent += sum;
    return best;
}

void bench_measure(const struct bench_job *job) {
    double best[BENCH_SIDES], spent[BENCH_SIDES] = {0}, error[BENCH_SIDES] = {0};
    for (int side = 0; side < BENCH_SIDES; side++) {
        best[side] = job->has[side] ? INFINITY : 0;
        if (!job->has[side])
            continue;
        if (side != BENCH_LIMIT)
            job->reset(job->data, side);
        job->run(job->data, side, 1);
        if (side == BENCH_KUDZU && native_missing)
            job->adopt(job->data);
        if (side != BENCH_NATIVE && side != BENCH_LIMIT)
            error[side] = job->error(job->data, side);
    }
    for (int more = 1; more;) {
        more = 0;
        for (int side = 0; side < BENCH_SIDES; side++)
            if (job->has[side] && !(side == BENCH_NATIVE && varied_count) &&
                spent[side] < side_seconds) {
                best[side] = fmin(best[side], stretch(job, side, &spent[side]));
                more |= spent[side] < side_seconds;
            }
    }
    if (varied_count) {
        fprintf(report, "%s\t%.9g", job->name, best[BENCH_KUDZU]);
        for (int side = BENCH_VARIANT; side < BENCH_SIDES; side++)
            fprintf(report, "\t%.9g", best[side]);
        fprintf(report, "\t%.3g", error[BENCH_KUDZU]);
        for (int side = BENCH_VARIANT; side < BENCH_SIDES; side++)
            fprintf(report, "\t%.3g", error[side]);
        fprintf(report, "\t%.3g\n", job->tolerance);
    } else {
        fprintf(report, "%s\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%s\t%.3g\t%.3g\t%.3g\t%.3g\n", job->name,
                best[BENCH_KUDZU], best[BENCH_NATIVE], best[BENCH_POCL], best[BENCH_LIMIT],
                job->work, job->unit, error[BENCH_KUDZU], error[BENCH_POCL], job->tolerance,
                job->goal_limit);
    }
    fflush(report);
}

static void run_file(const char *name, void (*function)(void), int fd) {
    char path[4096];
    report = fdopen(fd, "w");
    alarm(row_seconds);
    snprintf(path, sizeof path, "%s/%s.cl", opencl_folder, name);
    opencl_open(path);
    function();
    fflush(NULL);
    _exit(0);
}

// ---- the table ------------------------------------------------------------------------------

static FILE *results;
static int bad; // wrong results and failed files

static struct mean {
    double logs, least;
    int n;
} to_native, to_pocl, of_memory, of_fma;

static void add(struct mean *m, double ratio) {
    m->least = m->n == 0 || ratio < m->least ? ratio : m->least;
    m->logs += log(ratio);
    m->n++;
}

static void print_ratio(double other, double kudzu) {
    if (other > 0 && kudzu > 0)
        printf(" %8.2f", other / kudzu);
    else
        printf("        -");
}

// Counts a ratio and says where it misses what is asked for.
static void below(const char *whom, struct mean *m, double other, double kudzu, double goal) {
    if (other <= 0 || kudzu <= 0)
        return;
    add(m, other / kudzu);
    if (other / kudzu < goal)
        printf("  %s: below %.2f", whom, goal);
}

static void wrong(const char *who, double error, double tolerance) {
    if (error <= tolerance)
        return;
    printf("  %s WRONG: error %.1e", who, error);
    bad++;
}

static void print_row(const char *line) {
    char name[64], unit[16];
    double t, native, pocl, limit, work, error, pocl_error, tolerance, goal;
    if (sscanf(line, "%63[^\t]\t%lf\t%lf\t%lf\t%lf\t%lf\t%15[^\t]\t%lf\t%lf\t%lf\t%lf", name, &t,
               &native, &pocl, &limit, &work, unit, &error, &pocl_error, &tolerance, &goal) != 11)
        return;
    fputs(line, results);
    printf("%-32s %10.3f", name, t * 1e3);
    print_ratio(native, t);
    print_ratio(pocl, t);
    print_ratio(limit, t);
    printf(" %9.2f %-8s", t > 0 ? work / t / 1e9 : 0, unit);
    below("native", &to_native, native, t, goal_native);
    below("pocl", &to_pocl, pocl, t, goal_pocl);
    below("limit", strcmp(unit, "GB/s") ? &of_fma : &of_memory, limit, t, goal);
    wrong("kudzu", error, tolerance);
    wrong("pocl", pocl_error, tolerance);
    printf("\n");
    fflush(stdout);
}

static struct mean slowest_to_row;
static int above_1_3, above_2;
static double worst_variant;

// A row beside its variants: the slowest one's time over the row's counts.
static void print_variants(const char *line) {
    char name[64];
    double t[4], error[4], tolerance, slowest = 0;
    if (sscanf(line, "%63[^\t]\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf", name, &t[0], &t[1],
               &t[2], &t[3], &error[0], &error[1], &error[2], &error[3], &tolerance) != 10)
        return;
    fputs(line, results);
    for (int i = 0; i < varied_count; i++)
        if (strcmp(varied[i].row, name) == 0)
            varied[i].reported = 1;
    for (int k = 1; k < 4; k++)
        slowest = fmax(slowest, t[k]);
    double ratio = slowest / t[0];
    printf("%-32s %10.3f %10.3f %10.3f %10.3f %8.2f", name, t[0] * 1e3, t[1] * 1e3, t[2] * 1e3,
           t[3] * 1e3, ratio);
    add(&slowest_to_row, ratio);
    worst_variant = fmax(worst_variant, ratio);
    above_1_3 += ratio > 1.3;
    above_2 += ratio > 2;
    wrong("row", error[0], tolerance);
    for (int k = 1; k < 4; k++) {
        char who[16];
        snprintf(who, sizeof who, "variant %d", k);
        wrong(who, error[k], tolerance);
    }
    printf("\n");
    fflush(stdout);
}

// Variants of a row that none of the files has, or that did not get as far.
static void print_unreported(void) {
    for (int i = 0; i < varied_count; i++)
        if (!varied[i].reported) {
            printf("%-32s FAILED: no result\n", varied[i].row);
            bad++;
        }
}

static void start_file(int i) {
    int ends[2];
    if (pipe(ends) != 0)
        abort();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_file(files[i].name, files[i].function, ends[1]);
    }
    close(ends[1]);
    FILE *lines = fdopen(ends[0], "r");
    char line[512];
    while (fgets(line, sizeof line, lines))
        varied_count ? print_variants(line) : print_row(line);
    fclose(lines);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) {
        if (WIFSIGNALED(status))
            printf("%-32s FAILED: %s\n", files[i].name, strsignal(WTERMSIG(status)));
        else
            printf("%-32s FAILED: exit status %d\n", files[i].name, WEXITSTATUS(status));
        bad++;
    }
}

static void print_mean(const char *what, const struct mean *m) {
    if (m->n)
        printf("%-32s %d rows, geometric mean %.2f, least %.2f\n", what, m->n, exp(m->logs / m->n),
               m->least);
}

// usage: bench RESULTS OPENCL: the file for one line per row, in tab-separated columns, and the
// folder of the rows' OpenCL kernels
int main(int argc, char **argv) {
    if (argc > 2)
        opencl_folder = argv[2];
    if (getenv("BENCH_SECONDS"))
        side_seconds = atof(getenv("BENCH_SECONDS"));
    if (getenv("BENCH_RUNS") && atoi(getenv("BENCH_RUNS")) > 0)
        runs_at_once = atoi(getenv("BENCH_RUNS"));
    results = fopen(argc > 1 ? argv[1] : "/dev/null", "w");
    if (!results) {
        perror(argv[1]);
        return 1;
    }
    if (varied_count) {
        fprintf(results,
                "#row\trow s\tvariant 1 s\tvariant 2 s\tvariant 3 s\terror\terror 1\terror 2\t"
                "error 3\ttolerance\n");
        printf("%-32s %10s %10s %10s %10s %8s\n", "", "row ms", "variants", "", "", "slowest");
    } else {
        fprintf(results, "#row\tkudzu s\tnative s\tpocl s\tlimit s\twork\tunit\terror\tpocl error\t"
                         "tolerance\tgoal of limit\n");
        printf("%-32s %10s %8s %8s %8s %9s\n", "", "kudzu ms", "/native", "/pocl", "/limit",
               "rate");
    }
    qsort(files, file_count, sizeof *files, by_name);
    for (int i = 0; i < file_count; i++)
        start_file(i);
    print_unreported();
    if (slowest_to_row.n)
        printf("%-32s %d rows, geometric mean %.2f, most %.2f; %d above 1.3, %d above 2\n",
               "slowest variant over row", slowest_to_row.n,
               exp(slowest_to_row.logs / slowest_to_row.n), worst_variant, above_1_3, above_2);
    print_mean("speed to native", &to_native);
    print_mean("speed to pocl", &to_pocl);
    print_mean("of the memory's speed", &of_memory);
    print_mean("of the arithmetic peak", &of_fma);
    fclose(results);
    return bad != 0;
}
