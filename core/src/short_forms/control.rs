//! Short forms of control flow: TensorFlow's arguments by name, with TensorFlow's defaults.
//! Users call them beside the functions of the same names.

/// One value made of all rows, from the first to the last: [`foldl`](fn@crate::foldl) with TensorFlow's defaults, `foldl!(f, elems, initializer = FirstRow)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1.0, 2.0, 3.0]);
/// assert_eq!(tf::foldl!(|sum, row| sum + row, &x).item::<f32>(), 6.0);
/// ```
#[macro_export]
macro_rules! foldl {
    ($($arguments:tt)*) => {
        $crate::__call!(foldl(f, elems; initializer = $crate::FirstRow) => ($crate::foldl(f, elems, initializer)) ($($arguments)*))
    };
}

/// One value made of all rows, from the last to the first: [`foldr`](fn@crate::foldr) with TensorFlow's defaults, `foldr!(f, elems, initializer = FirstRow)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1.0, 2.0, 3.0]);
/// assert_eq!(tf::foldr!(|sum, row| sum * 10.0 + row, &x).item::<f32>(), 321.0);
/// ```
#[macro_export]
macro_rules! foldr {
    ($($arguments:tt)*) => {
        $crate::__call!(foldr(f, elems; initializer = $crate::FirstRow) => ($crate::foldr(f, elems, initializer)) ($($arguments)*))
    };
}

/// All values that a fold comes by: [`scan`](fn@crate::scan) with TensorFlow's defaults, `scan!(f, elems, initializer = FirstRow, reverse = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1.0, 2.0, 3.0]);
/// assert_eq!(tf::scan!(|sum, row| sum + row, &x).to_vec::<f32>(), [1.0, 3.0, 6.0]);
/// assert_eq!(tf::scan!(|sum, row| sum + row, &x, reverse = true).to_vec::<f32>(), [6.0, 5.0, 3.0]);
/// ```
#[macro_export]
macro_rules! scan {
    ($($arguments:tt)*) => {
        $crate::__call!(scan(f, elems; initializer = $crate::FirstRow, reverse = false) => ($crate::scan(f, elems, initializer, reverse)) ($($arguments)*))
    };
}

/// A body called as long as a condition holds: [`while_loop`](fn@crate::while_loop) with TensorFlow's defaults, `while_loop!(cond, body, loop_vars, maximum_iterations = None)`.
///
/// ```
/// use eagerflow as tf;
/// let y = tf::while_loop!(|y| tf::less(y, 100), |y| y * 2, tf::constant(1));
/// assert_eq!(y.item::<i32>(), 128);
/// let y = tf::while_loop!(|y| tf::less(y, 100), |y| y * 2, tf::constant(1), maximum_iterations = 3);
/// assert_eq!(y.item::<i32>(), 8);
/// ```
#[macro_export]
macro_rules! while_loop {
    ($($arguments:tt)*) => {
        $crate::__call!(while_loop(cond, body, loop_vars; maximum_iterations = None) => ($crate::while_loop(cond, body, loop_vars, maximum_iterations)) ($($arguments)*))
    };
}
