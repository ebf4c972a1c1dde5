// nvPTXCompiler, linked statically: PTX in, an image out; errors by number and in words.
// usage: test_nvptxcompiler add_seven.ptx
#include <nvPTXCompiler.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #x);                                         \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static char text[8192];

static nvPTXCompilerHandle compiler_of(const char *ptx) {
    nvPTXCompilerHandle c = NULL;
    CHECK(nvPTXCompilerCreate(&c, strlen(ptx), ptx) == NVPTXCOMPILE_SUCCESS);
    return c;
}

static const char *error_log(nvPTXCompilerHandle c) {
    static char log[4096];
    size_t size = sizeof log;
    log[0] = 0;
    CHECK(nvPTXCompilerGetErrorLogSize(c, &size) == NVPTXCOMPILE_SUCCESS && size <= sizeof log);
    CHECK(nvPTXCompilerGetErrorLog(c, log) == NVPTXCOMPILE_SUCCESS);
    CHECK(size ? strlen(log) + 1 == size : !log[0]);
    return log;
}

static void compiles(void) {
    const char *options[] = {"--gpu-name=sm_90", "--warn-on-spills", "-O3"};
    nvPTXCompilerHandle c = compiler_of(text);
    size_t size = 0;
    CHECK(nvPTXCompilerGetCompiledProgramSize(c, &size) ==
          NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE);
    CHECK(nvPTXCompilerCompile(c, 3, options) == NVPTXCOMPILE_SUCCESS);
    CHECK(!error_log(c)[0]);
    CHECK(nvPTXCompilerGetCompiledProgramSize(c, &size) == NVPTXCOMPILE_SUCCESS && size > 1000);
    unsigned char *image = malloc(size);
    CHECK(nvPTXCompilerGetCompiledProgram(c, image) == NVPTXCOMPILE_SUCCESS);
    CHECK(!memcmp(image, "\177ELF", 4) && image[18] == 190 && image[48] == 90);
    CHECK(memmem(image, size, text, strlen(text)) != NULL);
    free(image);
    CHECK(nvPTXCompilerDestroy(&c) == NVPTXCOMPILE_SUCCESS && !c);
    CHECK(nvPTXCompilerDestroy(&c) == NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE);
}

static void fails(const char *ptx, const char *option, nvPTXCompileResult result,
                  const char *words) {
    nvPTXCompilerHandle c = compiler_of(ptx);
    size_t size;
    nvPTXCompileResult got = nvPTXCompilerCompile(c, option != NULL, &option);
    if (got != result || !strstr(error_log(c), words)) {
        printf("%s: %d, not %d: %s\n", words, (int)got, (int)result, error_log(c));
        failures++;
    }
    CHECK(nvPTXCompilerGetCompiledProgramSize(c, &size) ==
          NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE);
    CHECK(nvPTXCompilerDestroy(&c) == NVPTXCOMPILE_SUCCESS);
}

int main(int argc, char **argv) {
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    unsigned major = 0, minor = 0;
    if (!f || !fread(text, 1, sizeof text - 1, f))
        return 2;
    fclose(f);
    CHECK(nvPTXCompilerGetVersion(&major, &minor) == NVPTXCOMPILE_SUCCESS && major == 12);
    compiles();
    fails(text, NULL, NVPTXCOMPILE_ERROR_COMPILATION_FAILURE, "--gpu-name is missing");
    fails(text, "--gpu-name=sm_1", NVPTXCOMPILE_ERROR_COMPILATION_FAILURE,
          "ptxas fatal   : Value 'sm_1' is not defined for option 'gpu-name'");
    fails(text, "file", NVPTXCOMPILE_ERROR_COMPILATION_FAILURE, "'file' is no option");
    fails(text, "-arch=sm_75", NVPTXCOMPILE_ERROR_COMPILATION_FAILURE,
          "ptxas application ptx input, line 2; error   : SM version");
    fails(".version 99.99", "-arch=sm_90", NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION,
          "Unsupported .version 99.99");
    fails("", "-arch=sm_90", NVPTXCOMPILE_ERROR_COMPILATION_FAILURE, "line 1; error   : ");
    nvPTXCompilerHandle none = (nvPTXCompilerHandle)(void *)&major;
    CHECK(nvPTXCompilerCompile(none, 0, NULL) == NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE);
    CHECK(nvPTXCompilerCreate(&none, 3, NULL) == NVPTXCOMPILE_ERROR_INVALID_INPUT);
    return failures != 0;
}
