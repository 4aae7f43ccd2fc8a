//! Values at once: products, broadcasting and operators, arrays of `ndarray`, and control flow on tensors.
//! The guide's first sections.

use crate::section;
use eagerflow as tf;
use tf::ndarray::{ArrayD, array};

pub fn hello() {
    section("setup and basic usage");
    let x = [[2.0]];
    let m = tf::matmul(tf::constant(x), tf::constant(x));
    println!("hello, {m}");
}

pub fn tensors() {
    let a = tf::constant([[1, 2], [3, 4]]);
    println!("{a}");
    // Broadcasting.
    let b = tf::add(&a, 1);
    println!("{b}");
    // Operators work on tensors.
    println!("{}", &a * &b);
}

pub fn arrays() {
    section("arrays");
    let a = tf::constant([[1, 2], [3, 4]]);
    // A view of the tensor's own memory, without a copy.
    let view = a.view::<i32>().expect("int32 elements");
    println!("{}", &view * 10);
    // An array becomes a tensor, and a tensor an array.
    let b = tf::Tensor::from(array![[1.5f32, 2.5], [3.5, 4.5]]);
    let c: ArrayD<f32> = (&b * &b).into_ndarray().expect("float32 elements");
    println!("{c}");
}

pub fn fizzbuzz(max_num: i32) {
    section("control flow");
    let mut counter = tf::constant(0);
    let max_num = tf::constant(max_num);
    while counter < &max_num {
        counter += 1;
        if &counter % 3 == 0 && &counter % 5 == 0 {
            println!("FizzBuzz");
        } else if &counter % 3 == 0 {
            println!("Fizz");
        } else if &counter % 5 == 0 {
            println!("Buzz");
        } else {
            println!("{}", counter.item::<i32>());
        }
    }
}
