// Lambdas with specifiers need --extended-lambda.
#include <initializer_list>
#include <type_traits>
#define DEV __device__
void a1(){ auto l=[] __host__ __device__ { auto m=[] __device__ {}; }; } // error: needs -extended-lambda
void a2(){ auto l=[] __device__ { auto m=[] __device__ {}; }; } // error: needs -extended-lambda
void a3(){ auto l=[] __device__ { auto m=[] {}; m(); }; } // error: needs -extended-lambda
void a4(){ auto l=[] { auto m=[] __device__ {}; }; } // error: needs -extended-lambda
void a5(){ auto l=[](auto x) { auto m=[] __device__ {}; }; } // error: needs -extended-lambda
void a6(){ auto l=[] __host__ { auto m=[] __device__ {}; }; } // error: needs -extended-lambda
auto a7=[]{ auto m=[] __device__ {}; }; // error: needs -extended-lambda
auto a8=[] __device__ {}; // error: needs -extended-lambda
static auto a9=[] __host__ __device__ {}; // error: needs -extended-lambda
__device__ void d(){ auto l=[]{}; l(); auto m=[](auto x){}; m(1); }
__device__ void d2(){ auto l=[] __device__ {}; l(); } // error: needs -extended-lambda
int main(){}
