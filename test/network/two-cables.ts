// Two hosts with a daemon each, joined by a slow and a fast cable that both have been measured.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, type TestContext } from 'vitest';
import type { HostProcess } from './namespaces.ts';
import type { ProbingSettings, SeenProbes } from './seen-probes.ts';
import { reasonAgainst, shape } from './shapes.ts';
import { TestBed } from './test-bed.ts';

const HOSTS = ['atlas', 'juno'] as const;
const CABLES = [
  { name: 'slow0', network: '10.91.0', rate: '20mbit' },
  { name: 'fast0', network: '10.92.0', rate: '400mbit' },
] as const;
type Host = (typeof HOSTS)[number];
type CableName = (typeof CABLES)[number]['name'];

export class TwoCables implements AsyncDisposable {
  readonly #bed: TestBed;
  readonly #model: string | undefined;

  private constructor(bed: TestBed, model: string | undefined) {
    this.#bed = bed;
    this.#model = model;
  }

  /** Skips the test with its reason where it cannot be done. @param model for the commands of `wire` */
  static async open(context: TestContext, model?: string): Promise<TwoCables> {
    const reason = reasonAgainst('tc');
    if (reason !== undefined) context.skip(reason);
    const bed = await TestBed.open(context);
    const cables = new TwoCables(bed, model);
    try {
      await cables.#start(context.signal);
    } catch (error) {
      await cables[Symbol.asyncDispose]();
      throw error;
    }
    return cables;
  }

  get folder(): string {
    return this.#bed.folder;
  }

  /** What `wire` writes for an engine, with atlas first. */
  file(engine: string, name: string): string {
    const folder = join(this.folder, engine);
    const model = this.#model === undefined ? [] : ['--model', this.#model];
    const home = this.#bed.home('atlas');
    const options = ['--for', engine, '--nodes', HOSTS.join(','), ...model, '--home', home, '--out', folder];
    this.#bed.net.run('atlas', process.execPath, MAIN, 'wire', ...options);
    return readFileSync(join(folder, name), 'utf8');
  }

  spawn(host: Host, command: string, args: readonly string[]): HostProcess {
    return this.#bed.net.spawn(host, command, args);
  }

  /** A folder with an `ssh` that runs its command on a host of the test. */
  sshFolder(): string {
    const folder = join(this.folder, 'ssh');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'ssh');
    const prefix = this.#bed.net.nameOf('');
    writeFileSync(
      file,
      `#!/bin/bash\n[ "$1" = -tt ] && shift 3\nhost="$1"\nshift\nexec ip netns exec "${prefix}$host" bash -c "$*"\n`,
    );
    chmodSync(file, 0o755);
    return folder;
  }

  /** Over each cable, by both hosts. */
  bytesSent(): Readonly<Record<CableName, number>> {
    const sent = (name: CableName): number =>
      HOSTS.map(host => {
        const text = this.#bed.net.ip(host, '-s', '-j', 'link', 'show', 'dev', name);
        const [link]: readonly { readonly stats64: { readonly tx: { readonly bytes: number } } }[] =
          JSON.parse(text);
        if (link === undefined) throw new Error(`${host} has no ${name}`);
        return link.stats64.tx.bytes;
      }).reduce((sum, bytes) => sum + bytes, 0);
    return { slow0: sent('slow0'), fast0: sent('fast0') };
  }

  /** Since then, so many bytes over the fast cable, and over the slow one no more than what daemons send. */
  expectFast(before: Readonly<Record<CableName, number>>, bytesMin: number): void {
    const after = this.bytesSent();
    const [slow, fast] = [after.slow0 - before.slow0, after.fast0 - before.fast0];
    console.info(`${fast} bytes over the cable of 400 Mbit/s, ${slow} over that of 20`);
    expect(fast).toBeGreaterThan(bytesMin);
    expect(slow).toBeLessThan(bytesMin / 10);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bed[Symbol.asyncDispose]();
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { net } = this.#bed;
    for (const host of HOSTS) net.addHost(host);
    for (const { name, network, rate } of CABLES) {
      net.connect(
        { host: 'atlas', name, ipv4: `${network}.1/24` },
        { host: 'juno', name, ipv4: `${network}.2/24` },
      );
      for (const host of HOSTS) shape(net, host, name, rate);
    }
    const [atlas] = HOSTS.map(host => this.#daemon(host));
    if (atlas === undefined) throw new Error('there is no host');
    await areMeasured(atlas, signal);
  }

  /** With the host's name as its own, which host files name. */
  #daemon(host: Host): HostProcess {
    const settings: ProbingSettings = {
      home: this.#bed.home(host),
      keyFile: this.#bed.keyFile,
      name: host,
    };
    const daemon = [process.execPath, PROCESS, JSON.stringify(settings)];
    return this.spawn(host, 'unshare', ['--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', host, ...daemon]);
  }
}

const areMeasured = async (daemon: HostProcess, signal: AbortSignal): Promise<void> => {
  const lines = createInterface({ input: daemon.stdout, signal });
  let last = '';
  for await (const text of lines) {
    last = text;
    const { links }: SeenProbes = JSON.parse(text);
    if (links.filter(({ profile }) => profile.failure === 'none').length >= CABLES.length) return;
  }
  throw new Error(`the cables were not measured; last: ${last}`);
};

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const PROCESS = fileURLToPath(new URL('./probing-process.ts', import.meta.url));
