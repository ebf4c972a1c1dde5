// options: --extended-lambda
// Where extended lambdas may stand and what they may capture.
#include <initializer_list>
#include <type_traits>
#define DEV __device__
void a1(){ auto l=[] __host__ __device__ { auto m=[] __device__ {}; }; } // error: in an extended __host__ __device__ lambda
void a2(){ auto l=[] __device__ { auto m=[] __device__ {}; }; }
void a3(){ auto l=[] __device__ { auto m=[] {}; m(); }; }
void a4(){ auto l=[] { auto m=[] __device__ {}; }; }
void a5(){ auto l=[](auto x) { auto m=[] __device__ {}; }; } // error: in a generic lambda
void a6(){ auto l=[] __host__ { auto m=[] __device__ {}; }; }
auto a7=[]{ auto m=[] __device__ {}; }; // error: in no function
auto a8=[] __device__ {};
static auto a9=[] __host__ __device__ {};
struct B1{ B1(){ auto l=[] __device__ {}; } ~B1(){ auto l=[] __device__ {}; } }; // error: constructor or destructor
struct B2{ int x; B2():x(([] __host__ __device__ {return 1;})()){} }; // error: constructor or destructor
struct B3{ int x=([] __host__ __device__ {return 1;})(); };
class B4{ void f(){ auto l=[] __device__ {}; } protected: void g(){ auto l=[] __device__ {}; } public: void h(){ auto l=[] __device__ {}; } }; // error: private or protected function
class B5{ struct I{ void f(){ auto l=[] __device__ {}; } }; protected: struct J{ void f(){ auto l=[] __device__ {}; } }; public: struct K{ void f(){ auto l=[] __device__ {}; } }; }; // error: private or protected class
class B6{ template<class T> void f(T){ auto l=[] __device__ {}; } }; // error: private or protected function
template<class T> class B7{ void f(){ auto l=[] __device__ {}; } }; // error: private or protected function
struct B8{ operator int(){ auto l=[] __device__ {}; return 1; } void operator+(int){ auto l=[] __device__ {}; } };
void b9(){ struct S{ void f(){ auto l=[] __device__ {}; } }; } // error: class in a function
void b10(){ struct S{ static void f(){ auto l=[] __device__ {}; } }; S::f(); } // error: class in a function
auto c1(){ auto l=[] __device__ {}; return 1; } // error: deduced
auto c2()->int { auto l=[] __device__ {}; return 1; }
decltype(auto) c3(){ auto l=[] __device__ {}; return 1; } // error: deduced
template<class T> auto c4(T t){ auto l=[] __device__ {}; return t; } // error: deduced
int c5=c4(3);
void d1(){ auto l=[] __device__ (auto i){return i;}; }
void d2(){ auto l=[] __host__ __device__ (auto...i){}; } // error: cannot be generic
void d3(){ auto l=[] DEV {}; int z; auto m=[&] DEV {}; auto n=[&]DEV{return z;}; } // error: by reference
void e1(){ int a; auto l=[&a] __host__ __device__ {return a;}; } // error: by reference
void e2(){ int a; auto l=[&] __device__ {return a;}; } // error: by reference
void e3(){ int a; auto l=[=,&a] __device__ {return a;}; } // error: by reference
void e4(){ int a; auto l=[&] __device__ {return 1;}; } // error: by reference
void e5(){ int a; auto l=[b=a] __host__ __device__ {return b;}; } // error: initialisers
void e6(){ int a; auto l=[b=a] __device__ {return b;}; auto m=[&b=a] __device__ {return b;}; } // error: by reference
void e7(){ auto l=[x={1,2}] __device__ {}; std::initializer_list<int> il={1}; auto m=[il] __device__ {}; } // error: std::initializer_list
void e8(){ struct S{}; S s; auto l=[s] __host__ __device__ {}; auto m=[=] __device__ { S t=s; }; auto n=[=] __device__ { S t; }; } // error: local to a function
void e9(){ int a[1][1][1][1][1][1][1]; auto l=[=] __device__ { return a[0][0][0][0][0][0][0]; }; }
void e10(){ int a[1][1][1][1][1][1][1][1]; auto l=[a] __host__ __device__ { return a[0][0][0][0][0][0][0][0]; }; } // error: 7 dimensions
template<class...T> void e11(T...t){ auto l=[t...] __device__ {}; } // error: parameter pack
template<class...T> void e12(T...t){ auto l=[=] __host__ __device__ {return (t+...);}; } // error: parameter pack
template<class...T> void e13(T...t){ auto l=[=] __device__ {return sizeof...(t);}; }
void f1(){ auto l=[] __host__ __device__ () constexpr {return 1;}; } // error: cannot be constexpr
void f3(){ auto l=[] __device__ () mutable {return 1;}; auto m=[] __device__ () noexcept {return 1;}; auto n=[] __device__ ()->int {return 1;}; }
void f4(){ static auto l=[] __device__ () {return 1;}; }
void f5(int x=([]__host__ __device__ {return 1;})()){}
namespace { void f6(){ auto l=[] __device__ {}; } }
static void f7(){ auto l=[] __device__ {}; }
inline void f8(){ auto l=[] __device__ {}; }
void f10() noexcept { auto l=[] __device__ {}; }
void f11(void(*p)(int)){ struct C{int x;} c; (void)[=] __device__ {}; }
__host__ __device__ void f12(){ auto l=[] __device__ {}; auto m=[] __host__ __device__ {}; }
__device__ void f13(){ auto l=[] __device__ {}; auto m=[] __host__ __device__ {}; int x; auto n=[&] __device__ {return x;}; auto o=[&]{return x;}; auto p=[] __device__ (auto y){ auto q=[] __device__ {}; }; }
__global__ void f14(){ auto l=[] __device__ {}; }
void g1(){ int x=1; { { auto l=[x] __device__ {return x;}; } } if(x) { auto l=[=] __device__ {return x;}; } }
struct G2{ int m; void f(){ auto l=[=] __device__ {return m;}; auto l2=[this] __device__ {return m;}; auto l3=[*this] __device__ {return m;}; } };
void g3(){ int x; auto l=[=] __host__ __device__ { if constexpr(true){ return x; } return 0; }; } // error: if constexpr
void g4(){ int x; auto l=[=] __device__ { if constexpr(sizeof(x)==4){ return 0; } return x; }; }
int main(){ e11(1); e12(1,2); e13(1); B7<int> b; B6 b6; }
