// options: --extended-lambda -std=c++20
// Types that extended lambdas capture.
#include <type_traits>
template<class T> struct W{};
struct {int x;} un; void a2(){  }
template<class T> struct C{ void f(){ auto l=[] __device__ {}; } static void g(){ auto l=[] __host__ __device__ {}; } };
template<class...T> void a7(T...){ auto l=[] __device__ {}; }
template<template<class> class X> void a10(){ auto l=[] __device__ {}; } 
struct CC{ struct Pv; private: struct Pv2{int x;}; static void f(){} public: static void h(){ Pv2 p; auto l=[=] __device__ {return p.x;}; auto m=[p] __host__ __device__ {return p.x;}; } }; // error: private or protected
void a12(){ auto l=[]{}; auto m=[l] __device__ {l();}; auto n=[] __device__ {}; auto o=[n] __device__ {n();}; auto q=[=] __host__ __device__ {}; auto r=[q] __host__ __device__ {}; } // error: local to a function
void a13(){ auto u=un; auto m=[u] __device__ {return u.x;}; auto n=[=] __device__ {return u.x;}; }
void a14(){ enum E{z}; E e=z; auto m=[e] __device__ {return (int)e;}; } // error: local to a function
void a15(){ struct S{int x;}; S s[2]; S*p=s; W<S> w; auto m=[s] __device__ {return s[0].x;}; auto n=[p] __device__ {return p->x;}; auto o=[w] __device__ {}; } // error: local to a function
void a19(){ auto l=[] __device__ ()->int {return 1;}; typedef decltype(l()) R; std::result_of<decltype(l)()>::type x=1; int *p=&x; }
__device__ void a20(){ auto l=[] __device__ {return 1;}; typedef decltype(l()) R; }
template<class T> int a23(T t); void a24(){ int x[sizeof(a23([] __device__ {}))]; }
void a25(){ int v=0; auto l=[v] __device__ () mutable { v++; }; auto l2=[v] __host__ __device__ () { auto in=[=]{return v;}; return in(); }; }
void a26(){ int v=0; auto l=[=] { auto in=[=] __device__ {return v;}; }; }
void a27(){ const int v=3; auto l=[=] __device__ {if constexpr(v==3) return v; else return v+1;}; const int &r=v; auto m=[=] __device__ { if constexpr(true) return r; return 0;}; } // error: if constexpr
void a28(){ int v=0; auto l=[=] __device__ { int w=0; if constexpr(true){ int v=1; w=v; } return w; }; auto m=[=] __device__ { if constexpr(true){ auto q=[=]{return v;}; return q(); } return 0; }; } // error: if constexpr
template<bool B> void a29(int v){ auto l=[=] __device__ { if constexpr(B) return v; return 0; }; } void a30(){ a29<true>(1); } // error: if constexpr
static struct {int q;} unn2; struct D3{ void f() const { auto l=[] __device__ {}; } virtual void g(){ auto l=[] __device__ {}; } static void h(){auto l=[] __device__{};} operator bool() const { auto l=[] __device__{}; return 1;} };
namespace { struct D4{ void f(){auto l=[] __device__{};} }; class D5{ friend void ff(D5){ auto l=[] __device__{}; } }; }
extern "C" void a31(){ auto l=[] __device__{}; }
int a32=[]{ return 1; }();
struct D6{ static int x; int y=[]{return 1;}(); }; int D6::x=[] __host__ __device__ {return 1;}();
template<class T=decltype([]{})> void a33(){}
int main(){ auto l=[] __device__{}; [&]{ auto m=[] __device__{}; }(); }
