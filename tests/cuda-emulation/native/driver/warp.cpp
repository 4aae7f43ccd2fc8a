// Warp operations and barriers: when they are complete, what they compute, and how a kernel that can never complete one
// is described.
#include "warp.h"

#include <algorithm>

namespace eagerflow {

namespace {

std::string at_line(int line) { return " at line " + std::to_string(line) + " of the program"; }

// One lane's answer, from the requests of all lanes that take part. False: it reads from a lane that is not there.
bool answer(const WarpRequest* const* lanes, unsigned present, unsigned lane, WarpRequest& out) {
    const WarpRequest& own = *lanes[lane];
    unsigned long long result = own.value;
    switch (own.kind) {
        case WARP_SYNC: break;
        case WARP_BALLOT:
            result = 0;
            for (unsigned i = 0; i < 32; i++)
                if (present >> i & 1) result |= (unsigned long long)(lanes[i]->value != 0) << i;
            break;
        case WARP_SHUFFLE:
            if (own.source < 0) break;
            if (own.source >= 32 || !(present >> own.source & 1)) return false;
            result = lanes[own.source]->value;
            break;
        case WARP_MATCH:
            result = 0;
            for (unsigned i = 0; i < 32; i++)
                if (present >> i & 1) result |= (unsigned long long)(lanes[i]->value == own.value) << i;
            break;
        default:
            for (unsigned i = 0; i < 32; i++) {
                if (!(present >> i & 1) || i == lane) continue;
                const long long a = (long long)result, b = (long long)lanes[i]->value;
                result = own.kind == WARP_ADD   ? result + lanes[i]->value
                         : own.kind == WARP_MIN ? (unsigned long long)std::min(a, b)
                         : own.kind == WARP_MAX ? (unsigned long long)std::max(a, b)
                         : own.kind == WARP_AND ? result & lanes[i]->value
                         : own.kind == WARP_OR  ? result | lanes[i]->value
                                                : result ^ lanes[i]->value;
            }
    }
    out.result = result;
    return true;
}

// Answers the complete operations of one warp; marks lanes that go on.
bool release_warp(Block& block, unsigned warp, std::string& problem) {
    const unsigned first = warp * 32, count = std::min<unsigned>(32, (unsigned)block.threads.size() - first);
    const unsigned alive = alive_lanes(block, warp);
    bool released = false;
    unsigned handled = 0;
    for (unsigned lane = 0; lane < count; lane++) {
        Thread& thread = block.threads[first + lane];
        if (thread.phase != Phase::Warp || handled >> lane & 1) continue;
        const WarpRequest& request = *thread.warp;
        if (!(request.mask >> lane & 1)) {
            problem = "lane " + std::to_string(lane) + " is not in its own mask" + at_line(request.line);
            return false;
        }
        const unsigned wanted = request.mask & alive;
        const WarpRequest* lanes[32] = {};
        bool complete = true;
        for (unsigned i = 0; i < count && complete; i++) {
            if (!(wanted >> i & 1)) continue;
            const Thread& other = block.threads[first + i];
            complete = other.phase == Phase::Warp && other.warp->mask == request.mask && other.warp->kind == request.kind;
            lanes[i] = other.warp;
        }
        if (!complete) continue;
        for (unsigned i = 0; i < count; i++) {
            if (!(wanted >> i & 1)) continue;
            if (!answer(lanes, wanted, i, *block.threads[first + i].warp)) {
                problem = "lane " + std::to_string(i) + " of warp " + std::to_string(warp) + " shuffles from lane " +
                          std::to_string(lanes[i]->source) + ", which is absent (ended, beyond the block, or not in the mask)," +
                          at_line(lanes[i]->line);
                return false;
            }
        }
        for (unsigned i = 0; i < count; i++)
            if (wanted >> i & 1) block.threads[first + i].phase = Phase::Running;
        handled |= wanted;
        released = true;
    }
    return released;
}

bool release_barrier(Block& block, std::string& problem) {
    int line = -1, count = 0;
    const BlockRequest* first = nullptr;
    for (size_t i = 0; i < block.threads.size(); i++) {
        const Thread& thread = block.threads[i];
        if (thread.phase != Phase::Barrier) {
            problem = "thread " + std::to_string(i) + (thread.phase == Phase::Done ? " ended before a barrier that others wait at" : " waits at a warp operation while others wait at a barrier");
            continue;
        }
        if (first != nullptr && (thread.barrier->line != line || thread.barrier->kind != first->kind)) {
            problem = "divergent barrier: threads of one block wait" + at_line(line) + " and" + at_line(thread.barrier->line);
            return false;
        }
        first = thread.barrier;
        line = first->line;
        count += thread.barrier->predicate != 0;
    }
    if (first == nullptr) {
        problem.clear();
        return false;
    }
    if (!problem.empty()) {
        problem += "," + at_line(line);
        return false;
    }
    for (Thread& thread : block.threads) {
        const BlockKind kind = thread.barrier->kind;
        thread.barrier->result = kind == BLOCK_COUNT ? count : kind == BLOCK_AND ? count == (int)block.threads.size() : count != 0;
        thread.phase = Phase::Running;
    }
    return true;
}

// Some wait in warps for lanes that cannot come: who waits for whom.
std::string describe_stuck_warp(const Block& block) {
    for (size_t i = 0; i < block.threads.size(); i++) {
        const Thread& thread = block.threads[i];
        if (thread.phase != Phase::Warp) continue;
        const unsigned warp = (unsigned)i / 32, wanted = thread.warp->mask & alive_lanes(block, warp);
        for (unsigned lane = 0; lane < 32; lane++) {
            if (!(wanted >> lane & 1)) continue;
            const Thread& other = block.threads[warp * 32 + lane];
            if (other.phase == Phase::Warp && other.warp->mask == thread.warp->mask && other.warp->kind == thread.warp->kind) continue;
            const int line = other.phase == Phase::Warp ? other.warp->line : other.barrier->line;
            return "lane " + std::to_string(i % 32) + " of warp " + std::to_string(warp) + " waits for lane " + std::to_string(lane) +
                   at_line(thread.warp->line) + ", which is absent: it waits" + at_line(line);
        }
    }
    return "";
}

}  // namespace

unsigned alive_lanes(const Block& block, unsigned warp) {
    unsigned mask = 0;
    for (unsigned lane = 0; lane < 32 && warp * 32 + lane < block.threads.size(); lane++)
        if (block.threads[warp * 32 + lane].phase != Phase::Done) mask |= 1u << lane;
    return mask;
}

bool release(Block& block, const std::vector<unsigned>& order, std::vector<unsigned>& ready, std::string& problem) {
    bool released = false;
    for (unsigned warp = 0; warp * 32 < block.threads.size(); warp++) {
        released |= release_warp(block, warp, problem);
        if (!problem.empty()) return false;
    }
    if (!released) released = release_barrier(block, problem);
    if (!released) {
        if (const std::string stuck = describe_stuck_warp(block); !stuck.empty()) problem = stuck;
        return false;
    }
    for (const unsigned index : order)
        if (block.threads[index].phase == Phase::Running) ready.push_back(index);
    return true;
}

}  // namespace eagerflow
