//! What the tiers answer for types of each kind: tables of state, comparisons, conditions, what `for` goes over.
//! Written as the macro writes it, with its references in front.

use super::tiers::*;
use super::*;
use crate as tf;
use crate::structure::state_vtable::Kind;
use crate::structure::*;
use crate::{Tensor, Variable};
use std::cell::Cell;
use std::collections::HashMap;

/// A host value that nothing is known of.
struct Opaque;

#[derive(Clone)]
struct Copied;

/// A structure of the user's own.
#[derive(tf::Nest)]
struct State {
    h: Tensor,
    rest: (Tensor, Option<f32>),
}

fn state() -> State {
    State { h: tf::constant(1.0), rest: (tf::constant(2.0), Some(0.5)) }
}

#[test]
fn state_of_any_type_has_a_table() {
    let kind = |table: &StateVtable| table.kind;
    let (tensor, number, map) = (tf::constant(1.0), 3usize, HashMap::from([("a", 1)]));
    assert_eq!(kind((&&&&&&Probe(&tensor)).table()), Kind::Nest);
    assert_eq!(kind((&&&&&&Probe(&number)).table()), Kind::Nest);
    assert_eq!(kind((&&&&&&Probe(&state())).table()), Kind::Nest);
    assert_eq!(kind((&&&&&&Probe(&vec![Some(tensor.clone())])).table()), Kind::Nest);
    assert_eq!(kind((&&&&Probe(&map)).table()), Kind::Compared);
    assert_eq!(kind((&&&&&Probe(&"text")).table()), Kind::Compared);
    assert_eq!(kind((&&&Probe(&Copied)).table()), Kind::Cloned);
    assert_eq!(kind(Probe(&Opaque).table()), Kind::Opaque);
    let mut two = (tf::constant(1.0), tf::constant(2.0));
    assert_eq!(kind((&&Probe(&vec![&mut two.0, &mut two.1])).table()), Kind::References);
    assert_eq!(kind((&&&&&Probe(&(&Opaque, &tensor).0)).table()), Kind::Compared);
    // A slot's type is decided by what is done with it.
    let slot = Slot::new();
    let _: Slot<Vec<Tensor>> = slot;
    assert_eq!(kind((&&&&&&slot).table()), Kind::Nest);
}

#[test]
fn literals_and_open_types_find_a_table() {
    let (i, list) = (0, Vec::new());
    let tables = [(&&&&&&Probe(&i)).table(), (&&&&&&Probe(&list)).table()];
    let mut list = list;
    list.push(i + 1i64);
    assert!(tables.iter().all(|table| table.kind == Kind::Nest));
    assert_eq!((tables[0].type_name)(), "i64");
}

#[test]
fn places_are_kept_restored_and_replaced() {
    let mut own = state();
    let table = (&&&&&&Probe(&own)).table();
    let mut at = place("own", &mut own, table);
    let kept = at.keep().unwrap();
    at.replace(&mut |t| t + 10.0);
    let changed = at.keep().unwrap();
    at.restore(&kept);
    assert_eq!(own.h.item::<f32>(), 1.0);
    place("own", &mut own, table).restore(&changed);
    assert_eq!((own.h.item::<f32>(), own.rest.0.item::<f32>(), own.rest.1), (11.0, 12.0, Some(0.5)));

    let mut map = HashMap::from([("a", 1)]);
    let table = (&&&&Probe(&map)).table();
    let kept = place("map", &mut map, table).keep().unwrap();
    assert_eq!(place_ref("map", &map, table).equals(&kept), Some(true));
    map.insert("b", 2);
    let mut at = place("map", &mut map, table);
    assert_eq!(at.equals(&kept), Some(false));
    at.restore(&kept);
    assert_eq!(map.len(), 1);

    // References are the same where they lead: equal tensors at two places are two.
    let (one, other) = (tf::constant(1.0), tf::constant(1.0));
    let mut at = &one;
    let table = (&&&&&Probe(&at)).table();
    let kept = place("at", &mut at, table).keep().unwrap();
    assert_eq!(place("at", &mut at, table).equals(&kept), Some(true));
    at = &other;
    assert_eq!(place("at", &mut at, table).equals(&kept), Some(false));

    let mut opaque = Opaque;
    let table = Probe(&opaque).table();
    assert!(place("opaque", &mut opaque, table).keep().is_none());
    assert!(unset("later", table).keep().is_none());
}

#[test]
#[should_panic(expected = "`n` is a u32")]
fn a_table_of_another_type_is_refused() {
    let mut n = 1u32;
    let _ = place("n", &mut n, (&&&&&&Probe(&1u64)).table());
}

#[test]
fn kept_values_are_dropped_once() {
    struct Counted<'a>(&'a Cell<i32>);
    impl Clone for Counted<'_> {
        fn clone(&self) -> Self {
            self.0.set(self.0.get() + 1);
            Self(self.0)
        }
    }
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() - 1);
        }
    }
    let count = Cell::new(1);
    let mut value = Counted(&count);
    let table = (&&Probe(&value)).table();
    let mut at = place("value", &mut value, table);
    let kept = at.keep().unwrap();
    at.restore(&kept);
    assert_eq!(count.get(), 2);
    drop(kept);
    assert_eq!(count.get(), 1);
    drop(value);
    assert_eq!(count.get(), 0);
}

#[test]
fn comparisons_follow_their_operands() {
    let (x, v) = (tf::constant([1.0, 2.0]), Variable::new(1.0));
    let tensor = |t: Tensor| t.to_vec::<bool>();
    assert_eq!(tensor((&&&Cmp(&x, &1.5)).lt()), [true, false]);
    assert_eq!(tensor((&&&Cmp(&&x, &&x)).eq()), [true, true]);
    assert_eq!(tensor((&&Cmp(&2.0, &x)).le()), [false, true]);
    assert_eq!(tensor((&&&Cmp(&x, &v)).ne()), [false, true]);
    assert_eq!(tensor((&&&Cmp(&v, &x)).ge()), [true, false]);
    let host: [bool; 6] = [
        Cmp(&1, &2).lt(),
        Cmp(&&1u8, &&2).le(),
        Cmp(&"a".to_string(), &"a").eq(),
        Cmp(&Some(1.5), &None).ne(),
        Cmp(&[1.0, 2.0][..], &[1.0, 2.0]).eq(),
        Cmp(&'b', &'a').gt(),
    ];
    assert_eq!(host, [true; 6]);
}

#[test]
fn logic_is_lazy_and_of_tensors_where_one_is_among_them() {
    let ran = Cell::new(0);
    let right = |value: Tensor| {
        ran.set(ran.get() + 1);
        value
    };
    let (yes, no) = (tf::constant(true), tf::constant(false));
    let mut logic = Logic::and(&no);
    let both: Tensor = if logic.open() { logic.close(&right(yes.clone())) } else { logic.short() };
    assert!(!both.item::<bool>() && ran.get() == 0);
    let mut logic = Logic::or(&false);
    let either = if logic.open() { logic.close(&right(yes)) } else { logic.short() };
    assert!(either.item::<bool>() && ran.get() == 1);
    let mut logic = Logic::or(&true);
    let host: bool = if logic.open() { logic.close(&false) } else { logic.short() };
    assert!(host);
}

#[test]
fn for_goes_over_rows_and_items() {
    let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
    let mut rows = (&&Iterated::of(&&x)).iterate(&x);
    let mut sums = Vec::new();
    while rows.advance().decide().unwrap() {
        sums.push(rows.item().sum().item::<f32>());
    }
    assert_eq!(sums, [3.0, 7.0]);
    let list = vec!["a".to_string(), "b".to_string()];
    let mut items = Iterated::of(&list).iterate(list);
    let mut text = String::new();
    while items.advance().decide().unwrap() {
        text += &items.item();
    }
    assert_eq!(text, "ab");
}

#[test]
fn moved_values_are_saved_if_they_can_be() {
    let x = tf::constant(1.0);
    let saved = (&&&&Save(&x)).save("x", true);
    drop(x);
    assert_eq!(saved.restore().item::<f32>(), 1.0);
    let saved = Save(&Opaque).save("opaque", true);
    let message = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = saved.restore();
    }))
    .unwrap_err();
    let message = message.downcast::<String>().unwrap();
    assert!(message.contains("opaque") && message.contains("implement `Clone`"), "{message}");
}

#[test]
fn instances_of_a_generic_function_differ() {
    fn of<T>(_: T) -> std::any::TypeId {
        instance(&|| ()).id
    }
    assert_eq!(of(1u8), of(2u8));
    assert_ne!(of(1u8), of(1u16));
    let text = String::from("borrowed");
    assert_eq!(of(text.as_str()), of("static"));
}

#[test]
fn lines_say_what_they_are_given() {
    let x = tf::constant(1.5);
    assert!((&&Shown(&&x)).tensor().is_some() && (&&Shown(&Variable::new(1.0))).tensor().is_some());
    assert!(Shown(&"text").tensor().is_none());
}

#[test]
fn assertions_on_host_values_are_those_of_rust() {
    Cmp(&1, &1).assert_eq(None);
    (&&Cmp(&tf::constant([1, 1]), &1)).assert_eq(None);
    let fails = |body: &dyn Fn()| {
        let message = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).unwrap_err();
        *message.downcast::<String>().unwrap()
    };
    let text = fails(&|| Cmp(&1, &2).assert_eq(Some(&|m| m.text("n"))));
    assert!(text.contains("left == right") && text.contains('n'), "{text}");
    let text = fails(&|| (&&Cmp(&tf::constant([1, 2]), &2)).assert_ne(None));
    assert!(text.contains("assert_none_equal"), "{text}");
    let text = fails(&|| assert(&tf::constant(false), "x > 0", None));
    assert!(text.contains("assertion failed: x > 0"), "{text}");
}
