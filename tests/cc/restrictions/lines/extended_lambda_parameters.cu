// options: --extended-lambda
// Parameters of templates around extended lambdas have names.
template<class> void a4(){ auto l=[] __device__ {}; } // error: has no name
template<class T,int> void a5(){ auto l=[] __host__ __device__ {}; } // error: has no name
template<class> struct C2{ void f(){ auto l=[] __device__ {}; } };
template<class T,class U=int> void a6(){ auto l=[] __device__ {}; }
void a11(){ a4<int>(); a5<int,3>(); C2<int>().f(); a6<char>(); }
int main(){}
