// This process as a client of the Multi-Process Service.
#ifndef KUDZU_DEVICE_MPS_CLIENT_H
#define KUDZU_DEVICE_MPS_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

// Tells a control program that runs (`kudzu mps-control`), once, of this process.
bool kd_is_mps_client(void);
// The part of `workers` that the process may use: all, where it is no client.
int mps_client_workers(int workers);
// What the process may allocate of a device's memory of so many bytes.
uint64_t mps_client_memory(int device, uint64_t bytes);
// Gives the thread that calls the priority of the client: a worker of one below normal lets those
// of others go first.
void mps_client_take_priority(void);

#endif
