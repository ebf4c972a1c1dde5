// kudzu's commands, one function each: argv[0] is the command's name; the result is the process's
// exit status.
#ifndef KUDZU_TOOLS_TOOLS_H
#define KUDZU_TOOLS_TOOLS_H

int tool_run(int argc, char **argv);
int tool_check(int argc, char **argv);
int tool_compute_sanitizer(int argc, char **argv); // the same, as NVIDIA's program of this name
int tool_smi(int argc, char **argv);
int tool_mps_control(int argc, char **argv);
int tool_explain(int argc, char **argv);
int tool_env(int argc, char **argv);
int tool_exec(int argc, char **argv);
int tool_compare(int argc, char **argv);
int tool_cccl(int argc, char **argv);
int tool_clangd_config(int argc, char **argv);

#endif
