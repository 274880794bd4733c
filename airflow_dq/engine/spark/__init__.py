"""The driver's side of a profile job: source -> data frames -> one Spark job."""
