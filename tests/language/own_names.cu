// Names that belonged to texture and surface references before version 12 are the program's own.
#include "check.h"

template <class T> struct holder {
    T *p;
};

class texture {
  public:
    __device__ virtual float value() const {
        return 3;
    }
};

struct surface {
    float x;
};

__global__ void call(float *out) {
    texture t;
    holder<texture> h = {&t};
    surface s = {4};
    *out = h.p->value() + s.x;
}

int main() {
    float *out = shared_array<float>(1);
    call<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == 7);
    return failures != 0;
}
