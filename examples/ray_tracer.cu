// A small ray tracer: objects are made on the device with new, and hit through virtual functions.
// Writes ray_tracer.ppm (or the file that is named).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

struct Vec {
    float x, y, z;
};
__device__ Vec operator+(Vec a, Vec b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__device__ Vec operator-(Vec a, Vec b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__device__ Vec operator*(Vec a, float k) {
    return {a.x * k, a.y * k, a.z * k};
}
__device__ float dot(Vec a, Vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ Vec unit(Vec a) {
    return a * rsqrtf(dot(a, a));
}

class Shape {
  public:
    __device__ virtual float hit(Vec from, Vec dir) const = 0; // distance, or a negative number
    __device__ virtual Vec normal(Vec at) const = 0;
    __device__ virtual Vec colour(Vec at) const = 0;
    __device__ virtual ~Shape() {
    }
};

class Sphere : public Shape {
    Vec centre, tint;
    float radius;

  public:
    __device__ Sphere(Vec c, float r, Vec t) : centre(c), tint(t), radius(r) {
    }
    __device__ float hit(Vec from, Vec dir) const override {
        Vec o = from - centre;
        float b = dot(o, dir), d = b * b - dot(o, o) + radius * radius;
        return d < 0 ? -1.0f : -b - sqrtf(d);
    }
    __device__ Vec normal(Vec at) const override {
        return unit(at - centre);
    }
    __device__ Vec colour(Vec) const override {
        return tint;
    }
};

class Floor : public Shape {
  public:
    __device__ float hit(Vec from, Vec dir) const override {
        return dir.y < -1e-4f ? -from.y / dir.y : -1.0f;
    }
    __device__ Vec normal(Vec) const override {
        return {0, 1, 0};
    }
    __device__ Vec colour(Vec at) const override {
        int check = ((int)floorf(at.x) + (int)floorf(at.z)) & 1;
        return check ? Vec{0.9f, 0.9f, 0.9f} : Vec{0.2f, 0.2f, 0.2f};
    }
};

const int SHAPES = 4;

__global__ void make_scene(Shape **scene) {
    scene[0] = new Floor;
    scene[1] = new Sphere({-1.2f, 1.0f, 5.0f}, 1.0f, {0.9f, 0.2f, 0.2f});
    scene[2] = new Sphere({1.1f, 0.7f, 4.2f}, 0.7f, {0.2f, 0.8f, 0.3f});
    scene[3] = new Sphere({0.2f, 0.35f, 3.0f}, 0.35f, {0.2f, 0.4f, 0.9f});
}

__global__ void free_scene(Shape **scene) {
    for (int k = 0; k < SHAPES; k++)
        delete scene[k];
}

__device__ int nearest(Shape **scene, Vec from, Vec dir, float &t) {
    int best = -1;
    t = 1e9f;
    for (int k = 0; k < SHAPES; k++) {
        float d = scene[k]->hit(from, dir);
        if (d > 1e-3f && d < t) {
            t = d;
            best = k;
        }
    }
    return best;
}

__device__ Vec trace(Shape **scene, Vec from, Vec dir, int depth) {
    float t, shadow;
    int k = nearest(scene, from, dir, t);
    if (k < 0)
        return Vec{0.5f, 0.7f, 1.0f} * (0.6f + 0.4f * dir.y);
    Vec at = from + dir * t, n = scene[k]->normal(at), light = unit({-0.6f, 1.0f, -0.5f});
    float lit = fmaxf(dot(n, light), 0.0f);
    if (nearest(scene, at, light, shadow) >= 0)
        lit = 0;
    Vec c = scene[k]->colour(at) * (0.15f + 0.85f * lit);
    if (depth > 0 && k > 0) // spheres reflect
        c = c * 0.75f + trace(scene, at, dir - n * (2.0f * dot(dir, n)), depth - 1) * 0.25f;
    return c;
}

__global__ void render(Shape **scene, uchar4 *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    Vec dir = unit({(x - 0.5f * w) / h, (0.5f * h - y) / h + 0.05f, 1.0f});
    Vec c = trace(scene, {0, 1, 0}, dir, 2);
    auto byte = [](float v) { return (unsigned char)(255.0f * fminf(fmaxf(v, 0.0f), 1.0f)); };
    out[y * w + x] = make_uchar4(byte(c.x), byte(c.y), byte(c.z), 255);
}

int main(int argc, char **argv) {
    const int w = 320, h = 240;
    const char *path = argc > 1 ? argv[1] : "ray_tracer.ppm";
    std::vector<uchar4> pixels(w * h);
    Shape **scene;
    uchar4 *out;
    CHECK(cudaMalloc(&scene, SHAPES * sizeof(Shape *)));
    CHECK(cudaMalloc(&out, w * h * sizeof(uchar4)));
    make_scene<<<1, 1>>>(scene);
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int round = 0; round < 2; round++) {
        CHECK(cudaEventRecord(start));
        render<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(scene, out, w, h);
        CHECK(cudaEventRecord(stop));
    }
    CHECK(cudaMemcpy(pixels.data(), out, w * h * sizeof(uchar4), cudaMemcpyDeviceToHost));
    free_scene<<<1, 1>>>(scene);
    CHECK(cudaDeviceSynchronize());
    // The sky is above, the red ball to the left, the green one to the right.
    uchar4 sky = pixels[5 * w + w / 2], red = pixels[115 * w + 100], green = pixels[135 * w + 220];
    if (sky.z <= sky.x || red.x <= red.y || red.x <= red.z || green.y <= green.x) {
        printf("FAILED: sky %d,%d,%d red %d,%d,%d green %d,%d,%d\n", sky.x, sky.y, sky.z, red.x,
               red.y, red.z, green.x, green.y, green.z);
        return 1;
    }
    FILE *f = fopen(path, "wb");
    if (!f) {
        printf("FAILED: cannot write %s\n", path);
        return 1;
    }
    fprintf(f, "P6\n%d %d\n255\n", w, h);
    for (auto &p : pixels)
        fwrite(&p, 1, 3, f);
    fclose(f);
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: the colours of sky and balls; picture in %s\n", path);
    printf("speed: %.2f million rays/s\n", w * h / ms / 1e3);
    return 0;
}
