// A small wrapper of OpenCL for the benchmark: the CPU device of pocl, one queue, one program.
#define CL_TARGET_OPENCL_VERSION 120
#include "bench.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void check(cl_int err, const char *what) {
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "pocl: %s: error %d\n", what, err);
    exit(1);
}

static char *read_source(FILE *f) {
    const size_t most = 1 << 18;
    char *text = calloc(1, most);
    if (!text || !fread(text, 1, most - 1, f))
        check(1, "reading a row's source");
    fclose(f);
    return text;
}

static void build(const char *path, FILE *f, cl_device_id device) {
    cl_int err;
    char *text = read_source(f);
    program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &err);
    err = clBuildProgram(program, 1, &device, "", NULL, NULL);
    free(text);
    if (err != CL_SUCCESS) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
        check(err, path);
    }
}

int opencl_open(const char *path) {
    cl_platform_id platform;
    cl_device_id device;
    cl_uint n = 0;
    cl_int err;
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    if (clGetPlatformIDs(1, &platform, &n) != CL_SUCCESS || n == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, &n) != CL_SUCCESS || n == 0) {
        fclose(f);
        return 0;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
    build(path, f, device);
    return 1;
}

int opencl_ready(void) {
    return program != NULL;
}

void *opencl_buffer(void *memory, size_t bytes) {
    cl_int err;
    void *mem =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory, &err);
    check(err, "clCreateBuffer");
    return mem;
}

void opencl_write(void *mem, const void *src, size_t bytes) {
    check(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, bytes, src, 0, NULL, NULL), "writing");
}

void opencl_read(void *dst, void *mem, size_t bytes) {
    check(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, bytes, dst, 0, NULL, NULL), "reading");
}

void *opencl_kernel(const char *name) {
    static struct {
        char name[64];
        cl_kernel k;
    } known[64];
    static int count;
    for (int i = 0; i < count; i++)
        if (!strcmp(known[i].name, name))
            return known[i].k;
    cl_int err = CL_OUT_OF_RESOURCES;
    if (count < 64) {
        snprintf(known[count].name, sizeof known[count].name, "%s", name);
        known[count].k = clCreateKernel(program, name, &err);
    }
    check(err, name);
    return known[count++].k;
}

void opencl_argument(void *kernel, int index, size_t size, const void *value) {
    check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

void opencl_run(void *kernel, const size_t global[3], const size_t local[3]) {
    check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
}

void opencl_finish(void) {
    if (queue)
        check(clFinish(queue), "clFinish");
}
