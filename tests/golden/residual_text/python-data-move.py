"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.datum import RecordType
from cogen.lang.prims import PRIMITIVES

is_record_is = PRIMITIVES['record-is?'].python
point = RecordType('point', ('x', 'y'))
record_set = PRIMITIVES['record-set!'].python
add = PRIMITIVES['+'].python
record_ref = PRIMITIVES['record-ref'].python
make_record = PRIMITIVES['make-record'].python
error = PRIMITIVES['error'].python


# from data.scm:30
def move(p, dx):
    if is_record_is(point, p):
        record_set(point, 0, p, add(record_ref(point, 0, p), dx))
        return make_record(point, record_ref(point, 1, p), record_ref(point, 0, p))
    return error('no point:', p)
