//! The driver of a build without the feature `cuda`: there is no device, and every function says why.
//! It lets the rest of the backend compile unchanged, so that switching the feature off breaks nothing.

use super::{
    Address, Answer, Body, Conditional, Event, Failure, Function, Graph, Grid, Node, Opened, ProductPlan, ProductShape,
    Recorded, Stream,
};
use crate::dtype::DType;

const WHY: &str = "this program was built without the feature `cuda`";

fn refuse<T>(call: &'static str) -> Answer<T> {
    Err(Failure { call, said: WHY.into() })
}

/// Why there is no driver.
pub fn present() -> Result<(), String> {
    Err(WHY.into())
}

pub fn compiler_present() -> Result<(), String> {
    Err(WHY.into())
}

pub fn device_count() -> Answer<usize> {
    refuse("device_count")
}

pub fn open(_: usize) -> Answer<Opened> {
    refuse("open")
}

pub fn set_current(_: usize) -> Answer<()> {
    refuse("set_current")
}

pub fn memory_info() -> Answer<(usize, usize)> {
    refuse("memory_info")
}

pub fn allocate(_: usize) -> Answer<Address> {
    refuse("allocate")
}

pub unsafe fn free(_: Address) -> Answer<()> {
    refuse("free")
}

pub fn allocate_in_order(_: usize, _: Stream) -> Answer<Address> {
    refuse("allocate_in_order")
}

pub unsafe fn free_in_order(_: Address, _: Stream) -> Answer<()> {
    refuse("free_in_order")
}

pub fn allocate_pinned(_: usize) -> Answer<*mut u8> {
    refuse("allocate_pinned")
}

pub unsafe fn copy_to_device(_: Address, _: *const u8, _: usize, _: Stream) -> Answer<()> {
    refuse("copy_to_device")
}

pub unsafe fn copy_to_host(_: *mut u8, _: Address, _: usize, _: Stream) -> Answer<()> {
    refuse("copy_to_host")
}

pub unsafe fn copy_within(_: Address, _: Address, _: usize, _: Stream) -> Answer<()> {
    refuse("copy_within")
}

pub unsafe fn set_bytes(_: Address, _: u8, _: usize, _: Stream) -> Answer<()> {
    refuse("set_bytes")
}

pub fn synchronize(_: Stream) -> Answer<()> {
    refuse("synchronize")
}

pub fn new_event() -> Answer<Event> {
    refuse("new_event")
}

pub fn record(_: Event, _: Stream) -> Answer<()> {
    refuse("record")
}

pub fn await_event(_: Event) -> Answer<()> {
    refuse("await_event")
}

pub fn compiler_version() -> Answer<(i32, i32)> {
    refuse("compiler_version")
}

pub fn architectures() -> Answer<Vec<i32>> {
    refuse("architectures")
}

pub fn driver_version() -> Answer<(i32, i32)> {
    refuse("driver_version")
}

pub fn compile(_: &str, _: &[String]) -> Answer<Vec<u8>> {
    refuse("compile")
}

pub fn load(_: &[u8]) -> Answer<usize> {
    refuse("load")
}

pub fn function(_: usize, _: &str) -> Answer<Function> {
    refuse("function")
}

pub unsafe fn launch(_: Function, _: Grid, _: Stream, _: &mut [*mut std::ffi::c_void]) -> Answer<()> {
    refuse("launch")
}

pub fn new_stream() -> Answer<Stream> {
    refuse("new_stream")
}

pub fn destroy_stream(_: Stream) -> Answer<()> {
    refuse("destroy_stream")
}

pub fn begin_capture(_: Stream) -> Answer<()> {
    refuse("begin_capture")
}

pub fn end_capture(_: Stream) -> Answer<Graph> {
    refuse("end_capture")
}

pub fn instantiate(_: Graph) -> Answer<Recorded> {
    refuse("instantiate")
}

pub fn discard(_: Graph) {}

pub fn last_node(_: Stream) -> Answer<Node> {
    refuse("last_node")
}

pub unsafe fn set_launch(_: Recorded, _: Node, _: Function, _: Grid, _: &mut [*mut std::ffi::c_void]) -> Answer<()> {
    refuse("set_launch")
}

pub unsafe fn start(_: Recorded, _: Stream) -> Answer<()> {
    refuse("start")
}

pub unsafe fn destroy(_: Recorded) -> Answer<()> {
    refuse("destroy")
}

pub fn products_present() -> Result<(), String> {
    Err(WHY.into())
}

pub fn open_products() -> Answer<usize> {
    refuse("open_products")
}

pub fn plan_product(_: usize, _: &ProductShape, _: usize) -> Answer<Option<ProductPlan>> {
    refuse("plan_product")
}

pub unsafe fn product(_: usize, _: &ProductPlan, _: [Address; 4], _: (Address, usize), _: Stream) -> Answer<()> {
    refuse("product")
}

pub fn new_conditional(_: Stream, _: usize) -> Answer<u64> {
    refuse("new_conditional")
}

pub fn add_conditional(_: Stream, _: usize, _: u64, _: Conditional, _: u32) -> Answer<Vec<Body>> {
    refuse("add_conditional")
}

pub fn begin_body(_: Stream, _: Body) -> Answer<()> {
    refuse("begin_body")
}

pub fn records_nothing(_: Stream) -> Answer<bool> {
    refuse("records_nothing")
}

pub struct Direct;

impl Direct {
    pub fn new(_: DType, _: bool, _: [u64; 3], _: usize) -> Answer<Self> {
        refuse("direct")
    }

    pub unsafe fn run(&self, _: [Address; 3], _: (Address, usize), _: Stream) -> Answer<()> {
        refuse("direct")
    }
}
