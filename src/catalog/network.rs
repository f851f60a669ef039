//! Networks that a contract names: the private places that its requests may reach.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::{Serialize, Serializer};

/// A network that a contract names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// This machine: `127.0.0.0/8` and `::1`.
    Loopback,
    /// A block of addresses.
    Block {
        /// Its first address.
        first: IpAddr,
        /// How many leading bits are those of the block.
        bits: u8,
    },
}

impl Network {
    /// Reads `loopback`, or a block such as `10.0.0.0/8` or `fd00::/8`.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "loopback" {
            return Ok(Self::Loopback);
        }
        let Some((address, bits)) = text.split_once('/') else {
            return Err(format!("`{text}` is neither `loopback` nor a block such as `10.0.0.0/8`"));
        };
        let first: IpAddr =
            address.parse().map_err(|_| format!("`{address}` in `{text}` is no plain address"))?;
        let most = if first.is_ipv4() { 32 } else { 128 };
        let digits = bits.bytes().all(|byte| byte.is_ascii_digit());
        let bits: u8 = bits
            .parse()
            .ok()
            .filter(|bits| digits && *bits <= most)
            .ok_or_else(|| format!("`{text}` must end in a number of bits, at most {most}"))?;
        if canonical(first) != first {
            return Err(format!("`{text}` is a block of IPv4 addresses in another spelling"));
        }
        let block = Self::Block { first, bits };
        if masked(first, bits) != first {
            return Err(format!("`{text}` has bits set beyond its first {bits}"));
        }
        Ok(block)
    }

    /// Whether an address is in it.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = canonical(address);
        match self {
            Self::Loopback => address.is_loopback(),
            Self::Block { first, bits } => {
                first.is_ipv4() == address.is_ipv4() && masked(address, *bits) == *first
            }
        }
    }

    /// Whether all of it is in the block of an address with this many bits.
    #[must_use]
    pub fn is_within(&self, outer: IpAddr, outer_bits: u8) -> bool {
        match self {
            Self::Loopback => false,
            Self::Block { first, bits } => {
                first.is_ipv4() == outer.is_ipv4()
                    && *bits >= outer_bits
                    && masked(*first, outer_bits) == outer
            }
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loopback => formatter.write_str("loopback"),
            Self::Block { first, bits } => write!(formatter, "{first}/{bits}"),
        }
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The address that a packet is really for: IPv4 addresses have several spellings in IPv6 (mapped, and translated by NAT64).
#[must_use]
pub fn canonical(address: IpAddr) -> IpAddr {
    const NAT64: [u16; 6] = [0x64, 0xff9b, 0, 0, 0, 0];
    let IpAddr::V6(long) = address else { return address };
    if let Some(short) = long.to_ipv4_mapped() {
        return short.into();
    }
    let segments = long.segments();
    match segments.split_last_chunk::<2>() {
        Some((prefix, [high, low])) if prefix == NAT64 => {
            Ipv4Addr::from((u32::from(*high) << 16) | u32::from(*low)).into()
        }
        _ => address,
    }
}

/// An address with all but its leading bits cleared.
fn masked(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(short) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits.min(32))).unwrap_or(0);
            Ipv4Addr::from(u32::from(short) & mask).into()
        }
        IpAddr::V6(long) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits.min(128))).unwrap_or(0);
            Ipv6Addr::from(u128::from(long) & mask).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_holds_its_addresses_in_every_spelling() {
        let cases = [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("10.0.0.0/8", "64:ff9b::a01:203", true),
            ("10.1.2.3/32", "10.1.2.3", true),
            ("10.1.2.3/32", "10.1.2.4", false),
            ("0.0.0.0/0", "8.8.8.8", true),
            ("0.0.0.0/0", "fd00::1", false),
            ("fd00::/8", "fdff::1", true),
            ("fd00::/8", "fe80::1", false),
            ("::/0", "fd00::1", true),
            ("loopback", "127.8.8.8", true),
            ("loopback", "::1", true),
            ("loopback", "::ffff:127.0.0.1", true),
            ("loopback", "10.0.0.1", false),
        ];
        for (network, address, inside) in cases {
            let network = Network::parse(network).unwrap();
            assert_eq!(network.contains(address.parse().unwrap()), inside, "{network} {address}");
        }
    }

    #[test]
    fn what_is_no_block_is_refused() {
        for text in [
            "",
            "10.0.0.0",
            "10.0.0.1/8",
            "10.0.0.0/33",
            "::/129",
            "010.0.0.0/8",
            "10/8",
            "::ffff:10.0.0.0/104",
            "example.com/8",
            "10.0.0.0/+8",
            "10.0.0.0/-1",
        ] {
            assert!(Network::parse(text).is_err(), "{text}");
        }
    }
}
