// Whether this node is linked to every node that it should be, and where it is not, why and what to do.

import { parseHostPort } from '../../core/address/host-port.ts';
import { formatAge } from '../../core/figure/duration.ts';
import { counted, figureText } from '../../core/figure/figure.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { isKnown } from '../../core/unknown.ts';
import { UNDELIVERED_REPORTED_MIN } from '../../daemon/mesh/delivery-notices.ts';
import type { BeaconProblemCode, MeshStatus, PeerStatus, PeerTry } from '../../wire/mesh-status.ts';
import { type Check, checksOf } from './check.ts';

const check = checksOf('mesh');

type MeshOn = Extract<MeshStatus, { readonly kind: 'on' }>;

/** @param platform as Node names it. */
export const meshChecks = (mesh: MeshStatus, platform: string): readonly Check[] => {
  if (mesh.kind === 'off')
    return [check('note', `this node is alone: ${mesh.reason}`, 'Create a key with: plimsoll key new')];
  const peers = mesh.peers.flatMap(peer => peerCheck(peer, platform));
  const isTroubled = mesh.linkCount === 0 || peers.some(({ verdict }) => verdict !== 'ok');
  return [
    mesh.isLoopback
      ? check(
          'problem',
          `it listens on ${mesh.listensOn}, which only this machine can reach`,
          'Choose another address with --mesh HOST:PORT, or in config.toml, [mesh] listen.',
        )
      : check('ok', `it listens on ${mesh.listensOn}`),
    ...(isKnown(mesh.reachabilityPort) || mesh.isLoopback
      ? []
      : [check('problem', `no connections are found: ${mesh.reachabilityPort.reason}`)]),
    ...(mesh.peers.length === 0
      ? [
          check(
            'note',
            'no other node has been seen yet',
            'On another machine run the line that this prints: plimsoll key show --join. If multicast does not get through, name this machine there with --peer.',
          ),
        ]
      : peers),
    // A node that is linked to all others does not need to receive beacons.
    ...(isTroubled ? beaconChecks(mesh) : []),
  ];
};

const peerCheck = (peer: PeerStatus, platform: string): readonly Check[] => {
  const { name, standing } = peer;
  switch (standing) {
    case 'linked':
      return [
        check('ok', `${name} is linked${isKnown(peer.address) ? ` at ${peer.address}` : ''}`),
        ...reachCheck(peer),
        ...deliveryCheck(peer),
      ];
    case 'self':
      return [
        check('note', `${name}, configured as a peer, is this node itself`, 'Remove it from the peers here.'),
      ];
    case 'relayed': {
      const line = check('note', `${name} has no direct link; its events arrive through other nodes`);
      return isOutOfReach(peer)
        ? [
            {
              ...line,
              text: `${line.text}: none of its addresses can be reached from here`,
              advice: NO_CABLE,
            },
          ]
        : withTries(line, peer, platform);
    }
    case 'silent':
      return withTries(check('note', `${name} has no link${silence(peer)}`), peer, platform);
    case 'offline':
      return withTries(
        check(
          peer.isNamed ? 'problem' : 'note',
          `${name} is offline${silence(peer)}`,
          `Start it there with plimsoll up. If it is gone for good: ${shellCommand`plimsoll forget ${name}`}`,
        ),
        peer,
        platform,
      );
    case 'stopped':
      return [check('note', `${name} was stopped${silence(peer)}`, 'Start it there again with plimsoll up.')];
    case 'never-met':
      return withTries(check('problem', `${name} is not connected`), peer, platform);
    default:
      return standing satisfies never;
  }
};

/** It lives, so nothing is off: most likely no cable or network joins the two, as in every line and ring. */
const isOutOfReach = ({ tries }: PeerStatus): boolean => {
  const reported = tries.filter(({ reason }) => reason !== 'waiting');
  return reported.length > 0 && reported.every(({ reason }) => reason === 'unreachable');
};

/** A TCP link does not prove that UDP works, and a peer that dialled this node may not accept connections from it. */
const reachCheck = ({ name, reach: { requested, open, shut } }: PeerStatus): readonly Check[] =>
  requested === 0 || open > 0 || shut < requested
    ? []
    : [
        check(
          'problem',
          `no connection to ${name} is open: ${requested === 1 ? 'its address does not answer' : `none of its ${requested} addresses answers`} a check from here`,
          'Allow UDP there on the same number as its mesh port (4181 by default).',
        ),
      ];

/** Once may be a slow disk or cable there. */
const deliveryCheck = ({ name, undelivered = 0 }: PeerStatus): readonly Check[] =>
  undelivered < UNDELIVERED_REPORTED_MIN
    ? []
    : [
        check(
          'note',
          `${name} did not send the records of other nodes that it claims to have, ${counted(undelivered, 'time')}`,
          'Other nodes are used instead. Restart plimsoll there, and see whether its version is the one that runs here.',
        ),
      ];

/** The most specific problem is on the peer's line; each of the others is reported once. */
const withTries = (line: Check, { name, tries }: PeerStatus, platform: string): readonly Check[] => {
  const reported = tries
    .filter(({ reason }) => reason !== 'waiting')
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  const [first, ...others] = [...new Map(reported.map(one => [`${one.reason} ${one.detail}`, one])).values()];
  if (first === undefined) {
    const why = tries.length === 0 ? 'none of its addresses is known here' : 'its address is being tried';
    return [{ ...line, text: `${line.text}: ${why}` }];
  }
  const advice = [adviceFor(first, platform), line.advice].filter(text => text !== '').join(' ');
  return [
    { ...line, text: `${line.text}: ${first.address === name ? first.detail : tried(first)}`, advice },
    ...others.slice(0, OTHERS_MAX).map(one => check('note', tried(one), adviceFor(one, platform))),
  ];
};

const tried = ({ address, detail }: PeerTry): string => `${address}: ${detail}`;

const silence = ({ silentMs }: PeerStatus): string =>
  isKnown(silentMs) ? `, last seen ${figureText(formatAge(silentMs))} ago` : '';

/** A refusal by an address that was reached ranks above one that was not reached: it is more specific. */
const rankOf = ({ reason }: PeerTry): number => {
  const rank = REPORTING.indexOf(reason);
  return rank === -1 ? REPORTING.length : rank;
};

const adviceFor = ({ reason, cause, address }: PeerTry, platform: string): string => {
  if (reason !== 'unreachable') return ADVICE[reason] ?? '';
  const reported = parseHostPort(address);
  if (cause === undefined || reported.kind === 'wrong') return '';
  const { host, port } = reported.value;
  switch (cause) {
    case 'nothing-listens':
      return 'The machine is up, but its mesh port is closed: run plimsoll up with the cluster key there, or give its port as HOST:PORT.';
    case 'no-route':
      return platform === 'darwin'
        ? `Allow it in System Settings, Privacy & Security, Local Network; otherwise check cable and addresses: ping ${host}`
        : `Check cable, interface and addresses: ip route get ${host}`;
    case 'unknown-name':
      return "Use the machine's address instead.";
    case 'needs-interface':
      return 'Write the interface after the address: fe80::1%en0.';
    default:
      return `It is switched off, or a firewall drops the traffic: allow TCP and UDP ${port}, and UDP 4182.`;
  }
};

const beaconChecks = ({ problems }: MeshOn): readonly Check[] =>
  problems
    .filter(({ code }) => code !== 'no-beacon-on-loopback') // of every machine
    .map(({ code, problem, advice }) =>
      check(HARMLESS_BEACONS.has(code) ? 'note' : 'problem', problem, advice),
    );

const REPORTING: readonly string[] = [
  'wrong-key',
  'version',
  'identity-in-use',
  'not-a-node',
  'bad-proof',
  'malformed',
  'too-many',
  'too-slow',
  'lost',
  'unreachable',
];
const ADVICE: Readonly<Record<string, string>> = {
  'wrong-key': 'Both need the same cluster key: plimsoll key show --join prints the line to run there.',
  version: 'Update Plimsoll on the older of the two.',
  'identity-in-use':
    'Two machines run from copies of one home: on one of them, move node-key.pem and journal.sqlite away and restart.',
  'not-a-node': 'Another program listens there: check the port.',
  'bad-proof': 'The program that answers there cannot prove its identity: find out what listens there.',
  malformed: 'The program that answers there does not use the mesh protocol: compare the versions of both.',
  'too-many': 'Plimsoll tries again by itself.',
  'too-slow': 'The machine is overloaded, or the network loses many packets. Plimsoll tries again by itself.',
  lost: 'Plimsoll tries again by itself. If this persists, find out what closes connections on the path.',
};
const NO_CABLE =
  'This is normal if no cable or network connects the two. If one does: allow TCP and UDP on its mesh port (4181 by default), and UDP 4182.';
const HARMLESS_BEACONS: ReadonlySet<string> = new Set<BeaconProblemCode>(['no-beacon', 'beacon-not-heard']);
const OTHERS_MAX = 4;
