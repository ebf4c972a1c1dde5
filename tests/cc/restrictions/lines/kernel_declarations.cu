// How a kernel may be declared.
struct A0{}; __global__ void operator-(A0,A0){} // error: cannot be a kernel
struct A1{ friend __global__ void fk1(); };
struct A2{ friend __global__ void fk2(A2){} }; // error: friend declaration
template<class T> struct A3{ friend __global__ void fk3(A3<T>){} }; // error: friend declaration
template<class T> struct A4{ template<class U> friend __global__ void fk4(U){} }; // error: friend declaration
template<class T> __global__ void fk5(T); struct A5{ template<class U> friend __global__ void fk5(U); };
struct A6{ static __global__ void m(); }; // error: member of a class
template<class T> struct A7{ static __global__ void m(T){} }; // error: member of a class
struct A8{ template<class T> static __global__ void m(T){} }; // error: member of a class
__global__ void ek1() noexcept(true){} // error: exception specification
__global__ void ek2() noexcept(false){} // error: exception specification
template<class T> __global__ void ek3(T) noexcept {} // error: exception specification
__global__ void ek4() throw(); // error: exception specification
#define KERNEL __global__ void
KERNEL ek5() noexcept {} // error: exception specification
__global__ __attribute__((nothrow)) void ek6() {}
__global__ auto ak1(int){} // error: cannot be deduced
__global__ auto ak2(int) -> void {}
__global__ decltype(auto) ak3(){} // error: cannot be deduced
template<class T> __global__ auto ak4(T){}
template<typename...P> __global__ void pk0(P...){}
template<int N,typename...P> __global__ void pk2(P...){}
template<typename...P,typename T=int> __global__ void pk3(P...){} // error: parameter pack
template<typename T,int...I> __global__ void pk4(T){}
template<template<typename...>class W,typename...P> __global__ void pk6(W<P...>);
template<typename...P,template<typename...>class W> __global__ void pk7(W<P...>); // error: parameter pack
template<typename...P> struct pk8{ template<typename...Q> __device__ void f(Q...){} };
inline __global__ void ik1(){}
static __global__ void sk(){}
extern "C" __global__ void exk(){}
namespace n { __global__ void nk(); } __global__ void n::nk(){}
int main(){}
