/* Calls from Python that were made before in the same form: types are looked at, the runner is called.
 *
 * A derivative of few numbers takes less than a microsecond, and sorting its arguments in Python took several. What a call
 * of a form found out lies on the function that is differentiated (enzyme_py/foundations/keeping.py): `quick`, a dict, and
 * `forms`, a list. Here it is looked up. Whatever is not plain (an array that may overlap with another, a type not seen
 * before, a subclass) is left to Python, which refuses or goes on: this file raises nothing of its own but what Python's own calls raise.
 *
 * The library is opened by path, and so it is built without Python's headers: it declares the functions of the stable ABI that it takes,
 * and reads two structures itself: the head of an object (a count of references, a type) and NumPy's array.
 * enzyme_py/foundations/quick/library.py compares both with what Python says before anything here is used.
 */
#include <stdint.h>
#include <string.h>

typedef struct object {
    intptr_t references;
    struct object *kind;
} object;

typedef struct {
    object head;
    char *data;
    int32_t rank;
    intptr_t *shape, *strides;
    object *base, *dtype;
    int32_t flags;
} array;

typedef struct {
    const char *name;
    void *function;
    int32_t flags;
    const char *text;
} method;

enum { ONE_ARGUMENT = 0x8, FAST = 0x80 }; /* METH_O, METH_FASTCALL */
enum { WRITEABLE = 0x400, C_ORDER = 1, F_ORDER = 2 }; /* NPY_ARRAY_WRITEABLE, _C_CONTIGUOUS, _F_CONTIGUOUS */
enum { MOST_ARRAYS = 32, MOST_DEPTH = 8, BARE = 255 };
/* Bytes of an element of the dtypes that Python hands over, in its order; the first so many have derivatives. */
static const int SIZES[] = {8, 4, 16, 8, 8, 4, 1};
enum { HAVE_DERIVATIVES = 4 };

extern void Py_IncRef(object *), Py_DecRef(object *);
extern intptr_t PyTuple_Size(object *), PyList_Size(object *);
extern object *PyTuple_New(intptr_t), *PyTuple_GetItem(object *, intptr_t), *PyList_GetItem(object *, intptr_t);
extern int PyTuple_SetItem(object *, intptr_t, object *);
extern object *PyObject_GetAttr(object *, object *), *PyObject_Call(object *, object *, object *);
extern object *PyObject_CallNoArgs(object *), *PyDict_GetItemWithError(object *, object *);
extern object *PyUnicode_InternFromString(const char *), *PyBool_FromLong(long);
extern char *PyBytes_AsString(object *);
extern intptr_t PyBytes_Size(object *);
extern object *PyCFunction_NewEx(method *, object *, object *), *PyErr_Occurred(void);
extern void PyErr_Clear(void), PyErr_SetInterrupt(void);
extern int PyErr_ExceptionMatches(object *);
extern object *PyExc_KeyboardInterrupt;

/* What Python hands over, once; held for ever. */
static struct {
    object *array, *mode, *dict, *made, *type, *tuple, *nothing, *none, *unknown, *dtypes, *numbers;
} known;
static struct {
    object *made, *owner, *places, *forms, *quick, *primal, *shadows;
} names;

static object *given_back(object *value) {
    Py_IncRef(value);
    return value;
}

/* The place of a value in a tuple, -1 if it is not there. */
static int place_in(object *tuple, const object *value) {
    for (intptr_t i = 0, count = PyTuple_Size(tuple); i < count; i++)
        if (PyTuple_GetItem(tuple, i) == value) return (int)i;
    return -1;
}

static int is_array(const object *value) { return value->kind == known.array; }

/* Whether both are arrays of one shape, and of one dtype that has derivatives. */
static int are_alike(object *first, object *second) {
    if (!is_array(first) || !is_array(second)) return 0;
    const array *one = (array *)first, *other = (array *)second;
    unsigned dtype = (unsigned)place_in(known.dtypes, one->dtype);
    return dtype < HAVE_DERIVATIVES && one->dtype == other->dtype && one->rank == other->rank &&
           memcmp(one->shape, other->shape, (size_t)one->rank * sizeof *one->shape) == 0;
}

typedef struct {
    const char *low, *high; /* no address from `high` on is read */
    int number, is_primal;
} range;

typedef struct {
    range ranges[MOST_ARRAYS];
    int count, in_memory, is_doubtful;
} seen;

/* The bytes that an array reaches, of one of the dtypes; none for an empty one. */
static range range_of(const array *value) {
    range found = {value->data, value->data + SIZES[place_in(known.dtypes, value->dtype)], 0, 0};
    for (int axis = 0; axis < value->rank; axis++) {
        intptr_t reach = (value->shape[axis] - 1) * value->strides[axis];
        if (value->shape[axis] == 0) return (range){value->data, value->data, 0, 0};
        if (reach < 0) found.low += reach;
        else found.high += reach;
    }
    return found;
}

static int overlap(range one, range other) { return one.low < other.high && other.low < one.high; }

/* Takes a value's arrays among those seen; what cannot be told here makes them doubtful. */
static void look_at(object *value, int number, int is_primal, int depth, seen *all) {
    if (place_in(known.numbers, value->kind) >= 0) return;
    all->in_memory += depth == 0;
    if (value->kind == known.tuple && depth < MOST_DEPTH) {
        for (intptr_t i = 0, count = PyTuple_Size(value); i < count; i++)
            look_at(PyTuple_GetItem(value, i), number, is_primal, depth + 1, all);
        return;
    }
    if (!is_array(value) || place_in(known.dtypes, ((array *)value)->dtype) < 0 || all->count == MOST_ARRAYS) {
        all->is_doubtful = 1;
        return;
    }
    range mine = range_of((array *)value);
    mine.number = number;
    mine.is_primal = is_primal;
    for (int i = 0; i < all->count; i++) {
        const range *other = &all->ranges[i];
        int may_share = other->number == number || (other->is_primal && is_primal);
        if (!may_share && overlap(mine, *other)) all->is_doubtful = 1;
    }
    all->ranges[all->count++] = mine;
}

/* Forgets an exception, for Python comes by the same place; but an interrupt, which would not come again. */
static void forget_exception(void) {
    if (PyErr_Occurred() == NULL) return;
    int is_interrupt = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
    PyErr_Clear();
    if (is_interrupt) PyErr_SetInterrupt();
}

/* An attribute as a reference of its own, NULL without an exception where there is none. */
static object *attribute(object *owner, object *name) {
    object *found = PyObject_GetAttr(owner, name);
    if (found == NULL) forget_exception();
    return found;
}

/* Whether an array holds the bytes that it held, without gaps in between; 0 if that cannot be told here. */
static int holds_still(const array *one, object *value) {
    int dtype = place_in(known.dtypes, one->dtype);
    if (dtype < 0 || (one->flags & (C_ORDER | F_ORDER)) == 0) return 0;
    intptr_t bytes = SIZES[dtype];
    for (int axis = 0; axis < one->rank; axis++) bytes *= one->shape[axis];
    return bytes == PyBytes_Size(value) && memcmp(one->data, PyBytes_AsString(value), (size_t)bytes) == 0;
}

/* Whether a name stands for the value that it stood for: a key of a dict, or an attribute; `nothing` is the value of none.
 * Without a name: whether an array holds what it held. */
static int is_still(object *owner, object *name, object *value) {
    object *found;
    if (name == known.none) return is_array(owner) && holds_still((array *)owner, value);
    if (owner->kind == known.dict) {
        found = PyDict_GetItemWithError(owner, name);
        if (found == NULL) forget_exception();
        return found == NULL ? value == known.nothing : found == value;
    }
    found = attribute(owner, name);
    if (found != NULL) Py_DecRef(found);
    return found == NULL ? value == known.nothing : found == value;
}

/* Whether all that a function rests on is as it was when its tables were made (foundations/content/reached.py). */
static int is_as_it_was(object *made) {
    object *places = attribute(made, names.places);
    if (places == NULL) return 0;
    int is_same = places->kind == known.tuple;
    for (intptr_t i = 0, count = is_same ? PyTuple_Size(places) : 0; is_same && i + 2 < count; i += 3)
        is_same = is_still(PyTuple_GetItem(places, i), PyTuple_GetItem(places, i + 1), PyTuple_GetItem(places, i + 2));
    Py_DecRef(places);
    return is_same;
}

/* Whether a function is the one that its tables were made of: attributes are copied, by functools.wraps. */
static int is_owner(object *function, object *made) {
    object *weak = attribute(made, names.owner);
    object *owner = weak == NULL ? NULL : PyObject_CallNoArgs(weak);
    if (owner == NULL) forget_exception();
    else Py_DecRef(owner);
    if (weak != NULL) Py_DecRef(weak);
    return owner == function;
}

/* The table of a function with a name, a reference; NULL if it has none, or may mean something else by now. */
static object *table_of(object *function, object *name) {
    object *made = attribute(function, names.made), *table = NULL;
    if (made == NULL) return NULL;
    if (made->kind == known.made && is_owner(function, made) && is_as_it_was(made))
        table = attribute(made, name);
    Py_DecRef(made);
    return table;
}

enum { MODE, RESULT, KINDS, MARKS, RUNNER, DOUBT }; /* a form: a tuple of these */

typedef struct {
    object *mode, *result, *given;
    intptr_t first, count;
} call;

/* Whether a call has a form; sets the number of parts that its runner takes. */
static int has_form(const call *one, object *form, intptr_t *parts) {
    object *kinds = PyTuple_GetItem(form, KINDS);
    if (PyTuple_GetItem(form, MODE) != one->mode || PyTuple_GetItem(form, RESULT) != one->result) return 0;
    if (PyTuple_Size(kinds) != one->count - one->first) return 0;
    const char *marks = PyBytes_AsString(PyTuple_GetItem(form, MARKS));
    *parts = 0;
    for (intptr_t i = one->first; i < one->count; i++) {
        intptr_t place = i - one->first;
        if (PyTuple_GetItem(one->given, i)->kind != PyTuple_GetItem(kinds, place)) return 0;
        *parts += (unsigned char)marks[place] == BARE ? 1 : 1 + (unsigned char)marks[place];
    }
    return 1;
}

/* Puts an annotation's primal and shadows among the parts; 0 if there are others than the form has. */
static int take_apart(object *one, int number, int lanes, object *parts, intptr_t *place, seen *all) {
    object *primal = attribute(one, names.primal);
    if (primal == NULL) return 0;
    PyTuple_SetItem(parts, (*place)++, primal);
    object *shadows = attribute(one, names.shadows);
    int fits = shadows != NULL && shadows->kind == known.tuple && PyTuple_Size(shadows) == lanes;
    if (fits) {
        look_at(primal, number, 1, 0, all);
        for (intptr_t i = 0; i < lanes; i++) {
            object *shadow = given_back(PyTuple_GetItem(shadows, i));
            PyTuple_SetItem(parts, (*place)++, shadow);
            int in_memory = all->in_memory;
            look_at(shadow, number, 0, 0, all);
            all->in_memory = in_memory;
        }
    }
    if (shadows != NULL) Py_DecRef(shadows);
    return fits;
}

/* Calls the runner of a form. `unknown` where the arguments have other parts than those that made it. */
static object *run_form(const call *one, object *form, intptr_t count) {
    const char *marks = PyBytes_AsString(PyTuple_GetItem(form, MARKS));
    object *parts = PyTuple_New(count), *result = NULL;
    if (parts == NULL) return NULL;
    seen all = {.count = 0, .in_memory = 0, .is_doubtful = 0};
    intptr_t place = 0;
    for (intptr_t i = one->first; i < one->count; i++) {
        object *value = PyTuple_GetItem(one->given, i);
        int number = (int)(i - one->first), lanes = (unsigned char)marks[number];
        if (lanes == BARE) {
            PyTuple_SetItem(parts, place++, given_back(value));
            look_at(value, number, 1, 0, &all);
        } else if (!take_apart(value, number, lanes, parts, &place, &all)) {
            Py_DecRef(parts);
            return given_back(known.unknown);
        }
    }
    if (all.is_doubtful && all.in_memory > 1) {
        object *arguments = PyTuple_New(1);
        if (arguments != NULL) {
            PyTuple_SetItem(arguments, 0, given_back(one->given));
            result = PyObject_Call(PyTuple_GetItem(form, DOUBT), arguments, NULL);
            Py_DecRef(arguments);
        }
        if (result == NULL) {
            Py_DecRef(parts);
            return NULL;
        }
        Py_DecRef(result);
    }
    result = PyObject_Call(PyTuple_GetItem(form, RUNNER), parts, NULL);
    Py_DecRef(parts);
    return result;
}

/* autodiff's arguments in a tuple -> its result; `unknown` if no call of this form was remembered. */
static object *run(object *self, object *given) {
    (void)self;
    if (given->kind != known.tuple) return given_back(known.unknown);
    call one = {known.none, known.none, given, 1, PyTuple_Size(given)};
    if (one.count > 0 && PyTuple_GetItem(given, 0)->kind == known.mode) {
        one.mode = PyTuple_GetItem(given, 0);
        one.first = 2;
    }
    if (one.count < one.first) return given_back(known.unknown);
    object *forms = table_of(PyTuple_GetItem(given, one.first - 1), names.forms), *form = NULL;
    if (forms == NULL) return given_back(known.unknown);
    if (one.count > one.first && PyTuple_GetItem(given, one.first)->kind == known.type)
        one.result = PyTuple_GetItem(given, one.first++);
    intptr_t parts = 0;
    for (intptr_t i = 0; form == NULL && i < PyList_Size(forms); i++) {
        object *each = PyList_GetItem(forms, i);
        if (has_form(&one, each, &parts)) form = given_back(each);
    }
    Py_DecRef(forms);
    if (form == NULL) return given_back(known.unknown);
    object *result = run_form(&one, form, parts);
    Py_DecRef(form);
    return result;
}

/* (function, key) -> what is remembered of the function under the key, None if nothing is. */
static object *remembered(object *self, object *const *given, intptr_t count) {
    (void)self;
    object *table = count == 2 ? table_of(given[0], names.quick) : NULL;
    if (table == NULL) return given_back(known.none);
    object *found = PyDict_GetItemWithError(table, given[1]);
    if (found != NULL) Py_IncRef(found);
    Py_DecRef(table);
    if (found == NULL && PyErr_Occurred() == NULL) return given_back(known.none);
    return found;
}

/* (primal, shadow) -> True if both are arrays, and the shadow fits in every respect. */
static object *fits(object *self, object *const *given, intptr_t count) {
    (void)self;
    if (count != 2 || !are_alike(given[0], given[1])) return PyBool_FromLong(0);
    const array *one = (array *)given[0], *other = (array *)given[1];
    int is_same = memcmp(one->strides, other->strides, (size_t)one->rank * sizeof *one->strides) == 0;
    return PyBool_FromLong(is_same && (other->flags & WRITEABLE) && !overlap(range_of(one), range_of(other)));
}

/* Whether a value and a direction are plain, and of one kind and shape. */
static int is_direction(object *primal, object *tangent, int depth) {
    if (primal->kind == known.tuple && tangent->kind == known.tuple && depth < MOST_DEPTH) {
        intptr_t count = PyTuple_Size(primal);
        if (count != PyTuple_Size(tangent)) return 0;
        for (intptr_t i = 0; i < count; i++)
            if (!is_direction(PyTuple_GetItem(primal, i), PyTuple_GetItem(tangent, i), depth + 1)) return 0;
        return 1;
    }
    if (primal->kind == tangent->kind && place_in(known.numbers, primal->kind) >= 0) return 1;
    return are_alike(primal, tangent);
}

/* (primal, tangent) -> True if the tangent fits, and neither needs to be made into something else. */
static object *alike(object *self, object *const *given, intptr_t count) {
    (void)self;
    return PyBool_FromLong(count == 2 && is_direction(given[0], given[1], 0));
}

static method methods[] = {{"run", (void *)run, ONE_ARGUMENT, NULL},
                           {"remembered", (void *)remembered, FAST, NULL},
                           {"fits", (void *)fits, FAST, NULL},
                           {"alike", (void *)alike, FAST, NULL}};

/* The types and values that `known` has, in its order, in a tuple -> the functions, in a tuple. */
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
object *enzyme_py_calls_setup(object *values);

object *enzyme_py_calls_setup(object *values) {
    object **places = (object **)&known;
    for (intptr_t i = 0; i < (intptr_t)(sizeof known / sizeof *places); i++)
        places[i] = given_back(PyTuple_GetItem(values, i));
    const char *texts[] = {"_enzyme_py_made", "owner", "places", "forms", "quick", "primal", "shadows"};
    object **slots = (object **)&names;
    for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++)
        if ((slots[i] = PyUnicode_InternFromString(texts[i])) == NULL) return NULL;
    intptr_t count = sizeof methods / sizeof *methods;
    object *functions = PyTuple_New(count);
    for (intptr_t i = 0; functions != NULL && i < count; i++) {
        object *function = PyCFunction_NewEx(&methods[i], NULL, NULL);
        if (function == NULL) return NULL;
        PyTuple_SetItem(functions, i, function);
    }
    return functions;
}
