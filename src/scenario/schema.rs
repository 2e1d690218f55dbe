//! JSON Schema of the file language, for editors.

/// The schema, draft 2020-12.
#[must_use]
pub fn schema() -> String {
    String::new()
}
