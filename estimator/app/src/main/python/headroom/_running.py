"""Runs the operators of a forward pass on fake tensors, with what is known of their values."""

from __future__ import annotations

from typing import Any

import torch
from torch._subclasses.fake_tensor import DynamicOutputShapeException
from torch._subclasses.schema_check_mode import SchemaCheckMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from headroom._called import Called
from headroom._known import Known
from headroom._twin import Twins

aten = torch.ops.aten

READS = {aten.item.default, aten._local_scalar_dense.default, aten.is_nonzero.default, aten.equal.default}
"""Operators that bring a value of a tensor to the host."""


class Running(SchemaCheckMode):  # the exporter's own modes aside, the only one that may stand before autograd
    """Is called for every operator of ATen, before autograd and autocast are."""

    def __init__(self, twins: Twins) -> None:
        """Takes the maker of the pass's tensors."""
        TorchDispatchMode.__init__(self, torch._C.DispatchKey.PreDispatch)
        self.twins = twins
        self.known = Known()

    def given(self, called: Called) -> tuple[Any, Any]:
        """Twins of what the model is called with, whose values are known as far as those of the inputs are."""
        twins = self.twins.tree(called.inputs)
        for twin, leaf in zip(pytree.tree_leaves(twins), pytree.tree_leaves(called.inputs), strict=True):
            if isinstance(leaf, torch.Tensor):
                self.known.note(twin, leaf)
        return twins  # type: ignore[no-any-return]

    def run(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Runs an operator.

        Raises:
            DynamicOutputShapeException: when the size of the result depends on values that are not known.
        """
        try:
            out = self._own(func, args, kwargs)
        except DynamicOutputShapeException:
            real = self.known.compute(func, args, kwargs)
            if real is None:
                raise
            out = pytree.tree_map_only(torch.Tensor, self.twins.tensor, real)
        self.known.follow(func, args, kwargs, out)
        return out

    def _own(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if func is aten._grouped_mm.default:
            return self._grouped(func, args, kwargs)
        if func in (aten.ctc_loss.Tensor, aten.ctc_loss.IntList):
            return self._temporal(*args, **kwargs)
        return func(*args, **kwargs)

    def _temporal(self, log_probs: torch.Tensor, *args: Any, reduction: int = 1, **_: Any) -> torch.Tensor:
        """``ctc_loss`` has no fake kernel: how large its tables are depends on lengths. What it returns does not."""
        apart = (args[4] if len(args) > 4 else reduction) == 0 and log_probs.dim() == 3
        learns = torch.is_grad_enabled() and log_probs.requires_grad
        with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.PreDispatch)):
            given = log_probs.detach()
            out = given.new_empty((given.size(1),) if apart else ())
        return self.silent(out, learns)

    def _grouped(self, func: Any, args: Any, kwargs: dict[str, Any]) -> torch.Tensor:
        """The fake kernel takes halves alone, where CUDA's falls back to products one by one."""
        if args[0].dtype == torch.bfloat16:
            return func(*args, **kwargs)  # type: ignore[no-any-return]
        learns = torch.is_grad_enabled() and any(t.requires_grad for t in args[:2])

        def half(tensor: torch.Tensor) -> torch.Tensor:
            return tensor.detach().to(torch.bfloat16) if tensor.is_floating_point() else tensor

        with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.PreDispatch)):
            out = func(*pytree.tree_map_only(torch.Tensor, half, args), **kwargs).to(args[0].dtype)
        return self.silent(out, learns)

    def silent(self, tensor: torch.Tensor, learns: bool = False) -> torch.Tensor:
        """Another tensor like this one, of which nothing is written down."""
        with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.PreDispatch)):
            twin = self.twins.tensor(tensor.detach())
            with torch.enable_grad():
                return twin.requires_grad_().clone() if learns else twin
