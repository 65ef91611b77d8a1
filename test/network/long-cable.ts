// Two hosts on a cable of a given length and rate, by packet-relay.c: netem is not in every kernel. Needs a C compiler and
// /dev/net/tun in addition to what namespaces need.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { buildCProgram } from '../../benchmarks/c-program.ts';
import { reasonAgainstNamespaces } from './namespaces.ts';
import { SINK_ADDRESS, TwoHosts } from './two-hosts.ts';

/** One direction. */
interface LongWay {
  readonly mbit: number;
  readonly delayMs: number;
  /** What waits for the narrow place; more is dropped. */
  readonly queueBytes: number;
  /** Of 1. Default 0. */
  readonly loss?: number;
}

export interface LongCableOptions {
  readonly up: LongWay;
  readonly down: LongWay;
  readonly congestionControl: 'cubic' | 'bbr' | 'reno';
  /** Of what is lost. Default 1. */
  readonly seed?: number;
}

/** What one direction carried. */
interface LongWayAccount {
  readonly packets: number;
  readonly bytes: number;
  /** Because the queue was full. */
  readonly dropped: number;
  readonly lost: number;
  readonly queueBytesMax: number;
  /** How late a packet came at most, beyond its delay: of this machine, not of the cable. */
  readonly lateUsMax: number;
}

/** Why it cannot be done here; undefined where it can. */
export const reasonAgainstLongCables = (): string | undefined => {
  const reason = reasonAgainstNamespaces();
  if (reason !== undefined) return reason;
  if (!existsSync('/dev/net/tun')) return 'there is no /dev/net/tun';
  const build = buildCProgram(RELAY);
  return build.kind === 'skipped' ? build.reason : undefined;
};

/** Undefined where it is there. */
export const reasonAgainstIperf3 = (): string | undefined =>
  spawnSync('iperf3', ['--version']).error === undefined ? undefined : 'iperf3 is not installed';

export class LongCable extends TwoHosts {
  #end: () => Promise<readonly LongWayAccount[]> = () => Promise.resolve([]);

  static async open({ up, down, congestionControl, seed = 1 }: LongCableOptions): Promise<LongCable> {
    const build = buildCProgram(RELAY);
    if (build.kind === 'skipped') throw new Error(build.reason);
    const cable = new LongCable();
    try {
      const { net } = cable;
      const ends = [net.nameOf('source'), 'far0', net.nameOf('sink'), 'far0'];
      const args = [...ends, ...directionText(up, seed), ...directionText(down, seed + 1)];
      const child = spawn(build.path, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      const ended = once(child, 'close');
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const first = await lines.next();
      if (first.done === true) throw new Error('the relay of packets did not start');
      cable.#end = async () => {
        child.stdin.end();
        const accounts: LongWayAccount[] = [];
        for await (const line of lines) accounts.push(JSON.parse(line));
        await ended;
        return accounts;
      };
      for (const [host, address] of [
        ['source', '10.83.0.1'],
        ['sink', SINK_ADDRESS],
      ] as const) {
        // The kernel's own packets would take part in what is lost.
        net.run(host, 'sysctl', '-qw', 'net.ipv6.conf.far0.disable_ipv6=1');
        net.ip(host, 'link', 'set', 'far0', 'txqueuelen', '10000');
        net.ip(host, 'addr', 'add', `${address}/24`, 'dev', 'far0');
        net.ip(host, 'link', 'set', 'far0', 'up');
        // By the route: a namespace may not set the default to what the machine itself does not allow everybody.
        const route = ['10.83.0.0/24', 'dev', 'far0', 'scope', 'link', 'src', address];
        net.ip(host, 'route', 'replace', ...route, 'congctl', congestionControl);
      }
      return cable;
    } catch (error) {
      await cable[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Cuts it. @returns what the way up carried, then the way down; nothing the second time */
  async end(): Promise<readonly LongWayAccount[]> {
    const end = this.#end;
    this.#end = () => Promise.resolve([]);
    return await end();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await super[Symbol.asyncDispose]();
  }
}

const directionText = ({ mbit, delayMs, queueBytes, loss = 0 }: LongWay, seed: number): readonly string[] =>
  [mbit * 1e6, delayMs * 1_000, queueBytes, Math.round(loss * 1e6), seed].map(String);

const RELAY = new URL('./packet-relay.c', import.meta.url);
