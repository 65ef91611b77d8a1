import { describe, expect, test } from 'vitest';
import { meshChecks } from '../../src/cli/doctor/mesh-checks.ts';
import { nodeId } from '../../src/core/ids.ts';
import { unknown } from '../../src/core/unknown.ts';
import type { MeshStatus, PeerStatus, PeerTry } from '../../src/wire/mesh-status.ts';
import { decodeMeshStatus } from '../../src/wire/mesh-status.ts';

const JUNO = nodeId('b'.repeat(26));

const peer = (more: Partial<PeerStatus>): PeerStatus => ({
  name: 'juno',
  nodeId: JUNO,
  isNamed: false,
  standing: 'linked',
  address: '[fe80::2%tb0]:4181',
  silentMs: 500,
  reach: { asked: 2, open: 2, shut: 0 },
  tries: [],
  ...more,
});
const tried = (reason: string, detail: string, address = '10.0.0.2:4181'): PeerTry => ({
  address,
  reason,
  detail,
});
const on = (more: Partial<Extract<MeshStatus, { kind: 'on' }>> = {}): MeshStatus => ({
  kind: 'on',
  listensOn: '[::]:4181',
  isLoopback: false,
  reachabilityPort: 4_181,
  linkCount: 1,
  peers: [peer({})],
  findings: ['beacon not heard on interface docker0'],
  refusals: {},
  replication: {},
  ...more,
});
const textsOf = (mesh: MeshStatus, platform = 'linux'): readonly string[] =>
  meshChecks(mesh, platform).map(({ verdict, text, advice }) => `${verdict}: ${text} | ${advice}`);

describe('what doctor says of the mesh', () => {
  test('is short where all is well: beacons that nobody needs are not told', () => {
    expect(textsOf(on())).toEqual([
      'ok: it listens on [::]:4181 | ',
      'ok: juno is linked at [fe80::2%tb0]:4181 | ',
    ]);
  });

  test('tells a linked peer that answers no question, once every address was asked', () => {
    const text = (reach: PeerStatus['reach']): string =>
      textsOf(on({ peers: [peer({ reach })] }))
        .slice(2)
        .join();
    expect(text({ asked: 3, open: 0, shut: 3 })).toMatch(
      /^problem: no connection to juno is open.*Allow UDP/,
    );
    expect(text({ asked: 3, open: 0, shut: 2 })).not.toContain('no connection');
    expect(text({ asked: 3, open: 1, shut: 2 })).not.toContain('no connection');
    expect(text({ asked: 0, open: 0, shut: 0 })).not.toContain('no connection');
  });

  test('calls nothing off that is heard by way of others, where none of its addresses is reached', () => {
    const relayed = (...tries: readonly PeerTry[]): string =>
      textsOf(
        on({ peers: [peer({ standing: 'relayed', address: unknown('no link'), tries })], findings: [] }),
      )
        .slice(1)
        .join('\n');
    const far = relayed(
      tried('unreachable', 'no answer in 4 s', '[fe80::2%en0]:4181'),
      tried('unreachable', 'no route', '10.2.0.2:4181'),
    );
    expect(far).toMatch(/^note: juno has no direct link.*none of its addresses is reached/);
    expect(far).toContain('no cable or network joins the two');
    expect(far).not.toContain('It is off');
    expect(relayed(tried('wrong-key', 'another key'))).toContain('the same cluster key');
  });

  test('is that the node is alone, where there is no key', () => {
    expect(textsOf({ kind: 'off', reason: 'there is no cluster key' })).toEqual([
      'note: this node is alone: there is no cluster key | Make a key with: plimsoll key new',
    ]);
  });

  test('is how another machine joins, where none was heard', () => {
    const texts = textsOf(on({ linkCount: 0, peers: [] }));
    expect(texts[1]).toContain('plimsoll key show --join');
    expect(texts[2]).toContain('beacon not heard on interface docker0');
  });

  test('names the reason that says most first, and every other one once', () => {
    const tries = [
      tried('unreachable', 'no route to that network', '10.9.0.2:4181'),
      tried('unreachable', 'nothing listens on that port', '10.9.0.3:4181'),
      tried('wrong-key', 'it has another cluster key', '10.9.0.4:4181'),
      tried('unreachable', 'no route to that network', '10.9.0.5:4181'),
      tried('waiting', 'it was not refused so far', '10.9.0.6:4181'),
    ];
    const texts = textsOf(on({ peers: [peer({ standing: 'never-met', isNamed: true, tries })] }));
    expect(texts[1]).toBe(
      'problem: juno is not connected: 10.9.0.4:4181: it has another cluster key | Both need the same cluster key: plimsoll key show --join prints the line to run there.',
    );
    expect(texts.filter(text => text.includes('no route')).length).toBe(1);
    expect(texts.filter(text => text.includes('nothing listens')).length).toBe(1);
  });

  test('advises by the system it runs on', () => {
    const peers = [peer({ standing: 'offline', tries: [tried('unreachable', 'no route to that address')] })];
    expect(textsOf(on({ peers }), 'darwin')[1]).toContain('Local Network');
    expect(textsOf(on({ peers }), 'linux')[1]).toContain('ip route get 10.0.0.2');
  });

  test.each([
    ['version', 'it speaks version 9', 'Update Plimsoll'],
    ['not-a-node', 'what listens there is no node', 'Another program'],
    ['identity-in-use', 'another daemon has this identity', 'copies of one home'],
    ['unreachable', 'no answer within 4 s', 'allow TCP and UDP 4181, and UDP 4182'],
    ['unreachable', 'no address has that name', 'by its address'],
    [
      'unreachable',
      'that address cannot be dialled from here; a link-local one needs its interface',
      'fe80::1%en0',
    ],
  ])('says what to do about %s: %s', (reason, detail, advice) => {
    const peers = [peer({ standing: 'never-met', isNamed: true, tries: [tried(reason, detail)] })];
    expect(textsOf(on({ peers }))[1]).toContain(advice);
  });

  test('is a problem for an offline node that somebody named, else a note with the way to forget it', () => {
    const offline = peer({ standing: 'offline', silentMs: 120_000 });
    expect(textsOf(on({ peers: [{ ...offline, isNamed: true }] }))[1]).toMatch(
      /^problem: juno is offline, last heard 2\smin/,
    );
    expect(textsOf(on({ peers: [offline] }))[1]).toMatch(/^note: juno is offline.*plimsoll forget juno$/);
  });

  test('tells of a mesh that nobody can reach, and of one that finds no connections', () => {
    expect(textsOf(on({ isLoopback: true, listensOn: '127.0.0.1:4181' }))[0]).toMatch(/^problem/);
    expect(textsOf(on({ reachabilityPort: unknown('no UDP port could be opened') }))[1]).toBe(
      'problem: no connections are found: no UDP port could be opened | ',
    );
  });

  test('tells of foreign keys and of what macOS forbids by interface', () => {
    const findings = [
      'on interface en0 only beacons of another cluster key are heard (6)',
      'cannot send on en1 (IPv6): EHOSTUNREACH; on macOS allow it in System Settings, Privacy & Security, Local Network',
      'no beacon on lo0: only this machine reaches it',
    ];
    expect(textsOf(on({ linkCount: 0, peers: [], findings })).slice(2)).toEqual([
      'problem: on interface en0 only beacons of another cluster key are heard (6) | Both need the same cluster key: plimsoll key show --join prints the line to run there.',
      'problem: cannot send on en1 (IPv6): EHOSTUNREACH | On macOS allow it in System Settings, Privacy & Security, Local Network.',
    ]);
  });
});

describe('the status of a mesh', () => {
  test('is read as it was written', () => {
    const status = on({
      peers: [peer({ tries: [tried('unreachable', 'no answer')] }), peer({ nodeId: unknown('x') })],
    });
    expect(decodeMeshStatus(JSON.parse(JSON.stringify(status)))).toEqual(status);
  });

  test('is nothing else', () => {
    for (const value of [undefined, {}, { kind: 'on' }, { ...on(), peers: [{}] }, { kind: 'off' }])
      expect(decodeMeshStatus(value)).toBeUndefined();
  });
});
