// This process as a client of the Multi-Process Service.
#ifndef KUDZU_DEVICE_MPS_CLIENT_H
#define KUDZU_DEVICE_MPS_CLIENT_H

#include <stdbool.h>

// Tells a control program that runs (`kudzu mps-control`), once, of this process.
bool kd_is_mps_client(void);
// The part of `workers` that the process may use: all, where it is no client.
int mps_client_workers(int workers);

#endif
