// What a second machine would give for the model that an engine serves, on simulated clusters whose links are measured.

import { expect, test } from 'vitest';
import { type ServingEngine, ServingWatch } from '../../../src/core/engine/second-node.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import { carriedFacts } from '../../../src/core/model/model-facts.ts';
import type { NodeEngine } from '../../../src/core/node/engines.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import { unknown } from '../../../src/core/unknown.ts';
import type { Scenario } from '../../../src/simulate/scenario/scenario.ts';
import { SimulatedWorld, stateOf } from '../../simulate/simulated-world.ts';
import { madeModel } from '../model/made-models.ts';
import { WIRING_CLUSTERS } from '../wiring/wiring-clusters.ts';

/** Every link and device has been probed by then. */
const PROBED_MS = 240_000;

const ENGINE: NodeEngine = {
  origin: 'http://127.0.0.1:8000',
  engine: 'vLLM',
  version: '0.33.0',
  models: [{ name: 'made' }],
  requestsInFlight: 2,
  listensOn: '0.0.0.0',
  facts: carriedFacts(madeModel({ layers: 80, weightBytes: 60e9 })),
};

const served = async (
  { scenario, alone = false }: { readonly scenario: Scenario; readonly alone?: boolean },
  changes: Partial<NodeEngine> = {},
): Promise<ServingEngine | undefined> => {
  await using world = new SimulatedWorld(scenario);
  await world.clock.advance(PROBED_MS);
  const state = stateOf(world);
  const nowMs = world.clock.nowMs();
  const [first, ...rest] = nodeIds(state).map(id => nodeView(state, id, nowMs));
  if (first === undefined) throw new Error('no node');
  const engines = {
    kind: 'current',
    source: 'HTTP',
    ageMs: 0,
    value: { engines: [{ ...ENGINE, ...changes }], others: [] },
  } as const;
  const views = [{ ...first, engines }, ...(alone ? [] : rest)];
  return new ServingWatch().read({ state, views, links: linkViews(state, nowMs), nowMs })[0];
};

const clusterOf = (name: string): Scenario => {
  const found = WIRING_CLUSTERS.find(cluster => cluster.name === name);
  if (found === undefined) throw new Error(`no cluster ${name}`);
  return found;
};

test.each([
  ['mac-pair', 'MLX', 'a second machine (mike) would give 9.98 → 18.0 tok/s'],
  [
    'mac-pair',
    'llama.cpp',
    'a second machine (mike) would not help, 9.42 → 8.95 tok/s; 1 exchange a step × 5.5 ms over james–mike (Thunderbolt 5 (RDMA)) = 5.5 ms',
  ],
  ['mac-pair', 'Ollama', 'a second machine would not help: Ollama runs a model on one machine'],
  ['mixed', 'llama.cpp', 'a second machine (bosun) would give 9.44 → 11.8 tok/s'],
])('on %s with %s: %s', async (name, engine, expected) => {
  const found = await served({ scenario: clusterOf(name) }, { engine });
  expect(String(found?.secondNode).replaceAll('\u00a0', ' ')).toBe(expected);
});

test('where the link is what makes two machines no faster, it is named', async () => {
  const fast = clusterOf('mac-pair');
  const scenario = { ...fast, cables: fast.cables.filter(({ kind }) => kind === 'wifi') };
  const found = await served({ scenario }, { engine: 'MLX' });
  expect(found?.secondNode).toMatch(
    /^a second machine \(mike\) would not help, .* tok\/s; the link is the limit: \d+ exchanges a step × .* over james–mike \(Wi-Fi\)/,
  );
});

test('a model that is too large for one machine would fit on two', async () => {
  const facts = carriedFacts(madeModel({ layers: 80, weightBytes: 500e9 }));
  const found = await served({ scenario: clusterOf('mac-pair') }, { engine: 'MLX', facts });
  expect(found?.secondNode).toMatch(/^with a second machine \(mike\) it would fit, at [\d.]+ tok\/s$/);
});

test('what is not known stays unknown, with its reason', async () => {
  const scenario = clusterOf('mac-pair');
  const because = (reason: RegExp) => ({
    secondNode: { kind: 'unknown', reason: expect.stringMatching(reason) },
  });
  expect(await served({ scenario }, { facts: unknown('no file') })).toMatchObject(because(/no file/));
  expect(await served({ scenario }, { engine: 'vLLM' })).toMatchObject(
    because(/runs on none of its devices/),
  );
  expect(await served({ scenario }, { engine: unknown('?') })).toMatchObject(because(/not recognized/));
  expect(await served({ scenario, alone: true }, { engine: 'MLX' })).toMatchObject(
    because(/no other machine/),
  );
});
