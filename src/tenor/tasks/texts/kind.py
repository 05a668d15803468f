"""What kinds about one text or two do alike: reading tables, building heads, sharing them."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.tasks.config import TableConfig, TaskConfig, listed
from tenor.tasks.kind import Kind, row_of
from tenor.tasks.spec import TaskSpec
from tenor.tasks.texts.sharing import check_shares, join_head
from tenor.tasks.texts.spec import TextSpec
from tenor.text.examples import Origin, Pair, Sentence
from tenor.text.file_profile import FileProfile
from tenor.text.problems import Problems
from tenor.text.readers import find_format, read_pairs, read_texts
from tenor.text.sniff import Asked

if TYPE_CHECKING:
    from tenor.encoders.encoder import Encoder
    from tenor.tasks.task import Task
    from tenor.tasks.texts.task import TextTask


class TextKind(Kind):
    """A kind whose examples are rows of one text or two."""

    config: ClassVar[type[TableConfig]]

    @property
    def task(self) -> "type[TextTask]":
        """The torch task."""
        raise NotImplementedError

    def read(self, config: Any, file: Path, *, problems: Problems) -> Iterator[Any]:
        """Yield the examples of a table; rows without text, label or score are reported."""
        layout: dict[str, Any] = {
            "delimiter": config.delimiter,
            "quote": config.quote,
            "header": config.header,
            "encoding": config.file_encoding,
        }
        if self.spec.texts == 2:
            return read_pairs(file, columns=config.columns, problems=problems, **layout)
        column, label = config.columns.get("text"), config.columns.get("label")
        several = getattr(config, "multi_label", None) is not None  # then a row may have no label
        layout["unlabelled"] = "keep" if several else "skip"
        return read_texts(file, column=column, label=label, problems=problems, **layout)

    def example(self, row: Any, origin: Origin) -> Any:
        """Turn a row in memory into a sentence or a pair."""
        if isinstance(row, Sentence | Pair):
            return row
        values = dict(row_of(row, (*self.config.roles, *self.config.optional_roles), self.name))
        if values.get("label") != values.get("label"):  # NaN: what pandas makes of an empty cell
            values["label"] = None
        if values.get("label") is not None:
            values["label"] = str(values["label"])
        if values.get("score") is not None:
            values["score"] = float(values["score"])
        kind = Pair if self.spec.texts == 2 else Sentence
        for role in ("first", "second") if kind is Pair else ("text",):
            if not isinstance(values.get(role), str):
                has = f"its {role} is {values[role]!r:.40}" if role in values else f"has {', '.join(values)}"
                raise TenorError(
                    f"{origin}: a row of a {self.name!r} task needs {listed(self.config.roles)}, but {has}; "
                    "name columns by columns={role: column}, and leave out rows without a text."
                )
        known = {each.name for each in fields(kind)} - {"origin"}
        return kind(**{name: value for name, value in values.items() if name in known}, origin=origin)

    def guess(self, path: str | Path, survey: FileProfile | None) -> TaskConfig | None:
        """Return settings with the columns that seem to be this kind's."""
        names = None if survey is None else self.columns_of(survey)
        if survey is None or names is None:
            return None
        return self.config(kind=self.name, train=Path(path), **layout_of(path, names, survey.encoding))

    def columns_of(self, survey: FileProfile) -> Mapping[str, str] | None:
        """Return the columns that seem to be this kind's by role, None where it is another kind's file."""
        return None

    def join(self, name: str, spec: Any, specs: Mapping[str, TaskSpec]) -> TaskSpec:
        """Take over the settings of a shared head."""
        return join_head(name, spec, specs)

    def check_together(self, configs: Mapping[str, TaskConfig]) -> None:
        """Refuse heads that cannot be shared."""
        check_shares(configs)

    def build(
        self,
        name: str,
        spec: TextSpec,
        *,
        encoder: "Encoder",
        pooling: PoolingConfig,
        seed: int,
        tasks: Mapping[str, "Task"],
    ) -> "Task":
        """Build the head, or take that of the task whose head is shared."""
        import torch

        from tenor.tasks.heads.head import TaskHead
        from tenor.tasks.texts.vectors import TextVectors, check_apart

        if spec.share_head_with is not None:
            other: Any = tasks[spec.share_head_with]
            return self.task(name, spec, head=other.head, vectors=other.vectors)
        own = spec.own_pooling(pooling)
        if spec.apart:
            check_apart(own)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(own_seed(seed, name))
            size = encoder.hidden_size
            head = TaskHead(spec, size * len(own.kinds), hidden=size)
            vectors = TextVectors(own, hidden_size=size, num_layers=encoder.num_layers)
        return self.task(name, spec, head=head, vectors=vectors)


def layout_of(path: str | Path, names: Mapping[str, str], encoding: str | None = None) -> dict[str, Any]:
    """Return columns and layout as a run file states them, so that nothing is left to guess."""
    layout = find_format(path, Asked(encoding=encoding)).layout
    if layout is None:
        return {"columns": dict(names), "file_encoding": encoding}
    numbered = layout.names is None
    columns = {role: int(name) if numbered else name for role, name in names.items()}
    return {
        "columns": columns,
        "delimiter": layout.delimiter,
        "quote": layout.quote,
        "header": not numbered,
        "file_encoding": encoding,
    }


def own_seed(seed: int, name: str) -> int:
    """Return the seed of a task's initial weights, whatever other tasks there are."""
    return int.from_bytes(blake2b(f"{seed} {name}".encode(), digest_size=7).digest(), "little")
