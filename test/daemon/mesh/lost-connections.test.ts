// Connections of a daemon that close: which stay as lost, for what reason, and how soon they open again.

import { describe, expect, it } from 'vitest';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { type Connection, connectionKey, type LossCode } from '../../../src/core/link/connection.ts';
import { pathEnds, pathProfiles } from '../../../src/core/link/link-path.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { LINK_FIGURES } from '../../support/link-figures.ts';
import { ATLAS, ConnectionsBed, JUNO } from './connections-bed.ts';

describe('connections that are lost', () => {
  it('close when the other node falls silent, with its profile', async () => {
    await using bed = await ConnectionsBed.with({});
    await bed.pass(3);
    bed.wire.block('10.0.0.2');
    await bed.pass(14);
    expect(bed.facts.at(-1)).toEqual({
      kind: 'connection.closed',
      payload: { sink: JUNO, connectionKey: 'socket 10.0.0.2', reason: 'no answer' },
    });
    expect(bed.current).toEqual([]);
  });

  it('stay as lost when they were open for a minute, and open again as what they were', async () => {
    await using bed = await ConnectionsBed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(61);
    bed.wire.block('10.0.0.2');
    await bed.pass(14);
    expect(bed.facts.at(-1)).toMatchObject({
      kind: 'connection.lost',
      payload: {
        code: 'no-answer',
        connection: { sinkAddress: '10.0.0.2', sourceInterface: 'en0', sinkInterface: 'en7' },
      },
    });
    expect(bed.current).toEqual([]);
    bed.wire.unblock('10.0.0.2');
    bed.pushOwn({ type: unknown('the port map did not come') });
    await bed.pass(60);
    expect(bed.current).toMatchObject([{ type: 'ethernet', sinkInterface: 'en7' }]);
    expect(bed.lost).toEqual([]);
  });

  it.each([
    ['reports that it reaches this one', (bed: ConnectionsBed) => bed.reachAtlas()],
    [
      'reports another state of its interfaces',
      (bed: ConnectionsBed) => bed.reportJuno(['10.0.0.2', '10.0.0.9']),
    ],
  ])('that are lost are checked at once when the other end %s', async (_what, happens) => {
    await using bed = await ConnectionsBed.with({});
    await bed.pass(61);
    bed.wire.block('10.0.0.2');
    await bed.pass(400);
    expect(bed.lost).toHaveLength(1);
    bed.wire.unblock('10.0.0.2');
    happens(bed);
    await bed.pass(3);
    expect(bed.current).toMatchObject([{ sinkAddress: '10.0.0.2' }]);
  });

  it('that are reached over another interface leave the old path lost, with its figures, where that is down', async () => {
    await using bed = await ConnectionsBed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(61);
    bed.record(profileOfJuno);
    bed.pushOwn({ name: 'en1', type: 'wifi' });
    await bed.pass(3);
    expect(bed.current).toMatchObject([{ sourceInterface: 'en1', type: 'wifi' }]);
    expect(bed.lost).toMatchObject([{ connection: { sourceInterface: 'en0', type: 'ethernet' } }]);
    const paths = pathProfiles(pathEnds(bed.state, ATLAS, JUNO));
    expect([...paths.keys()]).toEqual(['socket en0 en7']);
    // The cable is back, and so are its figures; the radio was only not in use.
    bed.pushOwn({ speedBitsPerSecond: 1e9 });
    await bed.pass(3);
    expect(bed.current).toMatchObject([{ sourceInterface: 'en0', type: 'ethernet' }]);
    expect([...pathProfiles(pathEnds(bed.state, ATLAS, JUNO)).keys()]).toEqual(['socket en0 en7']);
  });

  it('to a node that is not measured any more end, for any cause of their closing', async () => {
    await using bed = await ConnectionsBed.with({});
    await bed.pass(61);
    bed.wire.block('10.0.0.2');
    await bed.pass(14);
    expect(bed.lost).toHaveLength(1);
    bed.unchosen.add(JUNO);
    await bed.pass(7);
    expect(bed.lost).toEqual([]);
    expect(bed.facts.at(-1)).toMatchObject({
      kind: 'connection.closed',
      payload: { reason: 'not chosen today' },
    });
  });

  it('keep the interface of the other end through one reading without the address', async () => {
    await using bed = await ConnectionsBed.with({});
    await bed.pass(61);
    bed.reportJuno([]);
    await bed.pass(2);
    expect(bed.lost).toMatchObject([{ code: 'address-gone', connection: { sinkInterface: 'en7' } }]);
    bed.reportJuno(['10.0.0.2']);
    await bed.pass(12);
    expect(bed.current).toMatchObject([{ sinkInterface: 'en7' }]);
  });

  it('that were lost with their node have another reason where it is back and they are not', async () => {
    await using bed = await ConnectionsBed.with({});
    await bed.pass(61);
    bed.isJunoSeen = false;
    await bed.pass(31);
    expect(bed.lost).toMatchObject([{ code: 'node-offline', lostAgeMs: 0 }]);
    bed.wire.block('10.0.0.2');
    bed.isJunoSeen = true;
    await bed.pass(25);
    expect(bed.lost).toMatchObject([{ code: 'node-offline' }]);
    await bed.pass(20);
    expect(bed.lost).toMatchObject([{ code: 'no-answer' }]);
    expect(bed.lost).not.toMatchObject([{ lostAgeMs: 0 }]);
  });

  it('that closed because their node was killed are lost with it, once it is offline', async () => {
    await using bed = await ConnectionsBed.with({});
    await bed.pass(61);
    bed.isJunoSeen = false;
    bed.wire.block('10.0.0.2');
    await bed.pass(20);
    expect(bed.lost).toMatchObject([{ code: 'no-answer' }]);
    await bed.pass(20);
    expect(bed.lost).toMatchObject([{ code: 'node-offline' }]);
  });

  it('that closed long before their node went offline keep their reason', async () => {
    await using bed = await ConnectionsBed.with({});
    await bed.pass(61);
    bed.wire.block('10.0.0.2');
    await bed.pass(30);
    bed.isJunoSeen = false;
    await bed.pass(60);
    expect(bed.lost).toMatchObject([{ code: 'no-answer' }]);
  });

  it('of a missing interface end after a week, once it has been missing for an hour without a break', async () => {
    await using bed = await ConnectionsBed.with({}, []);
    await bed.pass(3);
    bed.record(lostLongAgo({ ...OF_USB, kind: 'socket', sinkAddress: '10.0.7.2' }, 'no-answer'));
    await bed.pass(3_500);
    expect(bed.lost).toHaveLength(1);
    // A reading that lists the adapter again, and one that leaves it out.
    bed.pushOwn({ name: 'usb0' });
    await bed.pass(10);
    bed.pushOwn({});
    await bed.pass(3_500);
    expect(bed.lost).toHaveLength(1);
    await bed.pass(120);
    expect(bed.lost).toEqual([]);
    expect(bed.facts.at(-1)).toMatchObject({
      kind: 'connection.closed',
      payload: { connectionKey: 'socket 10.0.7.2', reason: 'its interface has been gone for a week' },
    });
  });

  it('of RDMA that were lost with their node have a reason of their own where it is back without its ports', async () => {
    await using bed = await ConnectionsBed.with({});
    await bed.pass(3);
    bed.record(lostLongAgo({ ...OF_USB, kind: 'rdma' }, 'node-offline'));
    await bed.pass(20);
    expect(bed.lost).toMatchObject([{ code: 'node-offline' }]);
    await bed.pass(20);
    expect(bed.lost).toMatchObject([
      {
        code: 'interface-down',
        reason: 'its ports have not become active again since the node returned',
      },
    ]);
  });
});

const OF_USB = {
  sink: JUNO,
  sourceInterface: 'usb0',
  sinkInterface: 'en7',
  type: 'ethernet',
  negotiatedBitsPerSecond: unknown('not reported'),
} as const;

const lostLongAgo = (connection: Connection, code: LossCode): Fact => ({
  kind: 'connection.lost',
  payload: {
    sink: JUNO,
    connectionKey: connectionKey(connection),
    connection,
    code,
    reason: 'made up',
    lostAgeMs: 8 * 24 * 3_600_000,
  },
});

const profileOfJuno: Fact = {
  kind: 'link.profiled',
  payload: { ...LINK_FIGURES, sink: JUNO, connectionKey: 'socket 10.0.0.2' },
};
