// One row is enough: every exporter takes a figure from its row, in its own unit, and leaves out what is late or unknown.

import { describe, expect, test } from 'vitest';
import type { FigureRow } from '../../../src/core/figure/figure-row.ts';
import { GROUP_FIGURES, GROUP_PAIR_FIGURES } from '../../../src/core/group/group-figures.ts';
import { CONNECTION_FIGURES, PATH_FIGURES } from '../../../src/core/link/connection-figures.ts';
import {
  FIGURED_READINGS,
  GPU_ERROR_FIGURES,
  itemFiguresOf,
} from '../../../src/core/node/carrier-figures.ts';
import { GPU_FIGURES, GPU_LINK_FIGURES } from '../../../src/core/node/gpu-figures.ts';
import { NODE_FIGURES } from '../../../src/core/node/node-figures.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { MetricPage } from '../../../src/daemon/http/metrics/metric-page.ts';
import { figureFields } from '../../../src/daemon/mcp/figure-fields.ts';
import { PointPage } from '../../../src/daemon/otlp/point-page.ts';

interface Pump {
  readonly bitsPerSecond: number;
}

const ROW: FigureRow<Pump, 'gauge'> = {
  unit: 'bits/s',
  help: 'What it moves.',
  of: ({ bitsPerSecond }) => bitsPerSecond,
  aging: 'gauge',
  metric: 'plimsoll_pump_bytes_per_second',
  labels: { way: 'out' },
  otlp: { name: 'plimsoll.pump', description: 'What it moves.', kind: 'gauge', attributes: { way: 'out' } },
  mcp: 'moved',
};
const PUMP: Pump = { bitsPerSecond: 80 };

const scraped = (row: FigureRow<Pump, 'gauge'>, more: { isShort?: boolean; isCurrent?: boolean } = {}) => {
  const page = new MetricPage(10_000);
  const { isShort = false, isCurrent = true } = more;
  page.figures([row], PUMP, { labels: { node: 'a' }, isShort, isCurrent: () => isCurrent });
  return page
    .text('prometheus')
    .split('\n')
    .filter(line => line !== '');
};

describe('a figure of one row', () => {
  test('is in Prometheus in base units, with the labels of its subject and its own', () => {
    expect(scraped(ROW)).toEqual([
      '# HELP plimsoll_pump_bytes_per_second What it moves.',
      '# TYPE plimsoll_pump_bytes_per_second gauge',
      'plimsoll_pump_bytes_per_second{node="a",way="out"} 10',
    ]);
  });

  test('is a counter by its name, and a moment if it is an age', () => {
    expect(scraped({ ...ROW, metric: 'plimsoll_pump_total' })).toContain(
      '# TYPE plimsoll_pump_total counter',
    );
    expect(scraped({ ...ROW, unit: 'age', of: () => 4_000 })).toContain(
      'plimsoll_pump_bytes_per_second{node="a",way="out"} 6',
    );
  });

  test('is left out while its reading is late, unless it is kept, and where there is room only for main figures', () => {
    expect(scraped(ROW, { isCurrent: false })).toEqual([]);
    expect(scraped({ ...ROW, isKept: true }, { isCurrent: false })).toHaveLength(3);
    expect(scraped({ ...ROW, isDetail: true }, { isShort: true })).toEqual([]);
    expect(scraped({ ...ROW, of: () => unknown('no sensor') })).toEqual([]);
  });

  test('is a point of OpenTelemetry in the unit of its instrument, and none while its reading is late', () => {
    const points = (isCurrent: boolean) => {
      const page = new PointPage(0);
      page.figures([ROW], PUMP, { attributes: { id: 'a' }, isCurrent: () => isCurrent });
      return page.metrics();
    };
    expect(points(false)).toEqual([]);
    expect(points(true)).toMatchObject([
      { name: 'plimsoll.pump', unit: 'By/s', gauge: { dataPoints: [{ asDouble: 10 }] } },
    ]);
  });

  test('is a field of MCP in its own unit, with the age and source of its reading', () => {
    const reading = { kind: 'stale', value: PUMP, source: 'test', ageMs: 2_000, reason: 'late' } as const;
    expect(figureFields([ROW], PUMP, () => reading)).toEqual({
      moved: { value: 80, unit: 'bits/s', ageSeconds: 2, method: 'test', isStale: true, reason: '' },
    });
    expect(figureFields([ROW], PUMP, () => undefined)).toMatchObject({
      moved: { value: null, reason: 'not measured yet' },
    });
  });
});

type Named = Pick<FigureRow<never>, 'metric' | 'labels' | 'mcp' | 'unit'>;

const TABLES: readonly (readonly Named[])[] = [
  NODE_FIGURES,
  GPU_FIGURES,
  GPU_LINK_FIGURES,
  GPU_ERROR_FIGURES,
  ...FIGURED_READINGS.map(reading => itemFiguresOf(reading)?.rows ?? []),
  CONNECTION_FIGURES,
  PATH_FIGURES,
  GROUP_FIGURES,
  GROUP_PAIR_FIGURES,
];

test('no two rows have the same name and labels', () => {
  const names = TABLES.flatMap(rows =>
    rows.flatMap(({ metric, labels }) =>
      metric === undefined ? [] : [`${metric} ${JSON.stringify(labels)}`],
    ),
  );
  expect(names.length).toBeGreaterThan(90);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  const fields = GPU_FIGURES.flatMap(({ mcp }) => mcp ?? []);
  expect(new Set(fields).size).toBe(fields.length);
});

test('a name in Prometheus ends in the base unit of its row', () => {
  const wrong = TABLES.flat().filter(({ metric, unit }) => {
    const endings = ENDINGS[unit];
    return metric !== undefined && endings !== undefined && !endings.test(metric.replace(/_total$/, ''));
  });
  expect(wrong).toEqual([]);
});

const ENDINGS: Readonly<Partial<Record<FigureRow<never>['unit'], RegExp>>> = {
  bytes: /_bytes$/,
  'bytes/s': /_bytes_per_second$/,
  'bits/s': /_bytes_per_second$/,
  share: /_ratio$/,
  'small share': /_ratio$/,
  '°C': /_celsius$/,
  W: /_watts$/,
  MHz: /_hertz$/,
  s: /_seconds$/,
  ms: /_seconds$/,
  µs: /_seconds$/,
  ns: /_seconds$/,
  age: /_timestamp_seconds$/,
};
