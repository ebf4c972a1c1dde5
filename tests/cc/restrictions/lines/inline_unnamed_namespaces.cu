// An unnamed namespace that is inline has no kernels and no variables of the device.
inline namespace { __device__ int in4; __shared__ int in4s; __device__ void in5(){}  int host; struct S{int x;}; } // error: inline unnamed namespace
inline namespace { namespace q { __device__ int in4; static __constant__ int in6; } } // error: inline unnamed namespace
inline namespace { __managed__ int in7; } // error: inline unnamed namespace
inline namespace v1 { __global__ void in13(){} __device__ int in14; namespace { inline namespace v2 { int x; } } }
namespace n { inline namespace { __device__ int y; } } // error: inline unnamed namespace
namespace n2 { namespace { __device__ int z; __global__ void k(){} } }
int main(){}
