"""The specializer that is written in the language and specialises itself.

    subset.py      core -> the small language that it takes      (a diagnostic for what is outside)
    convert.scm    does that; subset.py writes core as data for it; calls.scm and
                   librarycalls.scm are parts of it
    bta.scm        binding-time analysis: small language -> annotated program, in parts: settle.scm,
                   localize.scm, lower.scm, thread.scm with slots.scm, times.scm, infer.scm with
                   operationtimes.scm, forks.scm, growth.scm, annotate.scm with free.scm;
                   lists.scm has procedures that they use
    mix.scm        the specializer proper: annotated program, known data -> residual program;
                   memo.scm, residualize.scm and operations.scm are parts of it
    tidy.scm       residual program -> the small language, for people and machines;
                   parameters.scm is a part of it
    show.py        the small language -> text
    system.py      runs the phases
    cases.py       interpreters with programs and inputs
    interpreters/  programs to make compilers of
    futamura.py    the projections: performed, timed, compared
    towers.py      towers of self-interpreters; anonymous.py: programs up to names
    experiments.py all of these for the command line; compilers.py: compilers as files

See docs/futamura.md.
"""
