"""A fuzzer that is guided: new kernels are mutations of those for which our own passes did something new.

    python -m tests.fuzz --guided --count 1000 --seed 1 --folder FOLDER
    python -m tests.fuzz --guided --only 17 --folder FOLDER     one kernel of that run, with all questions
    python -m tests.fuzz --guided --fresh 1 --count 1000        no mutations: what the grammars reach by themselves

What was done for a kernel (`reached.py`): passes of the pipeline that changed the code and the one that did so before, attempts
and what came of them, and the steps from line to line in the files of our passes and of the rewrites behind Enzyme. A kernel
for which something was done that was not done before joins the corpus of the run, FOLDER/corpus/NUMBER.txt.

A kernel's number and the kernels before it say how it is made (`runs.py`): fresh from a grammar, or from one of the corpus by one
to three mutations (`mutations.py`, `splices.py`), whose other half comes from another kernel of the corpus or from a grammar.

A mutation may read beyond an array, or never end; compiled code would not say so. So each candidate runs in plain Python first,
at each point that it is asked at (`interpreted.py`): what raises there, does not end, is no number, or is not what Numba says, is
no kernel, and another candidate is made. What each variable holds is taken down on that occasion: mutations put a
variable only in the place of one of its kind.

FOLDER/kernels.jsonl has all kernels, their answers and what they reached. A run that is started again goes on from there, and
makes the kernels that it would have made. The summary is the fuzzer's, and: what was reached, how many kernels the corpus has,
and the hours of processor since the last new fault, which is one that differs in more than numbers from those before.
"""
