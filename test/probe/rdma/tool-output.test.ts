import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { jaccl } from '../../../src/probe/rdma/jaccl.ts';
import { perftest } from '../../../src/probe/rdma/perftest.ts';
import type { RdmaTest, ToolCall } from '../../../src/probe/rdma/rdma-tool.ts';
import { ucx } from '../../../src/probe/rdma/ucx.ts';
import { fixture } from '../../support/fixture.ts';

const LATENCY: RdmaTest = { kind: 'latency', roundTrips: 1_000 };
const BANDWIDTH: RdmaTest = { kind: 'bandwidth', messageBytes: 1_048_576, messages: 4_096 };

describe('what perftest prints', () => {
  it('gives every round trip in its order: half a trip a line, with any values in the table', () => {
    expect(perftest.read(LATENCY, fixture('perftest/ib_send_lat-unsorted.txt'))).toEqual({
      kind: 'latency',
      roundTripNsMin: 2_000,
      roundTripNsP50: 2_000,
      roundTripNsP99: 2_500,
      jitterNs: 500,
      roundTripCount: 60,
    });
  });

  it('gives the table where no round trips are listed, and reports what it lacks', () => {
    expect(perftest.read(LATENCY, fixture('perftest/ib_send_lat-table-only.txt'))).toEqual({
      kind: 'latency',
      roundTripNsMin: 1_940,
      roundTripNsP50: 2_000,
      roundTripNsP99: 2_180,
      jitterNs: unknown('this ib_send_lat prints no single round trips'),
      roundTripCount: 61,
    });
  });

  it('has gigabits of 10⁹ and mebibytes of 2²⁰, and warnings between header and row', () => {
    expect(perftest.read(BANDWIDTH, fixture('perftest/ib_write_bw-connectx7.txt'))).toEqual({
      kind: 'bandwidth',
      bitsPerSecond: 196_610_000_000,
    });
    expect(perftest.read(BANDWIDTH, fixture('perftest/ib_write_bw-mebibytes.txt'))).toEqual({
      kind: 'bandwidth',
      bitsPerSecond: 11_000 * 2 ** 20 * 8,
    });
  });

  it('is no figure if the rate is negative, missing, or of other messages', () => {
    const readOf = (path: string, test = BANDWIDTH) => perftest.read(test, fixture(path));
    expect(readOf('perftest/ib_write_bw-overflow.txt')).toEqual({
      kind: 'unreadable',
      reason: 'ib_write_bw printed a rate of -21.17 Gb/sec',
    });
    expect(readOf('perftest/ib_write_bw-not-told.txt').kind).toBe('unreadable');
    expect(readOf('perftest/ib_write_bw-connectx7.txt', { ...BANDWIDTH, messageBytes: 65_536 }).kind).toBe(
      'unreadable',
    );
  });

  it('is no figure where a round trip or a rate is past all numbers', () => {
    const single = '#, usec\n1, 1\n2, 1e306\n';
    expect(perftest.read(LATENCY, single).kind).toBe('unreadable');
    const header = ' #bytes #iterations t_min[usec] t_max[usec] t_typical[usec] t_avg t_stdev 99% 99.9%\n';
    expect(perftest.read(LATENCY, `${header} 8 -4 1e307 2 1 1 0 1e306 2\n`)).toEqual({
      kind: 'latency',
      roundTripNsMin: unknown('ib_send_lat did not report it'),
      roundTripNsP50: 2_000,
      roundTripNsP99: unknown('ib_send_lat did not report it'),
      jitterNs: unknown('this ib_send_lat prints no single round trips'),
      roundTripCount: unknown('ib_send_lat did not report it'),
    });
    const rates =
      ' #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n 1048576 5 1 1e300 1\n';
    expect(perftest.read(BANDWIDTH, rates).kind).toBe('unreadable');
    expect(ucx.read(BANDWIDTH, 'bw,1,1,1,1,1,1e306,1,1\n').kind).toBe('unreadable');
    expect(jaccl.read(BANDWIDTH, '{"secondsEach":[1e-320]}').kind).toBe('unreadable');
    expect(jaccl.read(LATENCY, JSON.stringify({ secondsEach: Array(12).fill(1e305) })).kind).toBe(
      'unreadable',
    );
  });

  it('is complete with the row of the table, not before', () => {
    const text = fixture('perftest/ib_send_lat-unsorted.txt');
    expect(perftest.isComplete(LATENCY, text)).toBe(true);
    expect(perftest.isComplete(LATENCY, text.slice(0, text.indexOf(' 8       61')))).toBe(false);
  });
});

describe('what ucx_perftest prints', () => {
  it('has percentiles of half round trips, and single ones that give the jitter', () => {
    expect(ucx.read(LATENCY, fixture('ucx_perftest/batch-latency.csv.txt'))).toEqual({
      kind: 'latency',
      roundTripNsMin: 2_240,
      roundTripNsP50: 2_500,
      roundTripNsP99: 5_000,
      jitterNs: 2_000,
      roundTripCount: 1_000,
    });
  });

  it('has no shortest round trip above the median, which another test measured', () => {
    const text = fixture('ucx_perftest/batch-latency.csv.txt').replace('min,1000,1.120', 'min,1000,1.300');
    expect(ucx.read(LATENCY, text)).toMatchObject({ roundTripNsMin: 2_500, roundTripNsP50: 2_500 });
  });

  it('has a bandwidth in mebibytes', () => {
    expect(ucx.read(BANDWIDTH, fixture('ucx_perftest/batch-bandwidth.csv.txt'))).toEqual({
      kind: 'bandwidth',
      bitsPerSecond: 23_437.5 * 2 ** 20 * 8,
    });
  });

  it('reports by an error line what went wrong, and leaves with code 0', () => {
    const text = fixture('ucx_perftest/no-such-device.txt');
    expect(ucx.complaint?.(text)).toBe('no usable transports/devices (asked rc on network:mlx5_9:1)');
    expect(ucx.read(BANDWIDTH, text).kind).toBe('unreadable');
  });

  it('is no figure when it was cut, or made too few round trips', () => {
    const text = fixture('ucx_perftest/batch-latency.csv.txt');
    expect(ucx.isComplete(LATENCY, text.slice(0, -30))).toBe(false);
    expect(ucx.read({ kind: 'latency', roundTrips: 1_001 }, text).kind).toBe('unreadable');
  });
});

describe('what the script for MLX prints', () => {
  it('is one line of seconds', () => {
    const reported = `some warning\n${JSON.stringify({ secondsEach: [0.001, 0.003] })}\n`;
    expect(jaccl.read({ kind: 'bandwidth', messageBytes: 1_000_000, messages: 2 }, reported)).toEqual({
      kind: 'bandwidth',
      bitsPerSecond: 4e9,
    });
    expect(jaccl.isComplete(LATENCY, 'Traceback (most recent call last):\n')).toBe(false);
  });
});

describe('every tool', () => {
  it('accepts any output without throwing, and never makes a figure of nothing', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(LATENCY, BANDWIDTH), (text, test) => {
        for (const tool of [perftest, ucx, jaccl]) {
          expect(tool.read(test, text).kind).toBe('unreadable');
          expect(tool.isComplete(test, text)).toBe(false);
        }
      }),
    );
  });

  it('receives only the loopback address and the numbers of its test', () => {
    const call: ToolCall = {
      test: BANDWIDTH,
      role: 'dials',
      endpoint: { device: 'mlx5_0', port: 2, gidIndex: 3, transport: 'rdma' },
      devices: ['mlx5_1', 'mlx5_0'],
      rendezvousPort: 4_242,
      folder: '/tmp/f',
    };
    expect(perftest.command(call).args.join(' ')).toBe(
      '-d mlx5_0 -i 2 -p 4242 -x 3 -F -s 1048576 -n 4096 --report_gbits 127.0.0.1',
    );
    expect(ucx.command(call)).toMatchObject({
      args: ['127.0.0.1', '-p', '4242', '-b', '/tmp/f/tests', '-f', '-v'],
      env: { UCX_TLS: 'rc', UCX_NET_DEVICES: 'mlx5_0:2', UCX_IB_GID_INDEX: '3' },
    });
    expect(jaccl.command(call)).toMatchObject({
      env: { MLX_RANK: '1', MLX_JACCL_COORDINATOR: '127.0.0.1:4242' },
      files: [{ name: 'devices.json', text: '[[null,"mlx5_1"],["mlx5_0",null]]' }],
    });
  });
});
