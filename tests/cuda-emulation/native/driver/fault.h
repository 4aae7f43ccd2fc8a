// Signals: a fault of an emulated kernel ends its launch, a touch of device memory by the host ends the process with a
// message that says so.
#pragma once

namespace eagerflow {

// Once per process; called by `cuInit`.
void install_fault_handlers();
// Once per thread that runs kernels: the handler needs a stack of its own.
void prepare_thread_for_faults();

}  // namespace eagerflow
