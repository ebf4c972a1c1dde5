// Friends that are declared without the specifiers of their definitions (the first example
// of 18.9): operators, functions, kernels, members of other classes, templates, functions of
// namespaces, and one for each side under one name.
#include "check.h"

class pixel;
template <class T> class box;
namespace filters {
__device__ int red(const pixel &p);
template <class P> __device__ int brighter(const P &p, int by);
} // namespace filters
template <class T> __device__ T opened(const box<T> *b);

class painter {
  public:
    __device__ int mix(const pixel &a, const pixel &b) const;
    __host__ __device__ int green(const pixel &p) const;
};

class pixel {
  public:
    __host__ __device__ pixel(int r, int g) : r(r), g(g) {
    }

  private:
    int r, g;

    friend pixel operator+(const pixel &, const pixel &);
    friend bool operator==(const pixel &, const pixel &);
    friend int blue(const pixel &p); // of the host alone
    friend int filters::red(const pixel &p);
    template <class P> friend int filters::brighter(const P &p, int by);
    friend int painter::mix(const pixel &, const pixel &) const;
    friend int painter::green(const pixel &) const;
    friend void show(pixel p, int *out);
    friend class printer;
    friend __device__ int marked(const pixel &p) {
        return p.r * 100 + p.g;
    }
};

template <class T> class box {
  public:
    __device__ box(T v) : v(v) {
    }

  private:
    T v;
    friend T opened<T>(const box<T> *b);
    template <class U> friend box<U> operator*(const box<U> &, int);
};

__device__ pixel operator+(const pixel &a, const pixel &b) {
    return pixel(a.r + b.r, a.g + b.g);
}
__host__ __device__ bool operator==(const pixel &a, const pixel &b) {
    return a.r == b.r && a.g == b.g;
}
int blue(const pixel &p) {
    return 1000 - p.r - p.g;
}
namespace filters {
__device__ int red(const pixel &p) {
    return p.r;
}
template <class P> __device__ int brighter(const P &p, int by) {
    return p.g + by;
}
} // namespace filters
__device__ int painter::mix(const pixel &a, const pixel &b) const {
    return a.r * b.g;
}
__host__ __device__ int painter::green(const pixel &p) const {
    return p.g;
}
template <class T> __device__ T opened(const box<T> *b) {
    return b->v;
}
template <class U> __device__ box<U> operator*(const box<U> &b, int n) {
    return box<U>(b.v * n);
}

__global__ void show(pixel p, int *out) {
    pixel sum = p + pixel(10, 20);
    box<int> b(p.r);
    box<int> b3 = b * 3;
    out[0] = p.r;
    out[1] = filters::red(sum);
    out[2] = filters::brighter(sum, 5);
    out[3] = painter().mix(p, sum) + painter().green(sum);
    out[4] = sum == pixel(11, 22);
    out[5] = marked(p);
    out[6] = opened(&b3);
}

int main() {
    int *out;
    cudaMallocManaged(&out, 7 * sizeof *out);
    show<<<1, 1>>>(pixel(1, 2), out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    const int expected[] = {1, 11, 27, 44, 1, 102, 3};
    for (int i = 0; i < 7; i++)
        CHECK(out[i] == expected[i]);
    CHECK(blue(pixel(1, 2)) == 997 && painter().green(pixel(1, 2)) == 2);
    CHECK(!(pixel(1, 2) == pixel(2, 1)));
    return failures != 0;
}
