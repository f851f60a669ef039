//! What would run elsewhere: a tool of an upstream server, a request to a service.

use crate::present::{Line, Tone};
use crate::text;
use crate::validate::{HttpPlan, McpPlan};

use super::super::quote;
use super::super::request::body_text;
use super::Page;

impl Page {
    pub(super) fn upstream(&mut self, plan: &McpPlan) {
        let server = &plan.server;
        self.field("server", &format!("{}, its tool {}", server.name, plan.tool));
        let argv = server.argv.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
        self.value("  argv      ", "argv", &argv);
        self.field("in", if server.cwd.is_empty() { "." } else { &server.cwd });
        for (name, value) in &server.env {
            self.value("  env       ", name, &format!("{}={}", text::escape(name), quote(value)));
        }
        if !server.pass_env.is_empty() {
            self.field("passes on", &server.pass_env.join(" "));
        }
        self.field("at most", &format!("{:?}", plan.timeout));
    }

    pub(super) fn request(&mut self, request: &HttpPlan) {
        self.value("  request   ", "request", &text::escape(&format!("{} {}", request.method, request.url)));
        for (name, value) in &request.headers {
            self.value("  header    ", name, &text::escape(&format!("{name}: {value}")));
        }
        match body_text(&request.body) {
            None => self.field("sends", "nothing"),
            Some((what, body)) => {
                self.lines.push(Line::new(Tone::Plain, format!("  sends     {what}:")));
                self.block("body", &body);
            }
        }
        if !request.networks.is_empty() {
            let names: Vec<String> = request.networks.iter().map(ToString::to_string).collect();
            self.field("may reach", &format!("the private networks {}", names.join(", ")));
        }
        if !request.redirects.is_none() {
            let elsewhere = match request.redirects.hosts.as_slice() {
                [] => String::new(),
                hosts => format!(", also to {}", hosts.join(", ")),
            };
            self.field("follows", &format!("at most {} redirects{elsewhere}", request.redirects.max));
        }
        if let Some(proxy) = &request.proxy {
            self.field("through", &proxy.url);
        }
        self.field("at most", &format!("{:?}", request.timeout));
    }
}
