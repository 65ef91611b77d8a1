# What PyTorch gets from the first CUDA device: the yardstick of the device probe. Prints one line of JSON: FLOP/s of an
# FP16 product of 8192 x 8192 matrices, and bytes a second (read plus written) of a copy of 1 GiB; best of seven batches each.
import json
import sys

try:
    import torch
except ImportError as error:
    print(json.dumps({"missing": str(error)}))
    sys.exit(0)
if not torch.cuda.is_available():
    print(json.dumps({"missing": "torch sees no CUDA device"}))
    sys.exit(0)


def best_seconds(work, turns):
    for _ in range(turns):
        work()
    best = float("inf")
    for _ in range(7):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(turns):
            work()
        end.record()
        torch.cuda.synchronize()
        best = min(best, begin.elapsed_time(end) / 1000 / turns)
    return best


size = 8192
torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
# The probe's own kind of numbers: +-[0.5, 1).
a, b = ((torch.rand(size, size, device="cuda") / 2 + 0.5) * (torch.randint(0, 2, (size, size), device="cuda") * 2 - 1) for _ in range(2))
a, b = a.half(), b.half()
out = torch.empty_like(a)
source = torch.randint(0, 255, (1024**3,), dtype=torch.uint8, device="cuda")
sink = torch.empty_like(source)
print(
    json.dumps(
        {
            "device": torch.cuda.get_device_name(0),
            "version": torch.__version__,
            "flopsPerSecond": 2 * size**3 / best_seconds(lambda: torch.matmul(a, b.t(), out=out), 50),
            "copyBytesPerSecond": 2 * source.nbytes / best_seconds(lambda: sink.copy_(source), 50),
        }
    )
)
