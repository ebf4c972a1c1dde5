// options: -rdc=true
// Constants of the host that device code needs an object of.
const int ci=10; constexpr int cc=11; const int arr[3]={1,2,3}; constexpr int carr[3]={1,2,3}; const float cf=1.5f; constexpr double cd=2.5; struct S{int x; constexpr S(int v):x(v){} constexpr int get() const {return x;} }; constexpr S cs{3}; struct M{ static const int m=5; static constexpr int k=6; static constexpr int ka[2]={1,2}; }; template<class T> struct TM{ static constexpr int n=7; static const int q=8; };
static const char *const str="abc"; const char cstr[]="abc"; inline constexpr int ic=12; template<class T> constexpr T vt=T(3);
__device__ void take(const int &x); __device__ int val(int x); template<class T> __device__ T const & mx(const T&a,const T&b){ return a<b?b:a; }
__device__ void a1(){ take(ci); } // error: is undefined in device code
__device__ void a2(){ take(cc); } // error: is undefined in device code
__device__ int a3(){ return val(ci)+val(cc)+ci*cc; }
__device__ int a4(int i){ return carr[i]; } // error: is undefined in device code
__device__ int a5(){ return carr[1]; } // error: is undefined in device code
__device__ int a6(){ return arr[1]; } // error: is undefined in device code
__device__ int a7(){ return cs.x; }

__device__ int a9(){ return M::m+M::k; }
__device__ void a10(){ take(M::m); } // error: is undefined in device code
__device__ void a11(){ take(M::k); } // error: is undefined in device code
__device__ int a12(){ return mx(M::k,3); } // error: is undefined in device code
__device__ int a13(){ return TM<int>::n+TM<int>::q; }
__device__ int a14(){ return mx(TM<int>::n,3); } // error: is undefined in device code
__device__ int a15(int i){ return M::ka[i]; } // error: is undefined in device code
__device__ float a16(){ return cf; }
__device__ double a17(){ return cd; }
__device__ const char *a18(){ return str; } // error: is undefined in device code
__device__ const char *a19(){ return cstr; } // error: is undefined in device code
__device__ void a20(){ take(ic); } // error: is undefined in device code
__device__ int a21(){ return vt<int>; }
__device__ void a22(){ take(vt<int>); } // error: is undefined in device code
__device__ void a23(){ const int &r=ci; val(r); } // error: is undefined in device code
__device__ void a24(){ constexpr int loc=5; take(loc); constexpr int la[2]={1,2}; val(la[ci]); static const int sl=4; take(sl); }
__device__ void a25(){ int n[ci]; n[0]=sizeof(carr); (void)n; }
__device__ void a26(){ auto l=[]{ return ci+carr[0]; }; l(); }
__device__ void a27(){ auto l=[=](int i){ return carr[i]; }; l(1); }
template<class T> __device__ int t1(T i){ return carr[i]; }
template<class T> __device__ int t2(T i){ return carr[i]; } __device__ int a28(){ return t2(1); } // error: is undefined in device code
static __device__ int s1(int i){ return carr[i]; }
inline __device__ int s2(int i){ return carr[i]; }
__host__ __device__ int h1(int i){ return carr[i]; } // error: is undefined in device code
inline __host__ __device__ int h2(int i){ return carr[i]; }
inline __host__ __device__ int h3(int i){ return carr[i]; } __global__ void k3(int *p){ *p=h3(1); } // error: is undefined in device code
struct C1{ __device__ int f(int i){ return carr[i]; } __host__ __device__ int g(int i){ return carr[i]; } };
struct C2{ int m; __device__ C2():m(carr[1]){} };
__device__ int dv=carr[1];
__device__ const int *dp=&ci; // error: is undefined in device code
__device__ int a30(){ constexpr int q=carr[2]; return q; }
__device__ int a31(int x=carr[1]){ return x; }
__device__ int a32(){ if(false) return carr[1]; if constexpr(false) return carr[2]; return sizeof(carr[0]); } // error: is undefined in device code
__device__ int a33(){ return true ? ci : carr[0]; }
__device__ bool a34(){ return &ci==nullptr; }
__device__ int a35(){ int s=0; for(int v: carr) s+=v; return s; } // error: is undefined in device code
__device__ int a36(){ switch(ci){ case cc: return 1; } return 0; }
enum {E1=carr[0]}; __device__ int a37(){ return E1; }
__device__ void a38(){ volatile int x=ci; ci+0; (void)ci; (void)carr; }
__device__ int a39(){ S l=cs; return l.x; }
__device__ S a40(){ return cs; }
namespace { const int an=3; } __device__ void a41(){ take(an); } // error: is undefined in device code
__device__ long a42(){ const long x=ci; return x+(ci?cc:0); }
const int dyn=val==nullptr; 
__device__ int a43(){ return static_cast<const int&>(ci); }
__device__ void a44(int *p){ *p=ci; p[ci]=cc; *p+=ci; }
__constant__ const int kc=3; __device__ const int kd=4; __device__ void a45(){ take(kc); take(kd); }
int main(){}
