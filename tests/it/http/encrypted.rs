//! Encryption, proxies and redirects: who is trusted, and who is shown what.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::service::{Answer, Service};
use super::{ask, extend, space, tool};
use crate::harness::{code, content, message, status};

fn over(service: &Service, http: &Value) -> Value {
    let mut request = json!({"url": format!("https://localhost:{}/a", service.port())});
    extend(&mut request, http);
    ask(&space(&[tool("read_only", &request, &json!({}))]), &json!({}))
}

fn echo(wants_certificate: bool) -> Service {
    Service::encrypted(wants_certificate, |_, _| Answer::json(200, r#"{"ok":true}"#))
}

#[test]
fn a_certificate_counts_where_the_contract_trusts_who_signed_it() {
    let service = echo(false);
    let answer = over(&service, &json!({"tls": {"roots": "roots"}, "auth": {"bearer": "key"}}));
    assert_eq!(status(&answer), "succeeded", "{answer}");
    assert_eq!(service.only().header("authorization"), Some("Bearer hunter2-hunter2"));
    // Nobody else signed it.
    let service = echo(false);
    let answer = over(&service, &json!({}));
    assert_eq!(code(&answer), "BACKEND_UNAVAILABLE", "{answer}");
    assert!(message(&answer).contains("certificate") && service.asked().is_empty(), "{answer}");
    let answer = over(&service, &json!({"tls": {"roots": "key"}}));
    assert_eq!(code(&answer), "CREDENTIAL_UNAVAILABLE", "{answer}");
}

#[test]
fn a_certificate_for_another_name_is_none() {
    let service = echo(false);
    let url = format!("https://ip6-localhost:{}/a", service.port());
    let names = std::fs::read_to_string("/etc/hosts").unwrap_or_default();
    if !names.contains("ip6-localhost") {
        return;
    }
    let answer = over(&service, &json!({"url": url, "tls": {"roots": "roots"}}));
    assert_eq!((code(&answer), service.asked().len()), ("BACKEND_UNAVAILABLE", 0), "{answer}");
}

#[test]
fn a_service_is_shown_the_certificate_that_the_contract_names() {
    let service = echo(true);
    let answer = over(&service, &json!({"tls": {"roots": "roots", "identity": "identity"}}));
    assert_eq!(status(&answer), "succeeded", "{answer}");
    let service = echo(true);
    let answer = over(&service, &json!({"tls": {"roots": "roots"}}));
    assert_eq!((code(&answer), service.asked().len()), ("BACKEND_UNAVAILABLE", 0), "{answer}");
}

#[test]
fn the_environment_names_no_proxy() {
    let service = Service::new(|_, _| Answer::json(200, "{}"));
    let space = space(&[tool("read_only", &json!({"url": service.at()}), &json!({}))]);
    let line = crate::harness::call("c", "t", &json!({}));
    let mut run = space.stream(&[&line]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        run = run.variable(name, "http://127.0.0.1:9");
    }
    assert_eq!(status(&run.answers()[0]), "succeeded");
}

/// A proxy that opens one way, and what it was asked for.
fn proxy() -> (u16, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(String::new()));
    let noted = Arc::clone(&asked);
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            reader.read_line(&mut head).unwrap();
        }
        *noted.lock().unwrap() = head.clone();
        let there = head.split(' ').nth(1).unwrap().to_owned();
        let far = TcpStream::connect(there).unwrap();
        let mut near = stream;
        near.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
        let (mut far_out, mut near_out) = (far.try_clone().unwrap(), near.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut reader, &mut far_out));
        let mut far = far;
        let _ = std::io::copy(&mut far, &mut near_out);
    });
    (port, asked)
}

#[test]
fn a_proxy_is_asked_for_the_address_that_was_checked_and_sees_no_credential_of_the_service() {
    let service = echo(false);
    let (port, asked) = proxy();
    let http = json!({"proxy": format!("http://127.0.0.1:{port}"), "tls": {"roots": "roots"}, "auth": {"bearer": "key"}});
    let answer = over(&service, &http);
    assert_eq!(status(&answer), "succeeded", "{answer}");
    let head = asked.lock().unwrap().clone();
    assert!(
        head.starts_with(&format!("CONNECT 127.0.0.1:{} HTTP/1.1\r\n", service.port()))
            || head.starts_with("CONNECT [::1]"),
        "{head}"
    );
    assert!(!head.contains("hunter2") && service.only().header("authorization").is_some());
}

#[test]
fn a_proxy_is_shown_its_own_credential_and_the_service_is_not() {
    let service = echo(false);
    let (port, asked) = proxy();
    let http = json!({"proxy": {"url": format!("http://127.0.0.1:{port}"), "basic": "key"}, "tls": {"roots": "roots"}});
    let answer = over(&service, &http);
    assert_eq!(status(&answer), "succeeded", "{answer}");
    let head = asked.lock().unwrap().clone();
    assert!(head.contains("Proxy-Authorization: Basic aHVudGVyMi1odW50ZXIy\r\n"), "{head}");
    assert!(!service.only().head.contains("aHVudGVy"));
}

#[test]
fn a_proxy_that_opens_no_way_kept_an_effect_from_happening() {
    for refusal in ["HTTP/1.1 407 X\r\n\r\n", "HTTP/1.1 403 X\r\n\r\n", "SSH-2.0\r\n\r\n", ""] {
        let proxy = Service::new(move |_, _| Answer::raw(refusal));
        let service = echo(false);
        let http = json!({"method": "POST", "url": format!("https://localhost:{}/", service.port()), "proxy": proxy.at(), "tls": {"roots": "roots"}});
        let answer = ask(&space(&[tool("external", &http, &json!({}))]), &json!({}));
        assert_eq!(
            (code(&answer), answer["effect"].as_str()),
            ("BACKEND_UNAVAILABLE", Some("none")),
            "{answer}"
        );
        assert!(service.asked().is_empty());
    }
}

#[test]
fn redirects_are_followed_to_the_same_origin_and_no_further_than_the_contract_says() {
    let hops = || {
        Service::new(|asked, _| match asked.line.split(' ').nth(1).unwrap() {
            "/a" => Answer::with(302, "location: /b?x=1\r\n", ""),
            "/b?x=1" => Answer::with(307, "location: c\r\n", ""),
            "/c" => Answer::json(200, r#"{"at":"c"}"#),
            _ => Answer::with(302, "location: /loop\r\n", ""),
        })
    };
    let asking = |service: &Service, path: &str, redirects: u8| {
        let http = json!({"url": format!("{}{path}", service.at()), "redirects": redirects, "auth": {"bearer": "key"}});
        ask(&space(&[tool("read_only", &http, &json!({}))]), &json!({}))
    };
    let service = hops();
    let answer = asking(&service, "/a", 2);
    assert!(content(&answer).contains("\"c\""), "{answer}");
    assert!(service.asked().iter().all(|asked| asked.header("authorization").is_some()));
    for (path, redirects, count) in [("/a", 0, 1), ("/a", 1, 2), ("/loop", 3, 4)] {
        let service = hops();
        let answer = asking(&service, path, redirects);
        assert_eq!((code(&answer), service.asked().len()), ("EXECUTION_FAILED", count), "{answer}");
    }
}

/// A service that speaks HTTP/2 only, and how many connections it was asked over.
fn second() -> (u16, Arc<Mutex<Vec<String>>>) {
    use hyper::body::{Bytes, Incoming};
    use hyper::{Request, Response};
    use hyper_util::rt::{TokioExecutor, TokioIo};
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};

    struct Whole(Option<Bytes>);
    impl hyper::body::Body for Whole {
        type Data = Bytes;
        type Error = std::convert::Infallible;
        fn poll_frame(
            mut self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, Self::Error>>> {
            std::task::Poll::Ready(self.0.take().map(|bytes| Ok(hyper::body::Frame::data(bytes))))
        }
    }

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = vec![CertificateDer::from_pem_file(super::service::certificate("service.pem")).unwrap()];
    let key = PrivateKeyDer::from_pem_file(super::service::certificate("service.key")).unwrap();
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let mut number = 0;
            while let Ok((stream, _)) = listener.accept().await {
                number += 1;
                let noted = Arc::clone(&noted);
                let Ok(stream) = acceptor.accept(stream).await else { continue };
                let service = hyper::service::service_fn(move |request: Request<Incoming>| {
                    let line =
                        format!("{number} {} {} {:?}", request.method(), request.uri(), request.version());
                    noted.lock().unwrap().push(line);
                    let mut response = Response::new(Whole(Some(Bytes::from_static(b"{\"two\":true}"))));
                    response.headers_mut().insert("content-type", "application/json".parse().unwrap());
                    async move { Ok::<_, std::convert::Infallible>(response) }
                });
                let http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                tokio::spawn(http.serve_connection(TokioIo::new(stream), service));
            }
        });
    });
    (port, asked)
}

#[test]
fn a_service_that_chooses_http2_is_asked_in_it_over_one_connection() {
    let (port, asked) = second();
    let url = format!("https://localhost:{port}/a");
    let http = json!({"url": url, "query": {"q": "1"}, "tls": {"roots": "roots"}});
    let space = space(&[tool("read_only", &http, &json!({}))]);
    let lines = ["a", "b"].map(|id| crate::harness::call(id, "t", &json!({})));
    for answer in space.answers(&[&lines[0], &lines[1]]) {
        assert!(content(&answer).contains("\"two\":true"), "{answer}");
    }
    let expected = format!("1 GET https://localhost:{port}/a?q=1 HTTP/2.0");
    assert_eq!(*asked.lock().unwrap(), [expected.clone(), expected]);
}
