# The training step of the guide's network in PyTorch, eager and as a CUDA graph: a line for each, name and microseconds.
import statistics, time
import torch
from torch import nn

torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
torch.backends.cudnn.benchmark = True


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.head = nn.Conv2d(1, 16, 3), nn.Conv2d(16, 16, 3), nn.Linear(16, 10)

    def forward(self, x):
        return self.head(torch.relu(self.b(torch.relu(self.a(x)))).mean((2, 3)))


def timed(call):
    rounds = []
    for _ in range(9):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(200):
            call()
        torch.cuda.synchronize()
        rounds.append((time.perf_counter() - start) / 200 * 1e6)
    return f"{statistics.median(rounds):.2f} µs ({min(rounds):.2f} - {max(rounds):.2f})"


few = torch.randn(10, device="cuda")
print(f"{torch.__version__}, eager addition of 10 elements\t{timed(lambda: few + few)}")
for batch in (32, 256, 2048):
    net = Net().cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, capturable=True, fused=True)
    x = torch.rand(batch, 1, 28, 28, device="cuda").to(memory_format=torch.channels_last)
    y = torch.arange(batch, device="cuda") % 10

    def step():
        optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(5):
            step()
    torch.cuda.current_stream().wait_stream(side)
    print(f"step of the guide's network, batch {batch}, eager\t{timed(step)}")
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
    print(f"step of the guide's network, batch {batch}, CUDA graph\t{timed(graph.replay)}")
