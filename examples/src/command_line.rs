//! Options of the command line as `--name value` or `--name=value`, each with a default.
//! The examples with a few plain options read them with it; what nobody reads is an error.

use std::error::Error;
use std::fmt::Display;
use std::process::ExitCode;
use std::str::FromStr;

/// The options that were given, less those that were read.
#[derive(Debug)]
pub struct Given(Vec<(String, String)>);

impl Given {
    fn parse(args: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut args, mut given) = (args, Vec::new());
        while let Some(arg) = args.next() {
            if !arg.starts_with("--") {
                return Err(format!("`{arg}` is no option"));
            }
            given.push(match arg.split_once('=') {
                Some((name, value)) => (name.to_owned(), value.to_owned()),
                None => {
                    let value = args.next().ok_or_else(|| format!("`{arg}` needs a value"))?;
                    (arg, value)
                }
            });
        }
        Ok(Self(given))
    }

    /// The value of an option, or its default. Where an option is given twice, the last one counts.
    ///
    /// # Errors
    /// For a value that cannot be read, with the option's name.
    pub fn value<T: FromStr<Err: Display>>(&mut self, name: &str, default: T) -> Result<T, String> {
        let mut value = Ok(default);
        for (_, text) in self.0.extract_if(.., |(given, _)| given == name) {
            value = text.parse().map_err(|e| format!("`{name}` cannot be `{text}`: {e}"));
        }
        value
    }

    fn end(self) -> Result<(), String> {
        match self.0.first() {
            Some((name, _)) => Err(format!("unknown option `{name}`")),
            None => Ok(()),
        }
    }
}

/// The `main` of an example: reads the options, runs it with them, and says what went wrong. `--help` prints `usage`.
pub fn main<T>(
    usage: &str,
    read: impl FnOnce(&mut Given) -> Result<T, String>,
    run: impl FnOnce(&T) -> Result<(), Box<dyn Error>>,
) -> ExitCode {
    if std::env::args().skip(1).any(|arg| arg == "--help" || arg == "-h") {
        print!("{usage}");
        return ExitCode::SUCCESS;
    }
    match options(std::env::args().skip(1), read).map(|options| run(&options)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("{message}\n\n{usage}");
            ExitCode::from(2)
        }
    }
}

/// The options of a list of arguments.
///
/// # Errors
/// For what is no option, has no value or an unreadable one, or is unknown.
pub fn options<T>(
    args: impl Iterator<Item = String>,
    read: impl FnOnce(&mut Given) -> Result<T, String>,
) -> Result<T, String> {
    let mut given = Given::parse(args)?;
    let options = read(&mut given)?;
    given.end()?;
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<(u32, String), String> {
        let args = line.split_whitespace().map(str::to_owned);
        options(args, |given| Ok((given.value("--epochs", 3)?, given.value("--text", "alice".to_owned())?)))
    }

    #[test]
    fn options_in_both_forms() {
        assert_eq!(read(""), Ok((3, "alice".to_owned())));
        assert_eq!(read("--text=bob --epochs 5"), Ok((5, "bob".to_owned())));
        assert_eq!(read("--epochs 5 --epochs 6").map(|o| o.0), Ok(6));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, words) in [
            ("alice", "`alice` is no option"),
            ("--epochs", "`--epochs` needs a value"),
            ("--epochs -1", "`--epochs` cannot be `-1`"),
            ("--epoch 1", "unknown option `--epoch`"),
        ] {
            let message = read(line).unwrap_err();
            assert!(message.contains(words), "{message}");
        }
    }
}
