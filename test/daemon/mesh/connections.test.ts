import { describe, expect, it } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { closeOpenConnections } from '../../../src/daemon/mesh/mesh-connections.ts';
import { ATLAS, ConnectionsBed, JUNO } from './connections-bed.ts';

describe('the connections of a daemon', () => {
  it('are written with their interface, type and rate as soon as the other node answers', async () => {
    await using bed = await ConnectionsBed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(3);
    expect(bed.facts).toEqual([
      {
        kind: 'connection.opened',
        payload: {
          kind: 'socket',
          sink: JUNO,
          sinkAddress: '10.0.0.2',
          sourceInterface: 'en0',
          sinkInterface: 'en7',
          type: 'ethernet',
          negotiatedBitsPerSecond: 1e9,
        },
      },
    ]);
  });

  it('of a node that was not chosen today are closed with that reason, and opened again when it is', async () => {
    await using bed = await ConnectionsBed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(3);
    bed.unchosen.add(JUNO);
    await bed.pass(3);
    expect(bed.facts.slice(1)).toMatchObject([
      { kind: 'connection.closed', payload: { sink: JUNO, reason: 'not chosen today' } },
    ]);
    bed.unchosen.clear();
    await bed.pass(3);
    expect(bed.current).toMatchObject([{ sink: JUNO, sinkAddress: '10.0.0.2' }]);
  });

  it('are written again when their rate falls or their type changes, and not while nothing does', async () => {
    await using bed = await ConnectionsBed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(60);
    expect(bed.facts.length).toBe(1);
    bed.pushOwn({ speedBitsPerSecond: 1e8 });
    await bed.pass(3);
    bed.pushOwn({ speedBitsPerSecond: 1e8, type: 'wifi' });
    await bed.pass(3);
    expect(bed.facts.slice(1).map(({ payload }) => payload)).toMatchObject([
      { type: 'ethernet', negotiatedBitsPerSecond: 1e8 },
      { type: 'wifi', negotiatedBitsPerSecond: 1e8 },
    ]);
  });

  it('keep a concrete type when the interface is not reported any more', async () => {
    await using bed = await ConnectionsBed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(3);
    bed.pushOwn({ type: unknown('sysfs does not answer') });
    await bed.pass(30);
    expect(bed.facts.length).toBe(1);
    expect(bed.current).toMatchObject([{ type: 'ethernet', negotiatedBitsPerSecond: 1e9 }]);
  });

  it('forget the type of one interface when another carries them, though of that nothing is known', async () => {
    await using bed = await ConnectionsBed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(3);
    bed.pushOwn({ name: 'tun0', type: unknown('no evidence') });
    await bed.pass(3);
    expect(bed.current).toMatchObject([{ sourceInterface: 'tun0', type: unknown('no evidence') }]);
  });

  it('close when the node goes offline, although something still answers there', async () => {
    await using bed = await ConnectionsBed.with({});
    await bed.pass(3);
    bed.isJunoSeen = false;
    await bed.pass(31);
    expect(bed.facts.at(-1)).toMatchObject({ payload: { reason: 'the node is offline' } });
    bed.isJunoSeen = true;
    await bed.pass(3);
    expect(bed.current.length, 'and open when it speaks again').toBe(1);
  });

  it('by an interface that the settings ignore are none', async () => {
    await using bed = await ConnectionsBed.with({}, ['10.0.0.2'], ['en0']);
    await bed.pass(30);
    expect(bed.facts).toEqual([]);
  });

  it('close at once when the own interface of a link-local one is gone', async () => {
    await using bed = await ConnectionsBed.with({}, ['fe80::2']);
    await bed.pass(3);
    expect(bed.current).toMatchObject([{ sinkAddress: 'fe80::2%en0', sourceInterface: 'en0' }]);
    bed.interfaces = {};
    await bed.pass(1.2);
    expect(bed.facts.at(-1)).toMatchObject({
      kind: 'connection.closed',
      payload: { reason: 'the interface en0 is down or gone' },
    });
  });

  it('of an earlier start stay when they still answer, and nothing is written', async () => {
    await using bed = await ConnectionsBed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(3);
    await bed.restart();
    await bed.pass(60);
    expect(bed.facts.length).toBe(1);
    expect(bed.current.length).toBe(1);
  });

  it('of an earlier start are closed when nobody answers, or nobody is there to be asked', async () => {
    await using bed = await ConnectionsBed.with({});
    await bed.pass(3);
    bed.wire.block('10.0.0.2');
    await bed.restart();
    await bed.pass(4);
    expect(bed.current).toEqual([]);
    bed.wire.unblock('10.0.0.2');
    await bed.pass(90);
    expect(bed.current.length).toBe(1);
    bed.isJunoSeen = false;
    await bed.pass(25); // not yet offline when this node stops
    await bed.restart({ withoutJuno: true });
    await bed.pass(31);
    expect(bed.facts.at(-1)).toMatchObject({
      kind: 'connection.lost',
      payload: { code: 'node-offline', reason: 'the node is offline' },
    });
  });

  it('of an earlier start are closed at once when their address cannot be asked any more', async () => {
    await using bed = await ConnectionsBed.with({}, ['fe80::2']);
    await bed.pass(3);
    bed.interfaces = {};
    await bed.restart();
    await bed.pass(1);
    expect(bed.facts.at(-1)).toMatchObject({
      kind: 'connection.closed',
      payload: { connectionKey: 'socket fe80::2%en0', reason: 'the interface en0 is down or gone' },
    });
  });

  it('of an earlier start are closed at once where there is no mesh any more', async () => {
    await using bed = await ConnectionsBed.with({});
    await bed.pass(3);
    const { facts } = bed;
    closeOpenConnections(
      { nodeId: ATLAS, clock: bed.clock, state: () => bed.state, record: bed.record },
      'there is no mesh',
    );
    expect(facts.at(-1)).toMatchObject({ payload: { reason: 'there is no mesh' } });
    expect(bed.current).toEqual([]);
  });
});
