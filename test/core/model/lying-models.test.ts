// Facts of models as a header, a server or a program may claim them: for any claim, an answer has figures or
// reasons.

import fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { headroom } from '../../../src/core/model/headroom.ts';
import type { HeadroomDevice } from '../../../src/core/model/headroom-devices.ts';
import { headroomDocument } from '../../../src/core/model/headroom-document.ts';
import type { HeadroomLink } from '../../../src/core/model/headroom-links.ts';
import type { ModelFacts } from '../../../src/core/model/model-facts.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { headroomLines } from '../../../src/render/headroom-text.ts';
import { headroomDocumentSchema } from '../../../src/wire/headroom-schema.ts';
import { longCount } from '../../support/counts.ts';
import { madeModel, requested } from './made-models.ts';

const reason = fc.constant(unknown('not reported'));
const whole = fc.oneof(fc.constantFrom(0, 1, 2, 80, 2 ** 31, Number.MAX_SAFE_INTEGER), fc.nat());
const amount = fc.oneof(whole, fc.constantFrom(0.5, 1e-300, 1e30, 1e300, Number.MAX_VALUE));
const interval = fc
  .tuple(amount, amount)
  .map(([one, other]) => ({ low: Math.min(one, other), high: Math.max(one, other) }));
const group = fc.oneof(
  fc.record({ kind: fc.constant('full' as const), layers: whole, elementsPerToken: amount }),
  fc.record({ kind: fc.constant('window' as const), layers: whole, elementsPerToken: amount, window: whole }),
  fc.record({ kind: fc.constant('state' as const), layers: whole, bytes: interval }),
);
const experts = fc
  .record({ count: whole, used: whole, layers: fc.oneof(whole, reason) })
  .filter(({ count, used }) => used >= 1 && used <= count);
const claimed: fc.Arbitrary<ModelFacts> = fc.record({
  name: fc.string(),
  architecture: fc.oneof(fc.string(), reason),
  source: fc.constant({ kind: 'gguf' as const, location: 'x.gguf' }),
  layers: fc.oneof(whole, reason),
  hiddenSize: fc.oneof(whole, reason),
  contextMax: fc.oneof(whole, reason),
  quantisation: fc.oneof(fc.constantFrom('Q4_K', 'F16'), reason),
  weights: fc.oneof(
    fc.record({
      totalBytes: interval,
      denseBytes: interval,
      expertBytes: interval,
      denseParameters: interval,
      expertParameters: interval,
      headParameters: interval,
    }),
    reason,
  ),
  cache: fc.oneof(
    fc.record({
      groups: fc.array(group, { maxLength: 4 }),
      keyValueHeads: fc.oneof(whole, reason),
      attentionWidth: fc.oneof(amount, reason),
    }),
    reason,
  ),
  experts: fc.oneof(fc.constant(undefined), experts, reason),
  notes: fc.constant([]),
});

test('for any claims of a header, each figure of the answer is a number and everything else has its reason', () => {
  fc.assert(
    fc.property(claimed, fc.constantFrom(1, 7, 100_000), (model, batch) => {
      for (const engine of ['llama.cpp', 'vllm'] as const) {
        const answer = headroom(model, DEVICES, requested({ engine, batch }), LINKS);
        const reported: unknown = JSON.parse(JSON.stringify(headroomDocument(answer)));
        const [issue] = v.safeParse(headroomDocumentSchema, reported).issues ?? [];
        expect(issue === undefined ? '' : `${v.getDotPath(issue)}: ${issue.message}`).toBe('');
        expect(headroomLines(answer).join('\n')).not.toMatch(/NaN|Infinity|undefined/);
      }
    }),
    { numRuns: longCount(40, 5_000) },
  );
});

test('a model without layers or weights has no speed, and reports why', () => {
  for (const [layers, weightBytes, reason] of [
    [0, 16e9, 'it claims to have 0 layers, which no model has'],
    [2 ** 31, 16e9, 'it claims to have 2147483648 layers, which no model has'],
    [32, 0, 'it claims to have no weights'],
    [32, 1e30, 'it claims more weights than any machine holds'],
  ] as const) {
    const [best] = headroom(madeModel({ layers, weightBytes }), DEVICES, requested(), LINKS).placements;
    expect(best?.decode).toMatchObject({ kind: 'unknown', reason });
  }
});

test('a thousand machines with cables between them are answered for by a bounded number of placements', () => {
  const many = Array.from({ length: 1_000 }, (_, index): HeadroomDevice => {
    const id = nodeId(`n${index}`.padEnd(26, 'x'));
    return { ...SPARK, name: `spark-${index}`, nodeId: id };
  });
  const cables = many.flatMap(({ nodeId: source }, index) =>
    [1, 2, 3].flatMap(step => {
      const sink = many[(index + step) % many.length]?.nodeId;
      return source === undefined || sink === undefined ? [] : [cable(source, sink), cable(sink, source)];
    }),
  );
  const model = madeModel({ layers: 80, weightBytes: 140e9 });
  const answer = headroom(model, many, requested({ engine: 'vllm', batch: 32 }), cables);
  expect(answer.placements.length).toBeLessThanOrEqual(50);
  expect(answer.placements.some(({ placement }) => placement.kind !== 'one')).toBe(true);
  expect(answer.notes.join(' ')).toContain('of 1\u00a0000 nodes the 8 with the most memory bandwidth');
  expect(JSON.stringify(headroomDocument(answer)).length).toBeLessThan(1_000_000);
});

const NODES = ['a', 'b', 'c'].map(letter => nodeId(letter.repeat(26)));
const SPARK = {
  deviceId: 'GPU-0',
  deviceName: 'NVIDIA GB10',
  deviceClass: 'gb10',
  ceiling: { bytesPerSecond: 230e9, operationsPerSecond: 90e12, isMeasured: true },
  memoryBytes: 120e9,
  memoryFreeBytes: 60e9,
} as const;
const DEVICES: readonly HeadroomDevice[] = NODES.map((id, index) => ({
  ...SPARK,
  name: `spark-${index}`,
  nodeId: id,
}));
const cable = (source: NodeId, sink: NodeId): HeadroomLink => ({
  source,
  sink,
  name: 'a cable',
  typeName: 'Ethernet',
  roundTripSeconds: 40e-6,
  bytesPerSecond: 10e9,
  negotiatedBytesPerSecond: unknown('not reported'),
  isStale: false,
});
const LINKS: readonly HeadroomLink[] = NODES.flatMap(source =>
  NODES.filter(sink => sink !== source).map(sink => cable(source, sink)),
);
