// User objects made of typed pointers: the object is deleted with its last reference. Guide: 6.2.8.7.4 CUDA User Objects
#include <atomic>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <cuda_runtime.h>

#define TEST "user_object_of_class"
static int bad;
#define CHECK(c) do { if (!(c)) { bad++; fprintf(stderr, TEST ":%d: not true: %s\n", __LINE__, #c); } } while (0)
#define OK(call) CHECK((call) == cudaSuccess)

static std::atomic<int> live{0};
struct Object {
    std::string text = "longer than what a string keeps in itself";
    Object() { ++live; }
    ~Object() { --live; }
};
struct Derived : Object {
    int numbers[100] = {};
};
static bool settles(int want) { // destructors run asynchronously
    for (int i = 0; i < 1000 && live != want; ++i) usleep(1000);
    return live == want;
}

int main() {
    cudaUserObject_t o;
    OK(cudaUserObjectCreate(&o, new Object, 1, cudaUserObjectNoDestructorSync));
    CHECK(live == 1);
    OK(cudaUserObjectRelease(o));
    CHECK(settles(0));
    Derived *d = new Derived;
    OK(cudaUserObjectCreate(&o, d, 2, cudaUserObjectNoDestructorSync));
    cudaGraph_t g;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphRetainUserObject(g, o, 1, cudaGraphUserObjectMove));
    OK(cudaUserObjectRelease(o, 1));
    CHECK(live == 1);
    OK(cudaGraphDestroy(g));
    CHECK(settles(0));
    int *number = new int(5); // of a type without a destructor
    OK(cudaUserObjectCreate(&o, number, 1u, (unsigned)cudaUserObjectNoDestructorSync));
    OK(cudaUserObjectRelease(o));
    Object unused; // without the flag nothing is taken over
    CHECK(cudaUserObjectCreate(&o, &unused, 1, 0) == cudaErrorInvalidValue);
    if (bad) printf("FAIL " TEST ": %d checks\n", bad);
    else printf("PASS " TEST "\n");
    return bad != 0;
}
