// References in double for a block of arguments, good to a few units of double's last place where
// the value is finite and normal: compiled so that vector functions of the host's libm are called.
#pragma once

enum { SWEEP_BLOCK = 1024 };

typedef struct {
    const char *name; // the float function's
    // r[i]: the value at x[i]. y[i], the result under test, is where inverse functions start from.
    void (*values)(const double *x, const double *y, double *r);
    double low, high; // where inverse functions have values; for others nowhere
} sweep_reference;

// Ends with an entry without a name.
extern const sweep_reference sweep_references[];
