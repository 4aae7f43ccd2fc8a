//! Activations that look at each element alone: rectifiers, sigmoids, shrinkages and their like.
//! Layers apply them; their formulas are Keras's.

use super::activation;
use engine::try_where;

activation! {
    /// The values as they are.
    Linear, "linear", {}, |this, x| Ok(x.clone())
}

activation! {
    /// The rectifier: values below the threshold become 0, or keep a slope; Keras's `relu`.
    Relu, "relu", {
        /// The slope below the threshold, 0 unless set.
        negative_slope: f64 = 0.0,
        /// The greatest value of the result; none unless set.
        max_value: Option<f64> = None,
        /// Below it values count as negative, 0 unless set.
        threshold: f64 = 0.0,
    }, |this, x| {
        let slope = this.negative_slope;
        if slope != 0.0 && this.max_value.is_none() && this.threshold == 0.0 {
            return x.try_leaky_relu(slope as f32);
        }
        let clipped = match (this.max_value, this.threshold) {
            (Some(6.0), 0.0) => x.try_relu6()?,
            (None, 0.0) => x.try_relu()?,
            (max, 0.0) => x.try_relu()?.try_minimum(max.unwrap_or(f64::INFINITY))?.try_maximum(0.0)?,
            (None, at) => try_where(x.try_greater(at)?, x, 0.0)?,
            (Some(max), at) => try_where(x.try_greater(at)?, x, 0.0)?.try_minimum(max)?.try_maximum(0.0)?,
        };
        if slope == 0.0 {
            return Ok(clipped);
        }
        let below = x.try_neg()?.try_add(this.threshold)?.try_relu()?;
        clipped.try_subtract(&below.try_multiply(slope)?)
    }
}

activation! {
    /// The rectifier that goes no higher than 6.
    Relu6, "relu6", {}, |this, x| x.try_relu6()
}

activation! {
    /// The rectifier with a slope below zero.
    LeakyRelu, "leaky_relu", {
        /// The slope below zero, 0.2 unless set.
        negative_slope: f64 = 0.2,
    }, |this, x| x.try_leaky_relu(this.negative_slope as f32)
}

activation! {
    /// α (eˣ − 1) below zero: Clevert et al. 2016.
    Elu, "elu", {
        /// The value that it goes to on the left, 1 unless set.
        alpha: f64 = 1.0,
    }, |this, x| match this.alpha == 1.0 {
        true => x.try_elu(),
        false => {
            let y = x.try_elu()?;
            try_where(x.try_greater(0.0)?, &y, &y.try_multiply(this.alpha)?)
        }
    }
}

activation! {
    /// α (e^(x/α) − 1) below zero: Barron 2017.
    Celu, "celu", {
        /// The value that it goes to on the left, 1 unless set.
        alpha: f64 = 1.0,
    }, |this, x| {
        let below = x.try_minimum(0.0)?.try_divide(this.alpha)?.try_expm1()?;
        x.try_maximum(0.0)?.try_add(&below.try_multiply(this.alpha)?)
    }
}

activation! {
    /// The scaled exponential unit of self-normalizing networks: Klambauer et al. 2017.
    Selu, "selu", {}, |this, x| x.try_selu()
}

activation! {
    /// log(1 + eˣ).
    Softplus, "softplus", {}, |this, x| x.try_softplus()
}

activation! {
    /// x / (1 + |x|).
    Softsign, "softsign", {}, |this, x| x.try_softsign()
}

activation! {
    /// x moved towards zero by the threshold, and 0 within it.
    SoftShrink, "soft_shrink", {
        /// How far, 0.5 unless set.
        threshold: f64 = 0.5,
    }, |this, x| {
        let t = this.threshold;
        let below = try_where(x.try_less(-t)?, &x.try_add(t)?, 0.0)?;
        try_where(x.try_greater(t)?, &x.try_subtract(t)?, &below)
    }
}

activation! {
    /// x where it lies beyond the threshold, else 0.
    HardShrink, "hard_shrink", {
        /// How far from zero, 0.5 unless set.
        threshold: f64 = 0.5,
    }, |this, x| try_where(x.try_abs()?.try_greater(this.threshold)?, x, 0.0)
}

activation! {
    /// x − tanh(x).
    TanhShrink, "tanh_shrink", {}, |this, x| x.try_subtract(&x.try_tanh()?)
}

activation! {
    /// 0 up to −1, x from 1 on, and a parabola between.
    SparsePlus, "sparse_plus", {}, |this, x| {
        let between = x.try_add(1.0)?.try_square()?.try_multiply(0.25)?;
        let right = try_where(x.try_less(1.0)?, &between, x)?;
        try_where(x.try_less_equal(-1.0)?, 0.0, &right)
    }
}

activation! {
    /// 0 up to −1, 1 from 1 on, and a line between.
    SparseSigmoid, "sparse_sigmoid", {}, |this, x| {
        let right = try_where(x.try_greater_equal(1.0)?, 1.0, &x.try_add(1.0)?.try_multiply(0.5)?)?;
        try_where(x.try_less_equal(-1.0)?, 0.0, &right)
    }
}

activation! {
    /// (x + √(x² + b)) / 2.
    Squareplus, "squareplus", {
        /// How smooth it is, 4 unless set.
        b: f64 = 4.0,
    }, |this, x| x.try_square()?.try_add(this.b)?.try_sqrt()?.try_add(x)?.try_divide(2.0)
}

activation! {
    /// x · sigmoid(x), also called swish.
    Silu, "silu", {}, |this, x| x.try_silu()
}

activation! {
    /// x · Φ(x), with the distribution function of the normal distribution: Hendrycks and Gimpel 2016.
    Gelu, "gelu", {
        /// Whether the distribution function is approximated by a hyperbolic tangent; not unless set.
        approximate: bool = false,
    }, |this, x| x.try_gelu(this.approximate)
}

activation! {
    /// The hyperbolic tangent.
    Tanh, "tanh", {}, |this, x| x.try_tanh()
}

activation! {
    /// x within −1 and 1, and the nearer of these outside.
    HardTanh, "hard_tanh", {}, |this, x| engine::try_clip_by_value(x, -1.0, 1.0)
}

activation! {
    /// 1 / (1 + e⁻ˣ).
    Sigmoid, "sigmoid", {}, |this, x| x.try_sigmoid()
}

activation! {
    /// The logarithm of the sigmoid.
    LogSigmoid, "log_sigmoid", {}, |this, x| x.try_log_sigmoid()
}

activation! {
    /// A line of slope 1/6 between −3 and 3, instead of the sigmoid.
    HardSigmoid, "hard_sigmoid", {}, |this, x| x.try_hard_sigmoid()
}

activation! {
    /// x times the hard sigmoid, also called hard swish.
    HardSilu, "hard_silu", {}, |this, x| x.try_hard_swish()
}

activation! {
    /// eˣ.
    Exponential, "exponential", {}, |this, x| x.try_exp()
}

activation! {
    /// x · tanh(softplus(x)): Misra 2019.
    Mish, "mish", {}, |this, x| x.try_mish()
}

activation! {
    /// x where it is above a value, else another value.
    Threshold, "threshold", {
        /// What x must be above, 0 unless set.
        threshold: f64 = 0.0,
        /// What it is otherwise, 0 unless set.
        default_value: f64 = 0.0,
    }, |this, x| try_where(x.try_greater(this.threshold)?, x, this.default_value)
}
