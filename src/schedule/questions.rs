//! The questions of a batch: all of them are asked before any of its calls runs.

use std::future::Future;
use std::pin::Pin;
use std::time::Instant;

use crate::authorize::Consent;
use crate::gateway::{Admission, Asked};
use crate::wire::CallRequest;

use super::Scheduler;
use super::entry::{Running, State, Step};

impl<'g> Scheduler<'g, '_> {
    /// Decides every call of a batch provisionally and asks every question, before any of them runs.
    pub(super) fn ask_batch(&mut self, batch: u64) -> bool {
        let mut questions = Vec::new();
        for (at, entry) in self.queue.iter_mut().enumerate().skip(self.started) {
            if entry.batch != Some(batch) {
                break;
            }
            if let State::Waiting { request, asked, .. } = &mut entry.state {
                *asked = true;
                if let Admission::Ask(pending) = self.gateway.foresee((**request).clone()) {
                    questions.push((self.first + at as u64, pending, entry.cancel.clone()));
                }
            }
        }
        if questions.is_empty() {
            return true;
        }
        let gateway = self.gateway;
        let seq = self.first + self.started as u64;
        let future = Box::pin(async move {
            let mut answers = Vec::new();
            for (seq, pending, cancel) in questions {
                let asked = gateway.ask_ahead(pending, &cancel).await;
                let stopped = matches!(asked, Asked::Stopped(_));
                answers.push((seq, asked));
                if stopped {
                    break;
                }
            }
            Step::Asked(answers)
        });
        self.hold(seq, future);
        true
    }

    /// Keeps a question until everything before it is answered and shown: nothing that a tool wrote may come between a
    /// question and its answer.
    pub(super) fn hold(&mut self, seq: u64, future: Pin<Box<dyn Future<Output = Step> + 'g>>) {
        self.held =
            Some(Running { seq, exclusive: true, tool: String::new(), since: Instant::now(), future });
    }

    /// Lets the question that is held be asked. Returns whether there was one.
    pub(super) fn release(&mut self) -> bool {
        let held = self.held.take();
        let any = held.is_some();
        self.running.extend(held);
        any
    }

    /// Takes in what a person answered.
    pub(super) fn answered(&mut self, answers: Vec<(u64, Asked)>) {
        for (seq, asked) in answers {
            // A call that was cancelled while the person thought has its answer already.
            let Some(at) = self.place(seq).filter(|at| self.is_waiting(*at)) else { continue };
            match asked {
                Asked::Consented { consent, edited, .. } => self.consented(at, consent, edited),
                Asked::Edited(edited) => self.consented(at, Box::new(Consent::None), Some(edited)),
                Asked::Refused(finished) | Asked::Stopped(finished) => self.finish_at(at, finished),
            }
        }
    }

    fn consented(&mut self, at: usize, given: Box<Consent>, changed: Option<Box<CallRequest>>) {
        let Some(entry) = self.queue.get_mut(at) else { return };
        if let State::Waiting { request, consent, .. } = &mut entry.state {
            *consent = given;
            if let Some(changed) = changed {
                *request = changed;
                entry.edited = true;
            }
        }
    }

    fn is_waiting(&self, at: usize) -> bool {
        matches!(self.queue.get(at).map(|entry| &entry.state), Some(State::Waiting { .. }))
    }
}
