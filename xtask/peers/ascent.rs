//! How long Ascent takes for the transitive closure of a graph, by all threads.
//!
//! Called with a file of edges, two u32 each, and numbers: of runs, and of seconds that a run may take. Prints the
//! number of tuples and the seconds of each run, a line each; or a line that says why there are none. `cargo xtask bench
//! closure-peers` builds it in a folder of its own, so that nobody else has to.

use ascent::ascent_par;
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

ascent_par! {
    struct Closure;
    relation edge(u32, u32);
    relation path(u32, u32);
    path(a, b) <-- edge(a, b);
    path(a, c) <-- path(a, b), edge(b, c);
}

/// What takes longer is measured once.
const LONG: Duration = Duration::from_secs(10);

fn main() {
    let mut args = env::args().skip(1);
    let mut next = || args.next().expect("a file, and two numbers");
    let bytes = fs::read(next()).expect("a file of edges");
    let [n_runs, seconds] = [next(), next()].map(|number| number.parse::<u64>().expect("a number"));
    let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let edges: Vec<(u32, u32)> =
        bytes.chunks_exact(8).map(|edge| (number(&edge[..4]), number(&edge[4..]))).collect();
    let mut n_tuples = 0;
    let mut times = Vec::new();
    for _ in 0..=n_runs {
        let (started, has_ended) = (Instant::now(), std::sync::mpsc::channel::<()>());
        let (ended, wait) = has_ended;
        thread::spawn(move || {
            if wait.recv_timeout(Duration::from_secs(seconds)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                println!("over {seconds} s");
                process::exit(0);
            }
        });
        let mut closure = Closure { edge: edges.iter().copied().collect(), ..Closure::default() };
        closure.run();
        n_tuples = closure.path.len();
        times.push(started.elapsed());
        drop(ended);
        if times[0] > LONG {
            break;
        }
    }
    let counted = if times.len() > 1 { &times[1..] } else { &times[..] };
    println!("{n_tuples}");
    println!("{}", counted.iter().map(|time| format!("{:.6}", time.as_secs_f64())).collect::<Vec<_>>().join(" "));
}
