//! One file as one thing: written beside its place, then renamed into it, so that whoever reads it, and
//! whatever kills the process, sees the old file or the new one.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::folder::FolderError;

/// Files in the making begin with this; what a killed process leaves behind is known by it.
pub const UNFINISHED: &str = ".unfinished-";

/// Writes a file whole or not at all.
///
/// # Errors
/// If the system refuses.
pub fn write_beside(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> Result<(), FolderError> {
    let failed = |e: &io::Error| FolderError::new(path, e);
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut temp = builder().tempfile_in(folder).map_err(|e| failed(&e))?;
    let mut out = BufWriter::new(temp.as_file_mut());
    fill(&mut out).and_then(|()| out.flush()).map_err(|e| failed(&e))?;
    drop(out);
    temp.persist(path).map_err(|e| failed(&e.error))?;
    Ok(())
}

/// The user's umask decides who may read.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_fails_half_way_leaves_the_old_one() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.csv");
        write_beside(&path, |out| out.write_all(b"old")).unwrap();
        let failed = write_beside(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.unwrap_err().to_string().ends_with("a.csv: the disk is full"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "nothing is left beside it");
    }
}
