// A small wrapper of OpenCL for the benchmark: pocl's CPU device, one queue, kernels.cl.
#define CL_TARGET_OPENCL_VERSION 120
#include "bench.h"

#include <CL/cl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static char device_name[256];

static char *read_source(void) {
    FILE *f = fopen(KERNELS_CL, "rb");
    char *text = calloc(1, 1 << 16);
    if (!f || !text || !fread(text, 1, (1 << 16) - 1, f)) {
        fprintf(stderr, "cannot read %s\n", KERNELS_CL);
        exit(1);
    }
    fclose(f);
    return text;
}

int opencl_open(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_uint n = 0;
    cl_int err;
    if (clGetPlatformIDs(1, &platform, &n) != CL_SUCCESS || n == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, &n) != CL_SUCCESS || n == 0)
        return 0;
    clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof device_name, device_name, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    queue = clCreateCommandQueue(context, device, 0, &err);
    char *text = read_source();
    program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &err);
    err = clBuildProgram(program, 1, &device, "", NULL, NULL);
    free(text);
    return err == CL_SUCCESS;
}

const char *opencl_device(void) {
    return device_name;
}

void *opencl_alloc(size_t bytes) {
    return clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
}

void opencl_write(void *mem, const void *src, size_t bytes) {
    clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, bytes, src, 0, NULL, NULL);
}

void opencl_read(void *dst, void *mem, size_t bytes) {
    clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, bytes, dst, 0, NULL, NULL);
}

static cl_kernel find_kernel(const char *name) {
    static struct {
        char name[32];
        cl_kernel k;
    } known[32];
    static int count;
    for (int i = 0; i < count; i++)
        if (!strcmp(known[i].name, name))
            return known[i].k;
    snprintf(known[count].name, sizeof known[count].name, "%s", name);
    known[count].k = clCreateKernel(program, name, NULL);
    return known[count++].k;
}

void opencl_run(const char *kernel, const size_t global[2], const size_t local[2], ...) {
    cl_kernel k = find_kernel(kernel);
    va_list args;
    va_start(args, local);
    for (cl_uint i = 0;; i++) {
        size_t size = va_arg(args, size_t);
        if (size == 0)
            break;
        clSetKernelArg(k, i, size, va_arg(args, const void *));
    }
    va_end(args);
    cl_int err =
        clEnqueueNDRangeKernel(queue, k, global[1] > 1 ? 2 : 1, NULL, global, local, 0, NULL, NULL);
    if (err != CL_SUCCESS) {
        fprintf(stderr, "pocl: %s: error %d\n", kernel, err);
        exit(1);
    }
    clFinish(queue);
}
