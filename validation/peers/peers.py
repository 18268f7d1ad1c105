"""Headroom beside its peers on the same training runs: error of the peak, and time.

    python validation/peers/peers.py [--models resnet50,vit_b_16,gpt2] [--repeat 5] [--json OUT]

The peers are PyTorch's own MemTracker with FakeTensorMode, and PyTorch itself over null CUDA libraries: the errors are
of its max_memory_allocated. Nothing is installed: what is missing is named and left out. README.md of
this folder says what the columns mean.
"""
import argparse
import importlib.util
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STEPS = 3

# Name: archive below fixtures, batch size, what builds the model. The archives were exported from the same classes.
MODELS = {
    "resnet50": ("models/resnet50-i224.pt2", 32, "torchvision"),
    "vit_b_16": ("models/vit_b_16-i224.pt2", 32, "torchvision"),
    "gpt2": ("models/gpt2-s512.pt2", 8, "transformers"),
}


# ------------------------------------------------------------ the peers, each in a process of its own --


def built(name, device):
    """The model and a function that runs it on a batch and gives the loss."""
    import torch

    batch, library = MODELS[name][1:]
    with torch.device(device):
        if library == "torchvision":
            import torchvision

            model = getattr(torchvision.models, name)()
            images, labels = torch.empty(batch, 3, 224, 224), torch.zeros(batch, dtype=torch.long)

            def run():
                out = model(images)
                return out, torch.nn.functional.cross_entropy(out, labels)

            return model, run, (images, labels)
        import transformers

        unpacked()
        model = transformers.GPT2LMHeadModel(transformers.GPT2Config(use_cache=False))
        ids, labels = (torch.zeros(batch, 512, dtype=torch.long) for _ in range(2))

        def run():
            out = model(input_ids=ids, labels=labels)
            return out, out.loss

        return model.train(), run, (ids, labels)


def unpacked():
    """transformers asks tensors whether sequences are packed: kernels that do nothing cannot say that these are not."""
    from transformers import masking_utils

    asked = getattr(masking_utils, "find_packed_sequence_indices", None)
    if asked:
        masking_utils.find_packed_sequence_indices = lambda *of, **named: (asked(*of, **named), None)[1]


def trained(model, run, optimizer, after=lambda: None):
    """The loop that Headroom plays: outputs and loss live until their names are bound again."""
    for _ in range(STEPS):
        optimizer.zero_grad()
        out, loss = run()
        loss.backward()
        optimizer.step()
        after()


def tracked(name):
    """The peak that MemTracker comes to, which knows no segments; fake tensors of the card, or else of the host."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.distributed._tools.mem_tracker import MemTracker

    device = "cuda" if torch.cuda.is_available() else "cpu"
    # It draws until all numbers are within bounds: fake ones have no numbers.
    torch.nn.init.trunc_normal_ = lambda tensor, *bounds, **named: tensor
    with FakeTensorMode():
        model, run, batch = built(name, device)
        optimizer = torch.optim.AdamW(model.parameters())
        tracker = MemTracker()
        tracker.track_external(model, optimizer, *batch)
        with tracker:
            trained(model, run, optimizer, tracker.reset_mod_stats)
    return max(of["Total"] for of in tracker.get_tracker_snapshot("peak").values()), None


def ran(name):
    """The peaks of PyTorch's allocator, allocated and reserved."""
    import gc

    import torch

    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    model, run, _ = built(name, "cuda")
    # A weight that is tied away leaves a gap, as none does in a model that was moved to the card.
    torch.cuda.empty_cache()
    trained(model, run, torch.optim.AdamW(model.parameters()))
    return torch.cuda.max_memory_allocated() - before, torch.cuda.max_memory_reserved()


PEERS = {"tracked": tracked, "ran": ran}


def inner(peer, name, repeat):
    """One cold answer and the warm ones after it."""
    peaks, walls, cpus = [], [], []
    for _ in range(repeat + 1):
        wall, cpu = time.perf_counter(), time.process_time()
        peaks.append(PEERS[peer](name))
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    peak, reserved = peaks[0]
    answer = {"peak": peak, "reserved": reserved, "warm": median(walls[1:]), "warm_cpu": median(cpus[1:])}
    print(json.dumps(answer))


def median(numbers):
    return statistics.median(numbers) if numbers else None


# ----------------------------------------------------------------------------------- measurements --


def process(command):
    """What a process prints, its seconds, and those of its processor time."""
    used, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    wall, now = time.perf_counter() - wall, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise RuntimeError(said)
    return done.stdout, wall, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


def cold(command, repeat):
    """What such a process prints, and the medians of its seconds."""
    outs, walls, cpus = zip(*(process(command) for _ in range(repeat)))
    return outs[0], {"cold": median(walls), "cold_cpu": median(cpus)}


def peer(kind, name, repeat, prefix=()):
    """Cold are processes with a single answer, imports and all; warm are answers after the first in another process."""
    own = [*prefix, sys.executable, __file__, "--inner", kind, "--models", name, "--repeat"]
    times = cold([*own, "0"], repeat)[1]
    return {**json.loads(process([*own, str(repeat)])[0].splitlines()[-1]), **times}


def headroom(command, name, repeat):
    """Cold is the command line; warm is the service, asked anew each time: no answer comes from its cache."""
    archive, batch = MODELS[name][:2]
    path = ROOT / "fixtures" / archive
    options = ["--batch", str(batch), "--steps", str(STEPS), "--data", "one", "--cudnn-workspace", "none", "--json"]
    out, times = cold([*command, "predict", str(path), *options], repeat)
    peak = json.loads(out)["peak"]
    service = subprocess.Popen([*command, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        address = next(word for line in service.stdout for word in line.split() if word.startswith("http://"))
        known = post(address, "/v1/models", path.read_bytes())["name"]
        walls, cpus = [], []
        for n in range(8 * repeat):
            asked = {"batch": batch, "steps": STEPS, "data": "one", "cudnn-workspace": "none", "memory": 80 * 10**9 + n}
            asked["memory"] = f"{asked['memory']}"
            wall, cpu = time.perf_counter(), processor(service.pid)
            post(address, "/v1/predict", json.dumps({"model": known, "options": asked}).encode())
            walls.append(time.perf_counter() - wall)
            cpus.append(processor(service.pid) - cpu)
    finally:
        service.terminate()
        service.wait()
    return {
        "peak": peak["allocated"], "reserved": peak["reserved"], **times,
        "warm": median(walls[-repeat:]), "warm_cpu": sum(cpus[-repeat:]) / repeat,
    }


def post(address, path, body):
    with urllib.request.urlopen(urllib.request.Request(address.rstrip("/") + path, body)) as reply:
        return json.load(reply)


def processor(pid):
    """Seconds of processor time of a running process, as far as Linux counts them: in hundredths."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# ------------------------------------------------------------------------------------------ table --


def missing(names):
    """Modules that a model needs and this Python lacks."""
    wanted = {"torch"} | {MODELS[name][2] for name in names}
    return sorted(module for module in wanted if importlib.util.find_spec(module) is None)


def measured(name, args):
    """A row for each that gave an answer; what gave none is named."""
    nulls = shlex.split(args.nullcuda or "")
    lacking = missing([name])
    takers = {"Headroom": lambda: headroom(shlex.split(args.headroom), name, args.repeat)}
    if lacking:
        print(f"{name}: no MemTracker and no run: this Python lacks {', '.join(lacking)}", file=sys.stderr)
    else:
        takers["MemTracker"] = lambda: peer("tracked", name, args.repeat, nulls)
        if nulls:
            takers["null libraries"] = lambda: peer("ran", name, args.repeat, nulls)
    rows = {}
    for who, take in takers.items():
        try:
            rows[who] = take()
        except (RuntimeError, OSError, StopIteration) as e:
            print(f"{name}: no answer of {who}: {e}", file=sys.stderr)
    return rows


def table(name, rows):
    truth = rows.get("null libraries", {}).get("peak")
    own = rows.get("Headroom")
    for who, row in rows.items():
        error = f"{100 * (row['peak'] - truth) / truth:+.2f} %" if truth else "?"
        cells = [f"{row[of] * 1000:,.0f} ms" for of in ("cold", "warm", "cold_cpu", "warm_cpu")]
        ratios = [f"{row[of] / own[of]:.1f}" if own and own[of] else "?" for of in ("cold_cpu", "warm_cpu")]
        segments = "none told" if row["reserved"] is None else f"{row['reserved']:,}"
        print(f"{name:10}{who:16}{row['peak']:>15,}{error:>10}{segments:>16}", *(f"{c:>12}" for c in cells + ratios),
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=",".join(MODELS), help="some of " + ", ".join(MODELS))
    parser.add_argument("--repeat", type=int, default=5, help="answers, of which the median counts")
    parser.add_argument("--headroom", default=str(ROOT / "headroom"), help="the command")
    parser.add_argument("--nullcuda", default=os.environ.get("HEADROOM_NULLCUDA"),
                        help="a command that runs another with null CUDA libraries (or $HEADROOM_NULLCUDA)")
    parser.add_argument("--json", help="writes the numbers, too")
    parser.add_argument("--inner", choices=PEERS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    names = args.models.split(",")
    for name in names:
        if name not in MODELS:
            parser.error(f"no model {name}; there are {', '.join(MODELS)}")
    if args.inner:
        inner(args.inner, names[0], args.repeat)
        return
    if not args.nullcuda:
        print("no run of PyTorch, and so no errors: pass --nullcuda COMMAND; MemTracker's tensors are the host's",
              file=sys.stderr)
    print(f"{'model':10}{'':16}{'peak, bytes':>15}{'error':>10}{'reserved, bytes':>16}",
          *(f"{c:>12}" for c in ("cold", "warm", "cold CPU", "warm CPU", "CPU ratio", "warm ratio")))
    everything = {}
    for name in names:
        everything[name] = measured(name, args)
        table(name, everything[name])
    if args.json:
        Path(args.json).write_text(json.dumps(everything, indent=1) + "\n")


if __name__ == "__main__":
    main()
