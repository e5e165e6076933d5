//! Work on blocks in several threads, its results taken in order, in bounded memory.

use std::sync::mpsc::sync_channel;

/// Calls `work` with 0 to `n - 1` on `threads` threads, and `take` with each result in that order on this one.
/// At most two results a thread are waiting. The first error of `take` ends it.
pub(super) fn in_order<T: Send, E>(
    n: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.clamp(1, n.max(1));
    if threads == 1 {
        return (0..n).try_for_each(|i| take(work(i)));
    }
    std::thread::scope(|scope| {
        // Thread k makes the results k, k + threads, ...: each channel is in order by itself.
        let results: Vec<_> = (0..threads)
            .map(|k| {
                let (send, receive) = sync_channel(1);
                let work = &work;
                scope.spawn(move || (k..n).step_by(threads).try_for_each(|i| send.send(work(i))));
                receive
            })
            .collect();
        // A thread hangs up before its last result only by a panic, which the scope passes on.
        (0..n)
            .map_while(|i| results[i % threads].recv().ok())
            .try_for_each(&mut take)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_from_any_number_of_threads() {
        for threads in [0, 1, 2, 3, 50] {
            let mut taken = Vec::new();
            in_order(
                20,
                threads,
                |i| i * i,
                |x| {
                    taken.push(x);
                    Ok::<(), ()>(())
                },
            )
            .unwrap();
            assert_eq!(
                taken,
                (0..20).map(|i| i * i).collect::<Vec<_>>(),
                "{threads} threads"
            );
        }
    }

    #[test]
    fn an_error_ends_it() {
        for threads in [1, 4] {
            let mut n_taken = 0;
            let ended = in_order(
                1_000,
                threads,
                |i| i,
                |i| {
                    n_taken += 1;
                    if i == 5 { Err(i) } else { Ok(()) }
                },
            );
            assert_eq!((ended, n_taken), (Err(5), 6));
        }
    }
}
