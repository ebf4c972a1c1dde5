// Functions of the device with deduced return types.
__device__ auto fn1(int x){return x;} __host__ __device__ auto hd(int x){return x;} constexpr __device__ auto ce(int x){return x;} __device__ int pl(int x){return x;}
template<class T> __device__ auto tf(T x){return x;}
struct M{ __device__ auto m(){return 1;} static __device__ auto s(){return 1;} __device__ auto operator()(int x)->int {return x;} };
decltype(fn1(10)) g1; // error: deduced
decltype(hd(10)) g2;
decltype(ce(10)) g3;
decltype(pl(10)) g4;
decltype(tf(10)) g5; // error: deduced
decltype(M().m()) g6; // error: deduced
decltype(M::s()) g7; // error: deduced
decltype(M()(1)) g8;
__device__ decltype(fn1(10)) d1; // error: deduced
__device__ auto d2() -> decltype(fn1(10)) { return 1; } // error: deduced
__device__ void d3(decltype(fn1(10)) x){} // error: deduced
template<class T=decltype(fn1(1))> __device__ void d4(){} // error: deduced
template<class T> __device__ auto d5(T t) -> decltype(tf(t)) { return t; }
template<class T> struct D6{ typedef decltype(tf(T())) type; }; __device__ void d7(){ D6<int>::type x=1; }
__host__ __device__ void h1(){ decltype(fn1(1)) x; } // error: deduced
template<class T> void h4(){ decltype(tf(T())) x; }
struct H6{ decltype(fn1(1)) x; }; // error: deduced
__global__ void k(){ decltype(fn1(1)) x; auto l=[]{ decltype(fn1(1)) x; }; struct L{ decltype(fn1(1)) x; }; }
typedef decltype(fn1(1)) T1; // error: deduced
#ifdef __CUDA_ARCH__
typedef decltype(fn1(1)) T2;
#endif
__device__ auto fwd(int);
void h8(){ struct L{ __device__ void f(){ decltype(fn1(1)) x; } }; }
template<int N> struct I{}; I<sizeof(fn1(1))> g9; // error: deduced
static_assert(sizeof(fn1(1))==4,""); // error: deduced
void h3(){ auto l=[]{ return sizeof(fn1(1)); }; } // error: deduced
int main(){}
