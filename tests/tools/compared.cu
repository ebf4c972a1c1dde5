// Prints what kudzu compare must tell apart. It uses no device: the test has no GPU.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    int gpu = !strcmp(getenv("KUDZU_DEVICE"), "gpu");
    if (argc < 2)
        return puts("same on both"), 0;
    if (!strcmp(argv[1], "numbers"))
        printf("sum %s of sm_90\n", gpu ? " 1.0000010" : "1.0");
    else if (!strcmp(argv[1], "word"))
        printf("first\n%s\nlast\n", gpu ? "sm_91" : "sm_90");
    else if (!strcmp(argv[1], "more"))
        printf(gpu ? "one\ntwo\n" : "one\n");
    else if (!strcmp(argv[1], "time"))
        printf("took %d us\nresult 3\n", gpu ? 10 : 900);
    else if (!strcmp(argv[1], "not_finite"))
        printf("%s %s\n", gpu ? "nan" : "NaN", gpu ? "inf" : "1");
    else if (!strcmp(argv[1], "status"))
        return gpu ? 3 : 0;
    else if (!strcmp(argv[1], "crash"))
        gpu ? abs(0) : (abort(), 0);
    else if (!strcmp(argv[1], "input"))
        printf("%d\n", getchar());
    return 0;
}
