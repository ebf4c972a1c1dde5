// options: -rdc=true
// Types in the template arguments of kernels.
template<class T> __global__ void k(){} template<class T> __global__ void kt(T){} template<class...T> __global__ void kp(T...){} template<template<class> class W> __global__ void kw(){} template<auto v> __global__ void kv(){}
template<class T> struct W{}; 
void a1(){ struct S{}; k<S><<<1,1>>>(); } // error: local to a function
void a2(){ struct S{}; k<S*><<<1,1>>>(); } // error: local to a function
void a3(){ struct S{}; k<W<S>><<<1,1>>>(); } // error: local to a function
void a4(){ struct S{ struct T{}; }; k<S::T><<<1,1>>>(); } // error: local to a function
void a5(){ enum E{x}; k<E><<<1,1>>>(); } // error: local to a function
void a6(){ enum E{x}; kv<x><<<1,1>>>(); }
void a7(){ struct S{}; kt<<<1,1>>>(S()); kp<<<1,1>>>(1,S()); } // error: local to a function
void a8(){ struct S{}; auto p=&k<S>; } // error: local to a function
void a9(){ struct S{}; k<void(S)><<<1,1>>>(); } // error: local to a function
void a10(){ struct S{int x;}; k<int S::*><<<1,1>>>(); } // error: local to a function
void a11(){ typedef struct {int x;} U; k<U><<<1,1>>>(); } // error: local to a function
typedef struct {int x;} U2; void a12(){ k<U2><<<1,1>>>(); kt<<<1,1>>>(U2()); }
struct {int x;} u3; void a13(){ k<decltype(u3)><<<1,1>>>(); kt<<<1,1>>>(u3); } // error: unnamed type
struct O{ struct {int x;} u; struct N{}; enum {q}; union {int z;}; }; void a14(){ O o; k<decltype(o.u)><<<1,1>>>(); k<O::N><<<1,1>>>(); k<decltype(O::q)><<<1,1>>>(); kv<O::q><<<1,1>>>(); } // error: unnamed type
enum {anon}; void a15(){ k<decltype(anon)><<<1,1>>>(); kv<anon><<<1,1>>>(); } // error: unnamed type
class P{ struct I{}; enum E{x}; protected: struct J{}; public: struct L{}; typedef I T; static void f(){ k<I><<<1,1>>>(); k<J><<<1,1>>>(); k<L><<<1,1>>>(); k<W<I>><<<1,1>>>(); k<E><<<1,1>>>(); } }; // error: private or protected
class P2{ struct I{}; public: typedef I T; }; void a16(){ k<P2::T><<<1,1>>>(); } // error: private or protected
class Q{ class I{ public: struct N{}; }; public: static void f(){ k<I::N><<<1,1>>>(); } }; // error: private or protected
namespace { struct A{}; } void a17(){ k<A><<<1,1>>>(); }
void a18(){ auto t=[]{}; k<decltype(t)><<<1,1>>>(); kt<<<1,1>>>(t); k<W<decltype(t)>><<<1,1>>>(); kp<<<1,1>>>(1,t);} // error: type of the lambda
auto gl=[]{}; void a19(){ k<decltype(gl)><<<1,1>>>(); } // error: type of the lambda
__device__ auto dl=[]{}; void a20(){ k<decltype(dl)><<<1,1>>>(); } // error: type of the lambda
__device__ void a21(){ struct S{}; k<S><<<1,1>>>(); auto t=[]{}; kt<<<1,1>>>(t); }
__host__ __device__ void a22(){ struct S{}; k<S><<<1,1>>>(); }
template<class T> void launch(T t){ kt<<<1,1>>>(t); } void a23(){ struct S{}; launch(S()); auto t=[]{}; launch(t); } // error: local to a function
template<class T> struct X{ static void go(){ k<T><<<1,1>>>(); } }; void a24(){ struct S{}; X<S>::go(); } // error: local to a function
template<class T> class Z{ struct I{}; public: void go(){ k<I><<<1,1>>>(); } }; void a25(){ Z<int>().go(); } // error: private or protected
__global__ void kn(W<int>){} void a26(){ struct S{}; kn<<<1,1>>>(W<int>()); }
template<class T> struct Y{ class V{ friend struct Y; }; }; 
template<class T> class PW{}; class R{ template<class T> struct W2{}; public: static void f(){ kw<W2><<<1,1>>>(); } }; // error: private or protected
void a27(){ void*p=(void*)k<P::L>; }
template<class T> __device__ void df(){} void a28(){ struct S{}; }
void a29(){ struct S{}; cudaFuncAttributes a; cudaFuncGetAttributes(&a,k<S>); } // error: local to a function
void a30(){ if(0){ struct S{}; k<S><<<1,1>>>(); } } // error: local to a function
template<class T> void a31(){ struct S{}; k<S><<<1,1>>>(); }
int main(){}
