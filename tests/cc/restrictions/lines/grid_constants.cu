// __grid_constant__ in each declaration of a kernel.
struct S{int x;};
__global__ void k1(const __grid_constant__ S s); __global__ void k1(const S s){} // error: differs in this
__global__ void k2(const S s); __global__ void k2(const __grid_constant__ S s){} // error: differs in this
__global__ void k3(const __grid_constant__ S s,int); __global__ void k3(const __grid_constant__ S s,int){}
__global__ void k4(const __grid_constant__ S s); __global__ void k4(const __grid_constant__ S t);  __global__ void k4(const S t); // error: differs in this
template<class T> __global__ void t1(const __grid_constant__ T s){} template<> __global__ void t1<int>(const int s){} // error: differs in this
template<class T> __global__ void t2(const __grid_constant__ T s){} template __global__ void t2<int>(const int); // error: differs in this
template<class T> __global__ void t3(const __grid_constant__ T s){} template __global__ void t3<int>(const __grid_constant__ int);
template<class T> __global__ void t5(const T s){} template<> __global__ void t5<int>(const __grid_constant__ int s){} // error: differs in this
template<class T> __global__ void t6(const T s); template<class T> __global__ void t6(const __grid_constant__ T s){} // error: differs in this
template<class T> __global__ void t7(const __grid_constant__ T s); template<class T> __global__ void t7(const T s){} // error: differs in this
template<class T> __global__ void t9(const __grid_constant__ T s){} template<> __global__ void t9<int>(const __grid_constant__ int s){} template<> __global__ void t9<char>(const __grid_constant__ char);
template<class T> __global__ void t10(const T s){} template __global__ void t10<int>(const __grid_constant__ int); // error: differs in this
struct F{ friend __global__ void k5(const S s); }; __global__ void k5(const __grid_constant__ S s){} // error: differs in this
typedef const S cs; __global__ void k6(cs __grid_constant__ s){}
template<class T> __global__ void t11(__grid_constant__ T s){} void h(){ t11<const int><<<1,1>>>(1); }
template<class...T> __global__ void t13(const __grid_constant__ T... s){}
int main(){}
