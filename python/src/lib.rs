//! hyperblock from Python. [`capsules`] is how tables come in and results go out, [`calls`] are the functions, [`spread`] those for units, [`running`] is how
//! they run so that Ctrl-C and panics are answered, [`raised`] turns errors into exceptions and [`warned`] warnings into warnings. All else
//! is Python.

mod calls;
mod capsules;
mod raised;
mod running;
mod spread;
mod warned;

use pyo3::prelude::*;

/// What `hyperblock/__init__.py` stands on.
#[pymodule(gil_used = true)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    warned::listen();
    module.add_class::<capsules::Stream>()?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(calls::find, module)?)?;
    module.add_function(wrap_pyfunction!(calls::resolve, module)?)?;
    module.add_function(wrap_pyfunction!(calls::cluster, module)?)?;
    module.add_function(wrap_pyfunction!(calls::closure, module)?)?;
    module.add_function(wrap_pyfunction!(calls::fit, module)?)?;
    module.add_function(wrap_pyfunction!(calls::explain, module)?)?;
    module.add_function(wrap_pyfunction!(calls::why, module)?)?;
    module.add_function(wrap_pyfunction!(calls::devices, module)?)?;
    module.add_function(wrap_pyfunction!(spread::plan, module)?)?;
    module.add_function(wrap_pyfunction!(spread::told, module)?)?;
    module.add_function(wrap_pyfunction!(spread::cover, module)?)?;
    module.add_function(wrap_pyfunction!(spread::count, module)?)?;
    module.add_function(wrap_pyfunction!(spread::with_terms, module)?)?;
    module.add_function(wrap_pyfunction!(spread::solve, module)?)?;
    module.add_function(wrap_pyfunction!(spread::forest, module)?)?;
    Ok(())
}
