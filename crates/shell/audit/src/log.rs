//! The writer: one thread that owns the file, and a bounded queue to it.

use super::chain::{Entry, LINE_BYTES_MAX, Outcome, seal};
use super::verify::{VerifyError, scan};
use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, oneshot};

/// Entries waiting to be written. A call that finds it full is refused.
const QUEUE_MAX: usize = 1_024;
/// Entries that share one sync.
const BATCH_MAX: usize = 256;
/// The newest entries kept in memory, to be listed.
const RECENT_MAX: usize = 1_000;

/// The log of this process. A clone writes to the same file.
#[derive(Clone, Debug)]
pub struct AuditLog {
    queue: mpsc::Sender<Job>,
    recent: Arc<Mutex<VecDeque<(Entry, String)>>>,
}

#[derive(Debug)]
struct Job {
    entry: Entry,
    done: oneshot::Sender<Result<u64, AuditError>>,
}

/// Why an entry was not written. The call it is about must not be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    #[error("the audit log's queue is full")]
    Full,
    #[error("the audit log cannot be written: {0}")]
    Write(String),
    #[error("the audit log is closed")]
    Closed,
}

/// Why a log cannot be taken up.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path} is another process' audit log: each process needs a file of its own")]
    InUse { path: PathBuf },
    /// The chain is broken in the middle: move the file away and look at it.
    #[error(transparent)]
    Broken(#[from] VerifyError),
}

impl AuditLog {
    /// Takes a file up, or begins it: checks its chain, cuts off a torn last line, writes that it was
    /// opened, and starts the writer. `process` names the process in that entry.
    ///
    /// # Errors
    /// [`OpenError`]; the file is as it was.
    pub fn open(path: &Path, process: &str) -> Result<Self, OpenError> {
        let failed = |source| OpenError::Io { path: path.to_owned(), source };
        let file = open_file(path).map_err(failed)?;
        if file.try_lock().is_err() {
            return Err(OpenError::InUse { path: path.to_owned() });
        }
        let mut recent = VecDeque::new();
        let scanned = scan(path, |entry, hash| remember(&mut recent, entry, hash))?;
        file.set_len(scanned.good_bytes).map_err(failed)?;
        let recent = Arc::new(Mutex::new(recent));
        let mut writer = Writer {
            file,
            next: scanned.entries,
            prev: scanned.last_hash,
            good_bytes: scanned.good_bytes,
            recent: Arc::clone(&recent),
            broken: None,
        };
        let detail = match scanned.torn_bytes {
            0 => String::new(),
            bytes => format!("cut off {bytes} bytes of a line that was never acknowledged"),
        };
        let opened = Entry { detail, ..Entry::new(process, Outcome::Opened) };
        writer.write(&mut [opened]).map_err(|error| failed(io::Error::other(error)))?;
        let (queue, jobs) = mpsc::channel(QUEUE_MAX);
        std::thread::Builder::new()
            .name("audit".into())
            .spawn(move || writer.run(jobs))
            .map_err(failed)?;
        Ok(Self { queue, recent })
    }

    /// Writes an entry and answers its sequence once it is on the disk. Sequence, time and `prev` are
    /// filled in here; entries written one after the other keep that order.
    ///
    /// # Errors
    /// [`AuditError`]: the entry is not in the log, or not known to be.
    pub async fn write(&self, entry: Entry) -> Result<u64, AuditError> {
        let (done, written) = oneshot::channel();
        self.queue.try_send(Job { entry, done }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => AuditError::Full,
            mpsc::error::TrySendError::Closed(_) => AuditError::Closed,
        })?;
        written.await.unwrap_or(Err(AuditError::Closed))
    }

    /// The newest entries with their hashes, newest first; at most 1,000 are kept.
    #[must_use]
    pub fn recent(&self) -> Vec<(Entry, String)> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.iter().rev().cloned().collect()
    }
}

struct Writer {
    file: File,
    next: u64,
    prev: String,
    good_bytes: u64,
    recent: Arc<Mutex<VecDeque<(Entry, String)>>>,
    /// After a failed sync nobody knows what is on the disk: nothing more is acknowledged.
    broken: Option<AuditError>,
}

impl Writer {
    fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        while let Some(first) = jobs.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < BATCH_MAX
                && let Ok(job) = jobs.try_recv()
            {
                batch.push(job);
            }
            let (mut entries, waiting): (Vec<Entry>, Vec<_>) =
                batch.into_iter().map(|job| (job.entry, job.done)).unzip();
            let first = self.next;
            let result = self.write(&mut entries);
            for (sequence, done) in (first..).zip(waiting) {
                // A caller who went away needs no answer.
                let _ = done.send(result.clone().map(|()| sequence));
            }
        }
    }

    fn write(&mut self, entries: &mut [Entry]) -> Result<(), AuditError> {
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        let (lines, sealed) = self.seal_all(entries)?;
        let written = self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            let error = AuditError::Write(error.to_string());
            // Half a batch may stand there; cut it off, so that the chain goes on where it was.
            let cut = self.file.set_len(self.good_bytes).and_then(|()| self.file.sync_data());
            if cut.is_err() {
                self.broken = Some(error.clone());
            }
            return Err(error);
        }
        self.good_bytes += lines.len() as u64;
        self.next += sealed.len() as u64;
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        for (entry, hash) in entries.iter().zip(&sealed) {
            remember(&mut recent, entry.clone(), hash);
        }
        if let Some(last) = sealed.into_iter().next_back() {
            self.prev = last;
        }
        Ok(())
    }

    fn seal_all(&self, entries: &mut [Entry]) -> Result<(String, Vec<String>), AuditError> {
        let time_unix_ms = now_unix_ms();
        let (mut lines, mut hashes) = (String::new(), Vec::with_capacity(entries.len()));
        let mut prev = self.prev.clone();
        for (sequence, entry) in (self.next..).zip(entries) {
            entry.sequence = sequence;
            entry.time_unix_ms = time_unix_ms;
            entry.prev = prev;
            let (mut line, mut hash) =
                seal(entry).map_err(|error| AuditError::Write(error.to_string()))?;
            if line.len() > LINE_BYTES_MAX {
                entry.request = serde_json::Value::String("too long to be kept".into());
                entry.detail.clear();
                (line, hash) = seal(entry).map_err(|error| AuditError::Write(error.to_string()))?;
            }
            lines.push_str(&line);
            hashes.push(hash.clone());
            prev = hash;
        }
        Ok((lines, hashes))
    }
}

fn remember(recent: &mut VecDeque<(Entry, String)>, entry: Entry, hash: &str) {
    if recent.len() == RECENT_MAX {
        recent.pop_front();
    }
    recent.push_back((entry, hash.to_owned()));
}

/// Opens or creates, readable by this user alone, and makes the name itself durable.
fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(file)
}

fn now_unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::verify;
    use super::*;

    fn entry(method: &str) -> Entry {
        Entry { method: method.into(), ..Entry::new("alice", Outcome::Begun) }
    }

    async fn write_some(path: &Path, count: usize) {
        let log = AuditLog::open(path, "test").expect("opens");
        for index in 0..count {
            log.write(entry(&format!("Method{index}"))).await.expect("is written");
        }
    }

    fn scratch() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit.jsonl");
        (folder, path)
    }

    /// The writer's thread closes the file a moment after the last handle is gone.
    fn open_when_free(path: &Path) -> Result<AuditLog, OpenError> {
        loop {
            match AuditLog::open(path, "again") {
                Err(OpenError::InUse { .. }) => std::thread::yield_now(),
                opened => return opened,
            }
        }
    }

    fn reopened(path: &Path) -> AuditLog {
        open_when_free(path).expect("opens")
    }

    #[tokio::test]
    async fn an_entry_that_was_acknowledged_is_on_the_disk_in_order() {
        let (_folder, path) = scratch();
        let log = AuditLog::open(&path, "test").expect("opens");
        for index in 0..50 {
            let sequence = log.write(entry(&format!("Method{index}"))).await.expect("is written");
            assert_eq!(sequence, index + 1);
            assert_eq!(verify(&path).expect("holds").entries, index + 2);
        }
        assert_eq!(log.recent()[0].0.method, "Method49");
    }

    #[tokio::test]
    async fn many_callers_at_once_get_different_sequences() {
        let (_folder, path) = scratch();
        let log = AuditLog::open(&path, "test").expect("opens");
        let calls = (0..300).map(|_| log.write(entry("Give")));
        let mut sequences: Vec<u64> = futures::future::join_all(calls)
            .await
            .into_iter()
            .map(|result| result.expect("is written"))
            .collect();
        sequences.sort_unstable();
        assert_eq!(sequences, (1..=300).collect::<Vec<u64>>());
        assert_eq!(verify(&path).expect("holds").entries, 301);
    }

    #[tokio::test]
    async fn a_torn_last_line_is_cut_off_and_the_chain_goes_on() {
        let (_folder, path) = scratch();
        write_some(&path, 3).await;
        let whole = reopened_len(&path);
        let mut file = OpenOptions::new().append(true).open(&path).expect("opens");
        file.write_all(b"{\"sequence\":5,\"timeUnix").expect("is torn");
        drop(file);
        let log = reopened(&path);
        log.write(entry("After")).await.expect("is written");
        let verified = verify(&path).expect("holds");
        assert_eq!((verified.entries, verified.torn_bytes), (whole + 2, 0));
        assert!(log.recent()[1].0.detail.contains("cut off 23 bytes"), "{:?}", log.recent()[1]);
    }

    fn reopened_len(path: &Path) -> u64 {
        drop(reopened(path));
        drop(reopened(path));
        verify(path).expect("holds").entries
    }

    #[tokio::test]
    async fn a_changed_missing_or_moved_line_is_found_and_named() {
        let (_folder, path) = scratch();
        write_some(&path, 5).await;
        drop(reopened(&path));
        let text = fs::read_to_string(&path).expect("reads");
        let lines: Vec<&str> = text.lines().collect();
        let check = |lines: Vec<&str>, line: &str| {
            fs::write(&path, lines.join("\n") + "\n").expect("writes");
            let error = verify(&path).expect_err("is broken").to_string();
            assert!(error.contains(&format!("jsonl:{line}: ")), "{error}");
            assert!(matches!(open_when_free(&path), Err(OpenError::Broken(_))));
        };
        let changed = lines[2].replace("alice", "mallory");
        check([&lines[..2], &[changed.as_str()], &lines[3..]].concat(), "3");
        check([&lines[..2], &lines[3..]].concat(), "3");
        check([&lines[..2], &[lines[3], lines[2]], &lines[4..]].concat(), "3");
        check(lines[1..].to_vec(), "1");
    }

    #[tokio::test]
    async fn one_file_belongs_to_one_process() {
        let (_folder, path) = scratch();
        let _log = AuditLog::open(&path, "test").expect("opens");
        assert!(matches!(AuditLog::open(&path, "other"), Err(OpenError::InUse { .. })));
    }

    #[tokio::test]
    async fn a_disk_that_is_full_acknowledges_nothing() {
        let full = Path::new("/dev/full");
        if !full.exists() {
            return;
        }
        let file = OpenOptions::new().write(true).open(full).expect("opens");
        let mut writer = Writer {
            file,
            next: 0,
            prev: super::super::chain::ZERO.into(),
            good_bytes: 0,
            recent: Arc::default(),
            broken: None,
        };
        let error = writer.write(&mut [entry("Give")]).expect_err("is full");
        assert!(matches!(error, AuditError::Write(_)), "{error}");
        assert!(writer.recent.lock().expect("is not poisoned").is_empty());
    }
}
