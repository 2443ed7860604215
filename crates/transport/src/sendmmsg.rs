//! One system call for many peers: Linux `sendmmsg` with the control messages QUIC wants.
//!
//! quinn-udp sends to one peer a call; a shard's snapshots go to hundreds. This is the only unsafe
//! code of the crate. Every pointer handed to the kernel points into a buffer that outlives the call.

use crate::network::Departure;
use crate::socket::SEND_BATCH;
use std::fmt;
use std::io;
use std::mem;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;

/// Room for a mark, a source address and a segment size, each with its header.
const CONTROL_BYTES: usize = 96;

/// The arrays a call needs, kept between calls.
pub(crate) struct Batch {
    addresses: Box<[libc::sockaddr_storage]>,
    controls: Box<[Control]>,
}

#[derive(Clone, Copy)]
#[repr(align(16))]
struct Control([u8; CONTROL_BYTES]);

impl Batch {
    pub(crate) fn new() -> Self {
        // SAFETY: a socket address of all zeroes is a valid one (AF_UNSPEC).
        let address: libc::sockaddr_storage = unsafe { mem::zeroed() };
        Self {
            addresses: vec![address; SEND_BATCH].into(),
            controls: vec![Control([0; CONTROL_BYTES]); SEND_BATCH].into(),
        }
    }

    /// Sends the buffers, at most [`SEND_BATCH`], and says how many the kernel took.
    pub(crate) fn send(
        &mut self,
        socket: &UdpSocket,
        buffers: &[Vec<u8>],
        departures: &[Departure],
        names_source: bool,
    ) -> io::Result<usize> {
        let count = departures.len().min(buffers.len()).min(SEND_BATCH);
        // SAFETY: message headers and slices of all zeroes are valid: null pointers, no lengths.
        let mut headers: [libc::mmsghdr; SEND_BATCH] = unsafe { mem::zeroed() };
        // SAFETY: as above.
        let mut slices: [libc::iovec; SEND_BATCH] = unsafe { mem::zeroed() };
        for at in 0..count {
            let (departure, buffer) = (&departures[at], &buffers[at]);
            slices[at].iov_base = buffer.as_ptr().cast_mut().cast();
            slices[at].iov_len = buffer.len();
            let address_len = write_address(&mut self.addresses[at], departure.to);
            let header = &mut headers[at].msg_hdr;
            header.msg_name = (&raw mut self.addresses[at]).cast();
            header.msg_namelen = address_len;
            header.msg_iov = &raw mut slices[at];
            header.msg_iovlen = 1;
            header.msg_control = self.controls[at].0.as_mut_ptr().cast();
            header.msg_controllen = CONTROL_BYTES as _;
            let written = write_control(header, departure, buffer.len(), names_source);
            header.msg_controllen = written as _;
            if written == 0 {
                header.msg_control = std::ptr::null_mut();
            }
        }
        // SAFETY: `headers` holds `count` initialised headers whose pointers lead into `slices`,
        // `self` and `buffers`, all of which live past the call; the kernel only reads them.
        let sent = unsafe {
            libc::sendmmsg(socket.as_raw_fd(), headers.as_mut_ptr(), count as libc::c_uint, 0)
        };
        usize::try_from(sent).map_err(|_| io::Error::last_os_error())
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").finish_non_exhaustive()
    }
}

// SAFETY: the arrays hold plain bytes; pointers exist only during a call.
unsafe impl Send for Batch {}

/// Sets a socket option to 0; one that the kernel lacks is off already.
pub(crate) fn turn_off(socket: &UdpSocket, level: libc::c_int, option: libc::c_int) {
    let zero: libc::c_int = 0;
    // SAFETY: the kernel reads one `c_int` from the address given, which lives past the call.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            (&raw const zero).cast(),
            mem::size_of::<libc::c_int>() as libc::socklen_t,
        );
    }
}

fn write_address(into: &mut libc::sockaddr_storage, address: SocketAddr) -> libc::socklen_t {
    match address {
        SocketAddr::V4(v4) => {
            // SAFETY: `sockaddr_storage` is larger than and aligned for every address family.
            let raw = unsafe { &mut *(&raw mut *into).cast::<libc::sockaddr_in>() };
            raw.sin_family = libc::AF_INET as libc::sa_family_t;
            raw.sin_port = v4.port().to_be();
            raw.sin_addr.s_addr = u32::from_ne_bytes(v4.ip().octets());
            mem::size_of::<libc::sockaddr_in>() as libc::socklen_t
        }
        SocketAddr::V6(v6) => {
            // SAFETY: as above.
            let raw = unsafe { &mut *(&raw mut *into).cast::<libc::sockaddr_in6>() };
            raw.sin6_family = libc::AF_INET6 as libc::sa_family_t;
            raw.sin6_port = v6.port().to_be();
            raw.sin6_flowinfo = v6.flowinfo();
            raw.sin6_addr.s6_addr = v6.ip().octets();
            raw.sin6_scope_id = v6.scope_id();
            mem::size_of::<libc::sockaddr_in6>() as libc::socklen_t
        }
    }
}

/// Writes the control messages of one departure and says how many bytes they take.
fn write_control(
    header: &mut libc::msghdr,
    departure: &Departure,
    bytes: usize,
    names_source: bool,
) -> usize {
    let mut control = ControlWriter::new(header);
    if let Some(mark) = departure.congestion_mark {
        let mark = libc::c_int::from(mark as u8);
        if departure.to.is_ipv4() {
            control.push(libc::IPPROTO_IP, libc::IP_TOS, mark);
        } else {
            control.push(libc::IPPROTO_IPV6, libc::IPV6_TCLASS, mark);
        }
    }
    if let Some(size) = departure.segment_size.filter(|size| *size < bytes)
        && let Ok(size) = u16::try_from(size)
    {
        control.push(libc::SOL_UDP, libc::UDP_SEGMENT, size);
    }
    match departure.from.filter(|_| names_source) {
        Some(IpAddr::V4(source)) => {
            let source = libc::in_addr { s_addr: u32::from_ne_bytes(source.octets()) };
            let info = libc::in_pktinfo {
                ipi_ifindex: 0,
                ipi_spec_dst: source,
                ipi_addr: libc::in_addr { s_addr: 0 },
            };
            control.push(libc::IPPROTO_IP, libc::IP_PKTINFO, info);
        }
        Some(IpAddr::V6(source)) => {
            let info = libc::in6_pktinfo {
                ipi6_ifindex: 0,
                ipi6_addr: libc::in6_addr { s6_addr: source.octets() },
            };
            control.push(libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, info);
        }
        None => {}
    }
    control.written
}

struct ControlWriter<'a> {
    header: &'a mut libc::msghdr,
    next: *mut libc::cmsghdr,
    written: usize,
}

impl<'a> ControlWriter<'a> {
    fn new(header: &'a mut libc::msghdr) -> Self {
        // SAFETY: `header` names a control buffer of CONTROL_BYTES, aligned for its headers.
        let next = unsafe { libc::CMSG_FIRSTHDR(header) };
        Self { header, next, written: 0 }
    }

    fn push<T: Copy>(&mut self, level: libc::c_int, kind: libc::c_int, value: T) {
        let size = mem::size_of::<T>() as libc::c_uint;
        // SAFETY: pure arithmetic on a length.
        let space = unsafe { libc::CMSG_SPACE(size) } as usize;
        if self.next.is_null() || self.written + space > CONTROL_BYTES {
            return;
        }
        // SAFETY: `next` lies in the control buffer with `space` bytes left after it, checked above.
        // CMSG_NXTHDR reads the length of the header after, so that must not be left over from an
        // earlier call: it is cleared wherever there is room for one.
        unsafe {
            (*self.next).cmsg_level = level;
            (*self.next).cmsg_type = kind;
            (*self.next).cmsg_len = libc::CMSG_LEN(size) as _;
            libc::CMSG_DATA(self.next).cast::<T>().write_unaligned(value);
            self.written += space;
            let after = self.next.cast::<u8>().add(space);
            let left = CONTROL_BYTES - self.written;
            if left >= mem::size_of::<libc::cmsghdr>() {
                after.write_bytes(0, mem::size_of::<libc::cmsghdr>());
            }
            self.next = libc::CMSG_NXTHDR(self.header, self.next);
        }
    }
}
