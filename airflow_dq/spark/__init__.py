"""The driver's side of a profile job: source -> data frames -> one Spark job -> profiles -> store.

The package of this name is what ``spark_jobs/profile.py`` runs; nothing else imports it, as it needs pyspark.
"""
