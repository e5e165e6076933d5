//! Downloads from a server of our own on the loopback, which also breaks off half-way.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};

use super::*;

/// What the server does with one request.
#[derive(Clone, Copy)]
enum Reply {
    /// Sends this many bytes of what was asked for, promises all, and hangs up.
    BreakAfter(usize),
    /// Sends what was asked for.
    Whole,
    /// Sends the whole file whatever range was asked for.
    IgnoreRange,
    /// Answers with a status and nothing else.
    Status(u16),
    /// Sends another file under another version.
    Changed,
}

/// A server of one file that follows a script, one reply a connection, and keeps the `Range` headers it saw.
struct Server {
    url: String,
    ranges: Arc<Mutex<Vec<Option<String>>>>,
}

fn file() -> Vec<u8> {
    (0..300_000u32).map(|i| (i % 251) as u8).collect()
}

impl Server {
    fn start(script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/table.csv", listener.local_addr().unwrap());
        let ranges = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&ranges);
        std::thread::spawn(move || {
            for reply in script {
                let (stream, _) = listener.accept().unwrap();
                let _ = answer(stream, reply, &seen);
            }
        });
        Self { url, ranges }
    }

    fn ranges(&self) -> Vec<Option<String>> {
        self.ranges.lock().unwrap().clone()
    }
}

fn answer(
    mut stream: TcpStream,
    reply: Reply,
    seen: &Mutex<Vec<Option<String>>>,
) -> io::Result<()> {
    let (mut range, mut if_range) = (None, None);
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?;
        match line
            .split_once(": ")
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        {
            Some((name, value)) if name == "range" => range = Some(value),
            Some((name, value)) if name == "if-range" => if_range = Some(value),
            _ if line.is_empty() => break,
            _ => {}
        }
    }
    seen.lock().unwrap().push(range.clone());
    let (body, tag) = match reply {
        Reply::Changed => (vec![7; 5_000], "\"v2\""),
        Reply::BreakAfter(_) | Reply::Whole | Reply::IgnoreRange | Reply::Status(_) => {
            (file(), "\"v1\"")
        }
    };
    if let Reply::Status(status) = reply {
        return write!(
            stream,
            "HTTP/1.1 {status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
    }
    let from: usize = match (&range, reply) {
        (_, Reply::IgnoreRange) | (None, _) => 0,
        (Some(_), _) if if_range.as_deref().is_some_and(|seen| seen != tag) => 0,
        (Some(range), _) => range
            .trim_start_matches("bytes=")
            .trim_end_matches('-')
            .parse()
            .unwrap(),
    };
    let (status, extra) = if from > 0 {
        (
            "206 Partial Content",
            format!(
                "content-range: bytes {from}-{}/{}\r\n",
                body.len() - 1,
                body.len()
            ),
        )
    } else {
        ("200 OK", String::new())
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\n{extra}content-length: {}\r\netag: {tag}\r\nconnection: close\r\n\r\n",
        body.len() - from
    )?;
    let rest = &body[from..];
    match reply {
        Reply::BreakAfter(n) => stream.write_all(&rest[..n.min(rest.len())]),
        Reply::Whole | Reply::IgnoreRange | Reply::Status(_) | Reply::Changed => {
            stream.write_all(rest)
        }
    }
}

const HASTE: Patience = Patience {
    tries: 2,
    pause: Duration::ZERO,
    silence: Duration::from_secs(5),
};

fn on(_: u64, _: Option<u64>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Runs a script and compares what arrives, and the ranges asked for.
fn check(script: Vec<Reply>, expected: Result<&[u8], &str>, ranges: &[Option<&str>]) {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("table.csv");
    let server = Server::start(script);
    let sum = sha256(&file());
    let wanted = Download {
        url: &server.url,
        to: &to,
        sha256: Some(&sum),
        bytes: None,
    };
    let outcome = download(&wanted, &HASTE, &mut on);
    match expected {
        Ok(bytes) => {
            outcome.unwrap();
            assert!(fs::read(&to).unwrap() == bytes, "the bytes differ");
            assert_eq!(
                fs::read_dir(folder.path()).unwrap().count(),
                2,
                "nothing but its lock is left behind"
            );
        }
        Err(part) => {
            let error = outcome.unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
            assert!(!error.hint().is_empty());
            assert!(!to.exists(), "a bad file must not appear under its name");
        }
    }
    assert_eq!(
        server
            .ranges()
            .iter()
            .map(Option::as_deref)
            .collect::<Vec<_>>(),
        ranges
    );
}

#[test]
fn a_file_arrives_whole() {
    check(vec![Reply::Whole], Ok(&file()), &[None]);
}

#[test]
fn a_broken_connection_is_resumed_where_it_broke() {
    check(
        vec![
            Reply::BreakAfter(100_000),
            Reply::BreakAfter(50_000),
            Reply::Whole,
        ],
        Ok(&file()),
        &[None, Some("bytes=100000-"), Some("bytes=150000-")],
    );
}

#[test]
fn a_server_that_ignores_ranges_sends_all_again() {
    check(
        vec![Reply::BreakAfter(100_000), Reply::IgnoreRange],
        Ok(&file()),
        &[None, Some("bytes=100000-")],
    );
}

#[test]
fn a_passing_error_is_tried_again_and_a_final_one_is_not() {
    check(
        vec![Reply::Status(503), Reply::Whole],
        Ok(&file()),
        &[None, None],
    );
    check(vec![Reply::Status(404)], Err("404"), &[None]);
    check(
        vec![Reply::Status(503), Reply::Status(503)],
        Err("503"),
        &[None, None],
    );
}

#[test]
fn a_file_changed_between_two_tries_is_not_glued_together() {
    check(
        vec![Reply::BreakAfter(100_000), Reply::Changed],
        Err("SHA-256"),
        &[None, Some("bytes=100000-")],
    );
}

#[test]
fn a_later_command_goes_on_from_the_part_of_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("table.csv");
    let server = Server::start(vec![Reply::Whole, Reply::Whole]);
    let wanted = Download {
        url: &server.url,
        to: &to,
        sha256: None,
        bytes: Some(file().len() as u64),
    };
    let mut some = |done: u64, _: Option<u64>| {
        if done > 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let error = download(&wanted, &HASTE, &mut some).unwrap_err();
    assert!(error.to_string().starts_with("stopped fetching"), "{error}");
    assert!(!to.exists());
    let mut steps = Vec::new();
    download(&wanted, &HASTE, &mut |done, total| {
        steps.push((done, total));
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(fs::read(&to).unwrap() == file());
    assert!(steps[0].0 > 0, "the part is counted from the start");
    assert!(
        steps.windows(2).all(|pair| pair[0].0 < pair[1].0),
        "progress only grows"
    );
    assert!(
        steps
            .iter()
            .all(|(_, total)| *total == Some(file().len() as u64))
    );
}

#[test]
fn a_file_of_another_size_than_expected_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("table.csv");
    let server = Server::start(vec![Reply::Whole]);
    let error = download(
        &Download {
            url: &server.url,
            to: &to,
            sha256: None,
            bytes: Some(17),
        },
        &HASTE,
        &mut on,
    )
    .unwrap_err();
    assert!(
        error.to_string().contains("300000 bytes in place of 17"),
        "{error}"
    );
}

#[test]
fn without_a_network_the_message_says_where_to_put_the_file() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/table.csv", listener.local_addr().unwrap());
    drop(listener);
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("table.csv");
    let error = download(
        &Download {
            url: &url,
            to: &to,
            sha256: None,
            bytes: None,
        },
        &HASTE,
        &mut on,
    )
    .unwrap_err();
    assert_eq!(error.exit(), crate::Exit::Environment);
    assert!(
        error.hint().contains(&url) && error.hint().contains(&to.display().to_string()),
        "{}",
        error.hint()
    );
}

#[test]
fn two_processes_do_not_fetch_the_same_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("table.csv");
    let _held = lock(&sibling(&to, "lock")).unwrap();
    let error = download(
        &Download {
            url: "http://127.0.0.1:9/x",
            to: &to,
            sha256: None,
            bytes: None,
        },
        &HASTE,
        &mut on,
    )
    .unwrap_err();
    assert!(
        error.to_string().contains("another process is fetching"),
        "{error}"
    );
}

#[test]
fn a_file_already_there_needs_no_network() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("table.csv");
    fs::write(&to, "a,b\n").unwrap();
    download(
        &Download {
            url: "http://127.0.0.1:9/x",
            to: &to,
            sha256: None,
            bytes: None,
        },
        &HASTE,
        &mut on,
    )
    .unwrap();
}
