//! The life of one connection: HTTP/1.1 with keep-alive and pipelining, time limits, and a close
//! that does not lose the last answer.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper::{Request, Response, StatusCode};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::answer::{Head, Later, Reply};
use super::head_scan::HeadScan;
use super::stream::Stream;
use super::timer::TokioTimer;
use super::worker::Worker;
use super::write_batching::Turn;

/// Largest head that hyper reads. Twice what is accepted (8 KiB of target, 16 KiB of headers) and
/// more, so that a caller beyond the limits still gets an error it can read; beyond this, and
/// beyond 100 header fields, hyper answers 431 by itself, without a body.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// How much is read, and how long, after the last answer: bytes that arrive at a closed socket
/// make the kernel discard the answer on its way (RFC 9112 section 9.6).
const LINGER_BYTES_MAX: usize = 64 << 10;
const LINGER_TIME_MAX: Duration = Duration::from_secs(1);

/// hyper's settings, the same for every connection. `head_timeout` counts from the moment the
/// connection waits for a head to the head's end, so it also limits idle time.
pub(super) fn http_settings(head_timeout: Duration) -> http1::Builder {
    let mut settings = http1::Builder::new();
    settings
        .timer(TokioTimer)
        .header_read_timeout(head_timeout)
        .max_header_size(HEAD_BYTES_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .half_close(false);
    settings
}

/// Hands the requests of one connection to its worker.
struct ConnectionService {
    worker: Rc<Worker>,
    heads: Rc<RefCell<HeadScan>>,
    turn: Rc<Turn>,
    /// Requests so far: the number of the next head.
    requests: Cell<u64>,
    overloaded: bool,
}

impl Service<Request<Incoming>> for ConnectionService {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Answering;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let number = self.requests.get();
        self.requests.set(number + 1);
        let reply = self.worker.answerer.answer(&Head {
            method: request.method(),
            target: request.uri(),
            version: request.version(),
            headers: request.headers(),
            fault: self.heads.borrow().fault_of(number),
            overloaded: self.overloaded,
            last: self.worker.is_draining(),
        });
        match reply {
            Reply::Now(answer) => {
                self.turn.answered(answer.status() < StatusCode::BAD_REQUEST);
                Answering::Now(Some(answer))
            }
            Reply::Later(later) => {
                let (worker, turn) = (Rc::clone(&self.worker), Rc::clone(&self.turn));
                let (request, _) = request.into_parts();
                Answering::Later(Box::pin(answer_later(worker, turn, request, later)))
            }
        }
    }
}

/// The answer to one request.
enum Answering {
    Now(Option<Response<Full<Bytes>>>),
    Later(Pin<Box<dyn Future<Output = Response<Full<Bytes>>>>>),
}

impl Future for Answering {
    type Output = Result<Response<Full<Bytes>>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Answering::Now(answer) => Poll::Ready(Ok(answer.take().expect("polled once"))),
            Answering::Later(answer) => answer.as_mut().poll(cx).map(Ok),
        }
    }
}

/// Waits for the pool, and answers. Where the caller goes away meanwhile, hyper drops this, and the
/// pool passes the request over.
async fn answer_later(
    worker: Rc<Worker>,
    turn: Rc<Turn>,
    request: Parts,
    mut later: Box<Later>,
) -> Response<Full<Bytes>> {
    let answer = later.done().await;
    let head = Head {
        method: &request.method,
        target: &request.uri,
        version: request.version,
        headers: &request.headers,
        // Such requests are refused before anything is done for them.
        fault: None,
        overloaded: false,
        // The server may have begun to stop.
        last: worker.is_draining(),
    };
    let answer = worker.answerer.answer_later(&head, *later, answer);
    turn.answered(answer.status() < StatusCode::BAD_REQUEST);
    answer
}

/// Serves one connection to its end.
pub(super) async fn serve(socket: TcpStream, worker: Rc<Worker>, overloaded: bool) {
    let heads = Rc::new(RefCell::new(HeadScan::new()));
    let turn = Rc::new(Turn::new(Rc::clone(&worker.outbox)));
    let stream =
        Stream::new(socket, Rc::clone(&worker.read_buffer), Rc::clone(&heads), Rc::clone(&turn));
    let service = ConnectionService {
        worker: Rc::clone(&worker),
        heads,
        turn,
        requests: Cell::new(0),
        overloaded,
    };
    let mut connection = worker.http_settings.serve_connection(stream, service);

    let served = {
        let mut closing = pin!(worker.closing());
        let mut is_closing = false;
        std::future::poll_fn(|cx| {
            loop {
                if let Poll::Ready(served) = connection.poll_without_shutdown(cx) {
                    return Poll::Ready(served);
                }
                if is_closing || closing.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                is_closing = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
        })
        .await
    };
    // Time-outs and broken sockets have no answer under way that is worth waiting for.
    let has_answered = match &served {
        Ok(()) => true,
        Err(error) => error.is_parse() && !error.is_timeout(),
    };
    let (socket, peer_has_closed) = connection.into_parts().io.into_socket();
    if has_answered && !peer_has_closed {
        // Whether it worked or took too long, the socket is closed next.
        let _ = tokio::time::timeout(LINGER_TIME_MAX, linger(socket)).await;
    }
}

/// Ends the sending side, then reads until the peer ends its own.
async fn linger(mut socket: TcpStream) {
    if std::future::poll_fn(|cx| Pin::new(&mut socket).poll_shutdown(cx)).await.is_err() {
        return;
    }
    let mut discarded = [0; 1024];
    let mut left = LINGER_BYTES_MAX;
    while left > 0 {
        let read = std::future::poll_fn(|cx| {
            let mut part = ReadBuf::new(&mut discarded);
            Pin::new(&mut socket).poll_read(cx, &mut part).map_ok(|()| part.filled().len())
        });
        match read.await {
            Ok(len @ 1..) => left = left.saturating_sub(len),
            _ => return,
        }
    }
}
