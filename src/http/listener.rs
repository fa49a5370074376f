//! Listening sockets.
//!
//! Every worker has its own (`SO_REUSEPORT`), so that the kernel spreads connections and workers
//! share nothing. `TCP_USER_TIMEOUT` and `TCP_NODELAY` are inherited by accepted sockets; the
//! former ends connections whose peer no longer takes bytes, for which hyper has no time-out.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};

/// Connections the kernel holds until they are accepted.
const BACKLOG: i32 = 4_096;

/// Opens `count` listeners on one address. Port 0 becomes one free port for all of them.
///
/// # Errors
/// That of the first system call that fails; an address that another process listens on is
/// [`io::ErrorKind::AddrInUse`].
pub(super) fn bind(
    address: SocketAddr,
    count: usize,
    write_timeout: Duration,
) -> io::Result<Vec<TcpListener>> {
    if address.port() != 0 {
        // `SO_REUSEPORT` would let a second server of the same user share the port unnoticed; a
        // socket without it fails if anyone listens.
        open(address, false, write_timeout)?;
    }
    let first = open(address, true, write_timeout)?;
    let address = first.local_addr()?;
    let others = (1..count).map(|_| open(address, true, write_timeout));
    std::iter::once(Ok(first)).chain(others).collect()
}

fn open(address: SocketAddr, share_port: bool, write_timeout: Duration) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // A restart need not wait for connections of the old process to be forgotten.
    socket.set_reuse_address(true)?;
    if share_port {
        socket.set_reuse_port(true)?;
    }
    socket.set_tcp_nodelay(true)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(write_timeout))?;
    #[cfg(not(target_os = "linux"))]
    let _ = write_timeout;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOPBACK: SocketAddr =
        SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);
    const TIMEOUT: Duration = Duration::from_secs(1);

    #[test]
    fn workers_share_one_port() {
        let listeners = bind(LOOPBACK, 3, TIMEOUT).unwrap();
        let ports: Vec<_> =
            listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect();
        assert_eq!(ports.len(), 3);
        assert!(ports.iter().all(|&port| port == ports[0] && port != 0));
    }

    #[test]
    fn a_second_server_is_refused() {
        let listeners = bind(LOOPBACK, 2, TIMEOUT).unwrap();
        let address = listeners[0].local_addr().unwrap();
        assert_eq!(bind(address, 2, TIMEOUT).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        drop(listeners);
        assert_eq!(bind(address, 2, TIMEOUT).unwrap().len(), 2);
    }
}
