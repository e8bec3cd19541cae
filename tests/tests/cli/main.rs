//! The program as a user meets it: files and arguments in, files, messages and exit codes out.
//!
//! [`program`] builds and runs it in a folder of its own; [`outputs`] is what it writes and says when all is well,
//! [`score`] what scores add to it, [`inputs`] the many shapes of the same table, [`formats`] files of other programs,
//! [`numbers`] numbers that are none, [`neighbours`] pairs of records that are near each other, [`pairs`] all of them,
//! [`fit`] weights that are estimated, [`why`] what it says about one pair, [`closer`] about errors and each rule, [`cluster`]
//! what it makes of pairs, [`resolve`] all of it in one go, [`sources`] what it keeps apart there, [`ids`] which ids survive,
//! [`columns`] values beside ids, [`sample`] some candidates with their records, [`check`] what it says before it runs,
//! [`profile`] what it says of tables by themselves, [`report`] the page to look at, [`init`] the rules that it drafts for them,
//! [`tables`] several tables as one, [`values`] what values are made of, [`closure`] what it makes of graphs, [`errors`] what it
//! says when something is wrong, [`truth`] how good it says that it is where labels cover a part, [`escapes`] that it says nothing
//! to a terminal but text, [`example`] a paper's example, [`plans`] plans of other devices, [`pipelines`] how it goes along with shells and other programs, [`places`] where outputs may go,
//! [`limits`] what it does with too little memory, [`budgets`] with
//! less than it would take, [`work`] how
//! long it takes where much is asked, and [`signals`] how it
//! ends when it is told to.

#[cfg(unix)]
mod budgets;
mod caches;
mod check;
mod checkpoints;
mod closer;
mod closure;
mod cluster;
mod errors;
mod escapes;
mod example;
mod fit;
mod formats;
mod guards;
mod ids;
mod init;
mod inputs;
#[cfg(unix)]
mod limits;
mod neighbours;
mod numbers;
mod outputs;
mod pairs;
mod pipelines;
#[cfg(unix)]
mod places;
mod plans;
mod profile;
mod program;
mod report;
mod resolve;
mod sample;
mod score;
mod several;
#[cfg(unix)]
mod signals;
mod sources;
mod tables;
mod truth;
mod values;
mod weights;
mod why;
mod work;
