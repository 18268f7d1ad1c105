"""For the Trainer of transformers, and those of trl that derive from it."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel, TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from headroom.integrations._preflight import Preflight


class HeadroomCallback(TrainerCallback):  # type: ignore[misc]
    """Predicts the run when its first batch is there: ``Trainer(..., callbacks=[HeadroomCallback()])``.

    Attributes:
        preflight: the prediction, and what was measured after two steps.
    """

    def __init__(self, **question: Any) -> None:
        """Takes what ``Preflight`` takes: ``strict``, ``record``, ``gpu`` ..."""
        self.preflight = Preflight(**question)

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **around: Any
    ) -> None:
        """The model and the optimizer are there, no batch is."""
        model, optimizer = around["model"], around["optimizer"]
        run = options(args) | spread(args, model)
        self.preflight.watch(model, optimizer, **run)

        def first(module: torch.nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
            handle.remove()
            self.preflight.try_to_ask(module, given, named, optimizer=optimizer, **run)

        handle = model.register_forward_pre_hook(first, with_kwargs=True)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **around: Any) -> None:
        """A step is done."""
        self.preflight.settle()

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **around: Any
    ) -> None:
        """Prints predicted beside measured."""
        self.preflight.close()
        print(self.preflight.comparison())


def options(args: TrainingArguments) -> dict[str, Any]:
    """Options of ``headroom.predict`` that the Trainer's arguments say."""
    return {
        "loop": "trainer",
        "amp": "bf16" if args.bf16 else "fp16" if args.fp16 else None,
        "accumulate": args.gradient_accumulation_steps if args.gradient_accumulation_steps > 1 else None,
        "clip_grad_norm": args.max_grad_norm or None,
    }


def spread(args: TrainingArguments, model: torch.nn.Module) -> dict[str, Any]:
    """Options that say over how many GPUs DistributedDataParallel spreads the run; none where something else does."""
    if args.world_size < 2 or args.fsdp or args.deepspeed:
        return {}
    unused = args.ddp_find_unused_parameters
    if unused is None:  # as Trainer._build_accelerator_args decides
        unused = not (isinstance(model, PreTrainedModel) and args.gradient_checkpointing)
    return {
        "parallel": "ddp",
        "world": args.world_size,
        "rank": args.process_index,
        "ddp_find_unused_parameters": unused,
    }
