//! Panics: defects of this program, told as such.

use crate::cli::colour;
use crate::cli::say::say;

/// Tells of panics in one line, in the words of other errors.
pub(crate) fn tell() {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or("something went wrong");
        let error = colour::error();
        match panic.location() {
            Some(place) => say!("{error}: internal error: {message} ({place}); please report it\n"),
            None => say!("{error}: internal error: {message}; please report it\n"),
        }
    }));
}
