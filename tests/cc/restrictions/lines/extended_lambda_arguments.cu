// options: --extended-lambda
// Types in the template arguments of functions with extended lambdas.
template<class T> struct W{};
template<class T> void a1(){ auto l=[] __device__ {}; } // error: local to a function
void a1u(){ struct S{}; a1<S>(); }
void a1v(){ struct S{}; a1<W<S>>(); }
class P{ struct I{}; public: struct J{}; static void go(){ a1<I>(); a1<J>(); } };
struct {int x;} un; void a2(){ a1<decltype(un)>();  }
void a2b(){ auto l=[]{}; a1<decltype(l)>(); }
template<class T> struct C{ void f(){ auto l=[] __device__ {}; } static void g(){ auto l=[] __host__ __device__ {}; } };
void a3(){ struct S{}; C<S>().f(); }
void a3b(){ struct S{}; C<S>::g(); }
template<class T> void a16(T t){ auto l=[t] __device__ {}; auto l2=[=] __device__ {return t;}; } void a17(){ struct S{int x;}; a16(S()); } // error: local to a function
void a18(){ auto n=[] __device__ {}; a16(n); a1<decltype(n)>(); }
int main(){}
