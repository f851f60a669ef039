//! Which addresses a request may be sent to: public ones, and the private ones that its contract names.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::catalog::{Network, canonical};

/// Blocks of IPv4 addresses that are not public, with what they are.
const PRIVATE_V4: &[([u8; 4], u8, &str)] = &[
    ([0, 0, 0, 0], 8, "of this network"),
    ([10, 0, 0, 0], 8, "of a private network"),
    ([100, 64, 0, 0], 10, "of a provider's own network"),
    ([127, 0, 0, 0], 8, "of this machine"),
    ([169, 254, 0, 0], 16, "of the local link, where machines are told their credentials"),
    ([172, 16, 0, 0], 12, "of a private network"),
    ([192, 0, 0, 0], 24, "reserved"),
    ([192, 0, 2, 0], 24, "for examples"),
    ([192, 88, 99, 0], 24, "of a relay"),
    ([192, 168, 0, 0], 16, "of a private network"),
    ([198, 18, 0, 0], 15, "for measurements"),
    ([198, 51, 100, 0], 24, "for examples"),
    ([203, 0, 113, 0], 24, "for examples"),
    ([224, 0, 0, 0], 4, "of a group"),
    ([240, 0, 0, 0], 4, "reserved"),
];

/// Blocks of public-looking IPv6 addresses that lead elsewhere, with what they are.
const PRIVATE_V6: &[([u16; 2], u8, &str)] = &[
    ([0x2001, 0], 23, "reserved, or of a tunnel"),
    ([0x2001, 0xdb8], 32, "for examples"),
    ([0x2002, 0], 16, "of a tunnel"),
    ([0x3fff, 0], 20, "for examples"),
];

/// Where machines are told their credentials, at addresses that are no local link's.
const METADATA: [IpAddr; 2] = [
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
];

/// Checks that a request may be sent to an address.
///
/// # Errors
/// What the address is, in words that follow "an address".
pub(super) fn check(address: IpAddr, networks: &[Network]) -> Result<(), &'static str> {
    let address = canonical(address);
    let Some(what) = private(address) else { return Ok(()) };
    // A wide block does not mean the place where the machine's own credentials are: that is named by itself.
    let named = |network: &Network| match narrow(address) {
        Some((first, bits)) => network.contains(address) && network.is_within(first, bits),
        None => network.contains(address),
    };
    if networks.iter().any(named) { Ok(()) } else { Err(what) }
}

/// The block inside which a network must be in order to mean this address; `None` for an ordinary one.
fn narrow(address: IpAddr) -> Option<(IpAddr, u8)> {
    let blocks = [
        (IpAddr::V4(Ipv4Addr::new(169, 254, 0, 0)), 16),
        (IpAddr::V6(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0)), 10),
    ];
    let singles = METADATA.map(|single| (single, if single.is_ipv4() { 32 } else { 128 }));
    blocks
        .into_iter()
        .chain(singles)
        .find(|(first, bits)| Network::Block { first: *first, bits: *bits }.contains(address))
}

/// What an address is that is not public; `None` for a public one.
fn private(address: IpAddr) -> Option<&'static str> {
    let within = |first: IpAddr, bits: u8| Network::Block { first, bits }.contains(address);
    match address {
        IpAddr::V4(_) => PRIVATE_V4
            .iter()
            .find(|(first, bits, _)| within(Ipv4Addr::from(*first).into(), *bits))
            .map(|(_, _, what)| *what),
        IpAddr::V6(long) if long.is_loopback() => Some("of this machine"),
        IpAddr::V6(_) => {
            if !within(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0).into(), 3) {
                return Some("of no public network");
            }
            PRIVATE_V6
                .iter()
                .find(|([high, low], bits, _)| {
                    within(Ipv6Addr::new(*high, *low, 0, 0, 0, 0, 0, 0).into(), *bits)
                })
                .map(|(_, _, what)| *what)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may(address: &str, networks: &[&str]) -> bool {
        let networks: Vec<Network> = networks.iter().map(|text| Network::parse(text).unwrap()).collect();
        check(address.parse().unwrap(), &networks).is_ok()
    }

    #[test]
    fn public_addresses_may_be_reached_by_anyone() {
        for address in [
            "8.8.8.8",
            "93.184.216.34",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "172.32.0.1",
        ] {
            assert!(may(address, &[]), "{address}");
        }
    }

    #[test]
    fn no_other_address_may_be_reached_unless_it_is_named() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.168.1.1",
            "198.18.0.1",
            "203.0.113.7",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "3fff::1",
            "4000::1",
        ] {
            assert!(!may(address, &[]), "{address}");
        }
        for (address, network) in [
            ("10.0.0.1", "10.0.0.0/8"),
            ("127.0.0.1", "loopback"),
            ("::1", "loopback"),
            ("fd00::1", "fd00::/8"),
            ("::ffff:10.0.0.1", "10.0.0.0/8"),
            ("169.254.169.254", "169.254.169.254/32"),
            ("fe80::1", "fe80::/10"),
            ("fd00:ec2::254", "fd00:ec2::254/128"),
        ] {
            assert!(may(address, &[network]), "{address} {network}");
        }
    }

    #[test]
    fn a_wide_block_does_not_mean_where_a_machines_credentials_are() {
        for address in
            ["169.254.169.254", "::ffff:169.254.169.254", "fd00:ec2::254", "fe80::1", "100.100.100.200"]
        {
            assert!(
                !may(address, &["0.0.0.0/0", "::/0", "fd00::/8", "100.64.0.0/10", "loopback"]),
                "{address}"
            );
        }
        assert!(may("10.1.2.3", &["0.0.0.0/0"]));
    }
}
