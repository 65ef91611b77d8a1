import * as v from 'valibot';
import { expect, test } from 'vitest';
import { nodeId } from '../../src/core/ids.ts';
import { headroom } from '../../src/core/model/headroom.ts';
import type { HeadroomDevice } from '../../src/core/model/headroom-devices.ts';
import { headroomDocument } from '../../src/core/model/headroom-document.ts';
import type { HeadroomLink } from '../../src/core/model/headroom-links.ts';
import { knownPart } from '../../src/core/schema.ts';
import { unknown } from '../../src/core/unknown.ts';
import { headroomDocumentSchema } from '../../src/wire/headroom-schema.ts';
import { madeModel, requested } from '../core/model/made-models.ts';
import { madeUpCalibration } from '../support/made-up-model.ts';

const [ONE, OTHER] = [nodeId('a'.repeat(26)), nodeId('b'.repeat(26))];

test('every field of an answer over linked machines is described, and what a machine was measured to do with engines is left out', () => {
  const answer = headroom(
    madeModel({ layers: 32, weightBytes: 16e9 }),
    [deviceOf('spark-1', ONE, 6e9), deviceOf('spark-2', OTHER, 100e9)],
    requested({ engine: 'vllm', batch: 4 }),
    [linkOf(ONE, OTHER), linkOf(OTHER, ONE)],
  );
  const json: unknown = JSON.parse(JSON.stringify(headroomDocument(answer)));
  const { model, ...reported } = { model: undefined, ...Object(json) };
  expect(v.is(headroomDocumentSchema, json)).toBe(true);
  expect(knownPart(headroomDocumentSchema, json)).toMatchObject(reported);
  expect(reported).toMatchObject({ schema: 'plimsoll.headroom/1' });
  expect(
    reported.placements.map(({ placement }: { placement: { kind: string } }) => placement.kind),
  ).toContain('tensor');
  expect(JSON.stringify(json)).not.toContain('calibrationKey');
  expect(reported.changes.length).toBeGreaterThan(0);
  expect(model).toBeDefined();
});

test('what fits in all of the memory may not in what is free now, and the device with the least room decides', () => {
  const [best] = headroom(
    madeModel({ layers: 32, weightBytes: 16e9 }),
    [deviceOf('spark-1', ONE, 6e9)],
    requested(),
  ).placements;
  expect(best).toMatchObject({
    fit: { kind: 'fits' },
    fitNow: { kind: 'does-not-fit' },
    parts: [{ fitNow: { kind: 'does-not-fit' } }],
  });
});

const deviceOf = (name: string, id: typeof ONE, memoryFreeBytes: number): HeadroomDevice => ({
  name,
  nodeId: id,
  deviceId: 'GPU-0',
  deviceName: 'NVIDIA GB10',
  deviceClass: 'gb10',
  calibrations: [{ calibration: madeUpCalibration(), ageMs: 0 }],
  ceiling: { bytesPerSecond: 230e9, operationsPerSecond: 90e12, fp8PerSecond: 180e12, isMeasured: true },
  memoryBytes: 120e9,
  memoryFreeBytes,
});

const linkOf = (source: typeof ONE, sink: typeof ONE): HeadroomLink => ({
  source,
  sink,
  name: 'spark-1–spark-2',
  typeName: 'Ethernet',
  roundTripSeconds: 40e-6,
  bytesPerSecond: 10e9,
  negotiatedBytesPerSecond: unknown('not reported'),
  isStale: false,
});
