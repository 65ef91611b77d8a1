// The tables of figures in documents, by subject: head and rows.

import { FIGURE_UNITS } from '../src/core/figure/figure-row.ts';
import { GROUP_FIGURES, GROUP_PAIR_FIGURES } from '../src/core/group/group-figures.ts';
import { CONNECTION_FIGURES, PATH_FIGURES } from '../src/core/link/connection-figures.ts';
import {
  FIGURED_READINGS,
  GPU_ERROR_FIGURES,
  INTERFACE_FIGURES,
  itemFiguresOf,
  TRAFFIC_FIGURES,
} from '../src/core/node/carrier-figures.ts';
import { GPU_FIGURES, GPU_LINK_FIGURES } from '../src/core/node/gpu-figures.ts';
import { NODE_FIGURES } from '../src/core/node/node-figures.ts';
import { counterRow, PLAIN_COUNTER_KEYS, RECORD_PROBLEMS } from '../src/core/run/run-counters.ts';
import { RATE_KEYS, rateRow } from '../src/core/run/run-rates.ts';
import { SERIES_KEYS, seriesRow } from '../src/core/run/run-series.ts';
import { SCENARIOS } from '../src/core/scenario/scenario.ts';
import { RULE_KEYS, requirementText } from '../src/core/scenario/scenario-rules.ts';
import { GROUP_METRICS } from '../src/daemon/http/metrics/group-metrics.ts';
import { LINK_METRICS } from '../src/daemon/http/metrics/link-metrics.ts';
import {
  LIVE_RUN_METRICS,
  RECENT_METRICS,
  SERIES_METRICS,
} from '../src/daemon/http/metrics/live-run-metrics.ts';
import { NODE_METRICS } from '../src/daemon/http/metrics/node-metrics.ts';
import { CLUSTER_METRICS, DAEMON_METRICS, MESH_METRICS } from '../src/daemon/http/metrics/render-metrics.ts';

const code = text => `\`${text}\``;

const OF = {
  'completed request': 'completed requests',
  'completed session': 'completed sessions',
  chunk: 'chunks of completed requests',
  'issued request': 'issued requests',
  observation: 'observations of the load threads',
};

const seriesCells = key => {
  const { label, from, per, runs, where, help } = seriesRow(key);
  const of = [OF[per], ...(runs === 'all' ? [] : [runs]), ...(where === undefined ? [] : [`where ${where}`])];
  return [code(key), label, from, of.join(', '), help];
};

/** Each family once; rows of one family differ in labels. */
const metricRows = SCOPES => {
  const families = new Map();
  for (const [scope, rows] of SCOPES)
    for (const { name: only, metric = only, labels = {}, help } of rows) {
      if (metric === undefined) continue;
      const family = families.get(metric) ?? { help, labels: new Map(scope.map(name => [name, new Set()])) };
      families.set(metric, family);
      for (const [name, value] of Object.entries(labels)) {
        const values = family.labels.get(name) ?? new Set();
        family.labels.set(name, values);
        if (typeof value === 'string') values.add(value);
      }
    }
  return [...families].map(([metric, { help, labels }]) => [code(metric), namesWithValues(labels), help]);
};

/** Instruments of OpenTelemetry, each once, with the attributes that a row adds to those of its subject. */
const instrumentRows = tables => {
  const instruments = new Map();
  for (const { otlp, unit: own } of tables.flat()) {
    if (otlp === undefined) continue;
    const { name, description, kind, unit = FIGURE_UNITS[own].otlp, attributes = {} } = otlp;
    const found = instruments.get(name) ?? { unit, kind, description, attributes: new Map() };
    instruments.set(name, found);
    for (const [attribute, value] of Object.entries(attributes)) {
      const values = found.attributes.get(attribute) ?? new Set();
      found.attributes.set(attribute, values);
      if (typeof value === 'string') values.add(value);
    }
  }
  return [...instruments].map(([name, { unit, kind, description, attributes }]) => [
    code(name),
    unit,
    kind === 'updowncounter' ? 'up-down counter' : kind,
    description,
    namesWithValues(attributes),
  ]);
};

/** Of a run: rows of one name differ in an attribute. */
const histogramRows = rows => {
  const found = new Map();
  for (const { otlp, unit } of rows) {
    if (otlp === undefined) continue;
    const { name, description, attributes = {} } = otlp;
    const one = found.get(name) ?? {
      unit: unit === 'ns' ? 's' : '{token}',
      description,
      attributes: new Map(),
    };
    found.set(name, one);
    for (const [attribute, value] of Object.entries(attributes))
      one.attributes.set(attribute, (one.attributes.get(attribute) ?? new Set()).add(value));
  }
  return [...found].map(([name, { unit, description, attributes }]) => [
    code(name),
    unit,
    description,
    namesWithValues(attributes),
  ]);
};

const namesWithValues = names =>
  [...names]
    .map(([name, values]) => (values.size === 0 ? code(name) : `${code(name)}: ${[...values].join(', ')}`))
    .join('; ');

const NODE = ['node', 'name'];
const CONNECTION = ['source', 'source_name', 'sink', 'sink_name', 'connection'];

const RUN = ['run', 'node', 'name', 'model'];
const { live, elapsed, inFlight, requests, failures, trustworthy, loopDelay } = LIVE_RUN_METRICS;
const { info, streamsDropped, ...ofDaemon } = DAEMON_METRICS;

const scenarioTables = Object.fromEntries(
  SCENARIOS.flatMap(({ name, options, rules }) => [
    [
      `${name} options`,
      {
        head: ['option', 'value'],
        rows: Object.entries(options).map(([key, value]) => [
          code(`--${key}`),
          value === true ? 'given' : value,
        ]),
      },
    ],
    [
      `${name} rules`,
      {
        head: ['rule', 'what it requires'],
        rows: RULE_KEYS.flatMap(key =>
          rules[key] === undefined ? [] : [[code(key), requirementText(key, rules[key])]],
        ),
      },
    ],
  ]),
);

export const FIGURE_TABLES = {
  ...scenarioTables,
  series: { head: ['name', 'label', 'definition', 'of', 'meaning'], rows: SERIES_KEYS.map(seriesCells) },
  rates: {
    head: ['name', 'label', 'unit', 'definition', 'meaning'],
    rows: RATE_KEYS.map(key => {
      const { label, unit, from, help } = rateRow(key);
      return [code(key), label, unit, from, help];
    }),
  },
  // Those of records that do not fit are named in the text.
  counters: {
    head: ['name', 'label', 'unit', 'what is counted'],
    rows: PLAIN_COUNTER_KEYS.filter(key => !RECORD_PROBLEMS.some(problem => problem.key === key)).map(key => {
      const { label, unit = '', help = '' } = counterRow(key);
      return [code(key), label, unit, help];
    }),
  },
  metrics: {
    head: ['metric', 'labels', 'what it is'],
    rows: metricRows([
      [NODE, NODE_FIGURES],
      [[...NODE, 'device'], GPU_FIGURES],
      [[...NODE, 'device', 'link'], GPU_LINK_FIGURES],
      [NODE, GPU_ERROR_FIGURES],
      ...FIGURED_READINGS.map(itemFiguresOf).map(({ labelNames, rows }) => [[...NODE, ...labelNames], rows]),
      [CONNECTION, CONNECTION_FIGURES],
      [[...NODE, 'peer', 'peer_name', 'path', 'kind', 'type'], PATH_FIGURES],
      [['by', 'group'], GROUP_FIGURES],
      [['by', 'group', 'other'], GROUP_PAIR_FIGURES],
      [[...NODE, 'kind'], [NODE_METRICS.refused]],
      [
        [...NODE, 'reading'],
        [NODE_METRICS.readingTime, NODE_METRICS.readingCurrent],
      ],
      [[...NODE, 'vendor', 'state'], [NODE_METRICS.gpus]],
      [[...NODE, 'device', 'pci', 'model', 'state'], [NODE_METRICS.failed]],
      [[...NODE, 'device', 'reason'], [NODE_METRICS.throttled]],
      [[...NODE, 'site', 'rack', 'kind'], [GROUP_METRICS.place]],
      [['by'], [GROUP_METRICS.leftOut, LINK_METRICS.pairsLeftOut]],
      [[], [LINK_METRICS.leftOut, LINK_METRICS.pathsLeftOut, CLUSTER_METRICS.inShort]],
      [['id', 'level', 'nodes'], [CLUSTER_METRICS.warning]],
      [[], [live]],
      [RUN, [elapsed, ...RECENT_METRICS.map(({ metric }) => metric), inFlight, trustworthy, loopDelay]],
      [[...RUN, 'outcome'], [requests]],
      [[...RUN, 'kind'], [failures]],
      [[...RUN, 'quantile'], SERIES_METRICS.map(({ metric }) => metric)],
      [['version'], [info]],
      [['reason'], [streamsDropped, MESH_METRICS.refusals]],
      [['what'], [MESH_METRICS.replication, MESH_METRICS.fleet]],
      [[], [...Object.values(ofDaemon), MESH_METRICS.links, MESH_METRICS.fleetMembers]],
    ]),
  },
  histograms: {
    head: ['metric', 'unit', 'what it is', 'attributes'],
    rows: histogramRows(SERIES_KEYS.map(seriesRow)),
  },
  instruments: {
    head: ['metric', 'unit', 'instrument', 'what it is', 'attributes'],
    rows: instrumentRows([
      NODE_FIGURES,
      GPU_FIGURES,
      GPU_ERROR_FIGURES,
      INTERFACE_FIGURES,
      TRAFFIC_FIGURES,
      CONNECTION_FIGURES,
    ]),
  },
};
