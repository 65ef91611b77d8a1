// Two nodes on a cable with five addresses at each end, and a third node through which they still see each other when the
// cable is cut. Whole programs with default settings; the cable is slowed, cut and restored, and nodes are restarted.

import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { createClusterKeyFile } from '../../src/mesh/key/key-file.ts';
import { PROGRAM } from '../support/program.ts';
import { type HostProcess, Namespaces } from './namespaces.ts';
import type { SeenLink, WatchedPair } from './seen-links.ts';
import { lineOf, outputOf } from './two-hosts.ts';

export type Host = (typeof HOSTS)[number];

/** What is on the cable. */
const CABLE = [
  { host: 'atlas', name: 'en5' },
  { host: 'juno', name: 'eth1' },
] as const;

export class ChangingCable implements AsyncDisposable {
  readonly net: Namespaces = new Namespaces();
  readonly #folder = mkdtempSync(join(tmpdir(), 'plimsoll-cable-'));
  readonly #daemons = new Map<Host, HostProcess>();

  static async open(mbit: number): Promise<ChangingCable> {
    const cable = new ChangingCable();
    await createClusterKeyFile(cable.#keyFile, makeClusterKey());
    for (const host of HOSTS) cable.net.addHost(host);
    cable.net.connect(...CABLE);
    for (const [index, { host, name }] of CABLE.entries())
      for (const network of NETWORKS)
        cable.net.ip(host, 'addr', 'add', `${network.prefix}${index + 1}/${network.bits}`, 'dev', name);
    cable.shape(mbit);
    for (const host of ['atlas', 'juno'] as const) {
      cable.net.connect({ host, name: 'to-vesta' }, { host: 'vesta', name: `to-${host}` });
      cable.#shapeEnd(host, 'to-vesta', THIRD_MBIT);
      cable.#shapeEnd('vesta', `to-${host}`, THIRD_MBIT);
    }
    return cable;
  }

  /** Both ends; from now on. */
  shape(mbit: number): void {
    for (const { host, name } of CABLE) this.#shapeEnd(host, name, mbit);
  }

  /** One end goes down, and both lose the carrier, as when a cable is unplugged. An interface that goes down loses its IPv6 addresses. */
  cut(): void {
    const [{ host, name }] = CABLE;
    this.net.run(host, 'sysctl', '-qw', `net.ipv6.conf.${name}.keep_addr_on_down=1`);
    this.net.ip(host, 'link', 'set', name, 'down');
  }

  restore(): void {
    const [{ host, name }] = CABLE;
    this.net.ip(host, 'link', 'set', name, 'up');
  }

  home(host: Host): string {
    return join(this.#folder, host);
  }

  /** Until it prints where its dashboard is. */
  async start(host: Host, signal: AbortSignal): Promise<void> {
    const child = this.#plimsoll(host, [
      ...['up', '--name', host, '--cluster-key-file', this.#keyFile],
      ...['--http', `127.0.0.1:${HTTP_PORT}`, '--no-open'],
    ]);
    this.#daemons.set(host, child);
    await lineOf(child, /Dashboard/, signal);
    child.stdout.resume();
  }

  /** Resolves when it has exited. */
  async stop(host: Host, how: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#daemons.get(host);
    if (child === undefined) throw new Error(`no daemon runs on ${host}`);
    const exited = once(child, 'exit');
    child.kill(how);
    await exited;
  }

  /** What a command prints. */
  async output(host: Host, ...args: readonly string[]): Promise<string> {
    return await outputOf(this.#plimsoll(host, args));
  }

  watch(host: Host): LinkWatcher {
    const pair: WatchedPair = { home: this.home(host), first: 'atlas', second: 'juno' };
    return new LinkWatcher(host, this.net.spawn(host, process.execPath, [WATCHER, JSON.stringify(pair)]));
  }

  /** A program that starts another one inside a host. */
  programIn(host: Host, program: string): string {
    const file = join(this.#folder, `in-${host}`);
    writeFileSync(file, `#!/bin/sh\nexec ip netns exec ${this.net.nameOf(host)} ${program} "$@"\n`);
    chmodSync(file, 0o700);
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.net[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #keyFile(): string {
    return join(this.#folder, 'cluster-key');
  }

  #plimsoll(host: Host, args: readonly string[]): HostProcess {
    return this.net.spawn(host, process.execPath, [PROGRAM, ...args, '--home', this.home(host)]);
  }

  /** A burst has room for what arrives between two ticks of the kernel (250 Hz), and for one packet of 64 KiB. */
  #shapeEnd(host: Host, name: string, mbit: number): void {
    const burstKb = Math.max(16, Math.ceil((mbit * 1_000) / 8 / 250));
    const tbf = ['rate', `${mbit}mbit`, 'burst', `${burstKb}kb`, 'latency', '50ms'];
    this.net.run(host, 'tc', 'qdisc', 'replace', 'dev', name, 'root', 'tbf', ...tbf);
  }
}

/** Everything that one daemon published of the link, in order. */
export class LinkWatcher {
  readonly host: Host;
  readonly #seen: SeenLink[] = [];
  #next = Promise.withResolvers<void>();

  constructor(host: Host, child: HostProcess) {
    this.host = host;
    createInterface({ input: child.stdout }).on('line', line => {
      const seen: SeenLink = JSON.parse(line);
      this.#seen.push(seen);
      this.#next.resolve();
      this.#next = Promise.withResolvers();
    });
  }

  since(atMs: number): readonly SeenLink[] {
    return this.#seen.filter(seen => seen.atMs >= atMs);
  }

  /** The first that holds, of those after a moment. @param withinMs of that moment. */
  async until(
    what: string,
    { sinceMs, withinMs }: { readonly sinceMs: number; readonly withinMs: number },
    holds: (seen: SeenLink) => boolean,
  ): Promise<SeenLink> {
    const limit = AbortSignal.timeout(Math.max(1, sinceMs + withinMs - Date.now()));
    for (;;) {
      const found = this.since(sinceMs).find(holds);
      if (found !== undefined) return found;
      if (limit.aborted)
        throw new Error(
          `${this.host}: ${what}: not within ${withinMs} ms; last ${JSON.stringify(this.#seen.at(-1))}`,
        );
      await Promise.race([this.#next.promise, aborted(limit)]);
    }
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

export const HTTP_PORT = 4180;
const HOSTS = ['atlas', 'juno', 'vesta'] as const;
const WATCHER = fileURLToPath(new URL('./links-watch-process.ts', import.meta.url));
/** With the link-local address, five at each end. */
const NETWORKS = [
  { prefix: '10.9.1.', bits: 24 },
  { prefix: '10.9.2.', bits: 24 },
  { prefix: 'fd09:1::', bits: 64 },
  { prefix: 'fd09:2::', bits: 64 },
] as const;
/** Of the cables to the third node: they are measured, too, and share two processors with the cable under test. */
const THIRD_MBIT = 40;
