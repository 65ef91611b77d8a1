// A real OpenTelemetry collector reads what a run and a daemon send. The program is the one that
// PLIMSOLL_OTEL_COLLECTOR names, with the receiver otlp and the exporter debug: docs/opentelemetry.md describes how
// to build it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { nodeTelemetry } from '../../../src/daemon/otlp/telemetry-export.ts';
import { type OtlpCompression, sendOtlp } from '../../../src/report/otlp/otlp-sender.ts';
import { runTelemetry } from '../../../src/report/otlp/run-telemetry.ts';
import { encodeSampleLine } from '../../../src/wire/sample-line.ts';
import { freePort } from '../../support/free-port.ts';
import { groupedNodeId, groupedState, NOW_MS } from '../../support/grouped-nodes.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { sampleOf } from '../../support/sample-of.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

const PROGRAM = process.env['PLIMSOLL_OTEL_COLLECTOR'];

test.for<OtlpCompression>(['none', 'gzip'])(
  'a real collector reads every metric and span of a run and of a node, compression %s',
  async (compression, context) => {
    if (PROGRAM === undefined) return context.skip('PLIMSOLL_OTEL_COLLECTOR names no collector');
    using folder = temporaryDirectory();
    await using collector = await started(PROGRAM, folder.path);
    const messages = [...(await runMessages(folder.path)), ...nodeMessages()];
    const { signal } = new AbortController();
    const sent = await sendOtlp(collector.url, messages, { clock: systemClock, signal, compression });
    expect(sent).toEqual({ sent: messages.length, dropped: 0, rejected: 0, problem: undefined });
    const names = messages.flatMap(({ body }) => [...body.matchAll(/"name":"([a-z_]+\.[a-z_.]+)"/g)]);
    expect(names.length).toBeGreaterThanOrEqual(10);
    for (const [, name = ''] of names)
      await until(() => collector.reported().includes(`-> Name: ${name}\n`), AbortSignal.timeout(30_000));
    const reported = collector.reported();
    expect(reported).toContain('-> hw.id: Str(GPU-0)');
    expect(reported).toContain('Value: 0.250000');
    expect(reported).toContain('-> plimsoll.sample.outcome: Str(completed)');
    expect(reported).toContain('IsMonotonic: false');
  },
);

const runMessages = async (folder: string) => {
  const path = join(folder, 'samples.jsonl');
  const { run } = new MadeUpRun({ directory: folder }).report();
  writeFileSync(path, encodeSampleLine(sampleOf({ sampleId: 1, outcome: 'completed' })));
  return await runTelemetry(run, path, { version: '1.2.3', isInterrupted: false });
};

const nodeMessages = () => {
  const state = groupedState([{ name: 'anvil', gpuNames: ['H200'], gpuUse: 0.25 }]);
  const moment = { nodeId: groupedNodeId(0), version: '1.2.3', nowMs: NOW_MS, wallMs: systemClock.wallMs() };
  const { message } = nodeTelemetry(state, moment);
  return message === undefined ? [] : [message];
};

const started = async (program: string, folder: string) => {
  const port = await freePort();
  const config = join(folder, 'collector.yaml');
  writeFileSync(config, configOf(port));
  const child: ChildProcess = spawn(program, ['--config', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let reported = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      reported += part;
    });
  await until(() => reported.includes('Everything is ready'), AbortSignal.timeout(30_000), ended);
  return {
    url: `http://127.0.0.1:${port}`,
    reported: () => reported,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

const configOf = (port: number): string => `receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:${port}
exporters:
  debug:
    verbosity: detailed
service:
  telemetry:
    metrics:
      level: none
  pipelines:
    metrics: { receivers: [otlp], exporters: [debug] }
    traces: { receivers: [otlp], exporters: [debug] }
`;
