"""Trains the detector: `python -m models.train.detector --data DIR --out DIR [--hours H] [--resume]`.

Needs the `train` extra. The network is Ultralytics' yolo11n-obb built from its description with random weights (nothing
pretrained), its loss is Ultralytics' too; the loop around it is ours, so that it runs in bfloat16 on a CPU, keeps cards
cut by the picture's edge whole (their corners lie outside), and fits a time budget: the learning rate follows the share
of `--hours` used, and training ends on time. `python -m datasets.crops.detector` writes the data; crops that are added
while training runs join at the next pass. `--evaluate FILE.onnx` only measures a model on the validation crops.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import random
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.detections import CLASS_NAMES
from models.train.likely import LEAST_CONFIDENCE, likely_only
from models.train.precision import autocast
from models.train.rates import cosine
from models.train.warm import initializers, take_up_plain, unfold

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]
MODEL_YAML = "yolo11n-obb.yaml"
_WARMUP = 0.02
_LAST_SHARE = 0.02
_READERS = 4
"""Threads that read crops."""


def read_labels(path: Path) -> F32:
    """Return (n, 6): class, centre x, y, width, height (shares of the picture, width the longer), angle in radians."""
    rows = []
    for line in path.read_text().splitlines():
        values = [float(v) for v in line.split()]
        if len(values) != 9:
            raise ValueError(f"{path}: expected 9 numbers a line (class and four corners), got {len(values)}")
        corners = np.array(values[1:]).reshape(4, 2)
        first, second = corners[1] - corners[0], corners[2] - corners[1]
        w, h = float(np.hypot(*first)), float(np.hypot(*second))
        way = first
        if w < h:
            w, h, way = h, w, second
        rows.append([values[0], *corners.mean(axis=0), w, h, _canonical(math.atan2(way[1], way[0]))])
    return np.array(rows, np.float32).reshape(-1, 6)


def _canonical(angle: float) -> float:
    """The angle of an undirected line in [-pi/4, 3 pi/4), as the network says it."""
    return (angle + math.pi / 4) % math.pi - math.pi / 4


class Crops:
    """Training crops in memory, each picture, (h, w, 3) BGR, as `keep` makes it; `refresh` adds those written since."""

    def __init__(self, folder: Path, split: str, keep: Callable[[U8], Any] = np.asarray) -> None:
        self._images = folder / "images" / split
        self._labels = folder / "labels" / split
        self._names: set[str] = set()
        self._keep = keep
        self.pictures: list[Any] = []
        self.labels: list[F32] = []
        if not self._images.is_dir():
            raise SystemExit(
                f"{self._images}: not there; write crops with `python -m datasets.crops.detector --out {folder}`"
            )

    def refresh(self) -> int:
        """Read new crops and return how many there are now."""
        new = [label for label in sorted(self._labels.glob("*.txt")) if label.stem not in self._names]
        with ThreadPoolExecutor(_READERS) as pool:
            read = pool.map(cv2.imread, [str(self._images / f"{label.stem}.jpg") for label in new])
            for label, picture in zip(new, read, strict=True):
                if picture is None:
                    continue
                self._names.add(label.stem)
                self.pictures.append(self._keep(np.asarray(picture, np.uint8)))
                self.labels.append(read_labels(label))
        return len(self.pictures)


def turned(labels: F32, quarter: int, mirror: bool) -> F32:
    """Return the labels of pictures turned by quarter turns (counter-clockwise) and then mirrored left to right."""
    labels = labels.copy()
    for _ in range(quarter):
        labels[:, 1], labels[:, 2] = labels[:, 2].copy(), 1.0 - labels[:, 1]
        labels[:, 5] -= math.pi / 2
    if mirror:
        labels[:, 1] = 1.0 - labels[:, 1]
        labels[:, 5] = math.pi - labels[:, 5]
    labels[:, 5] = (labels[:, 5] + math.pi / 4) % math.pi - math.pi / 4
    # Upright squares (chips) keep the angle 0 whichever way they are turned.
    square = np.abs(labels[:, 3] - labels[:, 4]) < 1e-4
    labels[square, 5] = 0.0
    return labels


def on_device(device: str) -> Callable[[U8], Any]:
    """Makes pictures (h, w, 3) tensors (3, h, w) on a device of torch."""
    import torch

    return lambda picture: torch.from_numpy(picture).permute(2, 0, 1).to(device)


WAYS = tuple((quarter, mirror) for quarter in range(4) for mirror in (False, True))
"""The ways in which a square is turned and mirrored; a batch has as many of each."""


def batches(crops: Crops, size: int, rng: np.random.Generator) -> Iterator[tuple[Any, F32]]:
    """Yield (b, 3, h, w) BGR pictures 0..255 and (n, 7) labels with the picture's index first, one pass over all crops, kept by `on_device`."""
    import torch

    order = rng.permutation(len(crops.pictures))
    for start in range(0, len(order) - size + 1, size):
        pictures, labels = [], []
        for (quarter, mirror), part in zip(WAYS, np.array_split(np.arange(size), len(WAYS)), strict=True):
            chosen = order[start + part]
            if not len(chosen):
                continue
            image = torch.stack([crops.pictures[i] for i in chosen]).rot90(quarter, (-2, -1))
            pictures.append(image.flip(-1) if mirror else image)
            for place, index in zip(part, chosen, strict=True):
                label = turned(crops.labels[index], quarter, mirror)
                labels.append(np.column_stack([np.full(len(label), place, np.float32), label]))
        tint = np.exp(rng.normal(0, 0.08, (size, 3, 1, 1)) + rng.normal(0, 0.12, (size, 1, 1, 1))).astype(np.float32)
        image = torch.cat(pictures)
        yield (
            (image * torch.from_numpy(tint).to(image.device)).clamp(0, 255).floor(),
            np.concatenate(labels).astype(np.float32),
        )


def start_from(model: Any, weights: Path, pictures: Any) -> None:
    """Give the network the weights of an ONNX file written by `export`; `pictures` (b, 3, h, w) shares of 255, RGB."""
    kept = initializers(weights)
    pairs, folded = [], []
    for name, module in model.named_modules():
        if hasattr(module, "conv") and hasattr(module, "bn"):
            pairs.append((module.conv, module.bn))
            folded.append((kept[f"{name}.conv.weight"], kept[f"{name}.conv.bias"]))
    take_up_plain(model, weights)
    unfold(model, pairs, folded, pictures)


def train(
    data: Path,
    out: Path,
    hours: float,
    batch: int,
    rate: float,
    seed: int,
    resume: bool,
    threads: int,
    weights: Path | None = None,
    device: str = "cpu",
) -> None:
    """Train within the time budget; writes `last.pt` and `log.jsonl` into `out`.

    With `weights` (ONNX) training starts from them, otherwise from nothing.
    """
    import torch
    from ultralytics.cfg import get_cfg
    from ultralytics.nn.tasks import OBBModel

    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    random.seed(seed)
    rng = np.random.default_rng(seed)
    out.mkdir(parents=True, exist_ok=True)
    model = OBBModel(MODEL_YAML, ch=3, nc=len(CLASS_NAMES), verbose=False)
    model.args = get_cfg(overrides={"box": 7.5, "cls": 0.5, "dfl": 1.5})
    model.names = dict(enumerate(CLASS_NAMES))
    crops = Crops(data, "train", on_device(device))
    if weights is not None:
        crops.refresh()
        start_from(model, weights, torch.stack(crops.pictures[:64]).flip(1).float().div(255).cpu())
    model = model.to(device=device, memory_format=torch.channels_last)
    ema = copy.deepcopy(model).eval()
    decay: list[Any] = []
    plain: list[Any] = []
    for parameter in model.parameters():
        (decay if parameter.ndim > 1 else plain).append(parameter)
    optimizer = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], lr=rate, betas=(0.9, 0.99)
    )
    used_before, steps = 0.0, 0
    last = out / "last.pt"
    if resume and last.is_file():
        state = torch.load(last, weights_only=True, map_location=device)
        model.load_state_dict(state["model"])
        ema.load_state_dict(state["ema"])
        optimizer.load_state_dict(state["optimizer"])
        used_before, steps = state["used_s"], state["steps"]
    criterion = model.init_criterion()
    started, saved, total, seen = time.monotonic(), time.monotonic(), hours * 3600, 0
    running: list[Any] = []
    log = (out / "log.jsonl").open("a")
    model.train()
    while used_before + time.monotonic() - started < total:
        if crops.refresh() < batch:
            raise SystemExit(f"{data}: {len(crops.pictures)} crops are fewer than one batch of {batch}; write more")
        for pictures, labels in batches(crops, batch, rng):
            used = used_before + time.monotonic() - started
            share = min(1.0, used / total)
            if share >= 1.0:
                break
            factor = cosine(share, _LAST_SHARE)
            for group in optimizer.param_groups:
                group["lr"] = rate * factor * min(1.0, (steps + 1) / 60, max(0.05, share / _WARMUP))
            image = pictures.flip(1).div_(255).contiguous(memory_format=torch.channels_last)
            target = torch.from_numpy(labels).to(device)
            with autocast(device):
                raw = model(image)
            raw = {k: [f.float() for f in v] if isinstance(v, list) else v.float() for k, v in raw.items()}
            parts = {"batch_idx": target[:, 0], "cls": target[:, 1], "bboxes": target[:, 2:], "img": image}
            loss, items = criterion.loss(raw, parts)
            optimizer.zero_grad(set_to_none=True)
            loss.sum().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
            optimizer.step()
            steps, seen = steps + 1, seen + batch
            keep = min(0.9985, (1 + steps) / (20 + steps))
            with torch.no_grad():
                for average, current in zip(ema.state_dict().values(), model.state_dict().values(), strict=True):
                    if average.dtype.is_floating_point:
                        average.mul_(keep).add_(current, alpha=1 - keep)
                    else:
                        average.copy_(current)
            running.append(loss.detach().sum() / batch)
            if steps % 25 == 0:
                line: dict[str, Any] = {"step": steps, "crops": len(crops.pictures), "share": round(share, 4)}
                line |= {
                    "loss": round(float(torch.stack(running).mean()), 3),
                    "per_s": round(seen / (time.monotonic() - started), 2),
                }
                line |= {k: round(float(v), 3) for k, v in items.items()}
                log.write(json.dumps(line) + "\n")
                log.flush()
                print(json.dumps(line), flush=True)
                running.clear()
            if time.monotonic() - saved > 120:
                _save(last, model, ema, optimizer, used, steps)
                saved = time.monotonic()
    _save(last, model, ema, optimizer, used_before + time.monotonic() - started, steps)
    log.close()


def _save(path: Path, model: Any, ema: Any, optimizer: Any, used_s: float, steps: int) -> None:
    import torch

    state = {"model": model.state_dict(), "ema": ema.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state | {"used_s": used_s, "steps": steps}, path.with_suffix(".tmp"))
    path.with_suffix(".tmp").replace(path)


def export(checkpoint: Path, onnx: Path) -> None:
    """Write the averaged weights of a checkpoint as ONNX with free batch and picture size, boxes only where something is likely."""
    import torch
    from ultralytics import YOLO
    from ultralytics.nn.tasks import OBBModel

    model = OBBModel(MODEL_YAML, ch=3, nc=len(CLASS_NAMES), verbose=False)
    model.load_state_dict(torch.load(checkpoint, weights_only=True, map_location="cpu")["ema"])
    model.names = dict(enumerate(CLASS_NAMES))
    yolo = YOLO(MODEL_YAML, task="obb", verbose=False)
    model.args, model.task, model.yaml_file = yolo.model.args, "obb", MODEL_YAML
    model.pt_path = str(onnx.with_suffix(".pt"))
    yolo.model = model.eval()
    written = yolo.export(format="onnx", dynamic=True, simplify=True, imgsz=320, nms=False, verbose=False)
    if Path(written).resolve() != onnx.resolve():
        shutil.move(written, onnx)
    likely_only(onnx, onnx)


def evaluate(onnx: Path, data: Path, limit: int = 0) -> dict[str, Any]:
    """Return AP50 a class, their mean, and recall and precision at confidence 0.35, on the validation crops."""
    from models.detector import Detector, rotated_iou

    detector = Detector(onnx, threads=1)
    scores: list[list[tuple[float, bool]]] = [[] for _ in CLASS_NAMES]
    wanted = [0] * len(CLASS_NAMES)
    angle_errors: list[float] = []
    files = sorted((data / "labels" / "val").glob("*.txt"))
    for file in files[: limit or None]:
        picture = np.asarray(cv2.imread(str(data / "images" / "val" / f"{file.stem}.jpg")), np.uint8)
        side = picture.shape[0]
        rows = [[float(v) for v in line.split()] for line in file.read_text().splitlines()]
        truth_class = np.array([int(r[0]) for r in rows], int)
        truth = np.array([r[1:] for r in rows], np.float32).reshape(-1, 4, 2) * side - 0.5
        found = detector(picture, min_confidence=LEAST_CONFIDENCE)
        for k in range(len(CLASS_NAMES)):
            mine, theirs = truth[truth_class == k], np.flatnonzero(found.class_id == k)
            wanted[k] += len(mine)
            free = np.ones(len(mine), bool)
            for d in theirs:
                best, which = 0.0, -1
                for t in np.flatnonzero(free):
                    overlap = rotated_iou(found.corners_px[d], mine[t])
                    if overlap > best:
                        best, which = overlap, int(t)
                hit = best >= 0.5
                scores[k].append((float(found.confidence[d]), hit))
                if hit:
                    free[which] = False
                    if k < 2:
                        a, b = (p[3] - p[0] for p in (found.corners_px[d], mine[which]))
                        turn = math.degrees(math.atan2(a[1], a[0]) - math.atan2(b[1], b[0]))
                        angle_errors.append(abs((turn + 90) % 180 - 90))
    result: dict[str, Any] = {"crops": len(files)}
    for k, name in enumerate(CLASS_NAMES):
        result[name] = _curve(scores[k], wanted[k])
    result["mAP50"] = round(float(np.mean([result[n]["AP50"] for n in CLASS_NAMES])), 4)
    if angle_errors:
        result["card_angle_error_deg"] = {
            "median": round(float(np.median(angle_errors)), 2),
            "p95": round(float(np.percentile(angle_errors, 95)), 2),
        }
    return result


def _curve(scores: list[tuple[float, bool]], wanted: int, confidence: float = 0.35) -> dict[str, float]:
    scores = sorted(scores, reverse=True)
    hits = np.cumsum([hit for _, hit in scores]) if scores else np.zeros(0)
    recall = hits / max(1, wanted)
    precision = hits / np.arange(1, len(scores) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1] if len(scores) else precision
    area = float(np.sum(np.diff(np.concatenate([[0.0], recall])) * best)) if len(scores) else 0.0
    at = sum(1 for c, _ in scores if c >= confidence)
    return {
        "boxes": wanted,
        "AP50": round(area, 4),
        "recall": round(float(recall[at - 1]) if at else 0.0, 4),
        "precision": round(float(precision[at - 1]) if at else 1.0, 4),
    }


def main() -> None:
    """Read the command line and train, export or evaluate."""
    parser = argparse.ArgumentParser(description="Train the detector.")
    parser.add_argument("--data", type=Path, required=True, help="folder written by datasets.crops.detector")
    parser.add_argument(
        "--out", type=Path, default=Path("detector-run"), help="folder for checkpoints and detector.onnx"
    )
    parser.add_argument("--hours", type=float, default=0.6)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=0.002, help="highest learning rate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="cpu, or cuda on a machine that has it")
    parser.add_argument("--train-only", action="store_true", help="leave the checkpoint, for --export later")
    parser.add_argument("--resume", action="store_true", help="go on from OUT/last.pt")
    parser.add_argument("--weights", type=Path, metavar="ONNX", help="start from these weights, not from nothing")
    parser.add_argument("--export", action="store_true", help="only write OUT/detector.onnx from OUT/last.pt")
    parser.add_argument("--evaluate", type=Path, metavar="ONNX", help="only measure this model")
    args = parser.parse_args()
    if args.evaluate:
        print(json.dumps(evaluate(args.evaluate, args.data), indent=1))
    elif args.export:
        export(args.out / "last.pt", args.out / "detector.onnx")
    else:
        train(
            args.data,
            args.out,
            args.hours,
            args.batch,
            args.rate,
            args.seed,
            args.resume,
            args.threads,
            args.weights,
            args.device,
        )
        if not args.train_only:
            export(args.out / "last.pt", args.out / "detector.onnx")


if __name__ == "__main__":
    main()
