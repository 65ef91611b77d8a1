import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import { type Connection, connectionKey } from '../../../src/core/link/connection.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { rdmaEngine } from '../../../src/daemon/probes/rdma-engine.ts';
import { rendezvousAddress } from '../../../src/probe/rdma/rendezvous.ts';
import { type StandInTools, standInTools } from '../../gather/stand-in-tools.ts';
import { fixture } from '../../support/fixture.ts';

const ATLAS = nodeId('a'.repeat(26));
const JUNO = nodeId('j'.repeat(26));

const socketTo = (
  sinkAddress: string,
  type: Extract<Connection, { kind: 'socket' }>['type'],
): Connection => ({
  kind: 'socket',
  sink: JUNO,
  sinkAddress,
  sourceInterface: 'en0',
  sinkInterface: 'en0',
  type,
  negotiatedBitsPerSecond: 1e9,
});
const WAY: Connection = {
  kind: 'rdma',
  sink: JUNO,
  sourceInterface: 'mlx5_0',
  sinkInterface: 'mlx5_1:2',
  type: 'infiniband',
  negotiatedBitsPerSecond: 400e9,
};
const stateWith = (...connections: readonly Connection[]): State => ({
  ...EMPTY_STATE,
  connections: {
    [ATLAS]: {
      [JUNO]: Object.fromEntries(
        connections.map(value => [
          connectionKey(value),
          { value, epoch: 1, seq: 1, ageMs: 0, receivedAtMs: 0 },
        ]),
      ),
    },
  },
});

describe('the rendezvous of an RDMA probe', () => {
  it('is at an address that answers: a cable before Wi-Fi, without a scope before with one', () => {
    const state = stateWith(
      WAY,
      socketTo('10.0.9.2', 'wifi'),
      socketTo('fe80::2%en0', 'ethernet'),
      socketTo('10.0.0.2', 'ethernet'),
      socketTo('100.64.0.2', 'overlay'),
    );
    expect(rendezvousAddress(state, ATLAS, JUNO)).toBe('10.0.0.2');
  });

  it('is nowhere where no address of the sink answers', () => {
    expect(rendezvousAddress(stateWith(WAY), ATLAS, JUNO)).toBeUndefined();
    expect(rendezvousAddress(EMPTY_STATE, ATLAS, JUNO)).toBeUndefined();
  });
});

describe('the engine of RDMA probes', () => {
  let tools: StandInTools;
  beforeEach(() => {
    tools = standInTools();
  });
  afterEach(() => tools[Symbol.dispose]());

  const engineOf = (self: typeof ATLAS, state: State) =>
    rdmaEngine({
      self,
      state: () => state,
      env: tools.env,
      nodePath: process.execPath,
      platform: 'linux',
      port: () => undefined,
    });
  const signal = new AbortController().signal;

  it('brings both ends together, each with its own device and port', async () => {
    const state = stateWith(WAY, socketTo('127.0.0.1', 'ethernet'));
    tools.prints('latency', fixture('perftest/ib_send_lat-unsorted.txt'));
    tools.prints('bandwidth', fixture('perftest/ib_write_bw-connectx7.txt'));
    const reported = (name: string): string =>
      `echo "$@" >> "$HERE/arguments"\nfor last; do true; done\nif [ "$last" = 127.0.0.1 ]; then exec "$HERE/${name}"; fi\nexec sleep 600`;
    tools.script('ib_send_lat', reported('latency'));
    tools.script('ib_write_bw', reported('bandwidth'));
    await using sink = await engineOf(JUNO, state).openSink({
      source: ATLAS,
      connection: WAY,
      sinkInterface: 'mlx5_1:2',
      sourceAddresses: [],
      ticket: 'a ticket',
      signal,
    });
    const outcome = await engineOf(ATLAS, state).measure({
      connection: WAY,
      port: sink.port,
      ticket: 'a ticket',
      budget: { bytesMax: 1e9, durationMsMax: 4_000, measuresExtras: true },
      signal,
    });
    expect(outcome).toMatchObject({ kind: 'measured', measurement: { engine: 'perftest' } });
  });

  it('reports it where the nodes have no address between them', async () => {
    const state = stateWith(WAY);
    await expect(
      engineOf(JUNO, state).openSink({
        source: ATLAS,
        connection: WAY,
        sinkInterface: undefined,
        sourceAddresses: [],
        ticket: 'a ticket',
        signal,
      }),
    ).rejects.toThrow('no address through which aaaaaaaa can reach it is known');
    expect(
      await engineOf(ATLAS, state).measure({
        connection: WAY,
        port: 1,
        ticket: 'a ticket',
        budget: { bytesMax: 1e9, durationMsMax: 4_000, measuresExtras: true },
        signal,
      }),
    ).toEqual({
      kind: 'failed',
      reason: 'no address of jjjjjjjj answers',
      code: 'unreachable',
      bytesUsed: 0,
    });
  });
});
