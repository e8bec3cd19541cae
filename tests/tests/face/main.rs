//! The crate's face: all that a user of it may name, read from its sources and compared with what it was.
//!
//! Where it changes on purpose, the new one is accepted:
//!
//! ```text
//! INSTA_UPDATE=always cargo test -p hyperblock-tests --test face
//! ```

mod face;
mod house;
mod source;

use house::House;
use std::path::Path;

#[test]
fn the_face_changes_on_purpose_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let house = House::read(&[
        ("hyperblock", &root.join("host/src")),
        ("hyperblock_shared", &root.join("shared/src")),
    ]);
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(
        "The public face of hyperblock. If it is to change, accept it, and say so in CHANGELOG.md: \
         INSTA_UPDATE=always cargo test -p hyperblock-tests --test face",
    );
    settings.bind(|| insta::assert_snapshot!("hyperblock", face::told(&house, "hyperblock")));
}
