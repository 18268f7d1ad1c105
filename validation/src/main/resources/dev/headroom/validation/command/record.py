"""Records the GPU memory of a training loop of yours, for `headroom validate FOLDER`.

    import record

    model = make_model().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    with record.watch("my-run", model, optimizer, folder="recordings") as run:
        for images, labels in loader:
            ...                     # your step, as it is
            if run.steps == 3:      # later steps are like the third
                break

Writes my-run.json.gz (what the allocator held at the end of every phase) and my-run.pt2 (the model by torch.export, on
the meta device: no weights). Enter it when the model and the optimizer are on the GPU and no batch is yet. One model, one
optimizer, one GPU; no torch.compile.

What the loop does is read off it. Options of `headroom predict` can be named where that fails: watch(..., checkpoint=4,
loss="mse"), or accumulate=2 when memory runs out in the first part. Needs PyTorch 2.6 or newer; with nvidia-ml-py, what
the process takes of the device is recorded, too.
"""
import copy
import gzip
import json
import os
import sys
import weakref
import zipfile

import torch
from torch.export import Dim, ShapesCollection, export
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map_only

OPTIMIZERS = {"Adam": "adam", "AdamW": "adamw", "RMSprop": "rmsprop", "Adagrad": "adagrad", "Adafactor": "adafactor",
              "Adam8bit": "adam8bit", "AdamW8bit": "adamw8bit"}
TYPES = {torch.float16: "fp16", torch.bfloat16: "bf16", torch.float32: "fp32"}
LOSSES = {"Nll": "cross-entropy", "Mse": "mse", "Sum": "sum"}
OF_LOOPS = ("drop_outputs", "zero_grad_keep")
# These add tensors that no option of predict stands for.
UNKNOWN = ("amsgrad", "centered", "maximize", "differentiable")


class BeforeOperators(TorchFunctionMode):
    """Calls a function before every function of torch."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.function()
        return func(*args, **(kwargs or {}))


class watch:
    """See above; use it with `with`."""

    def __init__(self, name, model, optimizer=None, folder=".", **scenario):
        if not torch.cuda.is_available():
            raise SystemExit("record: PyTorch sees no GPU; run this where torch.cuda.is_available() is true")
        self.name, self.model, self.optimizer, self.folder, self.named = name, model, optimizer, folder, scenario
        self.phases, self.oom, self.seen = [], None, {}
        self.pending = None  # a phase that ends before the next operator: by then names are bound anew
        self.step, self.micro, self.accumulate = 0, 0, scenario.get("accumulate", 1)
        self.ended = False  # the optimizer's part of this step
        self.calls = None  # arguments of the first forward pass, without data
        self.new_batches = self.late_zero_grad = False
        self.outputs = self.batch = lambda: None
        self.now = "model"

    @property
    def steps(self):
        """Steps that are done."""
        return self.step + self.ended

    # ------------------------------------------------------------ the loop --

    def __enter__(self):
        if "optimizer" not in self.named:
            self.seen.update(read_optimizer(self.optimizer))
        self.mark("model")
        self.now = "inputs"
        self.mode = BeforeOperators(self.settle)
        self.mode.__enter__()
        self.hooks = [self.model.register_forward_pre_hook(self.before_forward, with_kwargs=True),
                      self.model.register_forward_hook(self.after_forward)]
        self.patches = []
        self.patch(torch.autograd, "backward", self.before_backward, self.after_backward)
        self.patch(torch.amp.GradScaler, "scale", self.before_backward, None)
        self.patch(torch.amp.GradScaler, "update", None, self.after_optimizer)
        if self.optimizer:
            self.hooks += [self.optimizer.register_step_pre_hook(self.before_optimizer),
                           self.optimizer.register_step_post_hook(self.after_optimizer)]
            self.patch(self.optimizer, "zero_grad", self.before_zero_grad, self.after_zero_grad)
        self.patch(self.model, "zero_grad", self.before_zero_grad, self.after_zero_grad)
        return self

    def __exit__(self, kind, error, trace):
        self.settle()
        self.mode.__exit__(None, None, None)
        for hook in self.hooks:
            hook.remove()
        for owner, name, original, own in self.patches:
            setattr(owner, name, original) if own else delattr(owner, name)
        if kind is None or issubclass(kind, torch.cuda.OutOfMemoryError):
            self.oom = None if kind is None else {"during": self.now, "message": str(error).splitlines()[0]}
            self.save()

    def patch(self, owner, name, before, after):
        original, own = getattr(owner, name), name in vars(owner)

        def call(*args, **kwargs):
            if before:
                before(*args, **kwargs)
            result = original(*args, **kwargs)
            if after:
                after(*args, **kwargs)
            return result

        setattr(owner, name, call)
        self.patches.append((owner, name, original, own))

    def before_forward(self, module, args, kwargs):
        self.settle()
        if self.calls is None:
            self.calls = tree_map_only(torch.Tensor, lambda t: (t.shape, t.dtype), (args, kwargs))
            self.seen.update(read_run(self.model, args, kwargs))
            self.mark("inputs")
            if not self.seen["inference"]:
                self.mark("zero_grad", 0)
        elif self.ended:
            self.next_step()
        if self.micro == 0 and self.step > 0:
            self.new_batches |= self.batch() is None
            self.seen["drop_outputs"] = self.outputs() is None
        tensors = [t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        self.batch = weakref.ref(tensors[0]) if tensors else self.batch
        self.at("forward")

    def after_forward(self, module, args, output):
        tensors = [t for t in tree_leaves(output) if isinstance(t, torch.Tensor)]
        self.outputs = weakref.ref(tensors[0]) if tensors else self.outputs
        if tensors and tensors[0].dim() == 0 and not self.seen["inference"]:
            self.seen["loss"] = "output"
        self.pending = ("forward", self.step, self.micro)
        self.ended = self.seen["inference"]
        self.at("loss")

    def before_backward(self, *args, **kwargs):
        self.end_loss()
        tensor = next((t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)), None)
        self.seen["loss"] = self.seen.get("loss") or read_loss(tensor)
        self.at("backward")

    def end_loss(self):
        self.settle()
        if self.phases[-1]["phase"] == "forward" and not self.seen["inference"]:
            self.mark("loss", self.step, self.micro)

    def after_backward(self, *args, **kwargs):
        self.pending = ("backward", self.step, self.micro)
        self.micro += 1
        self.accumulate = max(self.accumulate, self.micro)
        self.at("forward")

    def before_optimizer(self, *args):
        self.settle()
        self.at("optimizer")

    def after_optimizer(self, *args, **kwargs):
        if self.ended:  # the scaler's update belongs to it
            self.phases.pop()
        self.mark("optimizer", self.step)
        self.ended = True

    def before_zero_grad(self, *args, **kwargs):
        if self.calls is not None:
            self.end_loss()

    def after_zero_grad(self, *args, set_to_none=True, **kwargs):
        self.seen["zero_grad_keep"] = not (args[0] if args and args[0] is False else set_to_none)
        if self.ended:
            self.next_step()
        elif self.calls is not None and self.phases[-1]["phase"] == "loss":
            self.late_zero_grad = True

    def next_step(self):
        self.step, self.micro, self.ended = self.step + 1, 0, False
        if not self.seen["inference"]:
            self.mark("zero_grad", self.step)

    def at(self, phase):
        self.now = "%s of step %d" % (phase, self.step)

    def settle(self):
        """Ends the phase that waits for it."""
        if self.pending:
            waiting, self.pending = self.pending, None
            self.mark(*waiting)

    def mark(self, phase, step=None, micro=None):
        """Ends a phase."""
        state = {"phase": phase}
        if step is not None:
            state["step"] = step
        if micro is not None:
            state["micro"] = micro
        cuda = torch.cuda
        state.update(allocated=cuda.memory_allocated(), reserved=cuda.memory_reserved(),
                     max_allocated=cuda.max_memory_allocated(), max_reserved=cuda.max_memory_reserved())
        own = nvml_use()[0]
        if own is not None:
            state["device_used"] = own
        self.phases.append(state)

    # ----------------------------------------------------------- the files --

    def save(self):
        if self.calls is None:
            reason = "record: the model was not called inside of watch(...); there is nothing to save"
            if self.oom:
                print(reason, file=sys.stderr)
                return
            raise SystemExit(reason)
        if not self.ended and self.step > 0 and not self.oom:  # the last step was not finished
            self.phases = [p for p in self.phases if p.get("step") != self.step]
            self.step, self.ended = self.step - 1, True
        if not self.seen["inference"] and not self.seen.get("loss") and "loss" not in self.named and not self.oom:
            print("record: the loss is none that headroom knows; cross-entropy is predicted unless you name another",
                  file=sys.stderr)
        if self.accumulate == 1:
            for phase in self.phases:
                phase.pop("micro", None)
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, self.name)
        scenario = dict(self.seen, accumulate=self.accumulate, steps=max(1, self.steps + (self.oom is not None)))
        scenario["batch"] = self.export(path + ".pt2")
        scenario.update(self.named)
        if scenario.get("loop", "plain") != "plain":  # a library's loop is known, with its variables and its order
            for name in OF_LOOPS:
                scenario.pop(name, None)
            self.new_batches = self.late_zero_grad = False
        device = torch.cuda.get_device_properties(torch.cuda.current_device())
        limit = torch.cuda.get_per_process_memory_fraction()
        document = {
            "format": 2, "archive": self.name + ".pt2", "scenario": scenario, "new_batches": self.new_batches,
            "zero_grad_before_backward": self.late_zero_grad, "device": device.name,
            "capability": [device.major, device.minor], "sms": device.multi_processor_count,
            "total_bytes": device.total_memory, "in_use_bytes": nvml_use()[1],
            "limit_bytes": int(limit * torch.cuda.mem_get_info()[1]) if limit < 1 else None,
            "versions": {"torch": torch.__version__, "cuda": torch.version.cuda, "python": sys.version.split()[0],
                         "cudnn": torch.backends.cudnn.version()},
            "phases": self.phases, "oom": self.oom}
        with gzip.open(path + ".json.gz", "wt") as file:
            json.dump(document, file, separators=(",", ":"))
        print("record: %s.json.gz, %d steps%s" % (
            path, self.steps, ", out of memory in " + self.oom["during"] if self.oom else ""))

    def export(self, path):
        """Writes the archive; returns the batch size if it stayed open, else None."""
        batch = next((s[0][0] for s in tree_leaves(self.calls, is_leaf=is_shape) if is_shape(s) and s[0]), None)
        example = max(batch or 2, 2)  # a size of 1 cannot stay open
        meta = {id(t): meta_copy(t) for t in [*self.model.parameters(), *self.model.buffers()]}
        model = copy.deepcopy(self.model, meta)
        for module in model.modules():
            if "_original_forward" in vars(module):  # Accelerate's autocast: its forward is still that of the original
                del module.forward
        if getattr(model, "is_gradient_checkpointing", False):
            model.gradient_checkpointing_disable()  # scenario: checkpoint
        for size in (example, None):
            args, kwargs = meta_arguments(self.calls, batch, size)
            open_shapes = ShapesCollection()
            for tensor in tree_leaves((args, kwargs)):
                if size and isinstance(tensor, torch.Tensor) and tensor.dim() and tensor.shape[0] == size:
                    open_shapes[tensor] = {0: Dim.DYNAMIC}
            try:
                shapes = open_shapes.dynamic_shapes(model, args, kwargs) if size else None
                with torch.set_grad_enabled(not self.seen["inference"]):
                    program = export(model, args, kwargs, dynamic_shapes=shapes, strict=False)
                torch.export.save(program, path)
                compress(path)
                return batch if size else None
            except Exception as e:  # whatever the model's code raises
                print("record: torch.export with %s batch size fails: %s" % (
                    "an open" if size else "a fixed", (str(e).splitlines() or [repr(e)])[0]), file=sys.stderr)
        print("record: without an archive there is no prediction: export the model yourself to " + path,
              file=sys.stderr)
        return batch


def meta_copy(tensor):
    out = torch.empty(tensor.shape, dtype=tensor.dtype, device="meta")
    return torch.nn.Parameter(out, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else out


def is_shape(value):
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], torch.Size)


def meta_arguments(calls, batch, size):
    """Arguments on the meta device, those of the batch size with another one."""
    def tensor(value):
        if isinstance(value, dict):
            return type(value)((k, tensor(v)) for k, v in value.items())
        if is_shape(value):
            shape = list(value[0])
            if size and shape and shape[0] == batch:
                shape[0] = size
            return torch.empty(shape, dtype=value[1], device="meta")
        return type(value)(tensor(v) for v in value) if isinstance(value, (tuple, list)) else value
    return tensor(calls)


def compress(path):
    """Deflates the archive and leaves this machine's folders out of its stack traces; PyTorch reads it all the same."""
    folders = [os.path.dirname(os.path.dirname(torch.__file__)), os.getcwd()]
    with zipfile.ZipFile(path) as old:
        entries = [(name, old.read(name)) for name in old.namelist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for name, data in entries:
            for folder in folders:
                data = data.replace(folder.encode() + b"/", b"") if name.endswith(".json") else data
            new.writestr(name, data)


def read_optimizer(optimizer):
    if optimizer is None:
        return {"optimizer": "none"}
    kind, options = type(optimizer).__name__, optimizer.defaults
    name = OPTIMIZERS.get(kind) or kind == "SGD" and ("sgd-momentum" if options["momentum"] else "sgd")
    if not name:
        raise SystemExit("record: headroom does not know the optimizer %s; it knows SGD, %s" % (
            kind, ", ".join(OPTIMIZERS)))
    odd = [o for o in UNKNOWN if options.get(o)] + ["momentum"] * bool(kind == "RMSprop" and options["momentum"])
    if odd:
        raise SystemExit("record: headroom does not know %s of %s; record without" % (" and ".join(odd), kind))
    foreach = options.get("foreach")
    return {"optimizer": name, "fused": bool(options.get("fused")),
            "foreach": "auto" if foreach is None else str(foreach).lower()}


def read_run(model, args, kwargs):
    """What can be seen when the model is first called."""
    inputs = [t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor) and t.is_floating_point()]
    last = torch.channels_last
    cuda = torch.backends.cuda
    allowed = {"flash": cuda.flash_sdp_enabled(), "efficient": cuda.mem_efficient_sdp_enabled(),
               "cudnn": cuda.cudnn_sdp_enabled()}
    kernels = [name for name, on in allowed.items() if on]
    return {
        "amp": TYPES[torch.get_autocast_dtype("cuda")] if torch.is_autocast_enabled("cuda") else None,
        "inference": not torch.is_grad_enabled(),
        "input_grad": bool(inputs) and inputs[0].requires_grad,
        "checkpoint": 1 if getattr(model, "is_gradient_checkpointing", False) else 0,
        "channels_last": any(p.dim() == 4 and p.is_contiguous(memory_format=last) and not p.is_contiguous()
                             for p in model.parameters()),
        "cudnn_benchmark": torch.backends.cudnn.benchmark,
        "attention": kernels[0] if len(kernels) == 1 else "auto" if kernels else "math",
        "alloc_conf": os.environ.get("PYTORCH_ALLOC_CONF") or os.environ.get("PYTORCH_CUDA_ALLOC_CONF") or ""}


def read_loss(loss):
    """The loss by the node of autograd that made it, through scalings; None where that does not tell."""
    node = loss.grad_fn if loss is not None else None
    while node is not None and node.name().startswith(("Mul", "Div")):
        node = node.next_functions[0][0]
    return next((kind for word, kind in LOSSES.items() if node is not None and node.name().startswith(word)), None)


def nvml_use():
    """Bytes of the device that this process takes, and all others; None where NVML does not tell them."""
    try:
        import pynvml
        pynvml.nvmlInit()
        if pynvml.nvmlDeviceGetCount() == 1:
            device = pynvml.nvmlDeviceGetHandleByIndex(0)
        else:
            own = torch.cuda.get_device_properties(torch.cuda.current_device())
            device = pynvml.nvmlDeviceGetHandleByUUID("GPU-%s" % own.uuid)
        used = pynvml.nvmlDeviceGetMemoryInfo(device).used
    except Exception:  # no module, no driver, no rights: there are many kinds
        return None, None
    try:
        own = [p.usedGpuMemory for p in pynvml.nvmlDeviceGetComputeRunningProcesses(device) if p.pid == os.getpid()]
    except Exception:  # not told, or not by this version
        own = []
    if own and own[0] is not None:
        return own[0], max(0, used - own[0])
    # In a container NVML knows the process under another number.
    return (None, None) if USED_BEFORE is None else (max(0, used - USED_BEFORE), USED_BEFORE)


def used_before():
    """What others took of the only device, before this process had a context there; None where that is not known."""
    if torch.cuda.is_initialized():
        return None
    try:
        import pynvml
        pynvml.nvmlInit()
        if pynvml.nvmlDeviceGetCount() != 1:
            return None
        return pynvml.nvmlDeviceGetMemoryInfo(pynvml.nvmlDeviceGetHandleByIndex(0)).used
    except Exception:
        return None


USED_BEFORE = used_before()
