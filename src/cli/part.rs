//! Which part of a sweep this process is to make: as given, or as the cluster that started it says.

use std::env;

use crate::experiment::sweep::Part;

use super::Failure;

/// Reads `2/4`, `auto` or `auto/N`.
pub(super) fn parse(text: &str) -> Result<Part, Failure> {
    part(text, |name| env::var(name).ok()).map_err(Failure::Input)
}

fn part(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Part, String> {
    let given = match text.strip_prefix("auto") {
        Some("") => None,
        Some(rest) => {
            let of = rest.strip_prefix('/').and_then(|n| n.parse::<u32>().ok()).filter(|n| *n > 0);
            Some(of.ok_or_else(|| format!("`{text}` is no part: write auto, auto/4 or 2/4"))?)
        }
        None => return text.parse(),
    };
    let number = |name: &str| {
        let found = variable(name).filter(|value| !value.is_empty());
        found.map(|v| v.parse::<u32>().map_err(|_| format!("{name} is `{v}`, which is no number"))).transpose()
    };
    let (index, of) = if let Some(id) = number("SLURM_ARRAY_TASK_ID")? {
        let (first, step) =
            (number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(0), number("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1));
        let place = id.checked_sub(first).filter(|n| step > 0 && n % step == 0).map(|n| n / step);
        let place = place.ok_or_else(|| format!("SLURM_ARRAY_TASK_ID {id} is none of {first}, {first} + {step}, …"))?;
        (place, number("SLURM_ARRAY_TASK_COUNT")?.or(given))
    } else if let Some(index) = number("JOB_COMPLETION_INDEX")? {
        (index, given)
    } else {
        return Err(
            "--part auto: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set; write --part 2/4".to_owned()
        );
    };
    let of = of.ok_or("--part auto: the cluster does not say how many parts there are; write --part auto/4")?;
    if let Some(given) = given.filter(|given| *given != of) {
        return Err(format!("--part auto/{given}: SLURM_ARRAY_TASK_COUNT is {of}"));
    }
    let index = index.checked_add(1).filter(|index| *index <= of);
    index
        .map(|index| Part { index, of })
        .ok_or_else(|| format!("--part auto: the cluster's number is beyond {of} parts"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, set: &[(&str, &str)]) -> Result<String, String> {
        let variable = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        part(text, variable).map(|part| format!("{}/{}", part.index, part.of))
    }

    #[test]
    fn slurm_and_kubernetes_number_their_tasks_each_in_its_own_way() {
        let slurm = |id, min, step| {
            [
                ("SLURM_ARRAY_TASK_ID", id),
                ("SLURM_ARRAY_TASK_COUNT", "4"),
                ("SLURM_ARRAY_TASK_MIN", min),
                ("SLURM_ARRAY_TASK_STEP", step),
            ]
        };
        assert_eq!(read("auto", &slurm("0", "0", "1")).unwrap(), "1/4");
        assert_eq!(read("auto", &slurm("4", "1", "1")).unwrap(), "4/4");
        assert_eq!(read("auto", &slurm("20", "10", "5")).unwrap(), "3/4");
        assert!(read("auto", &slurm("21", "10", "5")).is_err());
        assert!(read("auto/5", &slurm("1", "1", "1")).unwrap_err().contains("is 4"));
        assert_eq!(read("auto/4", &[("JOB_COMPLETION_INDEX", "3")]).unwrap(), "4/4");
        assert!(read("auto", &[("JOB_COMPLETION_INDEX", "3")]).unwrap_err().contains("auto/4"));
        assert!(read("auto/3", &[("JOB_COMPLETION_INDEX", "3")]).unwrap_err().contains("beyond"));
        assert!(read("auto", &[]).unwrap_err().contains("--part 2/4"));
        assert_eq!(read("2/4", &[]).unwrap(), "2/4");
    }
}
