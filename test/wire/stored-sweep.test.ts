import { describe, expect, test } from 'vitest';
import type { Stage } from '../../src/core/sweep/stage.ts';
import {
  LINE_SCHEMA,
  type LineDocument,
  type LoadLine,
  SWEEP_SCHEMA,
  type SweepDocument,
  type SweepHead,
} from '../../src/core/sweep/sweep-document.ts';
import { unknown } from '../../src/core/unknown.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';
import {
  lineDocumentFromJson,
  sweepDocumentFromJson,
  sweepDocumentToJson,
} from '../../src/wire/stored-json.ts';

describe('sweep.json', () => {
  test('gives back the sweep that it was made of, a stage that has only begun included', () => {
    expect(sweepDocumentFromJson(sweepDocumentToJson(SWEEP))).toEqual(SWEEP);
  });

  test('leads no reader out of its directory', () => {
    const away = { ...SWEEP, stages: [{ ...ENDED, directory: '../../elsewhere' }] };
    expect(() => sweepDocumentFromJson(sweepDocumentToJson(away))).toThrow(DecodeError);
  });

  test('of another version is refused by its name', () => {
    const json = sweepDocumentToJson(SWEEP).replace('plimsoll.sweep/1', 'plimsoll.sweep/2');
    expect(() => sweepDocumentFromJson(json)).toThrow(/schema/);
  });
});

describe('line.json', () => {
  test.each(lines())('gives back a line that is $kind', line => {
    const document: LineDocument = { ...LINE, line };
    expect(lineDocumentFromJson(sweepDocumentToJson(document))).toEqual(document);
  });

  test('keeps additional fields of a newer version', () => {
    const json = sweepDocumentToJson(LINE).replace('"by":', '"carriedBy": "mast", "by":');
    expect(lineDocumentFromJson(json)).toEqual({ ...LINE, carriedBy: 'mast' });
  });

  test('that is torn is refused', () => {
    expect(() => lineDocumentFromJson(sweepDocumentToJson(LINE).slice(0, -20))).toThrow(DecodeError);
  });
});

function lines(): readonly LoadLine[] {
  return [
    { kind: 'unknown', reason: 'no stage has ended' },
    { kind: 'bracket', holds: 11.6, fails: 12.2, failsBy: 'over-capacity', isConfirmed: true },
    { kind: 'at-least', holds: 16, limit: 'client' },
    { kind: 'at-most', fails: 4, failsBy: 'objective', limit: 'undecided' },
    { kind: 'none', fails: 0.5, failsBy: 'objective' },
  ];
}

const BEGUN: Stage = {
  number: 2,
  load: { kind: 'concurrency', concurrency: 8 },
  purpose: 'estimate',
  seed: 43,
  runId: '20260101-000100-stage',
  directory: 'stage-02',
  startedAt: '2026-01-01T00:01:00.000Z',
  state: 'running',
  verdict: unknown('it runs'),
  reasons: [],
  figures: unknown('it runs'),
};

const ENDED: Stage = {
  ...BEGUN,
  number: 1,
  load: { kind: 'rate', requestsPerSecond: 4.5, arrival: 'poisson' },
  purpose: 'bracket',
  directory: 'stage-01',
  state: 'ended',
  verdict: 'held',
  reasons: ['TTFT p95 is 212 to 240 ms, within 500 ms'],
  figures: {
    issued: 400,
    completed: 398,
    failed: 1,
    cancelled: 1,
    elapsedNs: 88e9,
    completedPerSecond: 4.52,
    outputTokensPerSecond: unknown('token usage was not reported by the server'),
    perUserTokensPerSecond: 31.5,
    attainment: { value: 0.99, low: 0.97, high: 1 },
    objectives: [
      {
        objective: 'ttft.p95=500ms',
        limit: 500e6,
        unit: 'ns',
        estimate: { value: 224e6, low: 212e6, high: 240e6 },
        answer: 'met',
        samplesNeeded: 180,
      },
    ],
    curve: { series: 'ttftNs', p50: 110e6, percentile: 95, atPercentile: 224e6, p99: 301e6 },
    inFlightGrowthPerMinute: { value: 0.1, low: -0.4, high: 0.6 },
    littlesLawRatio: 1.002,
    steadyFromNs: 2.5e9,
    timeline: { stepNs: 1e9, inFlight: [0, 3, 4], serverQueue: unknown('not reported by the server') },
  },
};

const HEAD: SweepHead = {
  id: '20260101-000000-abcd',
  plimsoll: { version: '0.2.0' },
  name: unknown('not named'),
  tags: { engine: 'mock' },
  startedAt: '2026-01-01T00:00:00.000Z',
  target: 'http://127.0.0.1:8000/v1/chat/completions',
  model: 'mock',
  serverKind: unknown('it does not say'),
  dataset: 'generated text',
  objectives: ['ttft.p95=500ms'],
  attainment: 0.95,
  seed: 42,
  command: 'plimsoll line http://127.0.0.1:8000 --slo ttft.p95=500ms',
  resume: { args: ['http://127.0.0.1:1', '--rates', '1,2'], cwd: '/', secrets: [] },
  environment: { node: 'v24', os: 'Linux', cpu: 'made up', cores: 2 },
  state: 'running',
  stages: [ENDED, BEGUN],
};

const SWEEP: SweepDocument = {
  ...HEAD,
  schema: SWEEP_SCHEMA,
  requested: [ENDED.load, BEGUN.load],
};

const LINE: LineDocument = {
  ...HEAD,
  schema: LINE_SCHEMA,
  by: 'rate',
  resolution: 0.05,
  confidence: 0.95,
  budgetMs: 900_000,
  usedMs: 60_000,
  line: { kind: 'at-least', holds: 4.5, limit: 'stopped' },
  sentence: 'carries at least 4.5 requests/s',
  progress: {
    stagesDone: 1,
    stagesExpected: 9,
    leftMs: 300_000,
    next: { ifHeld: 9, ifFailed: unknown('the line would be found') },
  },
};
