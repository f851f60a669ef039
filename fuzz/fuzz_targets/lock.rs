#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tgw_fuzz::lock(bytes));
