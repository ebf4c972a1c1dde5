// constexpr functions of the host, in device code.
#include <limits>
#include <array>
#include <utility>
#include <tuple>
#include <initializer_list>
#include <algorithm>
constexpr int H(int x=0){return x;} constexpr __host__ int HH(){return 0;} template<class T> constexpr T HT(T x){return x;} struct L{ int v; constexpr L(int x=1):v(x){} constexpr int get() const {return v;} constexpr operator int() const {return v;} constexpr L operator+(L o) const {return L(v+o.v);} static constexpr int st(){return 1;} }; struct A{int v=2;}; struct DD{ constexpr DD()=default; int x=0; };
__device__ void a1(){ int x=H(); } // error: is called in the
__device__ void a2(){ constexpr int x=H(); int y[H(3)]; (void)x; (void)y; } // error: is called in the
__device__ void a3(){ const int x=H(2); int y[x]; (void)y; } // error: is called in the
__device__ int a4(){ return H(3)+1; } // error: is called in the
__device__ int a5(){ L l; return l.v; } // error: is called in the
__device__ int a6(){ L l(2); return l.get(); } // error: is called in the
__device__ int a7(){ A a; return a.v; }
__device__ int a8(){ DD d; return d.x; }
__device__ int a9(int i){ return HT(i); } // error: is called in the
__device__ int a16(){ static_assert(H()==0,""); enum {e=H()}; switch(1){ case H(): return 1;} return e; } // error: is called in the
template<int N> struct I{ static constexpr int n=N; }; __device__ int a17(){ return I<H(3)>::n; } // error: is called in the
__host__ __device__ int b1(){ return H(); } // warning: #20013-D
__host__ __device__ int b2(int i){ return HT(i); } // warning: #20013-D
template<class T> __device__ int b3(T i){ return H(i); }
template<class T> __device__ int b4(T i){ return H(i); } __global__ void kb4(int*p){ *p=b4(1); } // error: is called in the
template<class T> __host__ __device__ int b5(T i){ return H(i); } __global__ void kb5(int*p){ *p=b5(1); } // warning: #20013-D
constexpr __device__ int b6(){ return H(); } // error: is called in the
constexpr __host__ __device__ int b7(){ return H(); } __device__ int b7u(){ return b7(); } // warning: #20013-D
__device__ int b8(){ auto l=[](int i){ return H(i); }; return l(1); } // error: is called in the
__device__ int b9(){ auto l=[](int i){ return i; }; return l(1); }
__device__ int b10(){ return L::st()+L(2)+(int)L(3); } // error: is called in the
__device__ int b11=H();
__device__ L b12=L(3);
__device__ int b13(){ return sizeof(H()); }
__device__ int b14(int x=H()){ return x; } __device__ int b14u(){ return b14(); }
struct B15{ int m=H(); int k; __device__ B15():k(H()){} }; // error: is called in the
__device__ int b16(){ int (*p)(int)=H; return p(1); }
__device__ int b17(){ if constexpr(H()==0) return 1; else return 2; } // error: is called in the
static __device__ int b18(){ return H(); } // error: is called in the
struct B21{ int x; constexpr bool operator==(const B21&o) const {return x==o.x;} }; __device__ bool b21(){ B21 a{1},b{2}; return a==b; } // error: is called in the
__global__ void b24(int*p){ *p=H(*p); } // error: is called in the
int main(){}
