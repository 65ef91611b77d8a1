// ucx_perftest: tag matching, as MPI and NCCL's plugins use it. It prints percentiles of many round trips but no single
// one, so jitter comes from a batch of tests of one round trip each, all over one rendezvous.

import { counted } from '../../core/figure/figure.ts';
import { meanAbsoluteDifference } from '../../core/statistics/percentile.ts';
import { unknown } from '../../core/unknown.ts';
import {
  isHalfRoundTrip,
  type RdmaEndpoint,
  type RdmaTest,
  type RdmaTool,
  roundTripNs,
  type ToolCall,
  type ToolCommand,
  type ToolFigures,
} from './rdma-tool.ts';

const WARM_UP_MESSAGES = 2;

export const ucx: RdmaTool = {
  name: 'ucx',
  programs: ['ucx_perftest'],
  warmUpMessages: WARM_UP_MESSAGES,
  command: call => commandOf(call),
  lastLine: /^(?:bw|one\d+),/,
  isComplete: (test, stdout) => {
    const last = test.kind === 'bandwidth' ? 'bw' : `one${SINGLE_ROUND_TRIPS - 1}`;
    return stdout.includes(`${last},`) && rowsOf(stdout).some(({ name }) => name === last);
  },
  read: (test, stdout) => (test.kind === 'latency' ? readLatency(test, stdout) : readBandwidth(stdout)),
  complaint: stdout =>
    /^\[\d.*\bUCX\s+ERROR\s+(.+)$/m
      .exec(stdout)?.[1]
      ?.trim()
      .replace(/^.*client failed\. /, ''),
  cameFrom: stdout => /^Accepted connection from (\S+)$/m.exec(stdout)?.[1],
};

/** Round trips measured one at a time; at least fifty (DESIGN §3.6). */
const SINGLE_ROUND_TRIPS = 50;

const commandOf = ({ test, role, endpoint, rendezvousPort, folder }: ToolCall): ToolCommand => ({
  command: 'ucx_perftest',
  args: [
    ...(role === 'dials' ? ['127.0.0.1'] : []),
    ...['-p', String(rendezvousPort)],
    ...['-b', `${folder}/${BATCH}`],
    ...(role === 'dials' ? ['-f', '-v'] : []),
  ],
  env: {
    UCX_TLS: endpoint.transport === 'tcp' ? 'tcp' : 'rc',
    UCX_NET_DEVICES: netDevice(endpoint),
    // Settings from a user's shell must not affect the measurement.
    UCX_LOG_LEVEL: 'error',
    UCX_WARN_UNUSED_ENV_VARS: 'n',
    ...(endpoint.gidIndex === undefined ? {} : { UCX_IB_GID_INDEX: String(endpoint.gidIndex) }),
  },
  files: [{ name: BATCH, text: batchOf(test) }],
});

const netDevice = ({ device, port, transport }: RdmaEndpoint): string =>
  transport === 'tcp' ? device : `${device}:${port}`;

/** Both ends read the same list. First word: the name of the row. */
const batchOf = (test: RdmaTest): string => {
  if (test.kind === 'bandwidth')
    return `bw -t tag_bw -s ${test.messageBytes} -n ${test.messages} -w ${WARM_UP_MESSAGES}\n`;
  const many = `-t tag_lat -s ${LATENCY_BYTES} -n ${test.roundTrips} -w ${WARM_UP_ROUND_TRIPS}`;
  const single = `-t tag_lat -s ${LATENCY_BYTES} -n 1 -w ${SINGLE_WARM_UPS}`;
  const singles = Array.from({ length: SINGLE_ROUND_TRIPS }, (_, index) => `one${index} ${single}`);
  return `${[`min ${many} -R 0`, `p50 ${many} -R 50`, `p99 ${many} -R 99`, ...singles].join('\n')}\n`;
};

interface Row {
  readonly name: string;
  readonly iterations: number;
  /** Half a round trip, microseconds, at the requested rank. */
  readonly percentileUs: number;
  readonly overallUs: number;
  /** 2²⁰ bytes a second. */
  readonly overallMib: number;
}

/** "p50,2000,3.688,29.744,29.744,0.26,0.26,33621,33621": name, count, rank, mean and overall of each figure. */
const rowsOf = (stdout: string): readonly Row[] =>
  stdout.split('\n').flatMap(line => {
    const [name = '', ...cells] = line.split(',').map(cell => cell.trim());
    const figures = cells.map(Number);
    if (cells.length !== COLUMNS || cells.includes('') || figures.some(figure => !Number.isFinite(figure)))
      return [];
    const [iterations = 0, percentileUs = 0, , overallUs = 0, , overallMib = 0] = figures;
    return [{ name, iterations, percentileUs, overallUs, overallMib }];
  });

const readLatency = (test: RdmaTest & { readonly kind: 'latency' }, stdout: string): ToolFigures => {
  const rows = new Map(rowsOf(stdout).map(row => [row.name, row]));
  const [min, p50, p99] = ['min', 'p50', 'p99'].map(name => rows.get(name));
  if (p50 === undefined || !isHalfRoundTrip(p50.percentileUs)) return NO_FIGURES;
  if (p50.iterations < test.roundTrips)
    return {
      kind: 'unreadable',
      reason: `ucx_perftest made ${p50.iterations} of ${counted(test.roundTrips, 'round trip')}`,
    };
  const singles = Array.from({ length: SINGLE_ROUND_TRIPS }, (_, index) => rows.get(`one${index}`)?.overallUs)
    .filter(half => half !== undefined)
    .filter(isHalfRoundTrip);
  const jitterUs = singles.length < SINGLE_ROUND_TRIPS ? undefined : meanAbsoluteDifference(singles);
  return {
    kind: 'latency',
    // Each rank is measured apart: another test may have had a shorter one.
    roundTripNsMin:
      min !== undefined && isHalfRoundTrip(min.percentileUs)
        ? roundTripNs(Math.min(min.percentileUs, p50.percentileUs))
        : NOT_REPORTED,
    roundTripNsP50: roundTripNs(p50.percentileUs),
    roundTripNsP99:
      p99 !== undefined && isHalfRoundTrip(p99.percentileUs) ? roundTripNs(p99.percentileUs) : NOT_REPORTED,
    jitterNs:
      jitterUs === undefined
        ? unknown(
            `ucx_perftest reported ${singles.length} single round trips, fewer than ${SINGLE_ROUND_TRIPS}`,
          )
        : roundTripNs(jitterUs),
    roundTripCount: p50.iterations,
  };
};

const readBandwidth = (stdout: string): ToolFigures => {
  const row = rowsOf(stdout).find(({ name }) => name === 'bw');
  if (row === undefined || !(row.overallMib > 0)) return NO_FIGURES;
  const bitsPerSecond = Math.round(row.overallMib * 2 ** 20 * 8);
  return Number.isFinite(bitsPerSecond) ? { kind: 'bandwidth', bitsPerSecond } : NO_FIGURES;
};

const NO_FIGURES: ToolFigures = { kind: 'unreadable', reason: 'ucx_perftest printed no figures' };
const NOT_REPORTED = unknown('ucx_perftest did not report it');
const BATCH = 'tests';
const COLUMNS = 8;
const LATENCY_BYTES = 8;
const WARM_UP_ROUND_TRIPS = 100;
const SINGLE_WARM_UPS = 10;
