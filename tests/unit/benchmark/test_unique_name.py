"""The training of the name classifier: what is read of migrations, and that it learns what is there to learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.benchmark.unique_name.__main__ import auc, cross_validated, extract, matrix_of
from tests.benchmark.unique_name.schema import Named, columns_of

DJANGO = """
migrations.CreateModel(
    name="Order",
    fields=[
        ("id", models.AutoField(primary_key=True)),
        ("number", models.CharField(unique=True)),
        ("customer", models.ForeignKey(to="Customer")),
        ("tags", models.ManyToManyField(to="Tag")),
        ("paid_at", models.DateTimeField(null=True)),
    ],
)
migrations.AddField(model_name="order", name="price", field=models.DecimalField())
"""
ALEMBIC = """
op.create_table(
    "line",
    sa.Column("order_id", sa.Integer(), nullable=False),
    sa.Column("position", sa.Integer(), nullable=False),
    sa.Column("code", sa.String(20)),
    sa.Column("open", sa.Boolean),
    sa.PrimaryKeyConstraint("order_id", "position"),
    sa.UniqueConstraint("code"),
)
"""


def test_columns_are_read_of_migrations_that_are_never_run(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"raise SystemExit\n{DJANGO}")
    (tmp_path / "b.py").write_text(ALEMBIC)
    (tmp_path / "c.py").write_text("create_table(")
    found = list(columns_of(tmp_path, "shop"))
    assert found == [
        Named("shop", "Order", "id", "numeric", True),
        Named("shop", "Order", "number", "string", True),
        Named("shop", "Order", "customer_id", "numeric", False),
        Named("shop", "Order", "paid_at", "timestamp", False),
        Named("shop", "order", "price", "numeric", False),
        Named("shop", "line", "order_id", "numeric", False),
        Named("shop", "line", "position", "numeric", False),
        Named("shop", "line", "code", "string", True),
        Named("shop", "line", "open", "boolean", False),
    ]
    assert extract([("shop", str(tmp_path))]) == found


def test_names_of_other_packages_are_told_apart() -> None:
    names = [("id", True), ("uuid", True), ("price", False), ("created_at", False)]
    named = [Named(f"p{one}", f"t{one}", name, "numeric", is_unique) for one in range(6) for name, is_unique in names]
    labels, groups = np.array([one.unique for one in named]), np.array([one.source for one in named])
    scores = cross_validated(matrix_of(named), labels, groups, 1.0)
    assert auc(scores, labels) == 1.0
    assert auc(-scores, labels) == 0.0
    assert auc(np.zeros(len(labels)), labels) == 0.5
