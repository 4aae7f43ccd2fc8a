//! The options of all optimizers, each checked where it is set.
//! The methods that `shared_options!` writes call these.

use super::common::{Clip, Common};
use super::ids::Patterns;
use engine::Variable;
use engine::library::options;
use kernels::error::{Error, Result};

impl Common {
    pub fn set_clip_norm(&mut self, most: f64) -> Result<()> {
        self.set_clip("clipnorm", Clip::Norm(options::magnitude(self.kind, "clipnorm", most)?))
    }

    pub fn set_clip_value(&mut self, most: f64) -> Result<()> {
        self.set_clip("clipvalue", Clip::Value(options::magnitude(self.kind, "clipvalue", most)?))
    }

    pub fn set_global_clip_norm(&mut self, most: f64) -> Result<()> {
        self.set_clip("global_clipnorm", Clip::GlobalNorm(options::magnitude(self.kind, "global_clipnorm", most)?))
    }

    fn set_clip(&mut self, option: &str, clip: Clip) -> Result<()> {
        let before = match self.clip {
            Clip::Nothing => None,
            Clip::Norm(_) => Some("clipnorm"),
            Clip::Value(_) => Some("clipvalue"),
            Clip::GlobalNorm(_) => Some("global_clipnorm"),
        };
        match before.filter(|before| *before != option) {
            Some(before) => Err(Error::invalid_argument(self.kind, "gradients can be clipped in one way only")
                .got(format!("`{before}` and `{option}`"))
                .expected("one of `clipnorm`, `clipvalue` and `global_clipnorm`")),
            None => {
                self.clip = clip;
                Ok(())
            }
        }
    }

    pub fn set_weight_decay(&mut self, decay: f64) -> Result<()> {
        self.weight_decay = Some(options::magnitude(self.kind, "weight_decay", decay)?);
        Ok(())
    }

    pub fn exclude(&mut self, variables: &[Variable], names: &[&str]) -> Result<()> {
        self.excluded_names = Patterns::new(self.kind, "exclude_from_weight_decay", names)?;
        self.excluded = variables.iter().map(Variable::id).collect();
        Ok(())
    }

    pub fn set_ema_momentum(&mut self, momentum: f64) -> Result<()> {
        self.ema_momentum = options::share(self.kind, "ema_momentum", momentum)?;
        Ok(())
    }

    pub fn set_ema_overwrite_frequency(&mut self, every: usize) -> Result<()> {
        self.ema_overwrite_frequency = Some(options::count(self.kind, "ema_overwrite_frequency", every)?);
        Ok(())
    }

    pub fn set_loss_scale_factor(&mut self, factor: f64) -> Result<()> {
        self.loss_scale_factor = Some(options::positive(self.kind, "loss_scale_factor", factor)?);
        Ok(())
    }

    pub fn set_accumulation(&mut self, steps: usize) -> Result<()> {
        self.gradient_accumulation_steps =
            Some(options::count_from(self.kind, "gradient_accumulation_steps", steps, 2)?);
        Ok(())
    }
}
