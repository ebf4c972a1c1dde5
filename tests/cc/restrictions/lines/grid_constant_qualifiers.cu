// const parameters, and no references.
struct S{int x;};
typedef const S cs; __global__ void k6(cs __grid_constant__ s){}
__global__ void k7(S __grid_constant__ s){} // error: .
__global__ void k8(const S* __grid_constant__ s){} // error: .
__global__ void k8c(const S* const __grid_constant__ s){}
__global__ void k9(const S& __grid_constant__ s){} // error: .
template<class T> __global__ void t11(__grid_constant__ T s){} void h(){ t11<const int><<<1,1>>>(1); }
#define GC const __grid_constant__
__global__ void k11(GC S s, int n, GC int m){}
__global__ void k12(int n, __grid_constant__ int m){} // error: .
int main(){}
