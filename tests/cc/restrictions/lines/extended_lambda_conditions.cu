// options: --extended-lambda
// First uses of variables under `if constexpr`.
void a27(){ const int v=3; auto l=[=] __device__ {if constexpr(true) return v; }; } // error: if constexpr
void a28(){ const int v=3; auto l=[=] __device__ {if constexpr(v==3) return 1;}; } // error: if constexpr
void a29(){ constexpr int v=3; auto l=[=] __device__ {if constexpr(true) return v; else return 1;}; } // error: if constexpr
void a30(){ int v=3; auto l=[=] __device__ {if constexpr(true) return sizeof(v); else return sizeof(int);}; }
void a31(){ static int v=3; auto l=[=] __host__ __device__ {if constexpr(true) return &v; }; }
struct S{ int m; void f(){ auto l=[=] __device__ {if constexpr(true) return m; else return 1;}; } }; // error: if constexpr
int main(){}
