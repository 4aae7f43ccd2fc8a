use eagerflow::{Tensor, tf_function};

#[tf_function]
async fn f(x: &mut Tensor) -> &Tensor {
    if std::future::ready(true).await {
        *x = -&*x;
    }
    x
}

fn main() {}
