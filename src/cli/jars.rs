//! A release's own classes in a process of their own: found and built with Maven, fed histories, and read.

use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::conformance::{Answer, AnswerError, Release, read_answer};
use crate::world::{History, jsonl};

use super::Failure;

/// The driver of one release, ready to be asked.
pub(super) struct Jars {
    folder: PathBuf,
    classpath: String,
}

/// The release of this name.
pub(super) fn release(name: &str) -> Result<Release, Failure> {
    Release::named(name).ok_or_else(|| {
        let names: Vec<&str> = Release::ALL.iter().map(|r| r.name()).collect();
        Failure::Input(format!("`{name}` is no release; there are {}", names.join(", ")))
    })
}

impl Jars {
    /// Finds the driver's Maven project (`given`, or `conformance/` here or above) and builds it for the release.
    pub(super) fn build(given: Option<&Path>, release: Release) -> Result<Jars, Failure> {
        let project = project(given)?;
        let folder = project.join("target").join(release.name());
        has("java", "-version")?;
        if !is_built(&project, &folder) {
            has("mvn", "-version")?;
            let mut maven = Command::new("mvn");
            maven.args(["-q", "-B", "-P", release.name(), "-f"]).arg(project.join("pom.xml")).arg("compile");
            let done = maven.stdin(Stdio::null()).output().map_err(|e| Failure::Machine(format!("mvn: {e}")))?;
            if !done.status.success() {
                let said = [done.stdout, done.stderr].concat();
                let said = String::from_utf8_lossy(&said);
                let errors: Vec<&str> = said.lines().filter(|l| l.contains("ERROR")).take(6).collect();
                return Err(Failure::Machine(format!(
                    "Maven could not build the driver for {}; it needs Maven Central or a filled local repository:\n{}",
                    release.name(),
                    errors.join("\n")
                )));
            }
        }
        let path = folder.join("classpath");
        let unread = |e| Failure::Machine(format!("{}: {e}", path.display()));
        let listed = std::fs::read_to_string(&path).map_err(unread)?;
        if !is_built(&project, &folder) {
            // Maven leaves a list that is the same as it is; its age says when the classes were built
            std::fs::write(&path, &listed).map_err(unread)?;
        }
        let separator = if cfg!(windows) { ';' } else { ':' };
        let classpath = format!("{}{separator}{}", folder.join("classes").display(), listed.trim());
        Ok(Jars { folder, classpath })
    }

    /// Asks about these histories, in one process; `heard` gets every answer as soon as it is there.
    pub(super) fn ask(
        &self,
        histories: &[History],
        heard: &mut dyn FnMut(usize, Result<Answer, AnswerError>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut child = self.start("rebalancesim.Main")?;
        let mut input = child.stdin.take().expect("it is piped");
        let output: ChildStdout = child.stdout.take().expect("it is piped");
        let told = std::thread::scope(|scope| {
            let writer = scope.spawn(move || {
                for history in histories {
                    let mut text = Vec::new();
                    jsonl::write(history, &mut text)?;
                    input.write_all(&text)?;
                }
                input.flush()
            });
            let mut lines = BufReader::new(output);
            let mut told = Ok(());
            for index in 0..histories.len() {
                let answer = match read_answer(&mut lines) {
                    Ok(Some(answer)) => Ok(answer),
                    Ok(None) => Err(AnswerError::Cut),
                    Err(error) => Err(error),
                };
                let over = matches!(answer, Err(AnswerError::Cut | AnswerError::Unreadable { .. }));
                told = heard(index, answer);
                if over || told.is_err() {
                    break;
                }
            }
            drop(lines);
            // a writer that meets a closed pipe has been told so by what was read
            let _ = writer.join();
            told
        });
        let mut said = String::new();
        let _ = child.stderr.take().map(|mut e| e.read_to_string(&mut said));
        let status = child.wait().map_err(|e| Failure::Machine(format!("java: {e}")))?;
        told?;
        if status.success() {
            Ok(())
        } else {
            let first: Vec<&str> = said.lines().take(6).collect();
            Err(Failure::Machine(format!("the driver in {} failed:\n{}", self.folder.display(), first.join("\n"))))
        }
    }

    /// Has groups dealt, a line each; a line each comes back.
    pub(super) fn deal(&self, lines: String) -> Result<Vec<String>, Failure> {
        let mut child = self.start("rebalancesim.Assign")?;
        let mut input = child.stdin.take().expect("it is piped");
        let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
        let done = child.wait_with_output().map_err(|e| Failure::Machine(format!("java: {e}")))?;
        // a writer that meets a closed pipe is told so by the exit code
        let _ = writer.join();
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            let first: Vec<&str> = said.lines().take(6).collect();
            let folder = self.folder.display();
            return Err(Failure::Machine(format!("the driver in {folder} failed:\n{}", first.join("\n"))));
        }
        Ok(String::from_utf8_lossy(&done.stdout).lines().map(str::to_owned).collect())
    }

    fn start(&self, main: &str) -> Result<Child, Failure> {
        let mut java = Command::new("java");
        // short runs: the quick compiler and the plain collector
        java.args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:MaxRAMPercentage=50", "-cp", &self.classpath]);
        java.arg(main).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        java.spawn().map_err(|e| Failure::Machine(format!("java: {e}")))
    }
}

/// Is the classpath there, and newer than all that it was built from?
fn is_built(project: &Path, folder: &Path) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
    let Some(built) = changed(&folder.join("classpath")) else { return false };
    let sources = project.join("src/main/java/rebalancesim");
    let Ok(sources) = std::fs::read_dir(sources) else { return false };
    let mut inputs = vec![project.join("pom.xml")];
    inputs.extend(sources.flatten().map(|entry| entry.path()));
    inputs.iter().all(|input| changed(input).is_some_and(|at| at <= built))
}

fn project(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let is_one = |folder: &Path| folder.join("pom.xml").is_file();
    if let Some(folder) = given {
        return if is_one(folder) {
            Ok(folder.to_owned())
        } else {
            Err(Failure::Input(format!("there is no pom.xml in {}", folder.display())))
        };
    }
    let here = std::env::current_dir().map_err(|e| Failure::Machine(format!("the current folder: {e}")))?;
    let found = here.ancestors().map(|folder| folder.join("conformance")).find(|folder| is_one(folder));
    found.ok_or_else(|| {
        Failure::Machine(
            "Kafka's classes are driven by the Maven project conformance/ of this repository, and it is not here or in \
             a folder above; say where it is with --driver FOLDER"
                .into(),
        )
    })
}

/// Is this program there?
fn has(program: &str, version: &str) -> Result<(), Failure> {
    let tried = Command::new(program).arg(version).stdin(Stdio::null()).output();
    match tried {
        Ok(done) if done.status.success() => Ok(()),
        Ok(_) => Err(Failure::Machine(format!("`{program} {version}` fails on this machine"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let what = if program == "java" { "Java 17 or newer" } else { "Apache Maven (mvn)" };
            Err(Failure::Machine(format!("Kafka's own classes need {what}, and it is not on this machine's path")))
        }
        Err(error) => Err(Failure::Machine(format!("{program}: {error}"))),
    }
}
