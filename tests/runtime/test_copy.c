// Copies and sets in every form, on what is in between rows as well as on what is copied.
#include "check.h"

enum { BYTES = 256 };
static unsigned char pattern[BYTES], back[BYTES];
static unsigned char *a, *b; // device

static void prepare(void) {
    for (int i = 0; i < BYTES; i++)
        pattern[i] = (unsigned char)(i * 7 + 1);
    memset(back, 0, sizeof back);
    NEED(cudaMemset(a, 0xee, BYTES));
    NEED(cudaMemset(b, 0xee, BYTES));
}

static void linear(void) {
    unsigned char host[BYTES];
    prepare();
    CHECK_OK(cudaMemcpy(a, pattern, BYTES, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpy(b, a, BYTES, cudaMemcpyDeviceToDevice));
    CHECK_OK(cudaMemcpy(back, b, BYTES, cudaMemcpyDeviceToHost));
    CHECK(memcmp(back, pattern, BYTES) == 0);
    CHECK_OK(cudaMemcpy(host, back, BYTES, cudaMemcpyHostToHost));
    CHECK(memcmp(host, pattern, BYTES) == 0);
    prepare();
    CHECK_OK(cudaMemcpy(a + 3, pattern + 5, 10, cudaMemcpyDefault));
    CHECK_OK(cudaMemcpy(back, a, BYTES, cudaMemcpyDefault));
    CHECK(back[2] == 0xee && memcmp(back + 3, pattern + 5, 10) == 0 && back[13] == 0xee);
    CHECK_OK(cudaMemcpyPeer(b, 0, a, 0, BYTES));
    CHECK_OK(cudaMemcpyPeerAsync(a, 0, b, 0, BYTES, 0));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaMemcpyAsync(back, b, BYTES, cudaMemcpyDeviceToHost, 0));
    CHECK_OK(cudaMemcpyAsync(b, pattern, BYTES, cudaMemcpyHostToDevice, 0));
    CHECK_OK(cudaMemcpyAsync(a, b, BYTES, cudaMemcpyDeviceToDevice, 0));
    CHECK_OK(cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDefault, 0));
    CHECK_OK(cudaStreamSynchronize(0));
    CHECK(memcmp(back + 3, pattern + 5, 10) == 0 && memcmp(host, pattern, BYTES) == 0);
    // Nothing to do is no error; directions and pointers are checked.
    CHECK_OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, b, 1, (enum cudaMemcpyKind)5));
    CHECK_ERROR(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, b, 1, (enum cudaMemcpyKind) - 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy(NULL, b, 1, cudaMemcpyDeviceToDevice));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy(a, NULL, 1, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemcpy(a, pattern, (size_t)1 << 40, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaMemcpyPeer(b, 9, a, 0, 1));
}

static void rectangles(void) {
    prepare();
    // 4 rows of 5 bytes, from rows of 16 to rows of 32, and back to rows of 8.
    CHECK_OK(cudaMemcpy2D(a, 32, pattern, 16, 5, 4, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpy(back, a, BYTES, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++)
        CHECK(back[i] == (i % 32 < 5 ? pattern[i / 32 * 16 + i % 32] : 0xee));
    CHECK_OK(cudaMemcpy2D(b, 64, a, 32, 5, 4, cudaMemcpyDeviceToDevice));
    memset(back, 0, BYTES);
    CHECK_OK(cudaMemcpy2DAsync(back, 8, b, 64, 5, 4, cudaMemcpyDeviceToHost, 0));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        CHECK(back[i] == (i % 8 < 5 ? pattern[i / 8 * 16 + i % 8] : 0));
    CHECK_OK(cudaMemcpy2D(a, 32, b, 64, 5, 4, cudaMemcpyDefault));
    CHECK_OK(cudaMemcpy2D(NULL, 0, NULL, 0, 0, 4, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidPitchValue,
                cudaMemcpy2D(a, 4, pattern, 16, 5, 4, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidPitchValue,
                cudaMemcpy2D(a, 16, pattern, 4, 5, 4, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidMemcpyDirection,
                cudaMemcpy2D(a, 16, pattern, 16, 5, 4, (enum cudaMemcpyKind)9));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemcpy2D(NULL, 16, pattern, 16, 5, 4, cudaMemcpyHostToDevice));
}

// A box of 3 x 2 x 2 bytes at (1, 1, 1) of a volume with rows of 8 and slices of 4 rows goes to
// (2, 0, 1) of one with rows of 16 and slices of 3 rows.
static void boxes(void) {
    prepare();
    struct cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = (struct cudaPitchedPtr){pattern, 8, 8, 4};
    p.srcPos = (struct cudaPos){1, 1, 1};
    p.dstPtr = (struct cudaPitchedPtr){a, 16, 16, 3};
    p.dstPos = (struct cudaPos){2, 0, 1};
    p.extent = (struct cudaExtent){3, 2, 2};
    p.kind = cudaMemcpyHostToDevice;
    for (int form = 0; form < 2; form++) {
        NEED(cudaMemset(a, 0xee, BYTES));
        CHECK_OK(form ? cudaMemcpy3DAsync(&p, 0) : cudaMemcpy3D(&p));
        CHECK_OK(cudaMemcpy(back, a, BYTES, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 144; i++) {
            int x = i % 16 - 2, y = i / 16 % 3, z = i / 48 - 1;
            int inside = x >= 0 && x < 3 && y >= 0 && y < 2 && z >= 0 && z < 2;
            CHECK(back[i] == (inside ? pattern[(z + 1) * 32 + (y + 1) * 8 + x + 1] : 0xee));
        }
    }
    p.extent.depth = 0;
    CHECK_OK(cudaMemcpy3D(&p));
    p.extent = (struct cudaExtent){8, 2, 2};
    CHECK_ERROR(cudaErrorInvalidPitchValue, cudaMemcpy3D(&p));
    p.extent = (struct cudaExtent){3, 4, 2};
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    p.extent = (struct cudaExtent){3, 2, 2};
    p.kind = (enum cudaMemcpyKind)17;
    CHECK_ERROR(cudaErrorInvalidMemcpyDirection, cudaMemcpy3D(&p));
    p.kind = cudaMemcpyHostToDevice;
    p.srcPtr.ptr = NULL;
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    p.srcArray = (cudaArray_t)&p;
    if (on_kudzu())
        CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaMemcpy3D(&p));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy3D(NULL));

    struct cudaMemcpy3DPeerParms peer;
    memset(&peer, 0, sizeof peer);
    peer.srcPtr = (struct cudaPitchedPtr){a, 16, 16, 3};
    peer.dstPtr = (struct cudaPitchedPtr){b, 16, 16, 3};
    peer.extent = (struct cudaExtent){16, 3, 3};
    CHECK_OK(cudaMemcpy3DPeer(&peer));
    CHECK_OK(cudaMemcpy(back + 144, b, 112, cudaMemcpyDeviceToHost));
    CHECK(memcmp(back, back + 144, 112) == 0);
    CHECK_OK(cudaMemcpy3DPeerAsync(&peer, 0));
    peer.dstDevice = 44;
    CHECK_ERROR(cudaErrorInvalidDevice, cudaMemcpy3DPeer(&peer));
}

static void sets(void) {
    prepare();
    CHECK_OK(cudaMemset(a, 0x1234, 10));
    CHECK_OK(cudaMemsetAsync(a + 20, 5, 10, 0));
    CHECK_OK(cudaMemset2D(a + 64, 16, 7, 5, 3));
    CHECK_OK(cudaMemset2DAsync(a + 128, 16, 8, 5, 2, 0));
    CHECK_OK(cudaMemcpy(back, a, BYTES, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BYTES; i++) {
        int want = i < 10                              ? 0x34
                   : i >= 20 && i < 30                 ? 5
                   : i >= 64 && i < 112 && i % 16 < 5  ? 7
                   : i >= 128 && i < 160 && i % 16 < 5 ? 8
                                                       : 0xee;
        CHECK(back[i] == want);
    }
    // Slices of 4 rows of 8, of which 2 rows of 3 are set; then all 4 rows.
    for (int rows = 2; rows <= 4; rows += 2) {
        prepare();
        struct cudaPitchedPtr box = {a, 8, 8, 4};
        CHECK_OK(rows == 2 ? cudaMemset3D(box, 9, (struct cudaExtent){3, rows, 3})
                           : cudaMemset3DAsync(box, 9, (struct cudaExtent){3, rows, 3}, 0));
        CHECK_OK(cudaMemcpy(back, a, BYTES, cudaMemcpyDeviceToHost));
        for (int i = 0; i < BYTES; i++)
            CHECK(back[i] == (i < 96 && i % 8 < 3 && i / 8 % 4 < rows ? 9 : 0xee));
    }
    CHECK_OK(cudaMemset(NULL, 0, 0));
    CHECK_OK(cudaMemset2D(NULL, 0, 0, 0, 5));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemset(NULL, 0, 1));
    CHECK_ERROR(cudaErrorInvalidPitchValue, cudaMemset2D(a, 4, 0, 5, 2));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemset(a, 0, (size_t)1 << 40));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemset3D((struct cudaPitchedPtr){a, 8, 8, 1}, 0, (struct cudaExtent){3, 2, 2}));
}

int main(void) {
    NEED(cudaMalloc((void **)&a, BYTES));
    NEED(cudaMalloc((void **)&b, BYTES));
    linear();
    rectangles();
    boxes();
    sets();
    CHECK_OK(cudaFree(a));
    CHECK_OK(cudaFree(b));
    return finish();
}
