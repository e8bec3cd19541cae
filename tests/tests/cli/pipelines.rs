//! In a pipeline: exit codes, standard input, packed tables, where ids come from, other separators, completions, the man page, help and
//! colours.

use crate::program::{Folder, PAIRS, PEOPLE, RULES, Ran, people};
use flate2::Compression;
use flate2::write::GzEncoder;
use hyperblock::serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::process::{Output, Stdio};

const DEDUPE: &str = "-r rules.toml -o - --device cpu --quiet";

/// Runs the program with this on its standard input.
fn with_stdin(folder: &Folder, stdin: impl Into<Stdio>, input: &[u8], arguments: &str) -> Ran {
    let mut command = folder.command(arguments);
    let command = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command.spawn().expect("it starts");
    if let Some(mut stdin) = running.stdin.take() {
        // Who refuses at once does not read to the end.
        let _ = stdin.write_all(input);
    }
    let Output { status, stdout, stderr } = running.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program speaks UTF-8");
    Ran { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

fn piped(folder: &Folder, input: &[u8], arguments: &str) -> Ran {
    with_stdin(folder, Stdio::piped(), input, arguments)
}

fn gzip(text: &str) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(text.as_bytes()).expect("memory can be written");
    gzip.finish().expect("memory can be written")
}

fn zstd(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 3).expect("memory can be packed")
}

fn data(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name);
    std::fs::read(path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn exit_codes_are_what_help_says() {
    let folder = people();
    let help = folder.stdout("--help");
    for line in [
        "    0  done\n",
        "    1  failed: ",
        "    2  wrong arguments\n",
        "  130  interrupted",
        "  141  whoever",
    ] {
        assert!(help.contains(line), "{line}: {help}");
    }
    assert_eq!(folder.run(&format!("dedupe people.csv {DEDUPE}")).code, Some(0));
    folder.failure(1, &format!("dedupe nobody.csv {DEDUPE}"));
    folder.failure(1, "dedupe people.csv -r people.csv -o - --device cpu");
    folder.failure(2, "dedupe people.csv -r rules.toml");
    folder.failure(2, "dedupe people.csv -r rules.toml -o - --no-such-option");
}

#[cfg(unix)]
#[test]
fn nobody_reads_what_is_written() {
    let folder = people();
    // A pipe whose reader has gone.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let ran =
        folder.command(&format!("dedupe people.csv {DEDUPE}")).stdout(writer).output().expect("it starts");
    assert_eq!((ran.status.code(), ran.stderr), (Some(141), Vec::new()));
}

#[test]
fn a_table_on_standard_input() {
    let folder = people();
    let tables = [
        PEOPLE.as_bytes().to_vec(),
        gzip(PEOPLE),
        zstd(PEOPLE),
        data("stream.arrow"),
        data("lz4.feather"),
        data("snappy.parquet"),
    ];
    for (nth, table) in tables.iter().enumerate() {
        let ran = piped(&folder, table, &format!("dedupe - {DEDUPE}"));
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), PAIRS, ""), "table {nth}");
        // Led there, it is a file.
        std::fs::write(folder.path("table"), table).expect("a file can be written");
        let file = File::open(folder.path("table")).expect("it is there");
        let ran = with_stdin(&folder, file, &[], &format!("dedupe - {DEDUPE}"));
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), PAIRS, ""), "table {nth}");
    }
    let semicolons = PEOPLE.replace("Bergen, Norway", "Bergen/Norway").replace(',', ";");
    assert_eq!(
        piped(&folder, semicolons.as_bytes(), &format!("dedupe - {DEDUPE} --delimiter ;")).stdout,
        PAIRS
    );
    // Of a file that was read in part, the rest.
    std::fs::write(folder.path("table"), format!("a comment\n{PEOPLE}")).expect("a file can be written");
    let mut file = File::open(folder.path("table")).expect("it is there");
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(10)).expect("a file can be gone through");
    assert_eq!(with_stdin(&folder, file, &[], &format!("dedupe - {DEDUPE}")).stdout, PAIRS);
}

#[test]
fn every_command_reads_standard_input() {
    let folder = people().file("truth.csv", "id_a,id_b\n2,33\n");
    let table = PEOPLE.as_bytes();
    let rules = "-r rules.toml --device cpu --quiet";
    let linked = piped(&folder, table, &format!("link - people.csv {rules} --count"));
    assert_eq!((linked.code, linked.stdout.as_str()), (Some(0), "9\n"), "{}", linked.stderr);
    let resolved = piped(&folder, table, &format!("resolve - {rules} -o -"));
    assert_eq!(resolved.stdout, "id,entity_id\n2,2\n4,4\n9,9\n10,9\n33,2\n", "{}", resolved.stderr);
    let why = piped(&folder, table, "why 2 33 - -r rules.toml");
    assert!(why.stdout.starts_with("2 and 33\n"), "{}", why.stderr);
    let plan = piped(&folder, table, "explain - -r rules.toml --device cpu");
    assert_eq!(plan.code, Some(0), "{}", plan.stderr);
    let truth = piped(
        &folder,
        b"id_a,id_b\n2,33\n",
        "dedupe people.csv -r rules.toml --count --truth - --device cpu",
    );
    assert!(truth.stderr.contains("matches found    1 of 1\n"), "{}", truth.stderr);
    let clusters = piped(&folder, b"left,right\n1,2\n", "cluster - -o - --device cpu --quiet");
    assert_eq!(clusters.stdout, "id,entity_id\n1,1\n2,1\n", "{}", clusters.stderr);
    let closure = piped(&folder, &zstd("1,2\n2,3\n"), "closure - --count --device cpu --quiet");
    assert_eq!(closure.stdout, "3\n", "{}", closure.stderr);
    // Rules call it `stdin`.
    let named = piped(&folder, table, &format!("dedupe - people.csv {rules} -o -"));
    assert!(named.stdout.contains("\nstdin,2,stdin,33,same name\n"), "{} {}", named.stdout, named.stderr);
    // What cannot be read twice stays, so that errors can be told.
    let errors = format!("dedupe - {rules} -o pairs.csv --truth truth.csv --errors errors.csv");
    assert_eq!(piped(&folder, table, &errors).code, Some(0));
    assert!(folder.read("errors.csv").contains("Ann Lee"), "{}", folder.read("errors.csv"));
}

#[test]
fn what_is_wrong_with_standard_input() {
    let folder = people();
    let said = |input: &[u8], arguments: &str| {
        let before = folder.names();
        let ran = piped(&folder, input, arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
        assert_eq!(folder.names(), before);
        ran.stderr
    };
    assert_eq!(
        said(PEOPLE.as_bytes(), &format!("link - - {DEDUPE}")),
        "error: - is standard input, which is read once, and the left table is, and so is the right table; name a \
         file\n"
    );
    assert_eq!(
        said(PEOPLE.as_bytes(), "why 2 33 - - -r rules.toml"),
        "error: - is standard input, which is read once; name the other file\n"
    );
    assert_eq!(
        said(b"", &format!("dedupe - {DEDUPE}")),
        "error: standard input: the file is empty; a table starts with a header\n"
    );
    assert_eq!(
        said(b"id,name,city,born\n1,a\n", &format!("dedupe - {DEDUPE}")),
        "error: standard input: row 1 (line 2) has 2 fields, the header has 4; is a delimiter or a quote missing?\n"
    );
    let bomb = zstd(&format!("id,name\n1,{}\n", "x".repeat(1 << 20)));
    let message = said(&bomb, &format!("dedupe - {DEDUPE} --max-unpacked 64K"));
    assert!(message.starts_with("error: standard input: "), "{message}");
    assert!(message.contains("bytes that unpack to more than 65536, "), "{message}");
    // Never over an input, also if it comes that way.
    let file = File::open(folder.path("people.csv")).expect("it is there");
    let ran = with_stdin(&folder, file, &[], "dedupe - -r rules.toml -o people.csv --device cpu");
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        ran.stderr,
        "error: -o people.csv: that is the table, which would be lost; name another file\n"
    );
    assert_eq!(folder.read("people.csv"), PEOPLE);
}

/// What comes through a pipe stays in memory, and counts.
#[test]
fn standard_input_within_a_budget() {
    let mut table = String::from("id,name,city,born\n");
    for id in 0..600_000 {
        table.push_str(&format!(
            "{id},{},a rather long name of a town with the number {id},2000-01-01\n",
            "n".repeat(100)
        ));
    }
    let folder = people();
    let ran =
        piped(&folder, table.as_bytes(), "dedupe - -r rules.toml --count --device cpu --memory 64 --quiet");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("a table that comes through a pipe, and stays: needs "), "{}", ran.stderr);
}

#[test]
fn tables_in_zstd() {
    let tabs = PEOPLE.replace("\"Bergen, Norway\"", "Bergen/Norway").replace(',', "\t");
    let packed = zstd(PEOPLE);
    let folder = people()
        .file("people.csv.zst", &packed)
        .file("people.tsv.zst", zstd(&tabs))
        .file("cut.csv.zst", &packed[..packed.len() - 5])
        .file("more.csv.zst", [&packed[..], b"and more"].concat())
        .file("pairs.csv.zst", zstd("left,right\n1,2\n2,3\n"))
        .file("truth.csv.zst", zstd("id_a,id_b\n2,33\n"));
    assert_eq!(folder.stdout(&format!("dedupe people.csv.zst {DEDUPE}")), PAIRS);
    assert_eq!(folder.stdout(&format!("dedupe people.tsv.zst {DEDUPE}")), PAIRS);
    // It is called by its name without the endings, and read in passes where memory is short.
    let two = folder.stdout(&format!("dedupe people.csv.zst people.tsv.zst {DEDUPE}"));
    assert!(two.contains("\npeople.csv.zst,2,people.csv.zst,33,same name\n"), "{two}");
    assert_eq!(
        folder.stdout("cluster pairs.csv.zst -o - --quiet --device cpu"),
        "id,entity_id\n1,1\n2,1\n3,1\n"
    );
    let ran = folder.run("dedupe people.csv -r rules.toml --count --device cpu --truth truth.csv.zst");
    assert!(ran.stderr.contains("matches found    1 of 1\n"), "{}", ran.stderr);
    assert_eq!(
        folder.failure(1, &format!("dedupe cut.csv.zst {DEDUPE}")),
        "error: cut.csv.zst: the file ends within zstd; it was cut off, fetch it again\n"
    );
    let damaged = folder.failure(1, &format!("dedupe more.csv.zst {DEDUPE}"));
    assert!(damaged.starts_with("error: more.csv.zst: damaged zstd: "), "{damaged}");
    let bomb = folder.failure(1, &format!("dedupe people.csv.zst {DEDUPE} --max-unpacked 10"));
    assert!(bomb.contains("people.csv.zst: ") && bomb.contains("that unpack to more than 10, "), "{bomb}");
}

const NAMES: &str = "[[rules]]\nname = 'n'\nwhen = 'l.name = r.name'\n";

#[test]
fn where_ids_come_from() {
    let folder = Folder::with(&[
        ("rules.toml", NAMES),
        ("persons.csv", "name,Person_ID\na,7\na,8\n"),
        ("twice.csv", "name,unique_id\na,7\na,7\n"),
        ("gaps.csv", "name,unique_id\na,7\na,\n"),
        ("plain.csv", "id,name,unique_id\n1,a,5\n2,a,6\n"),
    ]);
    let said =
        |arguments: &str| folder.run(&format!("{arguments} -r rules.toml --count --device cpu")).stderr;
    let warning = |file: &str, column: &str| {
        format!(" WARN {file}: ids are row numbers; the column `{column}` looks like ids: --id {column}\n")
    };
    let proposed = said("dedupe persons.csv");
    assert!(proposed.contains(&warning("persons.csv", "Person_ID")), "{proposed}");
    assert!(proposed.contains("\nids from         row numbers\n"), "{proposed}");
    let followed = said("dedupe persons.csv --id Person_ID");
    assert!(
        followed.contains("\nids from         column Person_ID\n") && !followed.contains("WARN"),
        "{followed}"
    );
    for file in ["twice.csv", "gaps.csv"] {
        let said = said(&format!("dedupe {file}"));
        assert!(said.contains("\nids from         row numbers\n") && !said.contains("WARN"), "{said}");
    }
    let plain = said("dedupe plain.csv");
    assert!(plain.contains("\nids from         column id\n") && !plain.contains("WARN"), "{plain}");
    let two = said("link plain.csv persons.csv");
    assert!(two.contains("\nids from         column id × row numbers\n"), "{two}");
    let three = said("link plain.csv persons.csv twice.csv");
    let each = "\nids from         plain: column id, persons: row numbers, twice: row numbers\n";
    assert!(three.contains(each), "{three}");
    let json: Value = said("link plain.csv twice.csv --summary json").parse().expect("JSON");
    assert_eq!(json["records"]["ids"], json!(["id", null]));
    // Pairs are what they were: nothing is switched in silence.
    let pairs = folder.stdout("dedupe persons.csv -r rules.toml -o - --device cpu --quiet");
    assert_eq!(pairs, "left,right,rule\n1,2,n\n");
    // From a cache, the same.
    for _ in 0..2 {
        let kept = said("dedupe persons.csv --id Person_ID --cache kept");
        assert!(kept.contains("\nids from         column Person_ID\n"), "{kept}");
    }
    let short = said("dedupe persons.csv --memory 64");
    assert!(short.contains(&warning("persons.csv", "Person_ID")), "{short}");
}

#[test]
fn other_separators() {
    let semicolons = PEOPLE.replace("Bergen, Norway", "Bergen/Norway").replace(',', ";");
    let folder = Folder::with(&[
        ("rules.toml", RULES),
        ("s.csv", &semicolons),
        ("b.csv", &semicolons.replace(';', "|")),
        ("t.csv", &semicolons.replace(';', "\t")),
        ("c.tsv", &semicolons.replace(';', ",")),
        ("decimal.csv", "id;name;price\n1;a;3,5\n"),
    ]);
    let hint = |name: &str, option: &str| {
        format!("if it is {name} that separate fields, say --delimiter {option}: the header is one column")
    };
    for (file, name, option) in [
        ("s.csv", "semicolons", "';'"),
        ("b.csv", "bars", "'|'"),
        ("t.csv", "tabs", "tab"),
        ("c.tsv", "commas", "','"),
    ] {
        let said = folder.failure(1, &format!("dedupe {file} {DEDUPE}"));
        assert!(said.contains(&format!("{file} has no column `name`")), "{said}");
        assert!(said.ends_with(&format!("help: {}\n", hint(name, option))), "{said}");
        let option = option.trim_matches('\'');
        assert_eq!(folder.stdout(&format!("dedupe {file} {DEDUPE} --delimiter {option}")), PAIRS);
    }
    let semicolons = hint("semicolons", "';'");
    let said = folder.failure(1, &format!("dedupe s.csv {DEDUPE} --id id"));
    assert!(said.contains("no column `id` for the ids; ") && said.contains(&semicolons), "{said}");
    let said = folder.failure(1, &format!("dedupe decimal.csv {DEDUPE}"));
    let fields = "error: decimal.csv: row 1 (line 2) has 2 fields, the header has 1; ";
    assert_eq!(said, format!("{fields}{semicolons}\n"));
    // Whoever takes all columns is warned.
    let said = folder.failure(1, "cluster s.csv -o - --device cpu --quiet");
    assert!(said.contains(&format!(" WARN s.csv: {semicolons}\n")), "{said}");
}

/// All commands and long options that `--help` lists.
fn commands(folder: &Folder) -> Vec<(String, Vec<String>)> {
    let listed = folder.stdout("--help");
    let listed = listed
        .split_once("Commands:\n")
        .expect("commands")
        .1
        .split_once("\n\n")
        .expect("an end")
        .0
        .to_owned();
    let names = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<String> =
        names.map(|line| line.split_whitespace().next().expect("a name").to_owned()).collect();
    let options = |name: &String| {
        let help = folder.stdout(&format!("{name} --help"));
        let of_line = |line: &str| {
            let line = line.trim_start();
            line.starts_with('-')
                .then(|| line.split_whitespace().find(|word| word.starts_with("--")))
                .map(|option| option.map(|option| option.trim_end_matches('.').to_owned()))
        };
        help.lines().filter_map(of_line).flatten().collect()
    };
    names.iter().filter(|name| *name != "help").map(|name| (name.clone(), options(name))).collect()
}

#[test]
fn completions_and_man_page_have_all_commands_and_options() {
    let folder = people();
    let (bash, man) = (folder.stdout("completions bash"), folder.stdout("man"));
    let commands = commands(&folder);
    assert!(commands.len() >= 11 && commands.iter().map(|(_, options)| options.len()).sum::<usize>() > 100);
    for (name, options) in commands {
        let start = format!("\n        hyperblock__subcmd__{name})\n");
        let (_, own) = bash.split_once(&start).unwrap_or_else(|| panic!("{name}: {bash}"));
        let own = own.split_once(";;\n").map_or(own, |(own, _)| own);
        let (_, section) =
            man.split_once(&format!(".SH \"HYPERBLOCK {}\"", name.to_uppercase())).expect("a section");
        let section = section.split_once("\n.SH ").map_or(section, |(section, _)| section);
        for option in options {
            assert!(bash.contains(&option) && own.contains(&option), "{name} {option}");
            assert!(section.contains(&option.replace('-', "\\-")), "{name} {option}: {section}");
        }
    }
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        assert!(folder.stdout(&format!("completions {shell}")).contains("max-unpacked"), "{shell}");
    }
    std::fs::write(folder.path("completions"), bash).expect("a file can be written");
    let mut check = std::process::Command::new("bash");
    let ran = check.arg("-n").arg(folder.path("completions")).output().expect("bash runs");
    assert!(ran.status.success() && ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn help_has_daily_options_first_and_research_last() {
    let folder = people();
    for command in ["dedupe", "link", "resolve"] {
        let help = folder.stdout(&format!("{command} --help"));
        let places: Vec<usize> = ["\nOptions:\n", "\nLarge jobs:\n", "\nDevices:\n", "\nResearch:\n"]
            .iter()
            .map(|heading| help.find(heading).unwrap_or_else(|| panic!("{heading}{help}")))
            .collect();
        assert!(places.is_sorted(), "{command}: {places:?}");
        let heading = |option: &str| {
            let is_its =
                |line: &&str| line.trim_start().starts_with('-') && line.contains(&format!("{option} <"));
            let line = help.lines().find(is_its).unwrap_or_else(|| panic!("{option}: {help}"));
            let place = help.find(line).expect("it was found");
            help[..place]
                .lines()
                .rev()
                .find(|line| line.ends_with(':') && !line.starts_with(' '))
                .expect("one")
        };
        for (option, wanted) in [
            ("--rules", "Options:"),
            ("--output", "Options:"),
            ("--truth", "Options:"),
            ("--max-unpacked", "Large jobs:"),
            ("--memory", "Large jobs:"),
            ("--checkpoint", "Large jobs:"),
            ("--threads", "Devices:"),
            ("--variant", "Research:"),
            ("--schedule", "Research:"),
            ("--cost", "Research:"),
            ("--summary", "Messages:"),
        ] {
            assert_eq!(heading(option), wanted, "{command} {option}");
        }
        let short = folder.stdout(&format!("{command} -h"));
        assert!(short.contains("--rules") && !short.contains("Research"), "{short}");
        assert!(short.lines().count() * 2 < help.lines().count(), "{short}");
    }
}

#[test]
fn colours_where_they_are_wanted() {
    let folder =
        people().file("subsumed.toml", format!("{RULES}[[rules]]\nname = 'c'\nwhen = 'l.name = r.name'\n"));
    let run = |arguments: &str, settings: &[(&str, &str)]| {
        let mut command = folder.command(arguments);
        ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "CI"].iter().for_each(|name| {
            command.env_remove(name);
        });
        let ran = command.envs(settings.iter().copied()).output().expect("it starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (text(ran.stdout), text(ran.stderr))
    };
    let job = "dedupe people.csv -r subsumed.toml -o - --device cpu";
    let (output, plain) = run(job, &[]);
    assert!(!plain.contains('\u{1b}') && plain.contains("\nrecords          5\n"), "{plain}");
    let (again, coloured) = run(job, &[("CLICOLOR_FORCE", "1")]);
    assert!(coloured.contains("\n\u{1b}[1mrecords\u{1b}[0m          5\n"), "{coloured:?}");
    assert!(coloured.contains("\u{1b}[1m\u{1b}[33m WARN\u{1b}[0m every pair"), "{coloured:?}");
    assert_eq!((&again, output.contains('\u{1b}')), (&output, false), "never in the output");
    for settings in [&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")][..], &[("TERM", "dumb")]] {
        let (_, plain) = run(job, settings);
        assert!(!plain.contains('\u{1b}'), "{plain:?}");
    }
    let (_, error) = run("dedupe nobody.csv -r rules.toml -o - --device cpu", &[("CLICOLOR_FORCE", "1")]);
    assert!(error.contains("\n\u{1b}[1m\u{1b}[31merror\u{1b}[0m: nobody.csv: "), "{error:?}");
    let (_, json) = run(&format!("{job} --summary json"), &[("CLICOLOR_FORCE", "1")]);
    assert!(json.split_once('{').expect("JSON").1.find('\u{1b}').is_none(), "{json:?}");
}
