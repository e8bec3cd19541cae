//! `--report`: a page to look at. What is in it is read as a browser would, and a page has nothing that it should not.

use crate::program::{Folder, PEOPLE, RULES};
use hyperblock::serde_json::{self, Value};
use std::fs;

const SCORE: &str = "\
[score]
threshold = 0.95
[[score.attributes]]
measure = \"jaro(l.name, r.name)\"
levels = [1, 0.9]
";
const CITIES: &str = "[[rules]]\nname = \"same city\"\nwhen = \"l.city = r.city\"\n";
const TRUTH: &str = "id,entity_id\n10,a\n9,a\n2,b\n33,b\n4,c\n";

fn people() -> Folder {
    let weights = "score = \"fellegi-sunter\"\nweights = \"weights.toml\"\n";
    let fitted = SCORE.replace("[score]\n", &format!("[score]\n{weights}"));
    Folder::with(&[
        ("people.csv", PEOPLE),
        ("rules.toml", RULES),
        ("scored.toml", &format!("{RULES}{CITIES}{SCORE}")),
        ("fitted.toml", &format!("{RULES}{CITIES}{fitted}")),
        ("truth.csv", TRUTH),
    ])
}

/// What a page has to show.
fn shown(folder: &Folder, name: &str) -> Value {
    let page = folder.read(name);
    assert!(page.len() <= 2_000_000, "{} bytes", page.len());
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"report\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"))
}

/// The names of lanes of a kind.
fn lanes<'a>(report: &'a Value, kind: &str) -> Vec<&'a str> {
    let lanes = report["timeline"]["lanes"].as_array().unwrap().iter();
    lanes.filter(|lane| lane["kind"] == kind).map(|lane| lane["name"].as_str().unwrap()).collect()
}

fn nodes(report: &Value) -> Vec<&Value> {
    report["plan"]["nodes"].as_array().unwrap().iter().collect()
}

fn summary(text: &str) -> Value {
    serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap()
}

#[test]
fn what_a_job_did() {
    let folder = people();
    let run = "resolve people.csv -r scored.toml -o e.csv --truth truth.csv --device cpu --report r.html";
    let ran = folder.run(&format!("{run} --label-sample 3 --summary json --each-rule"));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let (told, report) = (summary(&ran.stderr), shown(&folder, "r.html"));
    assert_eq!((&report["version"], &report["job"]["command"]), (&1.into(), &"resolve".into()));
    let table = &report["job"]["tables"][0];
    assert_eq!((&table["name"], &table["records"]), (&"people.csv".into(), &5.into()));
    assert_eq!(report["job"]["comparisons"]["all"], told["pairs"]["all"]);
    assert_eq!(report["pairs"]["found"], told["pairs"]["candidates"]);
    assert_eq!(report["scores"]["of"], told["scored"]["scored"]);
    for (of_report, of_summary) in
        report["rules"].as_array().unwrap().iter().zip(told["pairs"]["by_rule"].as_array().unwrap())
    {
        for (key, also) in [("name", "name"), ("candidates", "candidates"), ("alone", "alone")] {
            assert_eq!(of_report[key], of_summary[also], "{key}");
        }
    }
    assert_eq!(report["rules"][0]["when"], "l.name = r.name");
    let curve = report["scores"]["curve"].as_array().unwrap();
    let own = curve.iter().find(|point| point["threshold"] == report["scores"]["threshold"]).unwrap();
    assert_eq!(own["kept"], told["scored"]["kept"]);
    assert_eq!(own["entities"], told["entities"]["all"]);
    assert_eq!(report["entities"]["entities"], told["entities"]["all"]);
    let n_in_bins: u64 =
        report["scores"]["bins"].as_array().unwrap().iter().map(|bin| bin["pairs"].as_u64().unwrap()).sum();
    assert_eq!(report["scores"]["of"], n_in_bins);
    let list = report["pairs"]["list"].as_array().unwrap();
    let ids = |pair: &Value, end: &str| {
        let record = &report["pairs"]["records"][pair[end].as_u64().unwrap() as usize];
        record["id"].as_str().unwrap().to_owned()
    };
    let anne = list.iter().find(|pair| ids(pair, "l") == "9" && ids(pair, "r") == "10").unwrap();
    assert_eq!(anne["rule"], "near name, near birth");
    assert_eq!(anne["truth"], "match");
    let names = report["pairs"]["columns"].as_array().unwrap();
    assert_eq!(names.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>(), ["name", "city", "born"]);
    assert_eq!(anne["marks"][0], serde_json::json!({ "column": 0, "left": [[3, 4]], "right": [] }));
    assert_eq!(anne["why"]["rules"][0]["holds"], true);
    assert_eq!(anne["why"]["score"]["steps"][0]["attribute"], "jaro(l.name, r.name)");
    assert_eq!(lanes(&report, "job"), ["the job, stage by stage"]);
    assert_eq!(lanes(&report, "place").len(), 1);
    // Estimates and counts are of the same candidates: of so few pairs all are looked at.
    let of_rules: Vec<_> = nodes(&report).into_iter().filter(|node| node["kind"] == "rule").collect();
    for node in of_rules.iter().filter(|node| !node["actual"].is_null()) {
        assert_eq!(node["estimated"].as_f64(), node["actual"].as_f64(), "{node}");
    }
    let n_named: u64 = of_rules.iter().filter_map(|node| node["actual"].as_u64()).sum();
    assert_eq!(
        (&report["plan"]["counts"], n_named),
        (&"named".into(), told["pairs"]["candidates"].as_u64().unwrap())
    );
    assert_eq!(report["profile"][0]["columns"][1]["name"], "city");
    assert_eq!(report["blocks"][0]["value"], "Oslo");
    assert_eq!((&report["labels"]["asked"], &report["labels"]["in"]), (&3.into(), &3.into()));
    assert_eq!((&report["truth"]["missed"], &report["truth"]["wrong"]), (&1.into(), &0.into()));
}

#[test]
fn what_other_commands_did() {
    let folder = people();
    let on = "--device cpu --quiet --report r.html";
    folder.stdout(&format!("dedupe people.csv -r rules.toml --count {on} --label-sample 1"));
    let report = shown(&folder, "r.html");
    assert_eq!((&report["pairs"]["found"], &report["labels"]["in"]), (&2.into(), &1.into()));
    assert!(report["scores"].is_null() && report["entities"].is_null() && report["truth"].is_null());
    folder.stdout(&format!("link people.csv people.csv -r rules.toml -o pairs.csv {on}"));
    let report = shown(&folder, "r.html");
    assert_eq!((&report["job"]["is_link"], &report["labels"]), (&true.into(), &Value::Null));
    assert_eq!(report["pairs"]["records"].as_array().unwrap().iter().filter(|it| it["side"] == 1).count(), 5);
    folder
        .stdout(&format!("fit people.csv -r fitted.toml -o weights.toml --truth truth.csv --prior 0.1 {on}"));
    let report = shown(&folder, "r.html");
    assert_eq!(report["weights"]["attributes"][0]["levels"].as_array().map(Vec::len), Some(3));
    assert_eq!(report["profile"][0]["records"], 5);
    folder.stdout(&format!("resolve people.csv -r fitted.toml -o e.csv {on}"));
    let report = shown(&folder, "r.html");
    assert_eq!((&report["scores"]["kind"], &report["scores"]["unit"]), (&"weight".into(), &"bits".into()));
    assert!(report["weights"]["prior"].is_number());
    folder.stdout(&format!("explain people.csv -r rules.toml --analyze {on}"));
    let report = shown(&folder, "r.html");
    assert!(nodes(&report).iter().any(|node| node["kind"] == "branch" && node["ms"].is_number()));
    for node in nodes(&report).iter().filter(|node| !node["actual"].is_null()) {
        assert_eq!(node["estimated"].as_f64(), node["actual"].as_f64(), "{node}");
    }
    assert_eq!(lanes(&report, "host"), ["reading tables", "encoding columns", "finding candidates"]);
    folder.stdout(
        "dedupe people.csv -r rules.toml --count --devices cpu/2 --partitions 4 --quiet --report r.html",
    );
    let report = shown(&folder, "r.html");
    assert_eq!(lanes(&report, "place"), ["place 1: cpu (1 thread)", "place 2: cpu (1 thread)"]);
    let folder = folder.file("more.csv", PEOPLE);
    folder.stdout(&format!("dedupe people.csv more.csv -r rules.toml -o pairs.csv {on} --label-sample 5"));
    let report = shown(&folder, "r.html");
    assert_eq!(report["job"]["tables"][1]["name"], "more");
    assert_eq!(report["labels"]["columns"][0], "source_a");
    assert_eq!(report["pairs"]["columns"].as_array().map(Vec::len), Some(3));
    assert!(report["pairs"]["records"].as_array().unwrap().iter().all(|it| it["source"].is_string()));
    let any = format!("resolve people.csv more.csv -r rules.toml -o e.csv --witness any {on}");
    folder.stdout(&any);
    assert_eq!(shown(&folder, "r.html")["rules"][0]["name"], "any rule");
}

/// Neither threads nor tasks nor places say what is in it.
#[test]
fn the_same_everywhere() {
    let folder = people();
    let mut all = Vec::new();
    for place in ["--device cpu --threads 1", "--device cpu --threads 2", "--devices cpu/2 --partitions 7"] {
        let run = format!("resolve people.csv -r scored.toml -o e.csv --label-sample 2 --quiet {place}");
        folder.stdout(&format!("{run} --report r.html"));
        let report = shown(&folder, "r.html");
        all.push(
            ["pairs", "scores", "rules", "entities", "blocks", "labels"].map(|name| report[name].clone()),
        );
    }
    assert!(all.windows(2).all(|two| two[0] == two[1]));
}

#[test]
fn no_values_where_none_are_wanted() {
    let folder = people();
    let run = "--device cpu --quiet --report r.html --report-values none";
    for command in [
        "dedupe people.csv -r rules.toml --count --truth truth.csv --label-sample 2",
        "dedupe people.csv -r scored.toml -o pairs.csv --max-block 2 --columns all",
        "resolve people.csv -r scored.toml -o e.csv --truth truth.csv",
        "link people.csv people.csv -r scored.toml -o pairs.csv",
        "fit people.csv -r fitted.toml -o weights.toml --truth truth.csv --prior 0.1",
        "explain people.csv -r rules.toml --analyze",
    ] {
        folder.stdout(&format!("{command} {run}"));
        let (page, report) = (folder.read("r.html"), shown(&folder, "r.html"));
        for value in [
            "Ann Lee", "Anne Lee", "Bob Ray", "Zoë", "Oslo", "Bergen", "Norway", "1990-01", "1985-05",
            "2000-02",
        ] {
            assert!(!page.contains(value), "{command}: {value}");
        }
        assert!(report["pairs"].is_null() || report["pairs"]["values"] == "none");
    }
}

/// Whatever a table holds, it is text: none of it ends the element that it stands in, and all of it comes through.
#[test]
fn hostile_values_are_data() {
    let mut values: Vec<String> = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "</SCRIPT >",
        "<svg onload=alert(1)>",
        "\u{2028}line",
        "\u{2029}paragraph",
        "\u{202e}txt.exe",
        "\u{2066}isolate",
        "\u{200f}mark",
        "a\u{7f}b",
        "a\u{1b}[31mb",
        "&lt;b&gt;",
        "&#60;b&#62;",
        "javascript:alert(1)",
        "\\u003cb\\u003e",
        "\\\"",
        "'; DROP TABLE people; --",
        "{{7*7}}",
        "${7*7}",
        "=1+1",
        "@import url(x)",
        "\u{feff}mark",
        "🦀\u{301}",
        "<style>*{display:none}</style>",
        "<base href=//x>",
        "<meta http-equiv=refresh content=0>",
    ]
    .map(str::to_owned)
    .to_vec();
    values.extend((1..27u8).filter(|n| ![9, 10, 13].contains(n)).map(|n| format!("a{}b", char::from(n))));
    assert!(values.len() >= 50);
    let field = |value: &String| format!("\"{}\"", value.replace('"', "\"\""));
    let rows = values.iter().enumerate().map(|(nth, value)| format!("{nth},{},{}\n", field(value), nth / 2));
    let table: String = ["id,</script>,k\n".to_owned()].into_iter().chain(rows).collect();
    let rules = "[[rules]]\nname = \"</script><b>\"\nwhen = \"l.k = r.k\"\n";
    let folder = Folder::with(&[("t.csv", &table), ("r.toml", rules)]);
    folder.stdout("dedupe t.csv -r r.toml -o pairs.csv --device cpu --quiet --report r.html");
    let (page, report) = (folder.read("r.html"), shown(&folder, "r.html"));
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(
        page.matches("<img").count() + page.matches("<svg").count() + page.matches("<base").count(),
        0
    );
    assert_eq!(report["rules"][0]["name"], "</script><b>");
    for record in report["pairs"]["records"].as_array().unwrap() {
        let nth: usize = record["id"].as_str().unwrap().parse().unwrap();
        assert_eq!(record["values"][0], values[nth].as_str());
    }
    assert_eq!(report["pairs"]["records"].as_array().map(Vec::len), Some(values.len() / 2 * 2));
}

/// A person labels what the page shows, and the file that it exports is a truth.
#[test]
fn labels_are_a_truth() {
    let row = |n: u32| format!("{n},\"name, \"\"{}\"\"\",{}\n", n % 50, n % 7);
    let table: String = ["id,name,city\n".to_owned()].into_iter().chain((0..400).map(row)).collect();
    let rules = "[[rules]]\nname = 'n'\nwhen = 'l.name = r.name OR l.city = r.city'\n\
                 [score]\nthreshold = 0.8\n[[score.attributes]]\nmeasure = 'levenshtein_similarity(l.name, r.name)'\n";
    let folder = Folder::with(&[("t.csv", &table), ("r.toml", rules)]);
    let run = "dedupe t.csv -r r.toml -o pairs.csv --device cpu";
    folder.stdout(&format!("{run} --quiet --report r.html --label-sample 60"));
    let report = shown(&folder, "r.html");
    let columns: Vec<&str> =
        report["labels"]["columns"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let mut labels = columns.join(",") + "\n";
    let (mut n, mut stands_for) = (0, 0.0);
    for pair in report["pairs"]["list"].as_array().unwrap() {
        let Some(chance) = pair["sampled_with"].as_f64() else { continue };
        assert!(pair["group"].as_array().unwrap().contains(&"label".into()));
        let [l, r] = ["l", "r"].map(|end| &report["pairs"]["records"][pair[end].as_u64().unwrap() as usize]);
        let label = if l["values"][0] == r["values"][0] { "match" } else { "no match" };
        labels += &format!("{},{},{label},{chance}\n", l["id"].as_str().unwrap(), r["id"].as_str().unwrap());
        (n, stands_for) = (n + 1, stands_for + 1.0 / chance);
    }
    assert_eq!(n, 60);
    let found = report["pairs"]["found"].as_f64().unwrap();
    assert!((stands_for / found - 1.0).abs() < 1e-6, "{stands_for} {found}");
    fs::write(folder.path("labels.csv"), labels).unwrap();
    let told = folder.run(&format!("{run} --truth labels.csv --summary json"));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let quality = &summary(&told.stderr)["quality"];
    assert_eq!(quality["decided"]["pairs"], 60);
    assert!(quality["intervals"]["recall"].is_array(), "{quality}");
}

#[test]
fn there_is_a_most() {
    let columns: Vec<String> = (0..30).map(|nth| format!("c{nth}")).collect();
    let value = |n: u32, nth: usize| format!("{}{n}", "长 value ".repeat(25 + nth));
    let row = |n: u32| {
        let values: Vec<String> = (0..30).map(|nth| value(n, nth)).collect();
        format!("{n},{},{}\n", n % 20, values.join(","))
    };
    let head = format!("id,k,{}\n", columns.join(","));
    let table: String = [head].into_iter().chain((0..600).map(row)).collect();
    let folder =
        Folder::with(&[("t.csv", &table), ("r.toml", "[[rules]]\nname = 'k'\nwhen = 'l.k = r.k'\n")]);
    folder.stdout("dedupe t.csv -r r.toml -o p.csv --device cpu --quiet --report r.html --label-sample 400");
    let report = shown(&folder, "r.html");
    let n = report["pairs"]["in"].as_u64().unwrap();
    assert_eq!(report["pairs"]["list"].as_array().map(Vec::len), Some(n as usize));
    assert!(n > 0 && report["labels"]["in"].as_u64().unwrap() <= 400, "{n}");
    let first = report["pairs"]["records"][0]["values"][1].as_str().unwrap();
    assert!(first.ends_with(" more characters)"), "{first}");
}

#[test]
fn nothing_of_the_machine() {
    let folder = people();
    let here = folder.path("");
    let path = |name: &str| folder.path(name).display().to_string();
    let other = Folder::new();
    let mut command = other.command("dedupe");
    command.args([&path("people.csv"), "-r", &path("rules.toml"), &format!("--truth={}", path("truth.csv"))]);
    command.args(["-o", &path("pairs.csv"), "--report", &path("r.html"), "--errors", &path("errors.csv")]);
    let output = command.args(["--device", "cpu", "-q"]).env("SECRET", "xyzzy").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = folder.read("r.html");
    let folder_name = here.file_name().unwrap_or_default().to_string_lossy().into_owned();
    assert!(
        !page.contains(&folder_name) && !page.contains("xyzzy") && !page.contains("/tmp"),
        "{folder_name}"
    );
    assert_eq!(shown(&folder, "r.html")["job"]["asked"][0], "people.csv");
}

#[test]
fn what_is_refused() {
    let folder = people();
    let run = "dedupe people.csv -r rules.toml -o pairs.csv --device cpu";
    for (more, said) in [
        ("--report nowhere/r.html", "nowhere"),
        ("--report people.csv", "--report people.csv: that is the table, which would be lost"),
        ("--report rules.toml", "--report rules.toml: that is the file of rules"),
        ("--report pairs.csv", "--report pairs.csv: -o writes to the same place"),
    ] {
        let refused = folder.failure(1, &format!("{run} {more}"));
        assert!(refused.contains(said), "{more}: {refused}");
    }
    for (more, said) in [
        ("--report r.html --label-sample 0", "0 is not in 1..=2000"),
        ("--report r.html --label-sample 2001", "2001 is not in 1..=2000"),
        ("--label-sample 10", "--report"),
        ("--report-values none", "--report"),
        ("--report r.html --report-values all", "possible values: none, sample"),
    ] {
        let refused = folder.failure(2, &format!("{run} {more}"));
        assert!(refused.contains(said), "{more}: {refused}");
    }
    for command in ["fit people.csv -r fitted.toml -o weights.toml", "explain people.csv -r rules.toml"] {
        let refused = folder.failure(1, &format!("{command} --device cpu --report people.csv"));
        assert!(refused.contains("that is the table, which would be lost"), "{refused}");
    }
}
