// The functions of one argument that exist in double and, with an f, in float.
#define MATH_LIST(X)                                                                               \
    X(acos)                                                                                        \
    X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(cospi)             \
        X(cyl_bessel_i0) X(cyl_bessel_i1) X(erf) X(erfc) X(erfcinv) X(erfcx) X(erfinv) X(exp)      \
            X(exp10) X(exp2) X(expm1) X(floor) X(j0) X(j1) X(lgamma) X(log) X(log10) X(log1p)      \
                X(log2) X(logb) X(normcdf) X(normcdfinv) X(rcbrt) X(rint) X(round) X(sin) X(sinh)  \
                    X(sinpi) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc) X(y0) X(y1)

// And of two.
#define MATH_LIST_2(X) X(atan2) X(fdim) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder) X(rhypot)
