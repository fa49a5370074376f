//! The pages of a column chunk, looked at before they are unpacked.
//!
//! The header of a page says how long it is unpacked, and the crate makes room for that before it
//! unpacks, or (gzip) unpacks without looking at it. So the headers are read here first: Thrift's
//! compact protocol, of which three fields count. See the
//! [format](https://github.com/apache/parquet-format) and the
//! [protocol](https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).

use super::damaged;
use crate::limits::PARQUET_PAGE_BYTES_MAX;
use ::parquet::basic::Compression;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::reader::ChunkReader;
use std::io::{self, Read};

/// Longest header of a page, in bytes: statistics may hold two values.
const HEADER_BYTES_MAX: u64 = 1 << 20;

/// Deepest nesting of a header; the format has 3 levels.
const DEPTH_MAX: u32 = 8;

fn fault(reason: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("it is damaged: {reason}"))
}

/// Checks that every page of a column chunk lies within it and unpacks to no more than
/// [`PARQUET_PAGE_BYTES_MAX`].
///
/// # Errors
/// One does not; the chunk lies outside of the file, or is packed in a way that is not accepted.
pub fn check<R: ChunkReader>(file: &R, chunk: &ColumnChunkMetaData) -> io::Result<()> {
    let packing = chunk.compression();
    let is_accepted = matches!(
        packing,
        Compression::UNCOMPRESSED
            | Compression::SNAPPY
            | Compression::GZIP(_)
            | Compression::ZSTD(_)
    );
    if !is_accepted {
        return Err(io::Error::other(format!(
            "the column {:?} is compressed with {packing}; accepted are snappy, gzip, zstd and none",
            chunk.column_path().string()
        )));
    }
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let start = u64::try_from(start.min(chunk.data_page_offset())).ok();
    let len = u64::try_from(chunk.compressed_size()).ok();
    let end = start.zip(len).and_then(|(start, len)| start.checked_add(len));
    let (Some(mut at), Some(end)) = (start, end.filter(|&end| end <= file.len())) else {
        return Err(fault("a column lies outside of the file"));
    };
    while at < end {
        let header = read_header(file.get_read(at).map_err(damaged)?)?;
        if header.unpacked > PARQUET_PAGE_BYTES_MAX {
            return Err(io::Error::other(format!(
                "the column {:?} has a page of {} bytes; at most {PARQUET_PAGE_BYTES_MAX} are accepted: write \
                 smaller pages or row groups",
                chunk.column_path().string(),
                header.unpacked
            )));
        }
        let body = at + header.len;
        at = body.saturating_add(header.packed);
        if at > end {
            return Err(fault("a page is longer than its column"));
        }
        if matches!(packing, Compression::GZIP(_)) {
            check_gzip(file.get_read(body).map_err(damaged)?, &header)?;
        }
    }
    Ok(())
}

/// Unpacks a page to nowhere: the crate would unpack it to whatever length it has.
fn check_gzip(body: impl Read, header: &Header) -> io::Result<()> {
    let unpacked = flate2::read::MultiGzDecoder::new(body.take(header.packed));
    match io::copy(&mut unpacked.take(header.unpacked + 1), &mut io::sink()) {
        Ok(len) if len > header.unpacked => Err(fault("a page unpacks to more than it says")),
        // Levels of a page may stand before what is packed; whether they do is for the crate to
        // see.
        _ => Ok(()),
    }
}

/// What a header says.
#[derive(Debug, Default)]
struct Header {
    /// Its own length.
    len: u64,
    packed: u64,
    unpacked: u64,
}

fn read_header(input: impl Read) -> io::Result<Header> {
    let mut thrift = Thrift { input: input.take(HEADER_BYTES_MAX), read: 0 };
    let mut header = Header::default();
    let mut field = 0;
    while let Some((id, kind)) = thrift.field(field)? {
        field = id;
        match (id, kind) {
            (2, Kind::Integer) => header.unpacked = thrift.length()?,
            (3, Kind::Integer) => header.packed = thrift.length()?,
            (_, kind) => thrift.skip(kind, 0)?,
        }
    }
    header.len = thrift.read;
    Ok(header)
}

/// The compact protocol, as far as headers use it.
struct Thrift<R> {
    input: R,
    read: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// True or false, in the type itself.
    Bool,
    Byte,
    /// 16, 32 or 64 bits, zigzag.
    Integer,
    Double,
    Binary,
    List,
    Map,
    Struct,
}

impl Kind {
    fn of(code: u8) -> io::Result<Kind> {
        Ok(match code {
            1 | 2 => Kind::Bool,
            3 => Kind::Byte,
            4..=6 => Kind::Integer,
            7 => Kind::Double,
            8 => Kind::Binary,
            9 | 10 => Kind::List,
            11 => Kind::Map,
            12 => Kind::Struct,
            _ => return Err(fault("the header of a page has an unknown type")),
        })
    }
}

impl<R: Read> Thrift<R> {
    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.input.read_exact(&mut byte).map_err(|_| fault("the header of a page is cut off"))?;
        self.read += 1;
        Ok(byte[0])
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(fault("the header of a page has an endless number"))
    }

    /// An integer that is a length.
    fn length(&mut self) -> io::Result<u64> {
        let zigzag = self.varint()?;
        let is_negative = zigzag & 1 == 1;
        (!is_negative).then_some(zigzag >> 1).ok_or_else(|| fault("a page has a negative length"))
    }

    /// The next field of a struct after the field `before`; none at its end.
    fn field(&mut self, before: u64) -> io::Result<Option<(u64, Kind)>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        let id = match byte >> 4 {
            0 => self.varint()? >> 1,
            delta => before + u64::from(delta),
        };
        Ok(Some((id, Kind::of(byte & 0x0f)?)))
    }

    fn skip(&mut self, kind: Kind, depth: u32) -> io::Result<()> {
        if depth > DEPTH_MAX {
            return Err(fault("the header of a page is nested too deep"));
        }
        match kind {
            Kind::Bool => {}
            Kind::Byte => drop(self.byte()?),
            Kind::Integer => drop(self.varint()?),
            Kind::Double => self.skip_bytes(8)?,
            Kind::Binary => {
                let len = self.varint()?;
                self.skip_bytes(len)?;
            }
            Kind::List => {
                let byte = self.byte()?;
                let len = if byte >> 4 == 15 { self.varint()? } else { u64::from(byte >> 4) };
                for _ in 0..len {
                    // In lists, unlike in structs, a truth value takes a byte.
                    match Kind::of(byte & 0x0f)? {
                        Kind::Bool => drop(self.byte()?),
                        kind => self.skip(kind, depth + 1)?,
                    }
                }
            }
            Kind::Map => return Err(fault("the header of a page holds a map")),
            Kind::Struct => {
                let mut field = 0;
                while let Some((id, kind)) = self.field(field)? {
                    field = id;
                    self.skip(kind, depth + 1)?;
                }
            }
        }
        Ok(())
    }

    fn skip_bytes(&mut self, len: u64) -> io::Result<()> {
        if io::copy(&mut (&mut self.input).take(len), &mut io::sink())? < len {
            return Err(fault("the header of a page is cut off"));
        }
        self.read += len;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_to_their_end() {
        // type = 0, unpacked = 300, packed = 64, a struct with a list of truth values and a binary,
        // the end.
        let header = [
            0x15, 0, 0x15, 0xd8, 4, 0x15, 0x80, 1, 0x2c, 0x19, 0x21, 1, 2, 0x18, 2, b'a', b'b', 0,
            0, 99,
        ];
        let read = read_header(&header[..]).unwrap();
        assert_eq!((read.len, read.unpacked, read.packed), (19, 300, 64));
        for cut in 0..19 {
            assert!(read_header(&header[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn hostile_headers_are_errors() {
        for (name, bytes) in [
            ("negative length", vec![0x15, 0, 0x15, 1, 0]),
            ("endless number", [vec![0x15], vec![0xff; 11]].concat()),
            ("unknown type", vec![0x1e, 0]),
            ("nested", [vec![0x1c; 100], vec![0; 100]].concat()),
            ("long binary", vec![0x18, 0xff, 0xff, 0xff, 0xff, 7, 0]),
            ("long list", vec![0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 7, 0]),
        ] {
            assert!(read_header(&bytes[..]).is_err(), "{name}");
        }
        let endless = read_header(io::repeat(0x15)).map(|_| ());
        assert!(endless.is_err());
    }
}
