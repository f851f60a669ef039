//! Lines in and out: strict JSON, recognising the shape, encoding the answer.

mod support;

use std::hint::black_box;

use divan::{Bencher, counter::BytesCount};
use tgw::code::{Effect, Status};
use tgw::wire::{IdRegister, JsonLimits, ReplyView, Shape, decode_line, encode_reply, parse_strict};

fn main() {
    divan::main();
}

/// A line of about 140 bytes, and one with an argument of 100 kB.
const SIZES: [usize; 2] = [0, 100_000];

fn call(extra: usize) -> String {
    support::line(7).replace("invoice", &format!("invoice{}", "x".repeat(extra)))
}

/// The parser underneath, which takes duplicate keys and lossy numbers.
#[divan::bench(args = SIZES)]
fn parse_lenient(bencher: Bencher<'_, '_>, extra: usize) {
    let line = call(extra);
    bencher
        .counter(BytesCount::of_str(line.as_str()))
        .bench(|| serde_json::from_slice::<serde_json::Value>(black_box(line.as_bytes())));
}

#[divan::bench(args = SIZES)]
fn parse(bencher: Bencher<'_, '_>, extra: usize) {
    let line = call(extra);
    bencher
        .counter(BytesCount::of_str(line.as_str()))
        .bench(|| parse_strict(black_box(line.as_bytes()), JsonLimits::default()));
}

#[divan::bench(args = SIZES)]
fn decode(bencher: Bencher<'_, '_>, extra: usize) {
    let line = call(extra);
    let mut ids = IdRegister::new(1);
    bencher.counter(BytesCount::of_str(line.as_str())).bench_local(|| {
        decode_line(black_box(line.as_bytes()), 1, JsonLimits::default(), &mut || ids.assign())
    });
}

#[divan::bench(args = [Shape::Native, Shape::OpenAiChat, Shape::Anthropic, Shape::Mcp])]
fn encode(bencher: Bencher<'_, '_>, shape: Shape) {
    let receipt = format!("sha256:{}", "ab".repeat(32));
    let reply = ReplyView {
        id: "c1",
        tool: Some("read_file"),
        status: Status::Succeeded,
        effect: Effect::None,
        verification: None,
        object: None,
        operation: None,
        content: Some("1\tfn main() {\n2\t    println!(\"Hello\");\n3\t}\n"),
        truncated: false,
        total: None,
        next: None,
        result: Some("r_00000000000000000000000000"),
        replayed: false,
        warnings: &[],
        error: None,
        receipt: Some(&receipt),
    };
    let mut out = Vec::new();
    bencher.bench_local(|| {
        out.clear();
        encode_reply(black_box(&reply), shape, None, &mut out);
    });
}
