"""Models as strict JSON and back; the models themselves know nothing of it.

What a model's fields are annotated with says how it is written: there is nothing to add for a new field or a new model.
A class that is a document of its own names it in its class variable ``format`` (``program/1``); an abstract class whose
subclasses say by their ``family`` what they are is made known with :func:`polymorphic`.  What is read has all of the
fields and no others, each of the right type, finite where it is a number, and accepted by the model's own check;
otherwise a ``CodecError`` names the place and shows what stands there.

msgspec checks the JSON and finds the types; it comes with Airflow.  By itself it writes NaN as null, takes unknown
fields of dataclasses, and cannot write a subclass's family: :mod:`airflow_dq.codec.form` and its neighbours give it a
class of its own for each model and make the model of that.  Milliseconds to write and to read a program of 100 columns
and 454 clauses, its verdict, and a profile without injected errors (of which compressing its states is most):

==========================================  ===========  ===========  ===========
                                              program      verdict      profile
==========================================  ===========  ===========  ===========
reflection at each value (before)            25.6, 34.0   29.7, 44.2   27.8, 19.7
msgspec alone, neither strict nor open        0.5, 0.9     0.7, 1.3
pydantic's TypeAdapter, likewise              1.0, 2.2     1.3, 2.7
this package                                  3.9, 3.2     5.4, 4.3    9.2, 19.0
==========================================  ===========  ===========  ===========
"""

from __future__ import annotations

from airflow_dq.codec.document import from_builtins, from_json, to_builtins, to_json
from airflow_dq.codec.family import polymorphic

__all__ = ["from_builtins", "from_json", "polymorphic", "to_builtins", "to_json"]
