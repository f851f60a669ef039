//! The standard environment variables of OpenTelemetry, read and checked.
//!
//! A value never stands in an error: headers hold credentials, and so may the rest by mistake.

use std::net::IpAddr;
use std::time::Duration;

use super::names;

/// How long one export may take where nothing is stated, as the specification has it.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The longest that one export may take, whatever is stated.
const LONGEST: Duration = Duration::from_secs(60);

/// How often spans, and metrics, are exported where nothing is stated.
const SPAN_DELAY: Duration = Duration::from_secs(5);
const METRIC_INTERVAL: Duration = Duration::from_secs(60);

/// Most bytes of a resource attribute's value or of a header's, and most of them.
const MOST_BYTES: usize = 4096;
const MOST_PAIRS: usize = 64;

/// How a request's body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Json,
    Protobuf,
}

/// Where the spans, or the metrics, go.
#[derive(Clone)]
pub(super) struct Destination {
    pub(super) url: String,
    pub(super) protocol: Protocol,
    pub(super) headers: Vec<(String, String)>,
    pub(super) timeout: Duration,
}

/// Everything that is configured. It has no `Debug`: headers hold credentials.
#[derive(Clone)]
pub struct Settings {
    pub(super) traces: Option<Destination>,
    pub(super) metrics: Option<Destination>,
    pub(super) resource: Vec<(String, String)>,
    pub(super) span_delay: Duration,
    pub(super) metric_interval: Duration,
}

/// Why a variable cannot be obeyed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{variable}` {problem}")]
pub struct SettingsError {
    variable: String,
    problem: &'static str,
    hint: &'static str,
}

impl SettingsError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        self.hint
    }

    fn new(variable: &str, problem: &'static str, hint: &'static str) -> Self {
        Self { variable: variable.to_owned(), problem, hint }
    }
}

/// What is exported: its name in variables, and the end of its path.
#[derive(Clone, Copy)]
struct Signal {
    name: &'static str,
    path: &'static str,
}

const TRACES: Signal = Signal { name: "TRACES", path: "v1/traces" };
const METRICS: Signal = Signal { name: "METRICS", path: "v1/metrics" };

/// Reads what the environment says; `None` where nothing is to be exported. An empty variable counts as unset.
///
/// # Errors
/// The first variable that cannot be obeyed.
pub fn settings(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Settings>, SettingsError> {
    let environment = Environment { variable };
    if environment.get("OTEL_SDK_DISABLED").is_some_and(|text| text.trim().eq_ignore_ascii_case("true")) {
        return Ok(None);
    }
    let traces = environment.destination(TRACES)?;
    let metrics = environment.destination(METRICS)?;
    if traces.is_none() && metrics.is_none() {
        return Ok(None);
    }
    Ok(Some(Settings {
        traces,
        metrics,
        resource: environment.resource()?,
        span_delay: environment.milliseconds("OTEL_BSP_SCHEDULE_DELAY")?.unwrap_or(SPAN_DELAY),
        metric_interval: environment.milliseconds("OTEL_METRIC_EXPORT_INTERVAL")?.unwrap_or(METRIC_INTERVAL),
    }))
}

struct Environment<'e> {
    variable: &'e dyn Fn(&str) -> Option<String>,
}

impl Environment<'_> {
    fn get(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|text| !text.trim().is_empty())
    }

    /// A variable of the exporter for one signal, else for all of them; with the name that it was found under.
    fn exporter(&self, signal: Signal, what: &str) -> Option<(String, String)> {
        let names =
            [format!("OTEL_EXPORTER_OTLP_{}_{what}", signal.name), format!("OTEL_EXPORTER_OTLP_{what}")];
        names.into_iter().find_map(|name| self.get(&name).map(|text| (name, text)))
    }

    fn destination(&self, signal: Signal) -> Result<Option<Destination>, SettingsError> {
        let chosen = format!("OTEL_{}_EXPORTER", signal.name);
        match self.get(&chosen).as_deref().map(str::trim) {
            None | Some("otlp") => {}
            Some("none") => return Ok(None),
            Some(_) => {
                return Err(SettingsError::new(
                    &chosen,
                    "names an exporter that tgw does not have",
                    "tgw has `otlp` and `none`",
                ));
            }
        }
        let Some((name, written)) = self.exporter(signal, "ENDPOINT") else { return Ok(None) };
        let written = written.trim();
        let own = name.contains(signal.name);
        let loopback = host(&name, written)?;
        let url = if own {
            written.to_owned()
        } else {
            format!("{}/{}", written.trim_end_matches('/'), signal.path)
        };
        if url.parse::<ureq::http::Uri>().is_err() {
            return Err(no_endpoint(&name));
        }
        let headers = match self.exporter(signal, "HEADERS") {
            Some((name, text)) => {
                let headers = pairs(&name, &text)?;
                if !loopback {
                    return Err(SettingsError::new(
                        &name,
                        "would leave this machine in clear text",
                        "send to a collector on this machine, and let that one add the headers",
                    ));
                }
                headers_of(&name, headers)?
            }
            None => Vec::new(),
        };
        Ok(Some(Destination {
            url,
            protocol: self.protocol(signal)?,
            headers,
            timeout: self.timeout(signal)?.min(LONGEST),
        }))
    }

    fn protocol(&self, signal: Signal) -> Result<Protocol, SettingsError> {
        let Some((name, text)) = self.exporter(signal, "PROTOCOL") else { return Ok(Protocol::Protobuf) };
        match text.trim() {
            "http/protobuf" => Ok(Protocol::Protobuf),
            "http/json" => Ok(Protocol::Json),
            _ => Err(SettingsError::new(
                &name,
                "names a protocol that tgw does not speak",
                "write `http/protobuf` or `http/json`; a collector listens for both, on port 4318 by custom",
            )),
        }
    }

    fn timeout(&self, signal: Signal) -> Result<Duration, SettingsError> {
        match self.exporter(signal, "TIMEOUT") {
            Some((name, _)) => Ok(self.milliseconds(&name)?.unwrap_or(TIMEOUT)),
            None => Ok(TIMEOUT),
        }
    }

    fn milliseconds(&self, name: &str) -> Result<Option<Duration>, SettingsError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        match text.trim().parse::<u32>() {
            Ok(milliseconds) if milliseconds > 0 => Ok(Some(Duration::from_millis(milliseconds.into()))),
            _ => Err(SettingsError::new(
                name,
                "is not a whole number of milliseconds above 0",
                "write a number such as `10000`",
            )),
        }
    }

    fn resource(&self) -> Result<Vec<(String, String)>, SettingsError> {
        let name = "OTEL_RESOURCE_ATTRIBUTES";
        let mut resource = match self.get(name) {
            Some(text) => pairs(name, &text)?,
            None => Vec::new(),
        };
        if let Some(service) = self.get("OTEL_SERVICE_NAME") {
            resource.retain(|(name, _)| name != names::SERVICE);
            resource.push((names::SERVICE.to_owned(), service));
        }
        if resource.iter().all(|(name, _)| name != names::SERVICE) {
            resource.push((names::SERVICE.to_owned(), names::TGW.to_owned()));
        }
        if is_tgw(&resource) {
            resource.push((names::SERVICE_VERSION.to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
        }
        Ok(resource)
    }
}

/// Whether the service is tgw, without a version stated for it. What version another service has is not for us to say.
fn is_tgw(resource: &[(String, String)]) -> bool {
    let named = |name: &str| resource.iter().find(|(known, _)| known == name);
    named(names::SERVICE).is_some_and(|(_, value)| value == names::TGW)
        && named(names::SERVICE_VERSION).is_none()
}

fn no_endpoint(variable: &str) -> SettingsError {
    SettingsError::new(variable, "is not the address of a collector", "write it as `http://localhost:4318`")
}

/// Checks an endpoint; whether it is on this machine.
fn host(variable: &str, endpoint: &str) -> Result<bool, SettingsError> {
    if endpoint.get(..8).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://")) {
        return Err(SettingsError::new(
            variable,
            "is an https address, and tgw exports in clear text only",
            "send to a collector on this machine, such as `http://localhost:4318`, and let that one forward over TLS",
        ));
    }
    let rest = endpoint.strip_prefix("http://").ok_or_else(|| no_endpoint(variable))?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let plain = !rest.contains(['?', '#']) && !authority.contains('@');
    if authority.is_empty() || !plain || endpoint.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(no_endpoint(variable));
    }
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    Ok(host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()))
}

/// `name=value` pairs with commas between, each part percent-encoded where it needs to be.
fn pairs(variable: &str, text: &str) -> Result<Vec<(String, String)>, SettingsError> {
    let wrong = || {
        SettingsError::new(
            variable,
            "is not a list of `name=value` with commas between",
            "write other signs in a value as `%` and two hexadecimal digits, such as `%2C` for a comma",
        )
    };
    let mut found: Vec<(String, String)> = Vec::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        let (name, value) =
            (decoded(name.trim()).ok_or_else(wrong)?, decoded(value.trim()).ok_or_else(wrong)?);
        if name.is_empty() || name.len() > MOST_BYTES || value.len() > MOST_BYTES || found.len() >= MOST_PAIRS
        {
            return Err(wrong());
        }
        found.retain(|(known, _)| *known != name);
        found.push((name, value));
    }
    Ok(found)
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter();
    while let Some(byte) = rest.next() {
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let digits = [*rest.next()?, *rest.next()?];
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let value = digit(digits[0])? * 16 + digit(digits[1])?;
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// Headers that can be sent.
fn headers_of(
    variable: &str,
    headers: Vec<(String, String)>,
) -> Result<Vec<(String, String)>, SettingsError> {
    let sendable = |(name, value): &(String, String)| {
        ureq::http::HeaderName::from_bytes(name.as_bytes()).is_ok()
            && ureq::http::HeaderValue::from_str(value).is_ok()
            // What these say is for the client to say.
            && !["host", "content-length", "content-type", "transfer-encoding", "connection"]
                .contains(&name.to_ascii_lowercase().as_str())
    };
    if headers.iter().all(sendable) {
        return Ok(headers);
    }
    Err(SettingsError::new(
        variable,
        "holds something that cannot be sent as a header",
        "name a header of your own, with printable ASCII in its value",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Option<Settings>, String> {
        let find = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        settings(&find).map_err(|error| error.to_string())
    }

    fn on(variables: &[(&str, &str)]) -> Settings {
        read(variables).unwrap().unwrap()
    }

    const ENDPOINT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318/base/");

    #[test]
    fn nothing_is_exported_unless_an_endpoint_is_stated() {
        for variables in [
            &[][..],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")],
            &[("OTEL_SERVICE_NAME", "x"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")],
            &[ENDPOINT, ("OTEL_SDK_DISABLED", "True")],
            &[ENDPOINT, ("OTEL_TRACES_EXPORTER", "none"), ("OTEL_METRICS_EXPORTER", "none")],
        ] {
            assert!(read(variables).unwrap().is_none(), "{variables:?}");
        }
    }

    #[test]
    fn a_path_is_put_below_the_common_endpoint_and_the_own_one_is_used_as_it_is() {
        let found = on(&[ENDPOINT, ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://[::1]:9/m")]);
        assert_eq!(found.traces.unwrap().url, "http://localhost:4318/base/v1/traces");
        assert_eq!(found.metrics.unwrap().url, "http://[::1]:9/m");
        let found = on(&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://collector/t")]);
        assert_eq!(found.traces.unwrap().url, "http://collector/t");
        assert!(found.metrics.is_none());
    }

    #[test]
    fn what_is_stated_for_one_signal_goes_before_what_is_stated_for_all() {
        let found = on(&[
            ENDPOINT,
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=1%2C2, b=x=y"),
            ("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "c=3"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "200"),
            ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "9000000"),
        ]);
        let (traces, metrics) = (found.traces.unwrap(), found.metrics.unwrap());
        let owned = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Vec<_>>()
        };
        assert_eq!((traces.protocol, metrics.protocol), (Protocol::Protobuf, Protocol::Json));
        assert_eq!(traces.headers, owned(&[("a", "1,2"), ("b", "x=y")]));
        assert_eq!(metrics.headers, owned(&[("c", "3")]));
        assert_eq!((traces.timeout, metrics.timeout), (LONGEST, Duration::from_millis(200)));
    }

    #[test]
    fn the_resource_names_the_service() {
        let named = |variables: &[(&str, &str)]| {
            let mut all = vec![ENDPOINT];
            all.extend_from_slice(variables);
            on(&all).resource.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
        };
        let version = format!("service.version={}", env!("CARGO_PKG_VERSION"));
        assert_eq!(named(&[]), ["service.name=tgw", &version]);
        let stated = ("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,team=a%20b");
        assert_eq!(named(&[stated]), ["service.name=other", "team=a b"]);
        assert_eq!(named(&[stated, ("OTEL_SERVICE_NAME", "mine")]), ["team=a b", "service.name=mine"]);
    }

    #[test]
    fn a_variable_that_cannot_be_obeyed_is_an_error_that_keeps_its_value_to_itself() {
        let secret = "s3cret";
        for (name, value) in [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://s3cret.example:4318"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "HTTPS://s3cret.example:4318"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "s3cret:4318"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:s3cret@localhost:4318"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318/?key=s3cret"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://local\u{a0}s3cret"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "s3cret"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "s3cret"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=s3cret%0Ab"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=s3cret%zz"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "Content-Length=s3cret"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "s3cret"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "0"),
            ("OTEL_RESOURCE_ATTRIBUTES", "s3cret"),
            ("OTEL_TRACES_EXPORTER", "s3cret"),
        ] {
            let variables: Vec<(&str, &str)> =
                [(name, value), ENDPOINT].into_iter().take(if name == ENDPOINT.0 { 1 } else { 2 }).collect();
            let Err(error) = read(&variables) else { panic!("{name}={value} is obeyed") };
            assert!(error.contains(name) && !error.contains(secret), "{error}");
        }
    }

    #[test]
    fn headers_do_not_leave_the_machine_in_clear_text() {
        let headers = ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20x");
        for endpoint in ["http://127.0.0.1:4318", "http://[::1]:4318", "http://LOCALHOST:4318"] {
            assert!(read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint), headers]).is_ok(), "{endpoint}");
        }
        for endpoint in ["http://10.0.0.1:4318", "http://localhost.example", "http://127.0.0.1.example"] {
            assert!(read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint), headers]).is_err(), "{endpoint}");
        }
    }
}
