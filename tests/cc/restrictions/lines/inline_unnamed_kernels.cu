// The same for kernels.
inline namespace { template<class T> __global__ void in2(T){} __device__ void f(){} } // error: inline unnamed namespace
inline namespace { namespace q { __global__ void in3(){} } } // error: inline unnamed namespace
inline namespace { __global__ void in1(){} } // error: inline unnamed namespace
namespace n { namespace { __global__ void k(){} template<class T> __global__ void kt(T){} } }
inline namespace v { __global__ void k2(){} }
int main(){}
