// Hosts with whole daemons in them, for one test: started, killed, started again, written to, and waited for. Disposing
// ends everything and leaves nothing.

import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';
import { makeClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { createClusterKeyFile } from '../../src/mesh/key/key-file.ts';
import { isLongRun } from '../support/counts.ts';
import { type HostProcess, Namespaces, reasonAgainstNamespaces } from './namespaces.ts';
import type { DaemonSettings, SeenCluster } from './seen-cluster.ts';

/** No test waits longer for anything. */
const WAIT_MS_MAX = 60_000;
/** A memory reading comes twice a second; who is silent for four seconds is called offline here, but in the long run. */
const PRESENCE = isLongRun ? '' : '[mesh]\nstale_after = "2s"\noffline_after = "4s"\n';
const DAEMON = fileURLToPath(new URL('./daemon-process.ts', import.meta.url));

export interface StartOptions {
  readonly peers?: readonly string[];
  readonly discovery?: readonly string[];
  /** 'home': the key that the test has put into the home itself. */
  readonly key?: 'shared' | 'home';
}

export class TestBed implements AsyncDisposable {
  readonly net: Namespaces = new Namespaces();
  readonly folder: string = mkdtempSync(join(tmpdir(), 'plimsoll-net-'));
  readonly #daemons = new Map<string, BedDaemon>();
  readonly #tags = new Map<string, readonly string[]>();
  readonly #startedMs = performance.now();

  /** Skips the test with its reason where no namespaces can be made. */
  static async open(context: TestContext): Promise<TestBed> {
    const reason = reasonAgainstNamespaces();
    if (reason !== undefined) context.skip(reason);
    const bed = new TestBed();
    await createClusterKeyFile(bed.keyFile, makeClusterKey());
    return bed;
  }

  get keyFile(): string {
    return join(this.folder, 'cluster-key');
  }

  get daemons(): readonly BedDaemon[] {
    return [...this.#daemons.values()];
  }

  /** Made where it is missing. */
  home(host: string): string {
    const home = join(this.folder, host);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return home;
  }

  /** Since the bed was opened. */
  get elapsedMs(): number {
    return Math.round(performance.now() - this.#startedMs);
  }

  start(host: string, { peers = [], discovery = [], key = 'shared' }: StartOptions = {}): BedDaemon {
    if (!this.#tags.has(host)) this.tag(host);
    const settings: DaemonSettings = {
      home: this.home(host),
      keyFile: key === 'shared' ? this.keyFile : undefined,
      name: host,
      peers,
      discovery,
    };
    const child = this.net.spawn(host, process.execPath, [DAEMON, JSON.stringify(settings)]);
    const daemon = new BedDaemon(host, child);
    this.#daemons.set(host, daemon);
    return daemon;
  }

  daemon(host: string): BedDaemon {
    const daemon = this.#daemons.get(host);
    if (daemon === undefined) throw new Error(`no daemon runs on ${host}`);
    return daemon;
  }

  isRunning(host: string): boolean {
    return this.#daemons.has(host);
  }

  /** kill -9; resolves when it is gone. */
  async kill(host: string): Promise<void> {
    const daemon = this.daemon(host);
    this.#daemons.delete(host);
    await daemon.end('SIGKILL');
  }

  /** Ends it in good order. */
  async stop(host: string): Promise<void> {
    const daemon = this.daemon(host);
    this.#daemons.delete(host);
    await daemon.end('SIGTERM');
  }

  /** Makes its daemon write a durable event: its config changes, as a person would change it. */
  tag(host: string, ...tags: readonly string[]): void {
    this.#tags.set(host, tags);
    writeFileSync(join(this.home(host), 'config.toml'), `tags = ${JSON.stringify(tags)}\n${PRESENCE}`);
  }

  /** Until every running daemon sees this. */
  async all(what: string, holds: (seen: SeenCluster) => boolean): Promise<void> {
    await Promise.all(this.daemons.map(daemon => daemon.until(what, holds)));
  }

  /** Waits until all running daemons report the same hash, of a state for which this holds. */
  async agree(what: string, holds: (seen: SeenCluster) => boolean): Promise<string> {
    const agreed = (): string | undefined => {
      const hashes = new Set(
        this.daemons.map(({ latest }) => (latest !== undefined && holds(latest) ? latest.hash : undefined)),
      );
      const [hash] = hashes;
      return hashes.size === 1 ? hash : undefined;
    };
    const picture = (): string =>
      this.daemons.map(({ host, latest }) => `${host}: ${JSON.stringify(latest)}`).join('\n');
    const limit = AbortSignal.timeout(WAIT_MS_MAX);
    for (let hash = agreed(); ; hash = agreed()) {
      if (hash !== undefined) return hash;
      if (limit.aborted) throw new Error(`the daemons never agreed (${what}):\n${picture()}`);
      await Promise.race([...this.daemons.map(daemon => daemon.changed()), aborted(limit)]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.net[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

class BedDaemon {
  readonly host: string;
  readonly #child: HostProcess;
  #latest: SeenCluster | undefined;
  #next = Promise.withResolvers<void>();

  constructor(host: string, child: HostProcess) {
    this.host = host;
    this.#child = child;
    createInterface(child.stdout).on('line', line => {
      this.#latest = JSON.parse(line);
      this.#report();
    });
    child.once('exit', () => this.#report());
  }

  /** The last state that it reported; undefined until it has reported one. */
  get latest(): SeenCluster | undefined {
    return this.#latest;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves at its next report or when it exits. */
  changed(): Promise<void> {
    return this.#next.promise;
  }

  /** The first picture for which this holds. @throws Error with the last one when it never does. */
  async until(what: string, holds: (seen: SeenCluster) => boolean): Promise<SeenCluster> {
    const limit = AbortSignal.timeout(WAIT_MS_MAX);
    for (;;) {
      const seen = this.#latest;
      if (seen !== undefined && holds(seen)) return seen;
      if (!this.isRunning) throw new Error(`${this.host} ended before: ${what}`);
      if (limit.aborted) throw new Error(`${this.host} never saw: ${what}\n${JSON.stringify(seen)}`);
      await Promise.race([this.changed(), aborted(limit)]);
    }
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }

  #report(): void {
    const reported = this.#next;
    this.#next = Promise.withResolvers();
    reported.resolve();
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted ? Promise.resolve() : once(signal, 'abort').then(() => undefined);

/** Whether a daemon has these nodes by name, each up and with a reading. */
export const sees =
  (...names: readonly string[]) =>
  ({ nodes }: SeenCluster): boolean =>
    names.every(name => nodes[name]?.memory !== undefined && nodes[name]?.presence === 'live');

/** Has every node's tags as they were written. */
export const hasTags =
  (tags: Readonly<Record<string, string>>) =>
  ({ nodes }: SeenCluster): boolean =>
    Object.entries(tags).every(([name, tag]) => nodes[name]?.tags.includes(tag) === true);
