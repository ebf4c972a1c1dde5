// The benchmark: CUDA kernels compiled by kudzu beside native C with OpenMP, pocl and the
// machine's limit, on the same number of threads, in turn in one process. README.md tells how
// to add a row.
//
// The first part is the C interface of bench.c, limit.c and opencl.c; the second part, for
// rows/*.cu, wraps it: Buffer, Row, measure, pocl, BENCH.
#ifndef KUDZU_BENCH_H
#define KUDZU_BENCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// A row may have as many variants: sides of their own, on the data of BENCH_KUDZU.
enum { BENCH_VARIANTS = 3 };
enum bench_side {
    BENCH_NATIVE,
    BENCH_KUDZU,
    BENCH_POCL,
    BENCH_LIMIT,
    BENCH_VARIANT,
    BENCH_SIDES = BENCH_VARIANT + BENCH_VARIANTS
};

// One row of the table. data is passed to all functions.
struct bench_job {
    const char *name;
    double work; // bytes or operations of one run
    const char *unit;
    double tolerance; // of the error
    int fresh;        // reset before every timed run, not only before the one that is checked
    double goal_limit;
    int has[BENCH_SIDES];
    void (*run)(void *data, enum bench_side side, int times); // and waits for all of them
    void (*reset)(void *data, enum bench_side side);          // inputs as they were, outputs spoilt
    double (*error)(void *data, enum bench_side side);        // of its results from native's
    void (*adopt)(void *data); // makes the row's results those that native's would be
    void *data;
};

// bench.c. Registers a row's file; called before main.
void bench_register(const char *name, void (*function)(void));
// Registers variants of a row; called before main. Rows without variants are then left out.
void bench_register_variants(const char *row);
// What a native side does that could not be compiled: the variants are compared with the row.
void bench_no_native(void);
// Checks the sides' results, times the sides and reports the row.
void bench_measure(const struct bench_job *job);
// Zeroed memory on huge pages, as kudzu's device memory is.
void *bench_alloc(size_t bytes);
void bench_free(void *memory);
// A fixed sequence of pseudo-random numbers below 2^32.
unsigned bench_random(unsigned *state);

// limit.c: what the machine can do, on all threads.
// Reads and writes so many bytes with plain loops; in_place: what is written has been read (as
// in y += x), so that the machine need not fetch it once more.
void limit_traffic(size_t read, size_t written, int in_place);
// Does so many floating-point operations as independent fused multiply-adds.
void limit_fma32(double operations);
void limit_fma64(double operations);

// opencl.c: pocl's CPU device.
// Opens the device and builds a file; false when there is neither device nor file.
int opencl_open(const char *path);
int opencl_ready(void);
void *opencl_buffer(void *memory, size_t bytes); // a cl_mem on memory of bench_alloc
void opencl_write(void *mem, const void *src, size_t bytes);
void opencl_read(void *dst, void *mem, size_t bytes);
void *opencl_kernel(const char *name);
void opencl_argument(void *kernel, int index, size_t size, const void *value);
// global: in work-items. Returns at once; opencl_finish waits.
void opencl_run(void *kernel, const size_t global[3], const size_t local[3]);
void opencl_finish(void);

#ifdef __cplusplus
}

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_));                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// The rows of one file: BENCH(saxpy) { ... } in rows/saxpy.cu.
#define BENCH(name)                                                                                \
    static void bench_##name();                                                                    \
    __attribute__((constructor)) static void register_##name() {                                   \
        bench_register(#name, bench_##name);                                                       \
    }                                                                                              \
    static void bench_##name()

// Variants of one row: VARIANTS(saxpy, "saxpy") { ... return {[=] { ... }, ...}; } in
// variants/saxpy.cu. They launch kernels on the row's buffers and need not synchronise.
#define VARIANTS(id, row)                                                                          \
    static bench::Variants variants_##id();                                                        \
    __attribute__((constructor)) static void register_variants_##id() {                            \
        bench_register_variants(row);                                                              \
        bench::all_variants()[row] = variants_##id;                                                \
    }                                                                                              \
    static bench::Variants variants_##id()

namespace bench {

typedef std::vector<std::function<void()>> Variants;
inline std::map<std::string, Variants (*)()> &all_variants() {
    static std::map<std::string, Variants (*)()> all;
    return all;
}

// What is compared after one run of each side.
struct Output {
    virtual void spoil(bench_side side) = 0;
    virtual double error(bench_side side) = 0;
    virtual void adopt() = 0;
};

// The row's buffers, in the order in which it made them.
inline std::vector<Output *> buffers;

// The same data on all sides: host (native), dev (kudzu), cl (pocl).
template <typename T> struct Buffer : Output {
    size_t size;
    T *host, *dev = nullptr;
    void *cl = nullptr;

    explicit Buffer(size_t n) : size(n) {
        host = (T *)bench_alloc(n * sizeof(T));
        CHECK(cudaMalloc(&dev, n * sizeof(T)));
        CHECK(cudaMemset(dev, 0, n * sizeof(T)));
        if (opencl_ready()) {
            on_cl = bench_alloc(n * sizeof(T));
            cl = opencl_buffer(on_cl, n * sizeof(T));
        }
        buffers.push_back(this);
    }
    ~Buffer() {
        buffers.erase(std::find(buffers.begin(), buffers.end(), this));
        cudaFree(dev);
        bench_free(host);
    }
    Buffer(const Buffer &) = delete;
    // Brings host's data to the other sides; keeps it for reset.
    void upload() {
        start.assign(host, host + size);
        reset(BENCH_KUDZU);
        reset(BENCH_POCL);
    }
    // The data of upload again, on one side.
    void reset(bench_side side) {
        put(side, start.data());
    }
    void random(double low, double high) {
        unsigned s = 12345 + (unsigned)size;
        for (size_t i = 0; i < size; i++)
            host[i] = (T)(float)(low + (high - low) * (bench_random(&s) >> 8) / 16777216.0);
        upload();
    }
    std::vector<T> get(bench_side side) {
        std::vector<T> v(size);
        if (on_device(side))
            CHECK(cudaMemcpy(v.data(), dev, size * sizeof(T), cudaMemcpyDeviceToHost));
        else if (side == BENCH_POCL)
            opencl_read(v.data(), cl, size * sizeof(T));
        else
            v.assign(host, host + size);
        return v;
    }
    void adopt() override {
        std::vector<T> v = get(BENCH_KUDZU);
        memcpy((void *)host, v.data(), size * sizeof(T));
    }
    void spoil(bench_side side) override {
        std::vector<T> v(size);
        memset((void *)v.data(), 0x5a, size * sizeof(T));
        put(side, v.data());
    }
    // The largest difference from native's result, relative to the value plus the values' root
    // mean square. Infinite where native's result is all zero or something is not a number.
    double error(bench_side side) override {
        std::vector<T> got = get(side);
        double squares = 0, worst = 0;
        for (size_t i = 0; i < size; i++)
            squares += number(host[i]) * number(host[i]);
        double scale = std::sqrt(squares / size);
        if (!(scale > 0))
            return INFINITY;
        for (size_t i = 0; i < size; i++) {
            double want = number(host[i]);
            double d = std::fabs(number(got[i]) - want) / (scale + std::fabs(want));
            if (!(d <= worst))
                worst = d >= 0 ? d : INFINITY;
        }
        return worst;
    }

  private:
    std::vector<T> start;
    void *on_cl = nullptr;

    static double number(T v) {
        if constexpr (std::is_arithmetic_v<T>)
            return (double)v;
        else
            return (double)(float)v;
    }
    static bool on_device(bench_side side) {
        return side == BENCH_KUDZU || side >= BENCH_VARIANT;
    }
    void put(bench_side side, const T *from) {
        if (on_device(side))
            CHECK(cudaMemcpy(dev, from, size * sizeof(T), cudaMemcpyHostToDevice));
        else if (side == BENCH_POCL && cl)
            opencl_write(cl, from, size * sizeof(T));
        else if (side == BENCH_NATIVE)
            memcpy((void *)host, from, size * sizeof(T));
    }
};

// For variants: buffer k of the row that is measured.
template <typename T> Buffer<T> &row_buffer(int k) {
    return dynamic_cast<Buffer<T> &>(*buffers.at(k));
}

// For variants: device memory that the row's buffers do not offer, zeroed.
template <typename T> T *scratch(size_t n) {
    T *p;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    CHECK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}

// A row: what is not set is not measured. kudzu need not synchronise, nor pocl.
struct Row {
    const char *name;
    double work; // bytes or operations of one run
    const char *unit;
    std::function<void()> kudzu, native, pocl, limit;
    std::vector<Output *> outputs; // compared after one run of each side, spoilt before it
    double tolerance = 0;
    std::function<void(bench_side)> reset; // makes the inputs of a side again that a run changes
    bool fresh = false;                    // reset before every timed run as well
    double goal_limit = 0;                 // fraction of the limit asked for; 0: none
    Variants variants;

    Row(const char *n, double w, const char *u) : name(n), work(w), unit(u) {
    }
};

// Memory-bound rows: the bytes that a run must read and write at least.
inline Row memory_row(const char *name, double read, double written, bool in_place = false) {
    Row r(name, read + written, "GB/s");
    r.limit = [=] { limit_traffic((size_t)read, (size_t)written, in_place); };
    r.goal_limit = 0.92;
    return r;
}

// Rows bound by arithmetic in single precision.
inline Row compute_row(const char *name, double operations) {
    Row r(name, operations, "GFLOP/s");
    r.limit = [=] { limit_fma32(operations); };
    return r;
}

inline void run_side(void *data, bench_side side, int times) {
    const Row &r = *(const Row *)data;
    const std::function<void()> *runs[BENCH_VARIANT] = {&r.native, &r.kudzu, &r.pocl, &r.limit};
    const std::function<void()> &run =
        side < BENCH_VARIANT ? *runs[side] : r.variants[side - BENCH_VARIANT];
    for (int k = 0; k < times; k++)
        run();
    if (side == BENCH_POCL)
        opencl_finish();
    else if (side != BENCH_NATIVE && side != BENCH_LIMIT)
        CHECK(cudaDeviceSynchronize());
}

inline void reset_side(void *data, bench_side side) {
    const Row &r = *(const Row *)data;
    for (Output *o : r.outputs)
        o->spoil(side);
    if (r.reset)
        r.reset(side);
    CHECK(cudaDeviceSynchronize());
}

inline double side_error(void *data, bench_side side) {
    double worst = 0;
    for (Output *o : ((const Row *)data)->outputs)
        worst = std::fmax(worst, o->error(side));
    return worst;
}

inline void adopt_row(void *data) {
    for (Output *o : ((const Row *)data)->outputs)
        o->adopt();
}

// With variants linked, the row beside them; else beside native, pocl and the limit.
inline void measure(const Row &row) {
    Row r = row;
    if (!all_variants().empty()) {
        auto own = all_variants().find(r.name);
        if (own == all_variants().end())
            return;
        r.variants = own->second();
        r.variants.resize(BENCH_VARIANTS);
        r.pocl = r.limit = nullptr;
    }
    bool cl = r.pocl && opencl_ready();
    bench_job job = {r.name,
                     r.work,
                     r.unit,
                     r.tolerance,
                     r.fresh,
                     r.goal_limit,
                     {!!r.native, !!r.kudzu, cl, !!r.limit},
                     run_side,
                     reset_side,
                     side_error,
                     adopt_row,
                     (void *)&r};
    for (size_t k = 0; k < r.variants.size(); k++)
        job.has[BENCH_VARIANT + k] = !!r.variants[k];
    bench_measure(&job);
}

// Local memory as an argument of pocl().
struct Local {
    size_t bytes;
};

inline void argument(void *k, int i, Local l) {
    opencl_argument(k, i, l.bytes, nullptr);
}
template <typename T> void argument(void *k, int i, const Buffer<T> &b) {
    opencl_argument(k, i, sizeof b.cl, &b.cl);
}
template <typename T> void argument(void *k, int i, const T &v) {
    opencl_argument(k, i, sizeof v, &v);
}

// Launches a kernel of the row's file under opencl/, with a grid of blocks as in CUDA.
template <typename... Args>
void pocl(const char *kernel, dim3 grid, dim3 block, const Args &...args) {
    void *k = opencl_kernel(kernel);
    int i = 0;
    (argument(k, i++, args), ...);
    size_t local[3] = {block.x, block.y, block.z};
    size_t global[3] = {(size_t)grid.x * block.x, (size_t)grid.y * block.y,
                        (size_t)grid.z * block.z};
    opencl_run(k, global, local);
}

} // namespace bench

using bench::Buffer;
using bench::compute_row;
using bench::Local;
using bench::measure;
using bench::memory_row;
using bench::pocl;
using bench::Row;
using bench::row_buffer;
using bench::scratch;
#endif

#endif
