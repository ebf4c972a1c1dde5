// Ranges, marks and names for profilers (NVTX): accepted, and pushed ranges are counted, a thread.
#include "check.h"

#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <pthread.h>
#include <string.h>

static void *other_thread(void *unused) {
    CHECK(nvtxRangePush("first") == 0);
    CHECK(nvtxRangePop() == 0);
    CHECK(nvtxRangePop() == NVTX_NO_PUSH_POP_TRACKING);
    return NULL;
}

static void ranges(void) {
    nvtxEventAttributes_t e;
    pthread_t t;
    memset(&e, 0, sizeof e);
    e.version = NVTX_VERSION;
    e.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    e.colorType = NVTX_COLOR_ARGB;
    e.messageType = NVTX_MESSAGE_TYPE_ASCII;
    e.message.ascii = "text";
    CHECK(nvtxRangePushA("outer") == 0);
    CHECK(nvtxRangePushEx(&e) == 1);
    CHECK(pthread_create(&t, NULL, other_thread, NULL) == 0 && pthread_join(t, NULL) == 0);
    CHECK(nvtxRangePushW(L"inner") == 2);
    CHECK(nvtxRangePop() == 2 && nvtxRangePop() == 1 && nvtxRangePop() == 0);
    nvtxMark("here");
    nvtxMarkEx(&e);
    nvtxRangeId_t id = nvtxRangeStart("across");
    nvtxRangeEnd(id);
    nvtxNameCategory(1, "one");
    nvtxNameOsThread(1, "thread");
}

static void domains(void) {
    nvtxEventAttributes_t e;
    nvtxResourceAttributes_t r;
    memset(&e, 0, sizeof e);
    memset(&r, 0, sizeof r);
    nvtxDomainHandle_t d = nvtxDomainCreate("domain");
    e.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    e.message.registered = nvtxDomainRegisterString(d, "string");
    CHECK(nvtxDomainRangePushEx(d, &e) == 0 && nvtxDomainRangePop(d) == 0);
    nvtxDomainRangeEnd(d, nvtxDomainRangeStartEx(d, &e));
    nvtxDomainMarkEx(d, &e);
    nvtxDomainNameCategory(d, 2, "two");
    r.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
    r.identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
    nvtxDomainResourceDestroy(nvtxDomainResourceCreate(d, &r));
    nvtxDomainDestroy(d);
}

// Beside work, of which nothing changes.
static void objects(void) {
    cudaStream_t s;
    cudaEvent_t e;
    CHECK_OK(cudaStreamCreate(&s));
    CHECK_OK(cudaEventCreate(&e));
    nvtxNameCudaDevice(0, "device");
    nvtxNameCudaStream(s, "stream");
    nvtxNameCudaEvent(e, "event");
    nvtxNameCuDevice(0, "device");
    nvtxNameCuStream((CUstream)s, "stream");
    CHECK_OK(cudaEventRecord(e, s));
    CHECK_OK(cudaStreamSynchronize(s));
    CHECK_OK(cudaEventDestroy(e));
    CHECK_OK(cudaStreamDestroy(s));
}

int main(void) {
    nvtxInitialize(NULL);
    ranges();
    domains();
    objects();
    return finish();
}
