//! A word to the allocator about memory that nobody uses.
//!
//! The GNU allocator keeps an area for each few threads, learns from large blocks that large blocks come and go, and then keeps
//! up to 64 MB at the end of every area, and whatever was freed in its middle: after a few large documents that is ten times
//! what the process has in use. Elsewhere nothing is done.

/// Blocks from this size on are maps of their own, and no area keeps more than this at its end.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MOST_KEPT: i32 = 4 << 20;

/// From now on memory that is freed goes back to the system soon, in all threads.
pub fn keep_little_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt takes two numbers and may be called at any time, by any thread.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MOST_KEPT);
        libc::mallopt(libc::M_TRIM_THRESHOLD, MOST_KEPT);
    }
}

/// Gives memory that is free between what is in use back to the system. Takes a few milliseconds.
pub fn give_back_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: malloc_trim takes no pointers and may be called at any time, by any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::{give_back_memory, keep_little_memory};

    /// Megabytes of this process that no file is behind.
    fn held() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
    }

    fn blocks(count: usize, bytes: usize) -> Vec<Vec<u8>> {
        (0..count).map(|_| vec![1; bytes]).collect()
    }

    #[test]
    fn what_was_freed_goes_back() {
        // One test, because both look at the whole process.
        keep_little_memory();
        drop(blocks(1, 24 << 20));
        let before = held();
        drop(blocks(640, 64 << 10));
        assert!(held() < before + 15, "40 MB at the end of an area were kept: {before} {}", held());

        let kept: Vec<Vec<u8>> = blocks(16_384, 4096).into_iter().step_by(100).collect();
        let before = held();
        give_back_memory();
        assert!(held() + 40 < before, "64 MB between {} blocks were kept: {before} {}", kept.len(), held());
    }
}
