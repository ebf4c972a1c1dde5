// The functions under test with their references and bounds.
#pragma once

typedef __float128 quad;

typedef struct {
    const char *name;
    double (*d)(double);
    float (*f)(float);
    quad (*reference)(quad);
    double bound_d, bound_f; // ulp
    double low, high;        // where most points are taken from
    double (*quick)(double); // a reference in double that is good enough for float
    // Functions of two arguments.
    double (*second_d)(double, double);
    float (*second_f)(float, float);
    quad (*second_reference)(quad, quad);
    int (*skip)(double);  // arguments for which the guide gives no bound
    double absolute_from; // from this |x| on the absolute error is bounded instead
} function;

// Ends with an entry without a name.
extern const function functions[];
