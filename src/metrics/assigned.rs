//! What rebalances cost the groups that have an assignor, as the columns of outcomes.csv have it.

/// What rebalances cost the groups that have an assignor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the columns; docs/files.md says what each is")]
pub struct Assigned {
    pub assignments: u64,
    pub unchanged: u64,
    pub moves: u64,
    pub moves_wasted: u64,
    pub unassigned_end: u64,
    pub unassigned_partition_ms: u64,
    pub members_disturbed: u64,
    pub local_partition_ms: u64,
    pub remote_partition_ms: u64,
    pub assign_log_bytes: u64,
}

impl Assigned {
    /// How much of the time that partitions were owned by members with a rack they had a replica there, in per cent
    /// with one decimal, rounded half up; `None`: no such time.
    #[must_use]
    pub fn local_share_pct(&self) -> Option<String> {
        per_cent(self.local_partition_ms, self.local_partition_ms + self.remote_partition_ms)
    }
}

/// `part` of `whole` in per cent with one decimal, rounded half up; `None`: of nothing.
#[must_use]
pub fn per_cent(part: u64, whole: u64) -> Option<String> {
    let (part, whole) = (u128::from(part), u128::from(whole));
    let tenths = (part * 2_000 + whole).checked_div(2 * whole)?;
    Some(format!("{}.{}", tenths / 10, tenths % 10))
}
