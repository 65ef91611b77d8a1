// Two hosts, the probe between them, and iperf3 to measure what their cable carries.

import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LinkMeasurement, ProbeOutcome } from '../../src/probe/probe.ts';
import { type HostProcess, Namespaces } from './namespaces.ts';

/** Payload, bits per second. */
export interface BothWays {
  readonly up: number;
  readonly down: number;
}

export const SINK_ADDRESS = '10.83.0.2';

interface Iperf3Options {
  readonly seconds: number;
  /**
   * It counts whole buffers only: of its default of 128 KiB, 5 Mbit/s fill 19 in 4 s, and one more or less is 5 %. So many that a few
   * hundred are filled, and not so few that a busy machine cannot fill the cable.
   */
  readonly bufferKib: number;
  /** Left out at the start. Default 1. */
  readonly warmUpSeconds?: number;
}

/** A source and a sink whose interfaces somebody joins. */
export class TwoHosts implements AsyncDisposable {
  readonly net: Namespaces = new Namespaces();

  constructor() {
    for (const host of ['source', 'sink']) this.net.addHost(host);
  }

  spawn(host: 'source' | 'sink', command: string, args: readonly string[]): HostProcess {
    return this.net.spawn(host, command, args);
  }

  run(host: 'source' | 'sink', command: string, ...args: readonly string[]): string {
    return this.net.run(host, command, ...args);
  }

  /** iperf3's goodput, first one way, then the other, its own slow start left out. */
  async iperf3({ seconds, bufferKib, warmUpSeconds = 1 }: Iperf3Options): Promise<BothWays> {
    const server = this.spawn('sink', 'iperf3', ['-s', '--forceflush']);
    await lineOf(server, /Server listening/);
    const goodput = async (...direction: readonly string[]): Promise<number> => {
      const args = [
        '-c',
        SINK_ADDRESS,
        '-t',
        String(seconds),
        '-O',
        String(warmUpSeconds),
        '-l',
        `${bufferKib}K`,
        '-J',
        ...direction,
      ];
      const reported: { end: { sum_received: { bits_per_second: number } } } = JSON.parse(
        await outputOf(this.spawn('source', 'iperf3', args)),
      );
      return reported.end.sum_received.bits_per_second;
    };
    const both = { up: await goodput(), down: await goodput('-R') };
    const ended = once(server, 'exit');
    server.kill('SIGKILL'); // `ip netns exec` has become iperf3, which would grumble at a gentler one
    await ended;
    return both;
  }

  /** A probe over the cable, both ends as they always are. */
  async probe(address: string = SINK_ADDRESS): Promise<ProbeOutcome<LinkMeasurement>> {
    const sink = this.spawn('sink', process.execPath, [PROBE_END, 'sink']);
    const port = await lineOf(sink, /^\d+$/);
    const source = this.spawn('source', process.execPath, [PROBE_END, 'source', address, port]);
    return JSON.parse(await outputOf(source));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.net[Symbol.asyncDispose]();
  }
}

export const outputOf = async (child: HostProcess): Promise<string> => {
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  return text;
};

/** The first line that matches. @param signal of the test: when it aborts, the error contains the output until then. */
export const lineOf = async (child: HostProcess, pattern: RegExp, signal?: AbortSignal): Promise<string> => {
  let text = '';
  return await new Promise((resolve, reject) => {
    const fail = (what: string): void => reject(new Error(`${what} without printing ${pattern}: ${text}`));
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const line = text
        .split('\n')
        .slice(0, -1)
        .find(candidate => pattern.test(candidate));
      if (line !== undefined) resolve(line);
    });
    child.once('exit', () => fail('it ended'));
    signal?.addEventListener('abort', () => fail('the test ended'), { once: true });
  });
};

const PROBE_END = fileURLToPath(new URL('./probe-end.ts', import.meta.url));
