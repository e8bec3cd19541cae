//! The kernels that make the values of overlap joins on CPU threads, one after the other as `cuda::overlap` launches them.

use super::UNWRITTEN;
use super::atomics;
use super::join::{Checked, plain};
use super::listing::{List, Lister, Which, groups, wide_atomics, wide_plain};
use hyperblock::Result;
use hyperblock::plan::access::{Access, KeyJoin, KeyList, Lists};
use hyperblock::plan::join::JoinMethod;
use hyperblock::plan::overlap::{
    BlockShare, BlockTables, ElementList, Elements, Grams, Lens, Manner, OverlapJoin, Sampled,
};
use hyperblock::plan::path::KeyMethod;
use hyperblock::plan::sweep::Sweep;
use hyperblock_device::elements as kernels;
use hyperblock_shared::columns::Columns;
use hyperblock_shared::grams::{GramWords, n_grams};
use hyperblock_shared::layout::{Group, WARP};
use hyperblock_shared::overlap::Class;
use hyperblock_shared::relation::{EMPTY, first_of, n_slots_for, second_of};
use hyperblock_shared::screen::Screen;
use hyperblock_shared::sweep::{Order, Settings};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

impl Lister<'_> {
    /// What two lists look at that are joined by what their values have in common: short values that are swept, records with
    /// the same value, and the join.
    pub(super) fn overlap(&self, lists: [&List; 2], of: &Lists, manner: &Manner) -> Result<Vec<Access>> {
        let is_self = of.settings.order == Order::Unordered;
        let groups = groups(lists);
        let swept = manner.longest_swept();
        let lens = lists.map(|list| self.lens(list));
        let short = |side: usize, items: &Range<u32>| {
            let longer = lens[side].runs(items.clone()).find(|(len, _)| *len > swept);
            items.start..longer.map_or(items.end, |(_, items)| items.start)
        };
        let shorts: Vec<_> = groups.iter().map(|[left, right]| [short(0, left), short(1, right)]).collect();
        let mut accesses: Vec<Access> =
            self.sweep(lists, &shorts, of.settings)?.map(Access::Sweep).into_iter().collect();
        if is_self && !lists[0].items.starts.is_empty() {
            accesses.extend(self.same_values(lists[0], swept, of.settings)?);
        }
        let kind = match manner.elements {
            Sampled::Tokens(sets) | Sampled::Cells(sets) => Elements::Tokens(sets),
            Sampled::Grams { texts, q } => Elements::Grams(Arc::new(self.grams(texts, q))),
        };
        let is_decided = manner.elements.are_all();
        let settings = Settings { is_decided, ..of.settings };
        let both = lists.map(|list| list.items.clone());
        let sweep = Sweep::new(both, Vec::new(), settings, self.program.options().stretch)?;
        let [left, right] = [0, 1].map(|side: usize| {
            let operand = of.of[side].expect("values are listed").operand;
            Arc::new(self.values(lists[side], operand, &kind, lens[side].clone()))
        });
        let n_elements = match &kind {
            Elements::Grams(grams) => grams.n_elements,
            Elements::Tokens(sets) => self.encoded.sets(*sets).tokens.iter().max().map_or(0, |last| last + 1),
        };
        let join = OverlapJoin {
            sweep,
            lists: [left.clone(), if is_self { left } else { right }],
            groups,
            n_elements,
            kind,
            bare: manner.bare,
            method: manner.method,
            share: BlockShare::WHOLE,
        };
        if join.lists.iter().all(|list| !list.is_empty()) {
            accesses.push(Access::Overlap(join));
        }
        Ok(accesses)
    }

    /// The lengths of a list's items.
    fn lens(&self, list: &List) -> Lens {
        let lens = &list.items.lens;
        let (words, n_words) = (Checked::new(lens.len(), false), AtomicU32::new(0));
        self.launch(|thread| kernels::runs(thread, lens, &words, &n_words));
        let words = words.written_upto(n_words.into_inner() as usize);
        let runs = words.into_iter().map(|word| (second_of(word), first_of(word))).collect();
        let found = Lens::of_runs(runs, lens.len() as u32);
        assert_eq!(found, Some(Lens::new(lens)), "runs are wrong");
        found.unwrap_or_default()
    }

    /// Records with the very same value, joined or swept.
    fn same_values(&self, list: &List, longest_swept: u32, settings: Settings) -> Result<Option<Access>> {
        let items = &list.items;
        let alike = kernels::Alike {
            lens: &items.lens,
            starts: &items.starts,
            records: &items.records,
            longest_swept,
        };
        let totals = wide_atomics(2, 0);
        self.launch(|thread| kernels::same(thread, &alike, &totals));
        let totals = wide_plain(totals);
        let (n_records, n_pairs) = (totals[0] as usize, totals[1]);
        let method = if n_pairs.is_multiple_of(2) { KeyMethod::Hash } else { KeyMethod::Sweep };
        let (words, n_words) = (Checked::new(n_records, false), AtomicU32::new(0));
        let is_joined = method == KeyMethod::Hash;
        self.launch(|thread| kernels::shared(thread, &alike, is_joined, &words, &n_words));
        let words = words.written();
        let mut n_keys = 0;
        let mut n_expected = 0;
        for item in 0..items.len() {
            let n = items.items().places(item).len() as u64;
            if n > 1 && items.lens[item as usize] > longest_swept {
                n_keys += 1;
                n_expected += n * (n - 1) / 2;
            }
        }
        assert_eq!(n_pairs, n_expected, "pairs of records with the same value are counted wrongly");
        if n_pairs == 0 {
            return Ok(None);
        }
        // Whether a value is like itself is asked of each pair.
        if method == KeyMethod::Sweep {
            let same = self.list(None, Which::Light(&words));
            let settings = Settings { screen: Screen::Codes, is_decided: false, ..settings };
            let both = [&same, &same];
            return Ok(self.sweep(both, &groups(both), settings)?.map(Access::Sweep));
        }
        let (keys, rows) = words.iter().map(|&word| (second_of(word), first_of(word))).unzip();
        let list = Arc::new(KeyList { keys, rows });
        Ok(Some(Access::Join(KeyJoin {
            left: list.clone(),
            right: list,
            settings: Settings { is_decided: false, ..settings },
            method: JoinMethod::Skew,
            found_by: method,
            predicates: Vec::new(),
            is_same_value: true,
            n_keys,
            n_pairs,
        })))
    }

    /// The q-grams of a column.
    fn grams(&self, texts: u32, q: u32) -> Grams {
        let texts = self.encoded.texts(texts);
        let longest = texts.heads.iter().map(|head| head.len).max().unwrap_or(0);
        let words = GramWords::new(texts.bits, q, longest).expect("words have room");
        let of = kernels::Grams { texts, words };
        let counts = atomics(texts.heads.len() as u32 + 1, 0);
        self.launch(|thread| kernels::counts(thread, &of, &counts));
        let mut starts = plain(&counts);
        let mut n = 0;
        for start in &mut starts {
            (*start, n) = (n, n + *start);
        }
        let slots = wide_atomics(n_slots_for(u64::from(n), 50) as usize, EMPTY);
        let (numbers, found) = (atomics(slots.len() as u32, 0), atomics(n, UNWRITTEN));
        self.launch(|thread| kernels::number(thread, &of, &starts, &slots, (&numbers, &found)));
        let (used, n_used) = (Checked::new(n as usize, false), AtomicU32::new(0));
        let counted = plain(&numbers);
        self.launch(|thread| kernels::used(thread, &counted, &used, &n_used));
        let n_elements = n_used.into_inner();
        let mut used = used.written_upto(n_elements as usize);
        used.sort_by_key(|&word| first_of(word));
        self.launch(|thread| kernels::rank(thread, &used, &numbers));
        let words = Checked::new(n as usize, false);
        let (numbers, found) = (plain(&numbers), plain(&found));
        self.launch(|thread| kernels::place(thread, &starts, &numbers, &found, &words));
        let mut words = words.written();
        words.sort_unstable();
        let elements = atomics(n, UNWRITTEN);
        self.launch(|thread| kernels::take(thread, &words, &elements));
        let grams = Grams { q, starts, elements: plain(&elements), n_elements };
        self.assert_grams(&grams, texts.heads.len());
        grams
    }

    /// Each value's elements ascend, and from number to number they do not become rarer.
    fn assert_grams(&self, grams: &Grams, n_values: usize) {
        let mut counts = vec![0; grams.n_elements as usize];
        for value in 0..n_values {
            let own = &grams.elements[grams.starts[value] as usize..grams.starts[value + 1] as usize];
            assert!(own.is_sorted_by(|a, b| a < b), "elements are out of order, or there twice");
            own.iter().for_each(|&element| counts[element as usize] += 1);
        }
        assert!(counts.is_sorted() && counts.iter().all(|&n| n > 0), "elements are not by rising frequency");
    }

    /// The values of a list, as if all of it were one block.
    fn values(&self, list: &List, operand: u32, kind: &Elements, lens: Lens) -> ElementList {
        let lens = lens.map(|len| match kind {
            Elements::Tokens(_) => len,
            Elements::Grams(grams) => n_grams(len, grams.q),
        });
        // In the order that classes have: those of groups do not ascend from one to the next.
        let mut classes: Vec<u32> = lens.all().map(|(len, _)| len).collect();
        classes.sort_unstable();
        classes.dedup();
        let classes: Vec<Class> = classes.iter().map(|&len| Class { len, ..Class::default() }).collect();
        let n_items = list.items.len() as usize;
        let (values, signatures) = (wide_atomics(n_items, u64::MAX), wide_atomics(4 * n_items, 0));
        let job = kernels::Valued {
            columns: self.encoded,
            operand,
            of: match kind {
                Elements::Tokens(sets) => kernels::Of::Sets(*sets),
                Elements::Grams(grams) => kernels::Of::Grams(&grams.starts),
            },
            elements: kind.elements(self.encoded),
            starts: &list.items.starts,
            records: &list.items.records,
            first: 0,
            classes: &classes,
            values: &values,
            signatures: &signatures,
        };
        self.launch(|thread| kernels::values(thread, &job));
        let values = wide_plain(values);
        for (item, value) in (0..).zip(&values) {
            let len = classes[(value >> 32) as usize].len;
            assert_eq!(len, lens.at(item), "a value is in another class");
        }
        ElementList {
            starts: values.iter().map(|&value| value as u32).collect(),
            lens,
            signatures: wide_plain(signatures)
                .chunks(4)
                .map(|four| [four[0], four[1], four[2], four[3]])
                .collect(),
        }
    }
}

impl super::KernelOnThreads {
    /// The groups of elements that are looked up.
    pub(super) fn groups(&self, tables: &BlockTables) -> Vec<u64> {
        let (firsts, values) = tables.groups(WARP);
        let n_groups = firsts.last().map_or(0, |&n| n as usize);
        let words = Checked::new(n_groups, false);
        self.launch_each(0, |thread| kernels::groups(thread, &firsts, &values, &words));
        let words = words.written();
        assert!(words.is_sorted_by_key(|&word| (Group::from_word(word).item, Group::from_word(word).first)));
        words
    }
}
