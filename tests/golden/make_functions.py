"""Writes what TensorFlow's AutoGraph makes of functions with control flow: `python make_functions.py > functions.json`.

First line: `{"tensorflow": version}`. Then records
`{"function", "inputs": [arrays], "outputs": [arrays], "gradients": [arrays or null]}`: the results of one `@tf.function`,
and the gradients of the sum of its float results, the i-th one times i, by each float input (`null` for others, and where
TensorFlow answers `None`). Its loops hold no `return`, which AutoGraph refuses; those of the Rust twins do. Functions of variables take their first values as inputs, and give their last ones behind the
results. The same functions in Rust stand in `tests/traced/tensorflow`, under the same names.
"""
import sys

from golden import arrays_text, array_text, compact, np, tf

FUNCTIONS = []
# A traced function must not outlive the variables that it was called with.
HELD = []
D = lambda x: np.array(x, dtype=np.float64)
I = lambda x: np.array(x, dtype=np.int32)


def rows(*inputs, variables=0):
    """Registers a function with rows of inputs."""
    def register(f):
        FUNCTIONS.append((f.__name__, tf.function(f), inputs, variables))
        return FUNCTIONS[-1][1]
    return register


# Branches.

@rows([D(0.5)], [D(2.0)], [D(1.0)])
def if_statement(x):
    y = x * 2.0
    if x > 1.0:
        y = y * x
    return y + 1.0


@rows([D(1.5)], [D(-2.0)])
def either_side(x):
    big = tf.zeros_like(x)
    small = tf.zeros_like(x)
    if x > 0.0:
        big = x * 3.0
    else:
        small = tf.square(x)
    return big, small


@rows([D(-2.0)], [D(0.5)], [D(2.0)], [D(5.0)])
def else_if(x):
    if x < -1.0:
        y = tf.square(x)
    elif x < 1.0:
        y = x * 0.5
    elif x < 3.0:
        y = tf.exp(x)
    else:
        y = 4.0 * x
    return y * x


@rows([D(1.0), D(2.0)], [D(20.0), D(2.0)], [D(3.0), D(2.0)], [D(1.0), D(20.0)])
def nested_if(x, y):
    z = x
    if x > y:
        if x > 10.0:
            z = z - y
        z = z * 2.0
    else:
        if y > 10.0:
            w = y * x
        else:
            w = y + x
        z = tf.tanh(w) + z
    return z


@rows([I(0)], [I(7)], [I(-9)])
def guarded_division(n):
    if n == 0:
        return tf.constant(-1)
    return 100 // n


@rows([D(4.0)], [D(0.0)], [D(-1.0)])
def guarded_root(x):
    if x > 0.0:
        return tf.sqrt(x)
    else:
        return x * 0.0


@rows([D(-1.0), D(-2.0)], [D(-1.0), D(2.0)], [D(6.0), D(6.0)], [D(1.0), D(-0.5)], [D(6.0), D(0.5)], [D(1.0), D(2.0)])
def early_returns(x, y):
    if x < 0.0:
        if y < 0.0:
            return x * y
        return y
    z = x + y
    if z > 10.0:
        return tf.sqrt(z)
    if y < 0.0:
        return tf.exp(z)
    if x > 5.0:
        return x - y
    return z


@rows([D([3.0, 4.0])], [D([0.3, 0.4])])
def clip_to_unit(x):
    norm = tf.sqrt(tf.reduce_sum(tf.square(x)))
    if norm > 1.0:
        x = x / norm
    return x


@rows([D([3.0, -0.5]), D([1.0, 0.25])])
def huber(y, target):
    error = tf.abs(y - target)
    return tf.reduce_mean(tf.where(error < 1.0, 0.5 * tf.square(error), error - 0.5))


@rows([D(0.7), I(0)], [D(0.7), I(1)], [D(0.7), I(2)], [D(0.7), I(9)])
def switch(x, which):
    if which == 0:
        y = tf.sin(x)
    elif which == 1:
        y = tf.cos(x) * x
    elif which == 2:
        y = tf.math.log(x)
    else:
        y = -x
    return y


# Loops.

@rows([I(1)], [I(6)], [I(27)])
def collatz(n):
    steps = tf.constant(0)
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = n * 3 + 1
        steps += 1
    return steps


@rows([D(10.0)], [D(0.5)], [D(1000.0)])
def halve(x):
    while x > 1.0:
        x = x / 2.0
    return x


@rows([I(10)], [I(0)], [I(1)])
def fibonacci(n):
    a, b = tf.constant(0), tf.constant(1)
    i = tf.constant(0)
    while i < n:
        a, b = b, a + b
        i += 1
    return a


@rows([D(0.5), I(4)], [D(2.0), I(0)], [D(-1.5), I(7)])
def horner(x, n):
    y = tf.zeros_like(x)
    i = tf.constant(0)
    while i < n:
        y = y * x + 1.0
        i += 1
    return y


@rows([D(1.5), I(4)], [D(1.5), I(0)], [D(0.25), I(6)])
def triangle(x, n):
    y = tf.zeros_like(x)
    i = tf.constant(0)
    while i < n:
        j = tf.constant(0)
        while j < i:
            y = y * 0.5 + x
            j += 1
        i += 1
    return y


@rows([D(0.3)], [D(5.0)], [D(-1.0)])
def zigzag(x):
    i = tf.constant(0)
    while i < 7:
        if x > 2.0:
            x = x * 0.25
        else:
            x = tf.exp(x)
        i += 1
    return x


@rows([D(1.5), I(3)], [D(-1.0), I(3)], [D(2.0), I(0)])
def loop_in_a_branch(x, n):
    y = x
    if x > 0.0:
        i = tf.constant(0)
        while i < n:
            y = y * x
            i += 1
    else:
        y = y - 1.0
    return y


@rows([D(1.0), D(30.0)], [D(4.0), D(4.0)])
def mean_of_means(a, b):
    while tf.abs(a - b) > 1e-6:
        mean = (a + b) / 2.0
        b = tf.sqrt(a * b)
        a = mean
    return a, b


@rows([D(2.0)], [D(9.0)], [D(0.25)])
def newton_root(x):
    guess = x / 2.0 + 0.5
    while tf.constant(True):
        new = (guess + x / guess) / 2.0
        step = tf.abs(new - guess)
        guess = new
        if step < 1e-8:
            break
    return guess


@rows([I(10)], [I(0)], [I(1)])
def range_sum(n):
    total = tf.constant(0)
    for i in tf.range(n):
        total += i * 2
    return total


@rows([D(1.0), I(10)], [D(-0.5), I(5)], [D(2.0), I(1)])
def exponential_series(x, n):
    term = tf.ones_like(x)
    total = tf.ones_like(x)
    for i in tf.range(1, n):
        term = term * x / tf.cast(i, x.dtype)
        total += term
    return total


@rows([D([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]]), D([0.5, 0.25])], [D(np.ones([7, 2])), D([0.1, 2.0])])
def recurrent(rows, w):
    h = tf.zeros([2], rows.dtype)
    for row in rows:
        h = tf.tanh(h * w + row)
    return h


@rows([D([[1.0, 2.0], [3.0, 4.0]])], [D([[0.0, -2.0, 1.0]])])
def elements(x):
    y = tf.ones([], x.dtype)
    for row in x:
        for element in row:
            y = y * 0.5 + element
    return y


@rows([D([[2.0, 1.0], [1.0, 3.0]]), I(5)], [D([[1.0, 0.5], [0.25, 1.0]]), I(0)])
def power_iteration(a, n):
    v = tf.ones([2, 1], a.dtype)
    for _ in tf.range(n):
        w = tf.matmul(a, v)
        v = w / tf.sqrt(tf.reduce_sum(w * w))
    return v


@rows([D([[0.5, 0.25], [0.125, 1.0]]), I(5)], [D([[1.0, 0.5], [0.25, 1.0]]), I(0)], [D([[2.0, 0.0], [0.5, 1.0]]), I(6)])
def matrix_power(a, n):
    result = tf.eye(2, dtype=a.dtype)
    while n > 0:
        if n % 2 == 1:
            result = tf.matmul(result, a)
        a = tf.matmul(a, a)
        n = n // 2
    return result


@rows([D(3.1), I(5)], [D(2.5), I(0)])
def logistic_map(r, n):
    x = tf.constant(0.3, r.dtype)
    for _ in tf.range(n):
        x = r * x * (1.0 - x)
    return x


@rows([D(-0.5), D(0.5)], [D(0.4), D(0.4)], [D(1.0), D(1.0)])
def mandelbrot(cx, cy):
    x, y = tf.zeros_like(cx), tf.zeros_like(cy)
    n = tf.constant(0)
    while x * x + y * y < 4.0 and n < 20:
        x, y = x * x - y * y + cx, 2.0 * x * y + cy
        n += 1
    return n, x, y


@rows([I(10)], [I(1)])
def leibniz(n):
    total = tf.constant(0.0, tf.float64)
    sign = tf.constant(1.0, tf.float64)
    for i in tf.range(n):
        total += sign / tf.cast(2 * i + 1, tf.float64)
        sign = -sign
    return total * 4.0


@rows([D([1.0, 2.0, 3.0]), D(0.5)], [D([2.0]), D(-1.0)])
def polynomial(coefficients, x):
    y = tf.zeros_like(x)
    for c in coefficients:
        y = y * x + c
    return y


@rows([D([1.0, 2.0, 3.0]), D([4.0, -1.0, 0.5])])
def dot_by_index(a, b):
    total = tf.zeros([], a.dtype)
    for i in tf.range(tf.shape(a)[0]):
        total += a[i] * b[i]
    return total


@rows([D(1.0), I(10)], [D(-2.0), I(3)])
def euler(x, n):
    for _ in tf.range(n):
        x = x + 0.1 * (tf.sin(x) - x * x * 0.25)
    return x


@rows([D(1.0), D(0.5), I(4)], [D(-1.0), D(2.0), I(2)])
def runge_kutta(x, v, n):
    h = 0.125
    for _ in tf.range(n):
        k1x, k1v = v, -x
        k2x, k2v = v + h / 2.0 * k1v, -(x + h / 2.0 * k1x)
        k3x, k3v = v + h / 2.0 * k2v, -(x + h / 2.0 * k2x)
        k4x, k4v = v + h * k3v, -(x + h * k3x)
        x, v = (x + h / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x),
                v + h / 6.0 * (k1v + 2.0 * k2v + 2.0 * k3v + k4v))
    return x, v


@rows([D(0.0), D(2.0)], [D(1.0), D(1.5)])
def bisection(low, high):
    i = tf.constant(0)
    while i < 12:
        middle = (low + high) / 2.0
        if middle * middle * middle > 2.0:
            high = middle
        else:
            low = middle
        i += 1
    return low, high


@rows([D(2.0)], [D(-1.0)])
def cubic_root(c):
    x = tf.ones_like(c)
    i = tf.constant(0)
    while tf.abs(x * x * x + x - c) > 1e-10 and i < 50:
        x = x - (x * x * x + x - c) / (3.0 * x * x + 1.0)
        i += 1
    return x


@rows([D([1.0, 4.0, 2.5, 0.5])], [D([3.0])])
def welford(x):
    mean = tf.zeros([], x.dtype)
    m2 = tf.zeros([], x.dtype)
    n = tf.zeros([], x.dtype)
    for value in x:
        n += 1.0
        delta = value - mean
        mean += delta / n
        m2 += delta * (value - mean)
    return mean, m2 / n


@rows([D([[1.0, 4.0], [2.5, 0.5], [0.0, -1.0]]), D(0.75)])
def moving_average(x, decay):
    average = x[0]
    for i in tf.range(1, tf.shape(x)[0]):
        average = decay * average + (1.0 - decay) * x[i]
    return average


@rows([I(12), I(18)], [I(7), I(0)], [I(35), I(64)])
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@rows([I(1234)], [I(0)], [I(907)])
def reverse_digits(n):
    result = tf.constant(0)
    while n > 0:
        result = result * 10 + n % 10
        n = n // 10
    return result


@rows([I(4), I(2)], [I(9), I(5)], [I(1), I(0)])
def state_machine(n, start):
    state = start
    path = tf.constant(0)
    for i in tf.range(n):
        if state == 0:
            state = tf.constant(2)
        elif state == 2:
            state = i % 3
        else:
            state = tf.constant(0)
        path = path * 3 + state
    return path


# Jumps.

@rows([I(0)], [I(20)], [I(100000)])
def break_and_continue(limit):
    total, skipped = tf.constant(0), tf.constant(0)
    i = tf.constant(0)
    while i < 50:
        i += 1
        if i % 3 == 0:
            skipped += 1
            continue
        total += i
        if total > limit:
            break
        total += 1
    return total, skipped


@rows([D(1.0)], [D(10.0)], [D(-1.0)])
def not_the_rest(x):
    y = x
    i = tf.constant(0)
    while i < 5:
        if y > 4.0:
            y = y + 0.5
            break
        y = y * 1.5
        i += 1
    return y


@rows([D(2.0)], [D(1.1)], [D(60.0)])
def return_from_a_loop(x):
    y = x
    result = tf.zeros_like(x)
    found = tf.constant(False)
    i = tf.constant(0)
    while i < 10:
        y = y * x
        if y > 50.0:
            result = y + 0.25
            found = tf.constant(True)
            break
        i += 1
    if not found:
        result = -y
    return result


@rows([I(35)], [I(1)], [I(23)], [I(361)])
def pair(target):
    a, b = tf.constant(-1), tf.constant(-1)
    i = tf.constant(1)
    while i < 20:
        j = i
        while j < 20:
            if i * j == target:
                a, b = i, j
                break
            j += 1
        if a > 0:
            break
        i += 1
    return a, b


@rows([I(2)], [I(9)], [I(97)], [I(1)])
def is_prime(n):
    prime = n >= 2
    d = tf.constant(2)
    while d * d <= n:
        if n % d == 0:
            prime = tf.constant(False)
            break
        d += 1
    return prime


@rows([D([1.5, 2.0, -1.0, 3.0])], [D([-1.0, 2.0])], [D([1.5, 2.0, 0.5, 3.0])])
def product_until_negative(x):
    product = tf.ones([], x.dtype)
    for value in x:
        if value < 0.0:
            break
        product *= value
    return product


@rows([D([1.5, 2.0, -1.0, 3.0])], [D([-1.0, -2.0])])
def sum_of_positives(x):
    total = tf.zeros([], x.dtype)
    for value in x:
        if value < 0.0:
            continue
        total += tf.square(value)
    return total


@rows([I([1, 3, 5, 8, 13]), I(8)], [I([1, 3, 5, 8, 13]), I(4)], [I([2]), I(2)])
def binary_search(x, wanted):
    low, high = tf.constant(0), tf.shape(x)[0]
    found = tf.constant(-1)
    while low < high:
        middle = (low + high) // 2
        if x[middle] == wanted:
            found = middle
            break
        if x[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return found


@rows([D([1.0, 3.0, 2.0])], [D([-1.0])], [D([5.0, -3.0, 9.0, 9.0])])
def running_maximum(x):
    best = x[0]
    at = tf.constant(0)
    for i in tf.range(1, tf.shape(x)[0]):
        if x[i] > best:
            best = x[i]
            at = i
    return best, at


@rows([D(3.0)], [D(-1.0)], [D(0.1)])
def line_search(x):
    value = tf.square(x - 1.0) + tf.exp(x * 0.5)
    slope = 2.0 * (x - 1.0) + 0.5 * tf.exp(x * 0.5)
    step = tf.ones_like(x)
    for _ in tf.range(20):
        new = x - step * slope
        if tf.square(new - 1.0) + tf.exp(new * 0.5) <= value - 0.25 * step * slope * slope:
            break
        step = step * 0.5
    return x - step * slope


# Logical operators.

@rows([I(0)], [I(2)], [I(9)])
def lazy_and(n):
    if n != 0 and 12 // n > 3:
        return n * 2
    return n - 1


@rows([I(0)], [I(2)], [I(9)])
def lazy_or(n):
    if n == 0 or 12 // n > 3:
        return n * 2
    return n - 1


@rows([D(0.5), D(2.0)], [D(1.5), D(0.5)], [D(-1.0), D(-1.0)])
def logic(x, y):
    if x > 0.0 and not y > 1.0 or x == y:
        return x * y
    return x - y


@rows([D([1.0, 3.0])], [D([1.0, -1.0])], [D([-1.0, -3.0])])
def any_and_all(x):
    seen, every = tf.constant(False), tf.constant(True)
    for value in x:
        if value > 2.0:
            seen = tf.constant(True)
        every = every and value > 0.0
    return seen, every, tf.where(seen, x * 2.0, x)


# Lists and sizes known at run time.

@rows([D(2.0), I(3)], [D(-1.0), I(5)])
def array_of_states(x, n):
    states = tf.TensorArray(x.dtype, size=n)
    y = x
    for i in tf.range(n):
        y = y * 0.5 + x
        states = states.write(i, y)
    return states.stack()


@rows([D([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]])])
def array_backwards(rows):
    all_rows = tf.TensorArray(rows.dtype, size=0, dynamic_size=True).unstack(rows)
    y = tf.zeros([2], rows.dtype)
    i = all_rows.size()
    while i > 0:
        i -= 1
        y = tf.tanh(y + all_rows.read(i))
    return y


@rows([D([1.0, 2.0]), I(7)], [D([1.0, 3.0]), I(1)])
def doubling(x, least):
    while tf.shape(x)[0] < least:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
        x = tf.concat([x, x * 2.0], 0)
    return x


@rows([D([1.0, -2.0, 3.0])], [D([-1.0, -2.0])])
def positive_part(x):
    positive = tf.boolean_mask(x, x > 0.0)
    return tf.reduce_sum(tf.square(positive)), tf.shape(positive)[0]


@rows([D([[1.0, 2.0, 0.5], [0.25, 1.0, 2.0]])], [D([[0.5], [0.25]])])
def scaled_gram(a):
    g = tf.matmul(a, a, transpose_a=True)
    while tf.reduce_max(g) > 1.0:
        g = g * 0.5
    return g


@rows([D([0.2, 0.7]), I(3)], [D([0.2, 0.7]), I(0)])
def rnn_with_memory(x, n):
    h, c = tf.zeros_like(x), tf.ones_like(x)
    for i in tf.range(n):
        gate = tf.sigmoid(h + x)
        c = gate * c + (1.0 - gate) * tf.tanh(x - h)
        h = tf.tanh(c) * gate
        if i % 2 == 0:
            h = h * 0.5
    return h, c


# Variables.

@rows([D(1.5), D(0.5)], [D(1.5), D(2.0)], variables=1)
def variable_in_a_branch(v, x):
    scaled = x * v
    if scaled > 2.0:
        v.assign(x)
    else:
        v.assign_add(x * 2.0)
    return scaled + v


@rows([D(0.5), D(1.5)], [D(20.0), D(1.0)], variables=1)
def variable_in_a_loop(v, x):
    total = tf.zeros_like(x)
    while v < 10.0:
        v.assign_add(x)
        total += v * x
    return total


@rows([D(1.0), D(2.0), D(1.5)], variables=2)
def swapping(a, b, x):
    old = a.read_value()
    a.assign(b * x)
    b.assign(old)
    return a - b


@rows([I(0), D(0.5)], [I(0), D(1.5)], [I(0), D(3.0)], variables=1)
def counted_evaluations(counter, x):
    def large(limit):
        counter.assign_add(1)
        return x > limit
    a = x > 1.0 and large(2.0)
    b = x > 1.0 or large(0.25)
    if a or b:
        return x * 2.0
    return x * 3.0


@rows([D(1.5), D(0.5), I(3)], [D(1.5), D(1.0), I(0)], variables=1)
def descent_of_a_variable(w, x, n):
    last = tf.zeros_like(x)
    for _ in tf.range(n):
        with tf.GradientTape() as tape:
            loss = tf.square(x * w - 1.0)
        w.assign_sub(tape.gradient(loss, w) * 0.0625)
        last = loss
    return last


# Gradients inside.

@rows([D(0.5)], [D(4.0)])
def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        if x > 1.0:
            y = tf.square(x) * x
        else:
            y = tf.sin(x)
    return tape.gradient(y, x)


@rows([D(0.5), I(3)], [D(2.0), I(0)])
def slope_of_a_loop(x, n):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(n):
            y = tf.sin(y) + x
    return tape.gradient(y, x)


@rows([D(0.5)], [D(-4.0)])
def curvature(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            if x < 0.0:
                y = tf.exp(x)
            else:
                y = tf.square(x) * tf.square(x)
        first = inner.gradient(y, x)
    return outer.gradient(first, x)


@rows([D(0.5), I(3)], [D(2.0), I(0)])
def descent(x, n):
    for _ in tf.range(n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.square(x - 2.0) + tf.cos(x)
        x = x - tape.gradient(y, x) * 0.125
    return x


@tf.custom_gradient
def clipped(x):
    return x * 1.0, lambda dy: tf.clip_by_value(dy, -1.5, 1.5)


@rows([D(0.5)], [D(2.0)])
def own_gradient(x):
    y = x
    i = tf.constant(0)
    while i < 3:
        if y > 1.0:
            y = clipped(y * y)
        else:
            y = y + 0.75
        i += 1
    return y


@rows([D(0.5)], [D(-2.0)])
def stopped(x):
    y = x
    i = tf.constant(0)
    while i < 3:
        y = y * x + tf.stop_gradient(y) * 0.5
        i += 1
    return y


@tf.function
def reduced(x):
    if x > 1.0:
        return x - 1.0
    return x * x


@rows([D(1.5)], [D(-2.0)], [D(0.75)])
def nested_functions(x):
    y = reduced(x)
    i = tf.constant(0)
    while i < 3:
        if y > 0.5:
            y = reduced(y + 0.75)
        else:
            y = y + reduced(x * 0.0 + 1.5)
        i += 1
    return y


def record(name, f, inputs, variables):
    """Calls the function once, under a tape."""
    tensors = [tf.constant(x) for x in inputs]
    held = [tf.Variable(x) for x in tensors[:variables]]
    HELD.extend(held)
    arguments = held + tensors[variables:]
    with tf.GradientTape() as tape:
        tape.watch(tensors[variables:])
        results = f(*arguments)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        floats = [r for r in results if r.dtype.is_floating]
        target = tf.add_n([tf.reduce_sum(r) * (i + 1.0) for i, r in enumerate(floats)]) if floats else None
    gradients = [None] * len(arguments)
    if target is not None:
        at = [i for i, a in enumerate(arguments) if a.dtype.is_floating]
        for i, g in zip(at, tape.gradient(target, [arguments[i] for i in at])):
            gradients[i] = None if g is None else tf.convert_to_tensor(g)
    results += [v.read_value() for v in held]
    texts = ["null" if g is None else array_text(g) for g in gradients]
    return (f'{{"function":"{name}","inputs":{arrays_text(inputs)},"outputs":{arrays_text(results)},'
            f'"gradients":[{",".join(texts)}]}}')


def main():
    """Writes all records."""
    print(compact({"tensorflow": tf.__version__}))
    for name, f, all_rows, variables in FUNCTIONS:
        for inputs in all_rows:
            print(record(name, f, inputs, variables))
    print(f"{len(FUNCTIONS)} functions", file=sys.stderr)


if __name__ == "__main__":
    main()
