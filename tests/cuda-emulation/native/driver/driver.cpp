// The process-wide state, entry of every call, and the functions by which tests read counters and set switches
// (`eagerflow_emulation_*`, called from this crate's `control.rs`).
#include "driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "memory.h"
#include "stream.h"

namespace eagerflow {

static Switches from_environment() {
    Switches s;
    if (const char* order = getenv("EAGERFLOW_CUDA_EMULATION_ORDER")) {
        s.order = strncmp(order, "reverse", 7) == 0 ? 1 : strncmp(order, "shuffled", 8) == 0 ? 2 : 0;
        if (const char* seed = strchr(order, ':')) s.seed = strtoull(seed + 1, nullptr, 10);
    }
    if (const char* memory = getenv("EAGERFLOW_CUDA_EMULATION_MEMORY")) s.memory = strtoull(memory, nullptr, 10);
    if (const char* devices = getenv("EAGERFLOW_CUDA_EMULATION_DEVICES")) s.devices = atoi(devices) > 0;
    if (const char* protect = getenv("EAGERFLOW_CUDA_EMULATION_PROTECT")) s.protect = atoi(protect) != 0;
    return s;
}

Driver& driver() {
    // Never destroyed: threads may still call while the process ends.
    static Driver* state = [] {
        Driver* d = new Driver;
        d->switches = from_environment();
        return d;
    }();
    return *state;
}

int lose(int code, const std::string& what) {
    Driver& d = driver();
    if (d.lost == SUCCESS) d.lost = code;
    if (d.failure.empty()) d.failure = what;
    if (!d.switches.quiet) fprintf(stderr, "CUDA emulation: %s\n", what.c_str());
    return code;
}

Entry::Entry(const char* name, bool survives_loss, bool before_init) {
    Driver& d = driver();
    d.lock.lock();
    d.counters.calls++;
    if (auto found = d.planted.find(name); found != d.planted.end() && --found->second.remaining == 0) {
        code = found->second.code;
        d.planted.erase(found);
    } else if (!d.initialized && !before_init) {
        code = NOT_INITIALIZED;
    } else if (d.lost != SUCCESS && !survives_loss) {
        code = d.lost;
    }
}

}  // namespace eagerflow

using namespace eagerflow;

#define CONTROL extern "C" __attribute__((visibility("default")))

CONTROL void eagerflow_emulation_counters(Counters* out) {
    std::lock_guard hold(driver().lock);
    *out = driver().counters;
}

// Everything to zero but what is in use.
CONTROL void eagerflow_emulation_reset_counters() {
    std::lock_guard hold(driver().lock);
    Counters& c = driver().counters;
    const Counters before = c;
    c = Counters{};
    driver().launches_by_kernel.clear();
    c.live_allocations = before.live_allocations;
    c.bytes_in_use = c.peak_bytes = before.bytes_in_use;
}

CONTROL void eagerflow_emulation_set_order(int order, uint64_t seed) {
    std::lock_guard hold(driver().lock);
    driver().switches.order = order;
    driver().switches.seed = seed;
}

CONTROL void eagerflow_emulation_set_memory(uint64_t bytes) {
    std::lock_guard hold(driver().lock);
    driver().switches.memory = bytes;
}

CONTROL void eagerflow_emulation_set_devices(int devices) {
    std::lock_guard hold(driver().lock);
    driver().switches.devices = devices;
    driver().initialized = false;
}

CONTROL void eagerflow_emulation_set_version(int version) {
    std::lock_guard hold(driver().lock);
    driver().switches.version = version;
}

CONTROL void eagerflow_emulation_set_protect(int protect) {
    std::lock_guard hold(driver().lock);
    set_protection(protect != 0);
}

CONTROL void eagerflow_emulation_set_quiet(int quiet) {
    std::lock_guard hold(driver().lock);
    driver().switches.quiet = quiet != 0;
}

CONTROL void eagerflow_emulation_plant(const char* function, uint64_t nth, int code) {
    std::lock_guard hold(driver().lock);
    if (nth == 0) driver().planted.erase(function);
    else driver().planted[function] = Planted{nth, code};
}

// Copies a text, cut to `size`; gives its whole length.
static uint64_t give_text(const std::string& from, char* text, uint64_t size) {
    if (size > 0) {
        const uint64_t n = from.size() < size - 1 ? from.size() : size - 1;
        memcpy(text, from.data(), n);
        text[n] = 0;
    }
    return from.size();
}

// The text of the last fault on the device.
CONTROL uint64_t eagerflow_emulation_failure(char* text, uint64_t size) {
    std::lock_guard hold(driver().lock);
    return give_text(driver().failure, text, size);
}

// A line for each kernel that ran: its name, a space, how often.
CONTROL uint64_t eagerflow_emulation_kernels(char* text, uint64_t size) {
    std::lock_guard hold(driver().lock);
    std::string lines;
    for (auto& [name, count] : driver().launches_by_kernel) lines += name + " " + std::to_string(count) + "\n";
    return give_text(lines, text, size);
}

// The context works again: what waits in streams is dropped, memory stays.
CONTROL void eagerflow_emulation_recover() {
    std::lock_guard hold(driver().lock);
    drop_pending_work();
    driver().lost = SUCCESS;
    driver().failure.clear();
}

CONTROL uint64_t eagerflow_emulation_pending_work() {
    std::lock_guard hold(driver().lock);
    return pending_work();
}
