"""Makes bundles/numbers.safetensors with Hugging Face's own writer: what core/formats must read, and write byte by byte.

Run by hand, after make_bundles.py: python tests/golden/make_safetensors.py. Made with safetensors 0.8.
"""

import os

import torch
from safetensors.torch import save_file

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bundles")

tensors = {name: torch.arange(6).reshape(2, 3).to(getattr(torch, name)) for name in
           "float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()}
tensors["bool"] = torch.tensor([True, False, True])
tensors["scalar"] = torch.tensor(1.5)
tensors["empty"] = torch.zeros([0, 3])
tensors['quoted "ü"'] = torch.tensor([7], dtype=torch.uint8)
save_file(tensors, os.path.join(HERE, "numbers.safetensors"), metadata={"format": "pt"})
