import { describe, expect, test } from 'vitest';
import { achievedBy, standingOf } from '../../../dashboard/src/headroom/achieved.ts';
import { fitRows } from '../../../dashboard/src/headroom/fit-rows.ts';
import { gaugesPicture } from '../../../dashboard/src/headroom/memory-gauges.ts';
import { headroomInput, liveDevices, modelPlacements } from '../../../dashboard/src/headroom/placement.ts';
import { placementMap } from '../../../dashboard/src/headroom/placement-map.ts';
import { gaugeSentence, headroomLead } from '../../../dashboard/src/headroom/placement-text.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { headroom } from '../../../src/core/model/headroom.ts';
import type { HeadroomQuestion } from '../../../src/core/model/headroom-devices.ts';
import type { ModelFacts } from '../../../src/core/model/model-facts.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import type { Run } from '../../../src/core/run/run.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { measuredGpu } from '../../e2e/links.ts';
import { type Machine, notebook, spark, studio } from '../../e2e/machines.ts';
import { madeFacts } from '../../model/made-headers.ts';
import { madeUpFigures, madeUpRunEntry } from '../../support/run-entry.ts';
import { at, idOf, stateOf, viewsOf } from '../cluster/cluster-state.ts';

const QUESTION: HeadroomQuestion = {
  engine: 'llama.cpp',
  contextTokens: 8_192,
  outputTokens: 256,
  batch: 1,
  cacheType: 'f16',
};
const measuredAt = (machine: Machine, deviceId: string, bytesPerSecond: number) => {
  const reported = at(machine);
  return { ...reported, facts: [...reported.facts, measuredGpu(deviceId, 20e12, bytesPerSecond)] };
};
const views = viewsOf(
  stateOf(measuredAt(studio, 'apple-0', 660e9), measuredAt(spark, 'GPU-00000010', 230e9), at(notebook)),
  0,
);
const model = await madeFacts('qwen3-30b-a3b');
const placementsOn = (facts: ModelFacts, of: readonly NodeView[], question: HeadroomQuestion) => {
  const input = headroomInput(facts, question, { views: of, links: [], calibrationsOf: () => [] });
  return modelPlacements(headroom(facts, input.devices, question, input.links), input);
};
const placements = placementsOn(model, views, QUESTION);
const picture = gaugesPicture(placements.ranked, { width: 900, objectiveSeconds: undefined });

const ranOn = (targetNode: NodeId, nanoseconds: number): Run => ({
  ...madeUpRunEntry('20261123-010203-ab12'),
  targetNode,
  pattern: { kind: 'concurrency', concurrency: 1 },
  figures: madeUpFigures({ series: { tpotNs: { count: 9, percentiles: { 50: nanoseconds } } } }),
});

describe('gauges', () => {
  test('stand on one scale: layers from the keel add up to the surface, between the ends of the interval', () => {
    const [best, second] = picture.gauges;
    expect(best?.placement.on).toBe('atlas');
    expect(best?.layers.map(({ term }) => term)).toEqual(['weights', 'experts', 'cache', 'overhead']);
    const heights = best?.layers.reduce((sum, { height }) => sum + height, 0) ?? 0;
    expect(heights).toBeCloseTo(picture.keel - (best?.surfaceY ?? 0), 6);
    expect(best?.layers.at(-1)?.y).toBe(best?.surfaceY);
    // Up is slower: the high end of the time is above its surface, the bound below.
    expect(best?.interval?.high).toBeLessThan(best?.surfaceY ?? 0);
    expect(best?.interval?.low).toBeGreaterThan(best?.surfaceY ?? 0);
    expect(best?.boundY).toBeGreaterThan(best?.interval?.low ?? 0);
    const ofBest = placements.ranked[0]?.time;
    expect(ofBest !== undefined && !isUnknown(ofBest) && picture.yOf(ofBest.seconds.value)).toBe(
      best?.surfaceY,
    );
    expect(second?.surfaceY).toBeLessThan(best?.surfaceY ?? 0);
  });

  test('are cut at the brim where one takes three times as long as the best', () => {
    const slow = placements.ranked.map((placement, index) =>
      index === 0 || isUnknown(placement.time)
        ? placement
        : { ...placement, time: { ...placement.time, seconds: { value: 1, low: 0.9, high: 1.1 } } },
    );
    const [best, over] = gaugesPicture(slow, { width: 900, objectiveSeconds: 1 / 60 }).gauges;
    expect(best?.isOver).toBe(false);
    expect(over).toMatchObject({ isOver: true, interval: undefined, surfaceY: picture.top - 10 });
    expect(over?.layers.at(-1)?.y).toBe(picture.top - 10);
  });

  test('stand within the picture at every width, names next to the first one apart', () => {
    for (const width of [358, 620, 900, 1_400]) {
      const { gauges } = gaugesPicture(placements.ranked, { width, objectiveSeconds: undefined });
      for (const [index, { x, width: wide }] of gauges.entries()) {
        expect(wide).toBeGreaterThan(20);
        expect(x + wide).toBeLessThanOrEqual(width);
        if (index > 0)
          expect(x).toBeGreaterThan((gauges[index - 1]?.x ?? 0) + (gauges[index - 1]?.width ?? 0));
      }
      const names = gauges[0]?.layers.map(({ nameY }) => nameY) ?? [];
      for (const [index, name] of names.slice(1).entries())
        expect((names[index] ?? 0) - name).toBeGreaterThanOrEqual(17);
    }
  });

  test('have an objective only where it is on the scale', () => {
    const y = gaugesPicture(placements.ranked, { width: 900, objectiveSeconds: 1 / 60 }).objectiveY;
    expect(y).toBeGreaterThan(picture.top);
    expect(gaugesPicture(placements.ranked, { width: 900, objectiveSeconds: 10 }).objectiveY).toBeUndefined();
  });
});

describe('what is reported of placements', () => {
  test('names the best, what limits it and what nobody passes', () => {
    const lead = headroomLead(placements, { achieved: undefined, batch: 1, nodeCount: 3 });
    expect(lead.strong).toMatch(/^It fits, and it should run at \d+\.\d tok\/s\.$/);
    expect(lead.rest).toMatch(/the limit is the engine's overhead\. No engine is faster than 240 tok\/s/);
    expect(lead.rest).toMatch(
      /Second is spark: \d\.\d+\sms more for reading experts: all of it passes one memory at 230\sGB\/s/,
    );
    expect(placements.ranked.map(placement => gaugeSentence(placement, 1))).toEqual([
      expect.stringMatching(
        /^One device on atlas: 12\.1 ms a token, 82\.4 tokens a second, between .* at most 240; weights /,
      ),
      expect.stringMatching(/^One device on spark: /),
      'One device on juno: not known, it has not been measured yet: plimsoll probe gpu',
    ]);
  });

  test('shows what is missing if the model fits nowhere', async () => {
    const large = placementsOn(await madeFacts('deepseek-v3'), views, {
      ...QUESTION,
      batch: 32,
      contextTokens: 131_072,
    });
    expect(headroomLead(large, { achieved: undefined, batch: 1, nodeCount: 3 })).toMatchObject({
      figure: '–',
      strong: expect.stringMatching(/fits on none/),
    });
    expect(fitRows(large, liveDevices(views)).shown.map(({ tone }) => tone)).toEqual(['bad', 'bad', 'bad']);
    expect(fitRows(large, liveDevices(views)).shown[0]?.now).toEqual({
      text: expect.stringMatching(/^\d+\sGB free now: .* missing$/),
      tone: 'bad',
    });
    for (const { parts } of fitRows(large, liveDevices(views)).shown)
      expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(
      gaugesPicture(large.ranked, { width: 900, objectiveSeconds: undefined }).gauges.every(
        ({ layers }) => layers.length === 0,
      ),
    ).toBe(true);
  });

  test('leaves out a node that sends nothing', () => {
    const gone = views.map(view =>
      view.name === 'atlas' ? { ...view, presence: 'offline' as const } : view,
    );
    expect(placementsOn(model, gone, QUESTION).ranked.map(({ on }) => on)).toEqual(['spark', 'juno']);
  });
});

describe('what was achieved', () => {
  const [best] = placements.ranked;
  const view: Pick<RunView, 'run' | 'state'> = { state: 'complete', run: ranOn(idOf(studio), 13e6) };

  test('is next to what is expected where the run kept as many in flight on that machine', () => {
    const reached = best === undefined ? undefined : achievedBy(view, best, 1);
    expect(reached).toMatchObject({
      standing: 'inside',
      seconds: 0.013,
      ofBound: expect.closeTo(0.32, 2),
      ofExpected: expect.closeTo(0.933, 2),
    });
  });

  test.each([
    ['another number in flight', view, 8, /did not keep 8 requests/],
    ['a run that was cut short', { ...view, state: 'interrupted' as const }, 1, /not complete/],
    ['another machine', { ...view, run: ranOn(idOf(spark), 13e6) }, 1, /another machine/],
  ])('has no place there with %s', (_, run, batch, reason) => {
    const answer = best === undefined ? undefined : achievedBy(run, best, batch);
    expect(isUnknown(answer) ? answer.reason : '').toMatch(reason);
  });

  test('is never clipped: what is above the bound reports it', () => {
    const time = { boundSeconds: 0.01, seconds: { value: 0.02, low: 0.015, high: 0.03 } };
    expect([0.005, 0.012, 0.02, 0.05].map(seconds => standingOf(seconds, time))).toEqual([
      'above-bound',
      'faster',
      'inside',
      'slower',
    ]);
  });
});

test('the map shows what a placement uses among all nodes, and what there is no room for is counted', () => {
  const [best] = placements.ranked;
  const map = placementMap(views, [], { used: best?.nodes ?? [], hops: [], width: 360, height: 210 });
  expect(map.nodes.filter(({ isUsed }) => isUsed).map(({ name }) => name)).toEqual(['atlas']);
  for (const { x, y } of map.nodes) {
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(360);
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(210);
  }
  const many = views.slice(0, 1).flatMap(view => Array.from({ length: 14 }, () => ({ ...view })));
  expect(placementMap(many, [], { used: [], hops: [], width: 360, height: 210 }).hidden).toBe(2);
});
