//! `tgw run`: a stream of calls.

use crate::gateway::Gateway;
use crate::lines::{LineReader, LineWriter};
use crate::schedule::{self, End, Options, Unanswered, Unfinished};
use crate::wire::{JsonLimits, Shape};

use super::arguments::{ColourChoice, FormatChoice, RunArgs};
use super::display::{Display, interaction};
use super::exit::{Failure, INTERRUPTED, Outcome};
use super::{session, stdio, telemetry};

/// Runs a stream to its end.
pub(crate) fn run(arguments: &RunArgs, colour: ColourChoice) -> Outcome {
    let loaded = session::load(&arguments.session)?;
    loaded.warn_untrusted();
    loaded.log_warnings();
    let input = stdio::input(arguments.file.as_deref())?;
    stdio::say_what_is_read(&input);
    let output = stdio::output()?;
    let display = Display::new(&arguments.display, colour, &loaded.in_use)?;
    let store = super::store::create(&loaded)?;
    let asked = interaction(&arguments.display, colour);
    let telemetry = telemetry::start(&loaded.session.environment, loaded.session.clock)?;
    let gateway = Gateway::new(&loaded.session, store, asked, &display, shape(arguments.format))
        .with_telemetry(telemetry);
    let unanswered = if arguments.wait_approvals { Unanswered::Await } else { Unanswered::Leave };
    let options = Options {
        jobs: usize::from(arguments.jobs),
        unanswered,
        unfinished: if arguments.wait_operations { Unfinished::Await } else { Unfinished::Leave },
        run: random_run()?,
    };
    let end = runtime()?
        .block_on(async {
            let reader = LineReader::new(input, JsonLimits::default().bytes);
            let writer = LineWriter::new(output);
            schedule::run(&gateway, reader, writer, options).await
        })
        .map_err(|error| Failure::failed(format!("the stream ended early: {error}")))?;
    gateway.close();
    display.finish();
    Ok(match end {
        End::Answered | End::ReaderGone => 0,
        End::Interrupted => INTERRUPTED,
    })
}

/// One thread: a call that need not wait is never handed to another.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format!("cannot start: {error}")))
}

/// A number that tells the ids of this run from those of others.
pub(crate) fn random_run() -> Result<u64, Failure> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| Failure::failed(format!("no randomness: {error}")))?;
    Ok(u64::from_le_bytes(bytes))
}

fn shape(choice: FormatChoice) -> Option<Shape> {
    match choice {
        FormatChoice::Auto => None,
        FormatChoice::Native => Some(Shape::Native),
        FormatChoice::OpenaiChat => Some(Shape::OpenAiChat),
        FormatChoice::OpenaiResponses => Some(Shape::OpenAiResponses),
        FormatChoice::Anthropic => Some(Shape::Anthropic),
        FormatChoice::Gemini => Some(Shape::Gemini),
        FormatChoice::Bedrock => Some(Shape::Bedrock),
        FormatChoice::Mcp => Some(Shape::Mcp),
    }
}
