// An object with virtual functions was made on the host; its table is the host's. Guide, 14.5.10.3.
#include "../suite.h"
#include <new>

struct Shape {
    float side;
    __host__ __device__ Shape(float s) : side(s) {
    }
    __host__ __device__ virtual float area() const {
        return 0;
    }
};

struct Square : Shape {
    __host__ __device__ Square(float s) : Shape(s) {
    }
    __host__ __device__ float area() const override {
        return side * side;
    }
};

struct Disc : Shape {
    __host__ __device__ Disc(float s) : Shape(s) {
    }
    __host__ __device__ float area() const override {
        return 3 * side * side;
    }
};

__global__ void make(Square *s) {
    new (s) Square(3);
}

__global__ void work(const Shape *s, float *out) {
    *out = s->area(); // bug: memory.host
}

int main() {
    Square *s;
    float *out, h;
    OK(cudaMalloc(&s, sizeof *s));
    OK(cudaMalloc(&out, sizeof h));
#ifdef BUG
    Square square(3);
    OK(cudaMemcpy(s, &square, sizeof square, cudaMemcpyHostToDevice));
#else
    make<<<1, 1>>>(s);
#endif
    work<<<1, 1>>>(s, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(s));
    OK(cudaFree(out));
    return verdict(h == 9);
}
