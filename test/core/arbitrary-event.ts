// Random events of a few origins, as a mesh would bring them: valid in themselves, in any order.

import fc from 'fast-check';
import type { Event } from '../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../src/core/ids.ts';
import { unknown } from '../../src/core/unknown.ts';
import { LINK_FIGURES } from '../support/link-figures.ts';

export const ORIGINS: readonly NodeId[] = ['a', 'b', 'c'].map(letter => nodeId(letter.repeat(26)));

const origin = fc.constantFrom(...ORIGINS);
const reported = fc.oneof(
  fc.nat(1_000_000),
  fc.constantFrom(unknown('no sensor'), unknown('no sensor', 'no-sensor')),
);

const memory: fc.Arbitrary<Fact> = fc
  .record({ totalBytes: fc.nat(1e9), availableBytes: reported })
  .map(value => ({
    kind: 'memory.gathered',
    payload: {
      source: 'procfs',
      intervalMs: 500,
      value: {
        ...value,
        swapTotalBytes: 0,
        swapUsedBytes: 0,
        pressure: { level: 'normal', stalledShare: unknown('no PSI') },
        container: { kind: 'none' },
        gpuNodeBytes: 0,
      },
    },
  }));

const identity: fc.Arbitrary<Fact> = fc.string({ minLength: 1, maxLength: 8 }).map(friendlyName => ({
  kind: 'identity.gathered',
  payload: {
    source: 'dmi',
    intervalMs: 30_000,
    value: {
      friendlyName,
      hostName: 'host',
      model: unknown('no DMI'),
      chip: 'chip',
      architecture: 'x64',
      cpuCount: 2,
      operatingSystem: { platform: 'linux', name: 'Linux', version: '1', build: '6' },
      memoryIsUnified: false,
      virtualisation: 'none',
      plimsollVersion: '0.1.0',
      isSimulated: false,
    },
  },
}));

const disk: fc.Arbitrary<Fact> = fc.nat(1e9).map(availableBytes => ({
  kind: 'disk.gathered',
  payload: {
    source: 'statfs',
    intervalMs: 30_000,
    value: {
      volumes: [{ mountPoint: '/', device: '/dev/a', fileSystem: 'ext4', totalBytes: 1e9, availableBytes }],
    },
  },
}));

const opened: fc.Arbitrary<Fact> = fc.record({ sink: origin, port: fc.nat(3) }).map(({ sink, port }) => ({
  kind: 'connection.opened',
  payload: {
    kind: 'socket',
    sink,
    sinkAddress: `10.0.0.${port}`,
    sourceInterface: 'en0',
    sinkInterface: 'en0',
    type: 'ethernet',
    negotiatedBitsPerSecond: unknown('not reported'),
  },
}));

const closed: fc.Arbitrary<Fact> = fc.record({ sink: origin, port: fc.nat(3) }).map(({ sink, port }) => ({
  kind: 'connection.closed',
  payload: { sink, connectionKey: `socket 10.0.0.${port}`, reason: 'no answer' },
}));

const linkProfile: fc.Arbitrary<Fact> = fc
  .record({ sink: origin, port: fc.nat(3), upload: reported })
  .map(({ sink, port, upload }) => ({
    kind: 'link.profiled',
    payload: {
      sink,
      connectionKey: `socket 10.0.0.${port}`,
      ...LINK_FIGURES,
      uploadBitsPerSecond: upload,
      downloadBitsPerSecond: upload,
      roundTripNsMin: 1,
      roundTripNsP50: 2,
      roundTripNsP99: 3,
      jitterNs: 1,
      bytesUsed: 1_000_000,
    },
  }));

const status: fc.Arbitrary<Fact> = fc
  .tuple(fc.constantFrom('confirmed', 'failed', 'coded', 'absent'), fc.constantFrom('memory', 'tide'))
  .map(([verb, reading]): Fact => {
    const payload = { reading, vendor: 'none', source: 'procfs', intervalMs: 500 } as const;
    if (verb === 'confirmed') return { kind: 'reading.confirmed', payload };
    return {
      kind: verb === 'absent' ? 'reading.absent' : 'reading.failed',
      payload: { ...payload, reason: 'gone', ...(verb === 'coded' ? { code: 'no-answer' } : {}) },
    };
  });

const gpuProfile: fc.Arbitrary<Fact> = fc
  .record({ device: fc.nat(3), flops: reported })
  .map(({ device, flops }) => ({
    kind: 'gpu.profiled',
    payload: {
      deviceId: `gpu-${device}`,
      deviceName: 'device',
      deviceKind: 'gpu',
      engine: 'cuda',
      fp16FlopsPerSecond: flops,
      fp32FlopsPerSecond: unknown('not measured'),
      memoryReadBytesPerSecond: 1,
      memoryCopyBytesPerSecond: 1,
      memoryGemvBytesPerSecond: 1,
      int8OperationsPerSecond: unknown('not measured'),
      fp8FlopsPerSecond: unknown('not measured'),
      isLowerBound: false,
      method: 'product',
      measuredAgeMs: 0,
      intervalMs: 3_600_000,
      failure: 'none',
    },
  }));

const runner: fc.Arbitrary<Fact> = fc.nat(2).map(number => ({
  kind: 'runner.reported',
  payload: {
    runnerKey: `r${number}`,
    source: 'run',
    targetNode: unknown('not known'),
    requestsInFlight: number,
  },
}));

const probeStatus: fc.Arbitrary<Fact> = fc.nat(2).map(number => ({
  kind: 'probe.reported',
  payload: {
    subject: { kind: 'gpu', deviceId: `gpu-${number}` },
    stage: { kind: 'waiting', reason: 'a runner is active', nextInMs: number },
  },
}));

const endpoints: fc.Arbitrary<Fact> = reported.map(port => ({
  kind: 'endpoints.reported',
  payload: { meshPort: port, reachabilityPort: port },
}));

const stopping: fc.Arbitrary<Fact> = fc.nat(2).map(durableSeq => ({
  kind: 'node.stopping',
  payload: { durableEpoch: 1, durableSeq },
}));

export const arbitraryFact: fc.Arbitrary<Fact> = fc.oneof(
  probeStatus,
  endpoints,
  stopping,
  memory,
  identity,
  disk,
  opened,
  closed,
  linkProfile,
  status,
  gpuProfile,
  runner,
);

/** A fact or a kind of the future. */
type Draft =
  | Fact
  | { readonly kind: 'unknown'; readonly class: 'durable' | 'live'; readonly unknownKind: string };

const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 9, arbitrary: arbitraryFact },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<readonly ['durable' | 'live', string]>(
        ['durable', 'tide.turned'],
        ['live', 'wind.measured'],
      )
      .map(([eventClassOf, unknownKind]) => ({ kind: 'unknown' as const, class: eventClassOf, unknownKind })),
  },
);

/** The events of one origin in order: numbered as in DESIGN §3.1, over one or two epochs. */
export const arbitraryHistory = (from: NodeId): fc.Arbitrary<readonly Event[]> =>
  fc
    .array(fc.record({ draft, startsEpoch: fc.constantFrom(false, false, false, false, true) }), {
      maxLength: 25,
    })
    .map(steps => {
      let epoch = 1;
      let durableSeq = 0;
      let liveSeq = 0;
      return steps.map((step, index): Event => {
        if (step.startsEpoch) {
          epoch += 1;
          durableSeq = 0;
        }
        const isDurable =
          (step.draft.kind === 'unknown' ? step.draft.class : eventClass(step.draft.kind)) === 'durable';
        if (isDurable) durableSeq += 1;
        else liveSeq += 1;
        const head = {
          origin: from,
          epoch: isDurable ? epoch : 7,
          class: isDurable ? ('durable' as const) : ('live' as const),
          seq: isDurable ? durableSeq : liveSeq,
          ageMs: 0,
          receivedAtMs: index,
        };
        if (step.draft.kind === 'unknown') {
          return {
            ...head,
            kind: 'unknown',
            unknownKind: step.draft.unknownKind,
            key: '',
          };
        }
        return { ...head, ...step.draft, key: factKey(step.draft) };
      });
    });

export const arbitraryHistories: fc.Arbitrary<readonly (readonly Event[])[]> = fc.tuple(
  ...ORIGINS.map(from => arbitraryHistory(from)),
);

/** Any interleaving of several sequences that keeps the order inside each. */
export const interleavings = (histories: readonly (readonly Event[])[]): fc.Arbitrary<readonly Event[]> => {
  const count = histories.reduce((sum, history) => sum + history.length, 0);
  return fc.array(fc.nat(1_000), { minLength: count, maxLength: count }).map(choices => {
    const rest = histories.map(history => [...history]);
    return choices.flatMap(choice => {
      const open = rest.filter(history => history.length > 0);
      const next = open[choice % Math.max(1, open.length)]?.shift();
      return next === undefined ? [] : [next];
    });
  });
};
