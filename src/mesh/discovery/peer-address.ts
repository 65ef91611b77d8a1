// Addresses of peers: as a person writes them, and as another node sends them. What a person writes is trusted; what a
// node sends must be an address that can be dialled from another machine.

import { isIP, isIPv4 } from 'node:net';
import { type HostPort, parseHostPort } from '../../core/address/host-port.ts';
import { PEER_PORT } from './limits.ts';

type ParsedPeer =
  | ({ readonly kind: 'peer' } & HostPort)
  | { readonly kind: 'wrong'; readonly problem: string };

/** A name, IPv4, or IPv6 with or without its scope; a port after it, then IPv6 in brackets. Default port PEER_PORT. */
export const parsePeer = (text: string): ParsedPeer => {
  const trimmed = text.trim();
  const inBrackets = /^\[([^\]]*)\]$/.exec(trimmed)?.[1];
  const alone = inBrackets ?? trimmed;
  if (isIP(alone) === 6) return { kind: 'peer', host: alone, port: PEER_PORT };
  const address = parseHostPort(/:\d+$/.test(trimmed) ? trimmed : `${trimmed}:${PEER_PORT}`);
  if (address.kind === 'wrong')
    return {
      kind: 'wrong',
      problem: `${JSON.stringify(text.slice(0, TEXT_SHOWN_MAX))} is not the address of a peer`,
    };
  const { host, port } = address.value;
  if (port === 0) return { kind: 'wrong', problem: 'no peer can be reached at port 0' };
  if (host.includes(':') && isIP(host) !== 6)
    return { kind: 'wrong', problem: `${host} is not an IPv6 address` };
  return { kind: 'peer', host, port };
};

export const isLinkLocalIpv6 = (address: string): boolean => /^fe[89ab][0-9a-f]:/i.test(address);

/**
 * The address in canonical form, or undefined if it means nothing on this machine: names, and loopback, multicast,
 * unspecified or IPv6 link-local addresses, whose interface is the sender's.
 */
export const dialableFromElsewhere = (address: string): string | undefined => {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '');
  if (isIPv4(plain)) {
    const [first = 0] = plain.split('.').map(Number);
    return first === 0 || first === 127 || first >= 224 ? undefined : plain;
  }
  if (isIP(plain) !== 6 || plain.includes('%')) return undefined;
  const canonical = new URL(`http://[${plain}]/`).hostname.slice(1, -1);
  const isOfNoUse =
    canonical === '::' ||
    canonical === '::1' ||
    /^(ff|::ffff:)/.test(canonical) ||
    isLinkLocalIpv6(canonical);
  return isOfNoUse ? undefined : canonical;
};

const TEXT_SHOWN_MAX = 100;
