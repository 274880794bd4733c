"""What is learned and declared of a dataset, as other tools write it: DQDL, Great Expectations, Soda, dbt, ODCS, Deequ.

A learned constraint becomes a check first (:mod:`airflow_dq.export.learned`), so that a target need only know checks:
one module each, a :class:`~airflow_dq.export.model.Target`.  What a target has no words for is said in SQL where it
takes any (:mod:`airflow_dq.export.sql`); what is left is told, never dropped.
"""
