"""PyTorch's side of `shapes.rs`: a process that `shapes_peers.py` asks for one sample at a time. Convolutions and normalised images lie in the
order of axes that is faster for the shape, found by timing both; chains are compiled, or eager where that is faster or compiling fails."""
import os
import sys

import torch
import torch._inductor.config
import torch.nn.functional as F
from peer import GROUPS, Spec, Work, fastest, numbers, serve

THREADS = 2
if os.environ.get("ATEN_CPU_CAPABILITY") == "avx2":
    # Compiled code would otherwise step by vectors of 64 bytes and compute 32 of them: half of the result.
    torch._inductor.config.cpp.simdlen = 256
FORMATS = {"channels_last": torch.channels_last, "NCHW": torch.contiguous_format}


def tensor(x):
    """A copy in memory that PyTorch allocated."""
    return torch.from_numpy(x).clone()


def array(x):
    return x.detach().to(torch.float32 if x.dtype == torch.bfloat16 else x.dtype).numpy()


def named(how, make):
    def made():
        work = make()
        work.how = how
        return work
    return made


def candidates(of_format):
    return fastest([named(name, lambda order=order: of_format(order)) for name, order in FORMATS.items()])


def convolution(spec):
    images, weights, output, stride, margin = spec.convolution()
    direction = spec.words[5]
    transposed = spec.kind == "transposed"
    groups = images[-1] if spec.kind == "depthwise" else 1
    # [rows, columns, in, out] as [out, in, rows, columns]; of depthwise filters, [channels, 1, rows, columns].
    turn, back = ((2, 3, 0, 1), (2, 3, 0, 1)) if groups > 1 else ((3, 2, 0, 1), (2, 3, 1, 0))

    def of_format(order):
        x, owed = (tensor(numbers(seed, shape)).permute(0, 3, 1, 2).contiguous(memory_format=order)
                   for seed, shape in ((1, images), (9, output)))
        w = tensor(numbers(2, weights)).permute(*turn).contiguous(memory_format=order)
        settings = ([stride] * 2, [margin] * 2, [1, 1], transposed, [0, 0], groups)
        if direction == "forward":
            call = lambda: torch.convolution(x, w, None, *settings)
            return Work(call, lambda: [array(call().permute(0, 2, 3, 1))])
        by = ["input", "filter"].index(direction)
        mask = [by == 0, by == 1, False]
        call = lambda: torch.ops.aten.convolution_backward(owed, x, w, None, *settings, mask)
        return Work(call, lambda: [array(call()[by].permute(*((0, 2, 3, 1) if by == 0 else back)))])

    return candidates(of_format)


def product(spec):
    *batch, rows, inner, columns = spec.sizes()
    turned, dtype = spec.words[2], {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16}[spec.words[3]]

    def operand(seed, shape, turned):
        x = tensor(numbers(seed, [*batch, *(shape[::-1] if turned == "t" else shape)])).to(dtype)
        return x.mT if turned == "t" else x

    a, b = operand(1, [rows, inner], turned[0]), operand(2, [inner, columns], turned[1])
    call = lambda: torch.matmul(a, b)
    return Work(call, lambda: [array(call())])


def row_forward(spec):
    """The operation, and how many of its operands have a gradient."""
    width = spec.sizes()[-1:]
    return {
        "softmax": (lambda x: F.softmax(x, -1), 1),
        "layer_norm": (lambda x, scale, offset: F.layer_norm(x, width, scale, offset, 1e-5), 3),
        "batch_norm": (lambda x, scale, offset: F.batch_norm(x, None, None, scale, offset, True, 0.0, 1e-3), 3),
        "group_norm": (lambda x, scale, offset: F.group_norm(x, GROUPS, scale, offset, 1e-3), 3),
        "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v), 3),
        "attention_causal": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), 3),
        "cross_entropy": (lambda x, labels: F.cross_entropy(x, labels), 1),
        "sum_0": (lambda x: x.sum(0), 1),
        "sum_1": (lambda x: x.sum(1), 1),
    }[spec.kind]


def row_operation(spec):
    forward, sources = row_forward(spec)
    images = spec.kind in ("batch_norm", "group_norm") and len(spec.sizes()) == 4

    def of_format(order):
        def placed(x):
            return x.permute(0, 3, 1, 2).contiguous(memory_format=order) if images and x.dim() == 4 else x

        operands = [placed(tensor(x)) for x in spec.row_operands()]
        back = lambda x: array(x.permute(0, 2, 3, 1) if images and x.dim() == 4 else x)
        if spec.words[2] == "forward":
            call = lambda: forward(*operands)
            return Work(call, lambda: [back(call())])
        wanted = [x.requires_grad_() for x in operands[:sources]]
        owed = None if spec.kind == "cross_entropy" else placed(tensor(numbers(9, spec.sizes())))

        def call():
            with torch.enable_grad():
                y = forward(*operands)
                return y, *torch.autograd.grad(y, wanted, owed)
        return Work(call, lambda: [back(x) for x in call()])

    return candidates(of_format) if images else of_format(None)


def optimizer(spec):
    count = int(spec.words[1])
    variable = tensor(numbers(1, [count])).requires_grad_()
    variable.grad = tensor(numbers(2, [count]))
    made = {
        "sgd": lambda: torch.optim.SGD([variable], 0.1, fused=True),
        "momentum": lambda: torch.optim.SGD([variable], 0.1, momentum=0.9, fused=True),
        "adam": lambda: torch.optim.Adam([variable], 0.1, eps=1e-7, fused=True),
    }[spec.kind]()
    return Work(made.step, lambda: [made.step(), array(variable)][1:])


def gradient(x, y, z):
    with torch.enable_grad():
        value = (torch.tanh(x * y) * z + x * x).sum()
        return torch.autograd.grad(value, (x, y, z))


def gradient_compiled():
    forward = torch.compile(lambda x, y, z: (torch.tanh(x * y) * z + x * x).sum(), dynamic=False)

    def call(x, y, z):
        with torch.enable_grad():
            return torch.autograd.grad(forward(x, y, z), (x, y, z))
    return call


CHAINS = {
    "axpby": (lambda x, y: x * 1.5 + y * 0.5, 2),
    "gelu": (lambda x: x * 0.5 * (torch.tanh((x + x * x * x * 0.044715) * 0.79788456) + 1.0), 1),
    "gate": (lambda x, y, z: x * torch.sigmoid(y) + z, 3),
    "polynomial": (lambda x: ((((x * 0.1 + 0.2) * x + 0.3) * x + 0.4) * x + 0.5) * x + 0.6, 1),
    "density": (lambda x: torch.exp(((x - 0.1) / 1.3).square() * -0.5) * 0.3, 1),
    "squared_error": (lambda x, y: (x - y).square().mean(), 2),
    "choice": (lambda x, y, z: torch.where(x > y, x * z, torch.minimum(y, z)), 3),
    "waves": (lambda x, y: torch.sin(x) * torch.cos(y) + torch.sqrt(x * x + y * y), 2),
    "cell": (lambda x, y, z: torch.sigmoid(x) * torch.tanh(y) + torch.sigmoid(x + 1.0) * z, 3),
    "softplus": (lambda x: torch.log1p(torch.exp(x)), 1),
    "gradient": (gradient, 3),
}


def chain(spec):
    formula, inputs = CHAINS[spec.kind]
    operands = [tensor(numbers(seed, [int(spec.words[1])])) for seed in range(1, inputs + 1)]
    if spec.kind == "gradient":
        operands = [x.requires_grad_() for x in operands]
    torch._dynamo.reset()

    def of(call):
        bound = lambda: call(*operands)
        results = lambda: (lambda y: [array(x) for x in (y if isinstance(y, tuple) else (y,))])(bound())
        return Work(bound, results)

    eager = named("eager", lambda: of(formula))
    compiled = lambda: gradient_compiled() if spec.kind == "gradient" else torch.compile(formula, dynamic=False)
    try:
        return fastest([named("compiled", lambda: of(compiled())), eager])
    except Exception as error:
        print(f"{spec.name}: eager, since compiling failed: {str(error)[:400]}", file=sys.stderr, flush=True)
        return eager()


MOVES = {
    "transpose": lambda x, order: x.permute(*order).reshape(-1),
    "concat": lambda x, y, axis: torch.cat([x, y], axis),
    "pad": lambda x, margin: F.pad(x, (0, 0, margin, margin, margin, margin)),
    "gather": lambda x, rows, _: x.index_select(0, rows),
    "segment_sum": lambda x, rows, sums: x.new_zeros(sums, x.shape[1]).index_add_(0, rows, x),
    "one_hot": lambda rows, depth: torch.zeros(len(rows), depth).scatter_(1, rows[:, None], 1.0),
    "sort": lambda x, _: x.sort(-1).values,
    "argsort": lambda x, _: x.argsort(dim=-1, stable=True),
    "top_k": lambda x, k: x.topk(k, -1).values,
    "cumsum": lambda x, axis: x.cumsum(axis),
}


def move(spec):
    operands, told = spec.move_operands()
    operands = [tensor(x) for x in operands]
    call = lambda: MOVES[spec.kind](*operands, told)
    return Work(call, lambda: [array(call())])


def make(spec: Spec):
    if spec.kind in ("conv", "depthwise", "transposed"):
        return convolution(spec)
    if spec.kind == "product":
        return product(spec)
    if spec.kind in CHAINS:
        return chain(spec)
    if spec.kind in MOVES:
        return move(spec)
    return optimizer(spec) if spec.words[2] == "step" else row_operation(spec)


if __name__ == "__main__":
    torch.set_num_threads(THREADS)
    torch.set_grad_enabled(False)
    torch.manual_seed(1)
    serve(make, {"version": torch.__version__, "threads": torch.get_num_threads(), "path": torch.backends.cpu.get_cpu_capability()})
