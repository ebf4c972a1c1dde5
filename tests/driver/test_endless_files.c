// Images are read from regular files of a size that can be: nothing is read for ever.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "kernels.h"

static void refuse(const char *path, CUresult want) {
    CUmodule module;
    CUlibrary library;
    CUlinkState link;
    EXPECT(cuModuleLoad(&module, path), want);
    EXPECT(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), want);
    OK(cuLinkCreate(0, NULL, NULL, &link));
    EXPECT(cuLinkAddFile(link, CU_JIT_INPUT_PTX, path, 0, NULL, NULL), want);
    OK(cuLinkDestroy(link));
}

int main(void) {
    char folder[] = "/tmp/kudzu-test-XXXXXX";
    CUdevice device;
    CUcontext context;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    int fd = open("huge", O_CREAT | O_WRONLY, 0600);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)1 << 40) == 0 && close(fd) == 0);
    CHECK(mkfifo("fifo", 0600) == 0);
    CHECK(symlink("/dev/zero", "link") == 0);
    refuse("/dev/zero", CUDA_ERROR_FILE_NOT_FOUND);
    refuse("/dev/urandom", CUDA_ERROR_FILE_NOT_FOUND);
    refuse("/dev/null", CUDA_ERROR_FILE_NOT_FOUND);
    refuse("link", CUDA_ERROR_FILE_NOT_FOUND);
    refuse("fifo", CUDA_ERROR_FILE_NOT_FOUND); // nobody writes into it
    refuse("huge", CUDA_ERROR_FILE_NOT_FOUND);
    refuse(".", CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(unlink("huge") == 0 && unlink("fifo") == 0 && unlink("link") == 0 && rmdir(folder) == 0);
    return check_result();
}
