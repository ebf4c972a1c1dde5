// options: --extended-lambda
// Return types of closures that host code may ask for.
#include <type_traits>
void a19(){ auto l=[] __device__ ()->int {return 1;}; typedef decltype(l()) R; std::result_of<decltype(l)()>::type x=1; int *p=&x; }
__device__ void a20(){ auto l=[] __device__ {return 1;}; typedef decltype(l()) R; }
void a21(){ auto l=[]{return 1;}; typedef decltype(l()) R; auto m=[] __host__ __device__ {return 1;}; typedef decltype(m()) Q; }
int main(){}
