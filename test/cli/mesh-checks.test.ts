import { describe, expect, test } from 'vitest';
import { meshChecks } from '../../src/cli/doctor/mesh-checks.ts';
import { nodeId } from '../../src/core/ids.ts';
import { unknown } from '../../src/core/unknown.ts';
import {
  type BeaconProblem,
  type BeaconProblemCode,
  decodeMeshStatus,
  type MeshStatus,
  type PeerStatus,
  type PeerTry,
  type UnreachableCause,
} from '../../src/wire/mesh-status.ts';

const JUNO = nodeId('b'.repeat(26));

const peer = (more: Partial<PeerStatus>): PeerStatus => ({
  name: 'juno',
  nodeId: JUNO,
  isNamed: false,
  standing: 'linked',
  address: '[fe80::2%tb0]:4181',
  silentMs: 500,
  reach: { requested: 2, open: 2, shut: 0 },
  tries: [],
  ...more,
});
const tried = (reason: string, detail: string, address = '10.0.0.2:4181'): PeerTry => ({
  address,
  reason,
  detail,
});
const unreachable = (cause: UnreachableCause, detail: string, address?: string): PeerTry => ({
  ...tried('unreachable', detail, address),
  cause,
});
const ofBeacon = (code: BeaconProblemCode, interfaceName: string): BeaconProblem => ({
  code,
  interfaceName,
  problem: `${code} ${interfaceName}`,
  advice: `fix ${interfaceName}`,
});
const on = (more: Partial<Extract<MeshStatus, { kind: 'on' }>> = {}): MeshStatus => ({
  kind: 'on',
  listensOn: '[::]:4181',
  isLoopback: false,
  reachabilityPort: 4_181,
  linkCount: 1,
  peers: [peer({})],
  problems: [ofBeacon('beacon-not-heard', 'docker0')],
  refusals: {},
  replication: {},
  ...more,
});
const textsOf = (mesh: MeshStatus, platform = 'linux'): readonly string[] =>
  meshChecks(mesh, platform).map(({ verdict, text, advice }) => `${verdict}: ${text} | ${advice}`);

describe('what doctor reports of the mesh', () => {
  test('names a peer that does not deliver what it claims to hold', () => {
    expect(textsOf(on({ peers: [peer({ undelivered: 2 })] }))).not.toContainEqual(
      expect.stringContaining('did not send'),
    );
    expect(textsOf(on({ peers: [peer({ undelivered: 7 })] }))).toContainEqual(
      expect.stringMatching(
        /^note: juno did not send the records of other nodes that it claims to have, 7 times/,
      ),
    );
  });

  test('is short if all is well: beacons that are not needed are not shown', () => {
    expect(textsOf(on())).toEqual([
      'ok: it listens on [::]:4181 | ',
      'ok: juno is linked at [fe80::2%tb0]:4181 | ',
    ]);
  });

  test('shows a linked peer that answers no check, once every address was tried', () => {
    const text = (reach: PeerStatus['reach']): string =>
      textsOf(on({ peers: [peer({ reach })] }))
        .slice(2)
        .join();
    expect(text({ requested: 3, open: 0, shut: 3 })).toMatch(
      /^problem: no connection to juno is open.*Allow UDP/,
    );
    expect(text({ requested: 3, open: 0, shut: 2 })).not.toContain('no connection');
    expect(text({ requested: 3, open: 1, shut: 2 })).not.toContain('no connection');
    expect(text({ requested: 0, open: 0, shut: 0 })).not.toContain('no connection');
  });

  test('calls nothing off that is relayed by others, where none of its addresses can be reached', () => {
    const relayed = (...tries: readonly PeerTry[]): string =>
      textsOf(
        on({ peers: [peer({ standing: 'relayed', address: unknown('no link'), tries })], problems: [] }),
      )
        .slice(1)
        .join('\n');
    const far = relayed(
      unreachable('no-answer', 'no answer in 4 s', '[fe80::2%en0]:4181'),
      unreachable('no-route', 'no route', '10.2.0.2:4181'),
    );
    expect(far).toMatch(/^note: juno has no direct link.*none of its addresses can be reached/);
    expect(far).toContain('no cable or network connects the two');
    expect(far).not.toContain('It is off');
    expect(relayed(tried('wrong-key', 'another key'))).toContain('the same cluster key');
  });

  test('is that the node is alone, where there is no key', () => {
    expect(textsOf({ kind: 'off', reason: 'there is no cluster key' })).toEqual([
      'note: this node is alone: there is no cluster key | Create a key with: plimsoll key new',
    ]);
  });

  test('is how another machine joins, where none has been seen', () => {
    const texts = textsOf(on({ linkCount: 0, peers: [] }));
    expect(texts[1]).toContain('plimsoll key show --join');
    expect(texts[2]).toBe('note: beacon-not-heard docker0 | fix docker0');
  });

  test('names the reason that reports most first, and every other one once', () => {
    const tries = [
      unreachable('no-route', 'no route to that network', '10.9.0.2:4181'),
      unreachable('nothing-listens', 'nothing listens on that port', '10.9.0.3:4181'),
      tried('wrong-key', 'it has another cluster key', '10.9.0.4:4181'),
      unreachable('no-route', 'no route to that network', '10.9.0.5:4181'),
      tried('waiting', 'it has not been refused so far', '10.9.0.6:4181'),
    ];
    const texts = textsOf(on({ peers: [peer({ standing: 'never-met', isNamed: true, tries })] }));
    expect(texts[1]).toBe(
      'problem: juno is not connected: 10.9.0.4:4181: it has another cluster key | Both need the same cluster key: plimsoll key show --join prints the line to run there.',
    );
    expect(texts.filter(text => text.includes('no route')).length).toBe(1);
    expect(texts.filter(text => text.includes('nothing listens')).length).toBe(1);
  });

  test('advises by the system it runs on', () => {
    const peers = [peer({ standing: 'offline', tries: [unreachable('no-route', 'it cannot be reached')] })];
    expect(textsOf(on({ peers }), 'darwin')[1]).toContain('Local Network');
    expect(textsOf(on({ peers }), 'linux')[1]).toContain('ip route get 10.0.0.2');
  });

  test.each([
    ['version', 'Update Plimsoll'],
    ['not-a-node', 'Another program'],
    ['identity-in-use', 'copies of one home'],
  ])('reports what to do about %s', (reason, advice) => {
    const peers = [peer({ standing: 'never-met', isNamed: true, tries: [tried(reason, 'in words')] })];
    expect(textsOf(on({ peers }))[1]).toContain(advice);
  });

  test.each<[UnreachableCause, string]>([
    ['nothing-listens', 'its mesh port is closed'],
    ['no-answer', 'allow TCP and UDP 4181, and UDP 4182'],
    ['unknown-name', 'address instead'],
    ['needs-interface', 'fe80::1%en0'],
  ])('reports what to do about an address that is unreachable: %s', (cause, advice) => {
    const peers = [peer({ standing: 'never-met', isNamed: true, tries: [unreachable(cause, 'in words')] })];
    expect(textsOf(on({ peers }))[1]).toContain(advice);
  });

  test('is a problem for an offline node that somebody named, else a note with the way to forget it', () => {
    const offline = peer({ standing: 'offline', silentMs: 120_000 });
    expect(textsOf(on({ peers: [{ ...offline, isNamed: true }] }))[1]).toMatch(
      /^problem: juno is offline, last seen 2\smin/,
    );
    expect(textsOf(on({ peers: [offline] }))[1]).toMatch(/^note: juno is offline.*plimsoll forget juno$/);
  });

  test('reports a mesh that no other node can reach, and one that finds no connections', () => {
    expect(textsOf(on({ isLoopback: true, listensOn: '127.0.0.1:4181' }))[0]).toMatch(/^problem/);
    expect(textsOf(on({ reachabilityPort: unknown('no UDP port could be opened') }))[1]).toBe(
      'problem: no connections are found: no UDP port could be opened | ',
    );
  });

  test('reports foreign keys, and what macOS forbids, by interface', () => {
    const problems = [
      ofBeacon('beacon-of-other-key', 'en0'),
      ofBeacon('beacon-failed', 'en1'),
      ofBeacon('no-beacon', 'awdl0'),
      ofBeacon('no-beacon-on-loopback', 'lo0'),
    ];
    expect(textsOf(on({ linkCount: 0, peers: [], problems })).slice(2)).toEqual([
      'problem: beacon-of-other-key en0 | fix en0',
      'problem: beacon-failed en1 | fix en1',
      'note: no-beacon awdl0 | fix awdl0',
    ]);
  });
});

describe('the status of a mesh', () => {
  test('is read as it was written', () => {
    const status = on({
      peers: [peer({ tries: [unreachable('no-answer', 'no answer')] }), peer({ nodeId: unknown('x') })],
    });
    expect(decodeMeshStatus(JSON.parse(JSON.stringify(status)))).toEqual(status);
  });

  test('is nothing else', () => {
    for (const value of [undefined, {}, { kind: 'on' }, { ...on(), peers: [{}] }, { kind: 'off' }])
      expect(decodeMeshStatus(value)).toBeUndefined();
  });
});
