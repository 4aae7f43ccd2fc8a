// The driver's side of `cublaslt/hooks.h`.
#include <memory>

#include "driver.h"
#include "memory.h"
#include "stream.h"

using namespace eagerflow;

EXPORT eagerflow_hook_submit(void* stream, int (*run)(void*), void* data, void (*release)(void*)) {
    std::lock_guard hold(driver().lock);
    std::shared_ptr<void> owned(data, release);
    if (driver().lost != SUCCESS) return driver().lost;
    Stream* s = stream_of(stream);
    if (s == nullptr) return INVALID_HANDLE;
    Work work;
    work.kind = WorkKind::Library;
    work.call = [owned, run] { return run(owned.get()); };
    return submit(s, std::move(work));
}
EXPORT eagerflow_hook_owns(uint64_t address, uint64_t bytes) {
    std::lock_guard hold(driver().lock);
    return owns_device(address, bytes);
}
EXPORT eagerflow_hook_ready() {
    std::lock_guard hold(driver().lock);
    return driver().initialized && driver().lost == SUCCESS;
}
extern "C" __attribute__((visibility("default"))) void eagerflow_hook_count_matmul() { driver().counters.matmuls++; }
EXPORT eagerflow_hook_planted(const char* function) {
    std::lock_guard hold(driver().lock);
    auto& planted = driver().planted;
    const auto found = planted.find(function);
    if (found == planted.end() || --found->second.remaining != 0) return 0;
    const int code = found->second.code;
    planted.erase(found);
    return code;
}
