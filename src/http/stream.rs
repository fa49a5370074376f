//! A TCP connection as hyper wants it.
//!
//! hyper has its own I/O traits. Reading goes through one buffer per worker and is copied into
//! hyper's (some tens of nanoseconds for a usual head): handing hyper's uninitialised buffer to
//! tokio would need `unsafe`, and the [`HeadScan`] wants to see the bytes in any case. Writing is
//! passed through, vectored, so that a response's body is never copied, when its turn has come: see
//! [`outbox`](super::write_batching).

use std::cell::RefCell;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use hyper::rt::ReadBufCursor;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::head_scan::HeadScan;
use super::write_batching::Turn;

/// Size of the buffer that the connections of one worker share.
pub(super) const READ_BUFFER_BYTES: usize = 16 << 10;

/// The buffer that the connections of one worker share: each read fills and empties it.
pub(super) type ReadBuffer = Rc<RefCell<Box<[u8]>>>;

/// One connection's socket, with an eye on the heads that come in.
#[derive(Debug)]
pub(super) struct Stream {
    socket: TcpStream,
    buffer: ReadBuffer,
    heads: Rc<RefCell<HeadScan>>,
    turn: Rc<Turn>,
    peer_has_closed: bool,
}

impl Stream {
    pub(super) fn new(
        socket: TcpStream,
        buffer: ReadBuffer,
        heads: Rc<RefCell<HeadScan>>,
        turn: Rc<Turn>,
    ) -> Stream {
        Stream { socket, buffer, heads, turn, peer_has_closed: false }
    }

    /// The socket, and whether the peer has sent its end of the stream.
    pub(super) fn into_socket(self) -> (TcpStream, bool) {
        (self.socket, self.peer_has_closed)
    }
}

impl hyper::rt::Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut cursor: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        ready!(this.turn.poll_read(cx));
        let mut shared = this.buffer.borrow_mut();
        let room = cursor.remaining().min(shared.len());
        let mut part = ReadBuf::new(&mut shared[..room]);
        ready!(Pin::new(&mut this.socket).poll_read(cx, &mut part))?;
        let received = part.filled_mut();
        if received.is_empty() && room > 0 {
            this.peer_has_closed = true;
        }
        this.heads.borrow_mut().feed(received);
        cursor.put_slice(received);
        Poll::Ready(Ok(()))
    }
}

impl hyper::rt::Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.turn.poll_write(cx));
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.turn.poll_write(cx));
        Pin::new(&mut self.socket).poll_write_vectored(cx, slices)
    }
}
