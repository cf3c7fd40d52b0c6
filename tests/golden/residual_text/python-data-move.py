"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.datum import RecordType
from cogen.lang.prims import PRIMITIVES

is_record_is = PRIMITIVES['record-is?'].python
point = RecordType('point', ('x', 'y'))
add = PRIMITIVES['+'].python
record_ref = PRIMITIVES['record-ref'].python
record_set = PRIMITIVES['record-set!'].python
make_record = PRIMITIVES['make-record'].python
error = PRIMITIVES['error'].python


# from data.scm:30
def move(p, dx):
    if is_record_is(point, p):
        t_1 = add(record_ref(point, 0, p), dx)
        record_set(point, 0, p, t_1)
        return make_record(point, record_ref(point, 1, p), t_1)
    return error('no point:', p)
