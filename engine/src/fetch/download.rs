//! One file over HTTP: with progress, resumed where it broke off, checked, and put in place whole.
//!
//! The bytes go to `<name>.part`; the file appears under its name by rename, when its size and
//! checksum are right. A part is only resumed from the address and version it was begun with.

use std::fs;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use ureq::http::{Response, StatusCode, header};

use super::part::{Part, lock, sibling};
use crate::error::{Error, Result};
use crate::hardware;

/// A file to fetch.
#[derive(Debug, Clone, Copy)]
pub struct Download<'a> {
    /// Where it is.
    pub url: &'a str,
    /// Where it goes.
    pub to: &'a Path,
    /// Its SHA-256 in hex, where known; without one the size alone is checked.
    pub sha256: Option<&'a str>,
    /// Its size, where known.
    pub bytes: Option<u64>,
}

/// How long to put up with a bad network.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Tries in a row that bring nothing, before giving up.
    pub tries: u32,
    /// The pause before the second try; doubled for each further one.
    pub pause: Duration,
    /// The longest silence while connecting or reading.
    pub silence: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            tries: 4,
            pause: Duration::from_secs(1),
            silence: Duration::from_secs(30),
        }
    }
}

/// Hears of the bytes there and the bytes in all; `Break` ends the download, to be resumed another day.
pub type Progress<'a> = dyn FnMut(u64, Option<u64>) -> ControlFlow<()> + 'a;

/// Fetches a file unless it is there already.
pub fn download(
    wanted: &Download<'_>,
    patience: &Patience,
    progress: &mut Progress<'_>,
) -> Result<()> {
    if wanted.to.exists() {
        return Ok(());
    }
    let folder = wanted.to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    let _lock = lock(&sibling(wanted.to, "lock"))?;
    // Another process may have fetched it while this one waited.
    if wanted.to.exists() {
        return Ok(());
    }
    let mut part = Part::open(wanted)?;
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .accept_encoding("identity")
        .user_agent(concat!("autotune/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(patience.silence))
        .timeout_recv_response(Some(patience.silence))
        .timeout_per_read(Some(patience.silence))
        .build()
        .into();

    let mut failures = 0;
    loop {
        let before = part.len;
        match attempt(wanted, &agent, &mut part, progress) {
            Ok(()) => break,
            Err(Trouble::Final(error)) => return Err(error),
            Err(Trouble::Passing(why)) => {
                failures = if part.len > before { 1 } else { failures + 1 };
                if failures >= patience.tries {
                    return Err(gave_up(wanted, part.len, &why));
                }
                std::thread::sleep(patience.pause * 2u32.pow(failures.saturating_sub(1).min(6)));
            }
        }
    }
    part.finish(wanted)
}

/// Why a try ended.
enum Trouble {
    /// Trying again may help.
    Passing(String),
    /// It will not.
    Final(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Final(error)
    }
}

/// One request; appends to the part what it brings.
fn attempt(
    wanted: &Download<'_>,
    agent: &ureq::Agent,
    part: &mut Part,
    progress: &mut Progress<'_>,
) -> Result<(), Trouble> {
    // A part of which neither the version nor a checksum is known could be glued to another version's rest.
    if part.len > 0 && part.mark.version.is_none() && wanted.sha256.is_none() {
        part.restart()?;
    }
    let mut request = agent.get(wanted.url);
    if part.len > 0 {
        request = request.header(header::RANGE, format!("bytes={}-", part.len));
        if let Some(version) = &part.mark.version {
            request = request.header(header::IF_RANGE, version);
        }
    }
    let response = request.call().map_err(|error| trouble(wanted, &error))?;
    let total = match response.status() {
        StatusCode::PARTIAL_CONTENT => {
            let (from, total) = content_range(&response).unwrap_or((0, None));
            if from != part.len {
                part.restart()?;
                return Err(Trouble::Passing(
                    "the server sent another range than asked for".to_owned(),
                ));
            }
            total
        }
        StatusCode::OK => {
            part.restart()?;
            part.begin(version(&response))?;
            length(&response)
        }
        // The part is as long as the file, or longer: its size and checksum decide.
        StatusCode::RANGE_NOT_SATISFIABLE
            if content_range(&response).and_then(|(_, total)| total) == Some(part.len) =>
        {
            return Ok(());
        }
        StatusCode::RANGE_NOT_SATISFIABLE => {
            part.restart()?;
            return Err(Trouble::Passing(
                "the file has changed on the server".to_owned(),
            ));
        }
        status => return Err(refused(wanted, status)),
    };
    let total = total.or(wanted.bytes);
    check_size(wanted, total)?;
    if let Some(total) = total {
        hardware::check_room(wanted.to, total.saturating_sub(part.len), "the download")?;
    }
    copy(wanted, response, part, total, progress)
}

/// Copies the body to the part.
fn copy(
    wanted: &Download<'_>,
    response: Response<ureq::Body>,
    part: &mut Part,
    total: Option<u64>,
    progress: &mut Progress<'_>,
) -> Result<(), Trouble> {
    let mut body = response.into_body().into_reader();
    let mut buffer = vec![0; 256 << 10];
    loop {
        if progress(part.len, total).is_break() {
            return Err(Trouble::Final(Error::environment(
                format!("stopped fetching {} after {} bytes", wanted.url, part.len),
                "run the same command again to go on from there",
            )));
        }
        match body.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => part.append(&buffer[..n])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(Trouble::Passing(format!(
                    "the connection broke off: {error}"
                )));
            }
        }
    }
    match total {
        Some(total) if part.len < total => {
            Err(Trouble::Passing("the connection broke off".to_owned()))
        }
        Some(_) | None => Ok(()),
    }
}

fn text<'a>(response: &'a Response<ureq::Body>, name: &header::HeaderName) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

fn length(response: &Response<ureq::Body>) -> Option<u64> {
    text(response, &header::CONTENT_LENGTH)?.parse().ok()
}

/// What names the version of a file for `If-Range`: a weak ETag may not be used there.
fn version(response: &Response<ureq::Body>) -> Option<String> {
    let tag = text(response, &header::ETAG).filter(|tag| !tag.starts_with("W/"));
    tag.or_else(|| text(response, &header::LAST_MODIFIED))
        .map(str::to_owned)
}

/// `Content-Range: bytes 100-199/200` or, of a range that is not there, `bytes */200`: start and size.
fn content_range(response: &Response<ureq::Body>) -> Option<(u64, Option<u64>)> {
    let (range, size) = text(response, &header::CONTENT_RANGE)?
        .strip_prefix("bytes ")?
        .split_once('/')?;
    let from = range
        .split('-')
        .next()
        .and_then(|from| from.parse().ok())
        .unwrap_or(0);
    Some((from, size.parse().ok()))
}

fn check_size(wanted: &Download<'_>, total: Option<u64>) -> Result<()> {
    match (wanted.bytes, total) {
        (Some(expected), Some(total)) if expected != total => Err(Error::environment(
            format!(
                "{} is not the file expected: {total} bytes in place of {expected}",
                wanted.url
            ),
            format!(
                "try again later, or get the right file elsewhere and put it at {}",
                wanted.to.display()
            ),
        )),
        _ => Ok(()),
    }
}

/// A status that brings no file.
fn refused(wanted: &Download<'_>, status: StatusCode) -> Trouble {
    if status.is_server_error()
        || status == StatusCode::TOO_MANY_REQUESTS
        || status == StatusCode::REQUEST_TIMEOUT
    {
        return Trouble::Passing(format!("the server answered {status}"));
    }
    Trouble::Final(Error::environment(
        format!("cannot fetch {}: the server answered {status}", wanted.url),
        by_hand(wanted),
    ))
}

/// A request that got no answer.
fn trouble(wanted: &Download<'_>, error: &ureq::Error) -> Trouble {
    if matches!(error, ureq::Error::BadUri(_) | ureq::Error::Http(_)) {
        return Trouble::Final(Error::usage(
            format!(
                "{} is not an address this program can fetch from",
                wanted.url
            ),
            "use an http:// or https:// address, or a local file",
        ));
    }
    Trouble::Passing(error.to_string())
}

fn gave_up(wanted: &Download<'_>, len: u64, why: &str) -> Error {
    let so_far = if len > 0 {
        format!(" after {len} bytes, which are kept")
    } else {
        String::new()
    };
    Error::environment(
        format!("cannot fetch {}{so_far}: {why}", wanted.url),
        by_hand(wanted),
    )
}

fn by_hand(wanted: &Download<'_>) -> String {
    format!(
        "check the network; without one, get {} elsewhere and put it at {}",
        wanted.url,
        wanted.to.display()
    )
}

#[cfg(test)]
mod tests;
