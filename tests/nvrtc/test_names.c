// Name expressions: templates are instantiated, and what is asked for has its name in the PTX.
#include "check.h"

static const char source[] = "namespace n {\n"
                             "template <class T> __global__ void kernel(T *p) { *p = T(); }\n"
                             "template <int A, int B> __global__ void sum(int *p) { *p = A + B; }\n"
                             "__global__ void plain(int *p) { *p = 3; }\n"
                             "__device__ int variable;\n"
                             "__constant__ float table[4];\n"
                             "struct type { float f; };\n"
                             "}\n"
                             "extern \"C\" __global__ void c_name() {}\n"
                             "static __global__ void hidden(int *p) { *p = 4; }\n";

// What the C++ ABI says these names are; "" where only the PTX can tell.
static const struct {
    const char *expression, *lowered;
} names[] = {
    {"n::kernel<float>", "_ZN1n6kernelIfEEvPT_"},
    {"&n::kernel<n::type>", "_ZN1n6kernelINS_4typeEEEvPT_"},
    {"n::sum<1, 2>", "_ZN1n3sumILi1ELi2EEEvPi"},
    {"n::plain", "_ZN1n5plainEPi"},
    {"&n::variable", "_ZN1n8variableE"},
    {"&n::table", "_ZN1n5tableE"},
    {"c_name", "c_name"},
    {"hidden", ""},
};
enum { NAMES = sizeof names / sizeof names[0] };

static void all_names(const char *option) {
    nvrtcProgram p = program_of(source);
    const char *lowered = NULL;
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcAddNameExpression(p, NULL));
    for (int i = 0; i < NAMES; ++i)
        CHECK_OK(nvrtcAddNameExpression(p, names[i].expression));
    CHECK_RESULT(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION,
                 nvrtcGetLoweredName(p, "c_name", &lowered));
    nvrtcResult r = compile(p, option);
    char *log = log_of(p);
    if (r)
        fputs(log, stderr);
    CHECK(r == NVRTC_SUCCESS && !*log);
    free(log);
    char *ptx = ptx_of(p);
    CHECK(!has(ptx, "__kudzu_name"));
    for (int i = 0; i < NAMES; ++i) {
        char entry[256];
        CHECK_OK(nvrtcGetLoweredName(p, names[i].expression, &lowered));
        CHECK(!*names[i].lowered || !strcmp(lowered, names[i].lowered));
        snprintf(entry, sizeof entry, "%s%s%s", names[i].expression[1] == 'n' ? "" : ".entry ",
                 lowered, names[i].expression[1] == 'n' ? "" : "(");
        CHECK(has(ptx, names[i].expression[4] == 'k' ? lowered : entry));
    }
    // Kernels are defined once, and nothing declares them besides.
    CHECK(!has(strstr(ptx, ".entry c_name(") + 1, ".entry c_name("));
    free(ptx);
    CHECK_RESULT(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID,
                 nvrtcGetLoweredName(p, "n::kernel<double>", &lowered));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcGetLoweredName(p, NULL, &lowered));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcGetLoweredName(p, "c_name", NULL));
    CHECK_RESULT(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION,
                 nvrtcAddNameExpression(p, "n::plain"));
    CHECK_OK(nvrtcDestroyProgram(&p));
}

// Code for link time: the names are known, and no PTX is there.
static void link_time_names(const char *option) {
    const char *const options[] = {"-dlto", option};
    nvrtcProgram p = program_of(source);
    const char *lowered = NULL;
    size_t size = 0;
    for (int i = 0; i < NAMES; ++i)
        CHECK_OK(nvrtcAddNameExpression(p, names[i].expression));
    CHECK_OK(nvrtcCompileProgram(p, option ? 2 : 1, options));
    for (int i = 0; i < NAMES; ++i) {
        CHECK_OK(nvrtcGetLoweredName(p, names[i].expression, &lowered));
        CHECK(!*names[i].lowered || !strcmp(lowered, names[i].lowered));
    }
    CHECK_OK(nvrtcGetLTOIRSize(p, &size));
    CHECK(size > 16);
    CHECK_OK(nvrtcGetPTXSize(p, &size));
    CHECK(size == 0);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

static void unknown_name(void) {
    nvrtcProgram p = program_of(source);
    CHECK_OK(nvrtcAddNameExpression(p, "n::nothing<int>"));
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, compile(p, NULL));
    char *log = log_of(p);
    CHECK(has(log, "name expressions(") && has(log, "nothing"));
    CHECK(has(log, "Error in parsing name expression")); // NVRTC's words
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

// Static variables are there by their plain names, and may be written from outside.
static void static_variables(void) {
    nvrtcProgram p =
        program_of("static __constant__ float factor;\n"
                   "namespace n { static __device__ int sum; }\n"
                   "extern \"C\" __global__ void f(float *x) { *x = factor + n::sum; }\n");
    CHECK_OK(compile(p, NULL));
    char *ptx = ptx_of(p);
    CHECK(has(ptx, ".visible .const .align 4 .f32 factor;"));
    CHECK(has(ptx, ".visible .global .align 4 .u32 _ZN1n3sumE;"));
    CHECK(has(ptx, "ld.const.f32") && has(ptx, "ld.global.u32"));
    free(ptx);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

int main(void) {
    static_variables();
    all_names(NULL);
    all_names("-std=c++11");
    all_names("-std=c++20");
    all_names("-arch=compute_90");
    all_names("-rdc=true");
    link_time_names(NULL);
    link_time_names("-G");
    unknown_name();
    return finish();
}
