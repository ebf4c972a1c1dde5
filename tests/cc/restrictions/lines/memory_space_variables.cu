// Variables in the memory of the device.
__managed__ const int a1=1; // error: cannot be const
__managed__ int * const a2=0; // error: cannot be const
typedef const int ci; __managed__ ci a3=1; // error: cannot be const
__managed__ volatile int a4=1;
__managed__ const int *a5=0;
struct M1{ static __managed__ int x; }; __managed__ int M1::x=1; // error: is a member of a class
struct M2{ static __managed__ const int x; }; __managed__ const int M2::x=1; // error: is a member of a class
template<class T> __managed__ const T a6=1;
__managed__ constexpr int a7=1; // error: cannot be constexpr
static __managed__ int a8[3];
__managed__ const int a9[3]={1,2,3}; // error: cannot be const
__managed__ int m; __managed__ int ma[4]; struct MS{int q;}; __managed__ MS ms;
decltype(m) b1;  // error: decltype of the __managed__
decltype((m)) b2=m;
decltype(ms.q) b3;
decltype(ma) b4; // error: decltype of the __managed__
decltype(m+1) b5;
decltype(&m) b6;
template<class T> struct DD{}; DD<decltype(m)> b7; // error: decltype of the __managed__
__device__ void fd(){ decltype(m) z; } // error: decltype of the __managed__
template<class T> void ft(){ decltype(m) z; } // error: decltype of the __managed__
auto b8=m; 
using b9=decltype(m); // error: decltype of the __managed__
template<int*a> struct S{}; S<&m> t1; // error: is no constant
template<int&a> struct SR{}; SR<m> t2; // error: is no constant
S<ma> t3; S<&ma[0]> t3b; // error: is no constant
template<int *a> void tf(){} void tg(){ tf<&m>(); } // error: is no constant
template<auto a> struct SA{}; SA<&m> t4; // error: is no constant
__device__ int dv; S<&dv> t5; SR<dv> t6; __constant__ int cv; S<&cv> t7;
inline __device__ int i1; // error: needs -rdc=true
inline __constant__ int i2; // error: needs -rdc=true
inline __managed__ int i3; // error: needs -rdc=true
inline __shared__ int i4;
static inline __device__ int i5;
namespace { inline __device__ int i6; }
namespace NN { inline __device__ int i7; } // error: needs -rdc=true
struct I1{ static inline __device__ int x; }; // error: is a member of a class
struct I2{ inline static __managed__ int x; }; // error: is a member of a class
template<class T> struct I3{ static inline __device__ int x; }; // error: is a member of a class
template<class T> inline __device__ int i8; // error: needs -rdc=true
inline __device__ const int i9=3; // error: needs -rdc=true
inline constexpr __device__ int i10=3; // error: needs -rdc=true
struct I4{ static constexpr __device__ int x=3; }; // error: is a member of a class
inline const __constant__ int i11=3; // error: needs -rdc=true
template<class T> __device__ int i12;
template<class T> struct I5{ static __device__ int x; }; template<class T> __device__ int I5<T>::x; // error: is a member of a class
namespace { struct I6{ static inline __device__ int x; }; } // error: is a member of a class
struct P{int x,y;}; 
__device__ auto [s1,s2]=P{4,5}; // error: structured binding
__constant__ auto [s3,s4]=P{4,5}; // error: structured binding
__managed__ auto [s5,s6]=P{4,5}; // error: structured binding
__device__ const auto [s7,s8]=P{4,5}; // error: structured binding

__global__ void k2(){ auto [q1,q2]=P{1,2}; }




int main(){}
