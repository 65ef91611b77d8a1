import { expect, test } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import type { Engine } from '../../../src/core/model/engine-constants.ts';
import type { HeadroomDevice } from '../../../src/core/model/headroom-devices.ts';
import { wholePlacement } from '../../../src/core/model/placement.ts';
import type { HostEvidence } from '../../../src/core/model/run-causes.ts';
import { runHeadroom } from '../../../src/core/model/run-headroom.ts';
import type { RunHeadroom } from '../../../src/core/model/run-standing.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { isUnknown, unknown } from '../../../src/core/unknown.ts';
import { buildReport } from '../../../src/metrics/build-report.ts';
import { runHeadroomRemarks } from '../../../src/render/run/run-headroom-text.ts';
import { reportFromJson, reportToJson } from '../../../src/wire/stored-json.ts';
import { madeUpModel } from '../../support/made-up-model.ts';
import { runConfig } from '../../support/run-records.ts';

/** 32 layers at 80 µs, 5 GB at 200 GB/s: at least 25 ms a token; 40 tok/s and no more. */
const MODEL = madeUpModel({ layers: 32, weightBytes: 5e9 });

test('a run has its share of the bound by batch and context', () => {
  const { standings, causes } = judged({ tpotMs: 30, outputTokensPerSecond: 33 });
  const [decode] = standings;
  expect(decode).toMatchObject({ phase: 'decode', batch: 1, contextTokens: 600 });
  expect(decode?.achieved).toBeCloseTo(33.3, 1);
  expect(decode?.ofBound).toBeGreaterThan(0.8);
  expect(decode?.ofBound).toBeLessThan(0.9);
  expect(causes).toEqual([]);
});

test('a figure above the bound is shown as it is, with likely causes in their order', () => {
  const headroom = judged({ tpotMs: 15, outputTokensPerSecond: 66, notes: ['windows counted as full'] });
  expect(headroom.standings[0]?.ofBound).toBeGreaterThan(1.5);
  expect(headroom.causes.map(({ code, finding }) => `${code} ${finding}`)).toEqual([
    'speculation unknown',
    'prefix-hits unknown',
    'model-facts found',
    'old-probe found',
    'low-probe not-found',
  ]);
  expect(runHeadroomRemarks(headroom).join('\n')).toContain('above the bound');
});

test('a run far below what is expected names what was looked for', () => {
  const { causes } = judged({ tpotMs: 200, outputTokensPerSecond: 5 });
  expect(causes.map(({ code, finding }) => `${code} ${finding}`)).toEqual([
    'clock-events found',
    'offload unknown',
    'pcie-width found',
    'other-process unknown',
    'cache-full unknown',
    'preemptions unknown',
    'client-bound unknown',
    'prefix-hits unknown',
    'speculation unknown',
  ]);
});

test('reading prompts is judged only of requests that were alone', () => {
  const many = judged({ tpotMs: 30, outputTokensPerSecond: 260 });
  expect(many.standings[0]?.batch).toBeCloseTo(7.8, 1);
  expect(many.unjudged.map(({ phase }) => phase)).toEqual(['prefill']);
  const alone = judged({ tpotMs: 30, outputTokensPerSecond: 33, concurrency: 1 });
  expect(alone.standings.map(({ phase }) => phase)).toEqual(['decode', 'prefill']);
});

test("a server's own count of bytes is above the measured bandwidth", () => {
  const { readBytes } = judged({ tpotMs: 30, outputTokensPerSecond: 33, readBytes: 150e9 * 10 });
  expect(readBytes).toEqual({ bytesPerSecond: 150e9, ofCeiling: 0.75 });
});

test('a run over four devices that share each layer is below the bound of the four', () => {
  const one = judged({ tpotMs: 30, outputTokensPerSecond: 33, engine: 'vllm' }).standings[0];
  const four = judged({ tpotMs: 30, outputTokensPerSecond: 33, engine: 'vllm', devices: 4 });
  expect((four.standings[0]?.bound ?? 0) / (one?.bound ?? 1)).toBeCloseTo(4, 6);
  expect(four.placement).toBe('TP 4: atlas GPU 0 + atlas GPU 1 + atlas GPU 2 + atlas GPU 3');
});

test('what is reported of a run is read back from its report.json', () => {
  const headroom = judged({ tpotMs: 200, outputTokensPerSecond: 5 });
  const report = { ...reportOf({ tpotMs: 200, outputTokensPerSecond: 5 }), headroom };
  expect(reportFromJson(reportToJson(report)).headroom).toEqual(headroom);
});

interface Made {
  readonly tpotMs: number;
  readonly outputTokensPerSecond: number;
  readonly concurrency?: number;
  readonly notes?: readonly string[];
  readonly readBytes?: number;
  readonly devices?: number;
  readonly engine?: Engine;
}

const devices = (count: number): readonly HeadroomDevice[] =>
  Array.from({ length: count }, (_, index) => ({
    name: count === 1 ? 'atlas' : `atlas GPU ${index}`,
    nodeId: ATLAS,
    deviceId: `GPU-${index}`,
    deviceName: 'made-up',
    deviceClass: 'gb10',
    ceiling: { bytesPerSecond: 200e9, operationsPerSecond: 50e12, isMeasured: true },
    memoryBytes: 128e9,
  }));

const judged = (made: Made): RunHeadroom => {
  const headroom = runHeadroom({
    report: reportOf(made),
    model: { ...MODEL, notes: made.notes ?? [] },
    placement: wholePlacement(MODEL, devices(made.devices ?? 1)),
    notes: [],
    engine: made.engine ?? 'llama.cpp',
    cacheType: 'f16',
    evidence: EVIDENCE,
  });
  if (isUnknown(headroom)) throw new Error(headroom.reason);
  return headroom;
};

const reportOf = ({ tpotMs, outputTokensPerSecond, concurrency = 8, readBytes }: Made): Report => {
  const report = buildReport({
    config: runConfig({ pattern: { kind: 'concurrency', concurrency } }),
    snapshot: undefined,
    source: 'nothing',
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: [],
  });
  const series = (mean: number, unit: 'ns' | 'tokens') => ({
    unit,
    count: 10,
    total: String(Math.round(mean * 10)),
    min: mean,
    max: mean,
    mean,
    stdDev: 0,
    percentiles: { '50': mean },
    histogram: [],
    isExact: true,
  });
  const bytes = { min: 0, max: 0, mean: 0, last: 0, rose: readBytes ?? 0 };
  return {
    ...report,
    outputTokensPerSecond,
    windowNs: 10e9,
    series: {
      tpotNs: series(tpotMs * 1e6, 'ns'),
      ttftNs: series(4e8, 'ns'),
      inputTokens: series(500, 'tokens'),
      outputTokens: series(200, 'tokens'),
    },
    ...(readBytes === undefined
      ? {}
      : {
          server: {
            readings: 10,
            figures: { readBytes: bytes },
            compared: 0,
            excess: 0,
            excessMost: 0,
            countedOver: 'whole',
            restarts: 0,
            severalProcesses: false,
          },
        }),
  };
};

const ATLAS = nodeId('a'.repeat(26));

const EVIDENCE: HostEvidence = {
  throttleReasons: ['power cap'],
  offloadedShare: unknown('not reported by the server'),
  pcieShortfall: 'x4 of x16',
  otherProcesses: unknown('no reading of processes'),
  probeAgeMs: 3 * 86_400_000,
  isProbeLowerBound: false,
};
