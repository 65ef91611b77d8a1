// Placements of models on the simulated clusters, against trying every order and every split.

import { describe, expect, test } from 'vitest';
import { clusterHeadroom } from '../../../src/core/model/cluster-headroom.ts';
import { type HeadroomDevice, headroomDevices } from '../../../src/core/model/headroom-devices.ts';
import { HeadroomLinkTable, headroomLinks } from '../../../src/core/model/headroom-links.ts';
import { canShareLayers } from '../../../src/core/model/model-part.ts';
import { devicesOf, type PlacementPlan } from '../../../src/core/model/placement.ts';
import { placementHeadroom, rankedPlacements } from '../../../src/core/model/placement-headroom.ts';
import type { PlacedModel } from '../../../src/core/model/placement-time.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import type { State } from '../../../src/core/state.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { SimulatedWorld, stateOf } from '../../simulate/simulated-world.ts';
import { isLongRun } from '../../support/counts.ts';
import { madeModel, requested } from './made-models.ts';

describe('the placements of a model', () => {
  test.each(isLongRun ? [...FEW, ...EIGHT] : FEW)(
    'on %i simulated machines are ranked as trying all of them ranks them (%i layers, %f bytes, batch %i)',
    async (count, layers, weightBytes, batch) => {
      const { state, nowMs } = await simulated(count);
      const model = madeModel({ layers, weightBytes });
      const placed = {
        model,
        question: requested({ batch }),
        links: new HeadroomLinkTable(headroomLinks(state, nowMs)),
      };
      const devices = nodeIds(state).flatMap(id => headroomDevices(nodeView(state, id, nowMs)));
      const { ranked } = rankedPlacements(placed, devices);
      const found = new Map(
        ranked.flatMap(one =>
          one.fit.kind === 'fits' && !isUnknown(one.decode)
            ? [[setKey(one.placement), one.decode.expectedTokensPerSecond.value] as const]
            : [],
        ),
      );
      const tried = exhaustive(placed, devices, layers);
      expect(tried.size).toBeGreaterThan(count);
      expect([...found.keys()].sort()).toEqual([...tried.keys()].sort());
      for (const [key, speed] of tried) expect(found.get(key) ?? 0, key).toBeCloseTo(speed, 6);
      const order = [...found.values()];
      expect(order).toEqual(order.toSorted((a, b) => b - a));
    },
  );

  test('change when a cable is pulled: what needs it is gone, and the rest reports what is left', async () => {
    const { state, nowMs } = await simulated(2);
    const model = madeModel({ layers: 64, weightBytes: 60e9 });
    const request = { model, question: requested({ engine: 'mlx' }), nodes: undefined };
    const [best, ...others] = clusterHeadroom(state, nowMs, request).placements;
    expect(best).toMatchObject({ placement: { kind: 'tensor' }, behind: '' });
    expect(others.map(({ behind }) => behind)).not.toContain('');
    const [mike, james] = nodeIds(state);
    if (mike === undefined || james === undefined) throw new Error('the pair is two');
    const without = {
      ...state,
      connections: { ...state.connections, [mike]: {}, [james]: {} },
    };
    const after = clusterHeadroom(without, nowMs, request).placements;
    expect(after.map(({ placement }) => placement.kind)).toEqual(['one', 'one']);
  });

  test('over a link of many times the round trip are worth less than one machine, and report for how long they wait', async () => {
    const { state, nowMs } = await simulated(4);
    const answer = clusterHeadroom(state, nowMs, {
      model: madeModel({ layers: 64, weightBytes: 8e9 }),
      question: requested(),
      nodes: nodeIds(state).filter(id => ['atlas', 'spark'].includes(nodeView(state, id, nowMs).name)),
    });
    expect(answer.placements[0]).toMatchObject({ name: 'atlas', placement: { kind: 'one' } });
    const slow = answer.placements.find(({ placement }) => placement.kind === 'tensor');
    expect(slow?.behind).toMatch(/^128 exchanges a step × .* over .*–.* = /);
  });

  test('are as many as fit their memory, and show what would make a model fit that does not', async () => {
    const { state, nowMs } = await simulated(2);
    const answer = clusterHeadroom(state, nowMs, {
      model: madeModel({ layers: 64, weightBytes: 1.4e12 }),
      question: requested(),
      nodes: undefined,
    });
    expect(answer.placements[0]?.fit.kind).toBe('does-not-fit');
    expect(answer.placements[0]).toMatchObject({ decode: { limit: 'capacity' } });
    expect(answer.changes[0]).toMatchObject({ kind: 'weights', makesItFit: true });
  });

  test('of llama.cpp share no layer, which it reports', async () => {
    const { state, nowMs } = await simulated(4);
    const { placements, notes } = clusterHeadroom(state, nowMs, {
      model: madeModel({ layers: 32, weightBytes: 20e9 }),
      question: requested({ engine: 'llama.cpp' }),
      nodes: undefined,
    });
    expect(
      placements.filter(({ placement }) => placement.stages.some(({ devices }) => devices.length > 1)),
    ).toEqual([]);
    expect(notes).toContainEqual(expect.stringContaining('tensor parallel'));
  });
});

const simulated = async (count: number): Promise<{ readonly state: State; readonly nowMs: number }> => {
  await using world = new SimulatedWorld(count, { hasFaults: false });
  await world.clock.advance(60_000);
  return { state: stateOf(world), nowMs: world.clock.nowMs() };
};

/** Of each set of devices that share layers or stand in a row, the best that fits, by trying all orders and splits. */
const exhaustive = (
  placed: PlacedModel,
  available: readonly HeadroomDevice[],
  layers: number,
): ReadonlyMap<string, number> => {
  const best = new Map<string, number>();
  const take = (placement: PlacementPlan): void => {
    const { fit, decode } = placementHeadroom(placed, placement);
    if (fit.kind !== 'fits' || isUnknown(decode)) return;
    const key = setKey(placement);
    best.set(key, Math.max(best.get(key) ?? 0, decode.expectedTokensPerSecond.value));
  };
  for (const device of available) take({ kind: 'one', stages: [{ layers, devices: [device] }] });
  const nodes = [...Map.groupBy(available, ({ nodeId }) => nodeId).values()];
  for (const order of orders(nodes, layers)) {
    for (const chosen of [order.flat(), order.flatMap(devices => devices.slice(0, 1))])
      if (chosen.length > 1 && canShareLayers(placed.model, chosen.length))
        take({ kind: 'tensor', stages: [{ layers, devices: chosen }] });
    const alone = order.flatMap(devices => devices.map(device => [device]));
    const together = order.flatMap(devices =>
      canShareLayers(placed.model, devices.length) ? [devices] : devices.map(device => [device]),
    );
    for (const row of [alone, together])
      if (row.length > 1)
        for (const split of splits(layers, row.length))
          take({
            kind: 'pipeline',
            stages: row.map((of, index) => ({ devices: of, layers: split[index] ?? 0 })),
          });
  }
  return best;
};

const FEW: readonly (readonly [number, number, number, number])[] = [
  [2, 6, 300e9, 1],
  [4, 6, 30e9, 1],
  [4, 6, 200e9, 8],
];
/** Trying all orders of eight takes seconds. */
const EIGHT: readonly (readonly [number, number, number, number])[] = [
  [8, 4, 30e9, 4],
  [8, 4, 250e9, 1],
];

/** Every order of every set of one to all; of more than `rowMax` only one. */
function* orders<T>(all: readonly T[], rowMax: number, row: readonly T[] = []): Generator<readonly T[]> {
  for (const [index, one] of all.entries()) {
    const longer = [...row, one];
    yield longer;
    const others = all.filter(other => other !== one);
    yield* orders(longer.length < rowMax ? others : all.slice(index + 1), rowMax, longer);
  }
}

/** Every way to give each of `count` at least one of `layers`. */
function* splits(layers: number, count: number): Generator<readonly number[]> {
  if (count === 1) yield [layers];
  else
    for (let first = 1; first <= layers - count + 1; first += 1)
      for (const rest of splits(layers - first, count - 1)) yield [first, ...rest];
}

const setKey = (placement: PlacementPlan): string =>
  `${placement.kind} ${placement.stages
    .map(({ devices }) =>
      devices
        .map(({ nodeId, deviceId }) => `${nodeId}/${deviceId}`)
        .sort()
        .join('+'),
    )
    .sort()
    .join(' ')} of ${devicesOf(placement).length}`;
