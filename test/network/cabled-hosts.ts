// Hosts with a daemon each, joined by cables that have all been measured, and an engine that is started on them as `plimsoll wire`
// prints it, while the cables are counted.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, type TestContext } from 'vitest';
import type { HostProcess } from './namespaces.ts';
import type { ProbingSettings, SeenProbes } from './seen-probes.ts';
import { reasonAgainst, shape } from './shapes.ts';
import { TestBed } from './test-bed.ts';

interface Cable {
  readonly name: string;
  readonly between: readonly [string, string];
  readonly network: string;
  readonly rate: string;
}

/** In the order in which `wire` gets the hosts. */
interface Cabling {
  readonly hosts: readonly string[];
  readonly cables: readonly Cable[];
}

export const TWO_CABLES: Cabling = {
  hosts: ['atlas', 'juno'],
  cables: [
    { name: 'slow0', between: ['atlas', 'juno'], network: '10.91.0', rate: '20mbit' },
    { name: 'fast0', between: ['atlas', 'juno'], network: '10.92.0', rate: '400mbit' },
  ],
};

/** No host forwards packets, so each pair reaches each other over its own cable or not at all. */
export const TRIANGLE: Cabling = {
  hosts: ['atlas', 'juno', 'pip'],
  cables: [
    { name: 'side0', between: ['atlas', 'juno'], network: '10.93.0', rate: '200mbit' },
    { name: 'side1', between: ['juno', 'pip'], network: '10.94.0', rate: '200mbit' },
    { name: 'side2', between: ['atlas', 'pip'], network: '10.95.0', rate: '200mbit' },
  ],
};

interface Wired {
  readonly folder: string;
  readonly printed: string;
  readonly file: (name: string) => string;
}

export class CabledHosts implements AsyncDisposable {
  readonly #bed: TestBed;
  readonly #cabling: Cabling;
  /** What the daemon of the first host sees, each time that it changes. */
  #seen: AsyncIterator<string> | undefined;

  private constructor(bed: TestBed, cabling: Cabling) {
    this.#bed = bed;
    this.#cabling = cabling;
  }

  /** Skips the test with its reason where it cannot be done. */
  static async open(context: TestContext, cabling: Cabling): Promise<CabledHosts> {
    const reason = reasonAgainst('tc');
    if (reason !== undefined) context.skip(reason);
    const bed = await TestBed.open(context);
    const hosts = new CabledHosts(bed, cabling);
    try {
      await hosts.#start(context.signal);
    } catch (error) {
      await hosts[Symbol.asyncDispose]();
      throw error;
    }
    return hosts;
  }

  get folder(): string {
    return this.#bed.folder;
  }

  home(host: string): string {
    return this.#bed.home(host);
  }

  /** Until the daemon of the first host sees this. @throws Error with what it saw last if it ends before. */
  async until(holds: (seen: SeenProbes) => boolean): Promise<void> {
    let last = '';
    for (;;) {
      const next = await this.#seen?.next();
      if (next === undefined || next.done === true) throw new Error(`it ended; last: ${last}`);
      last = next.value;
      if (holds(JSON.parse(last))) return;
    }
  }

  /** What `wire` prints and writes for an engine. @param model in its commands */
  wire(engine: string, model?: string): Wired {
    const folder = join(this.folder, engine);
    const named = model === undefined ? [] : ['--model', model];
    const [first = ''] = this.#cabling.hosts;
    const home = this.#bed.home(first);
    const nodes = this.#cabling.hosts.join(',');
    const options = ['--for', engine, '--nodes', nodes, ...named, '--home', home, '--out', folder];
    return {
      folder,
      printed: this.#bed.net.run(first, process.execPath, MAIN, 'wire', ...options),
      file: name => readFileSync(join(folder, name), 'utf8'),
    };
  }

  spawn(host: string, command: string, args: readonly string[]): HostProcess {
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

  /** Over each cable, by both of its ends. */
  bytesSent(): ReadonlyMap<string, number> {
    return new Map(
      this.#cabling.cables.map(({ name, between }) => [
        name,
        between.reduce((sum, host) => sum + this.#sentBy(host, name), 0),
      ]),
    );
  }

  /** Since then, so many bytes over each of these cables, and over any other no more than what daemons send. */
  expectSent(before: ReadonlyMap<string, number>, cables: readonly string[], bytesMin: number): void {
    const after = this.bytesSent();
    const sent = [...after].map(([name, bytes]) => ({ name, bytes: bytes - (before.get(name) ?? 0) }));
    console.info(sent.map(({ name, bytes }) => `${name}: ${bytes} bytes`).join(', '));
    for (const { name, bytes } of sent)
      if (cables.includes(name)) expect(bytes, name).toBeGreaterThan(bytesMin);
      else expect(bytes, name).toBeLessThan(bytesMin / 10);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bed[Symbol.asyncDispose]();
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { net } = this.#bed;
    const { hosts, cables } = this.#cabling;
    for (const host of hosts) net.addHost(host);
    for (const { name, between, network, rate } of cables) {
      const [one, other] = between;
      net.connect(
        { host: one, name, ipv4: `${network}.1/24` },
        { host: other, name, ipv4: `${network}.2/24` },
      );
      for (const host of between) shape(net, host, name, rate);
    }
    const [first] = hosts.map(host => this.#daemon(host));
    if (first === undefined) throw new Error('there is no host');
    this.#seen = createInterface({ input: first.stdout, signal })[Symbol.asyncIterator]();
    await this.until(
      ({ links }) => links.filter(({ profile }) => profile.failure === 'none').length >= cables.length,
    );
  }

  #sentBy(host: string, name: string): number {
    const text = this.#bed.net.ip(host, '-s', '-j', 'link', 'show', 'dev', name);
    const [link]: readonly { readonly stats64: { readonly tx: { readonly bytes: number } } }[] =
      JSON.parse(text);
    if (link === undefined) throw new Error(`${host} has no ${name}`);
    return link.stats64.tx.bytes;
  }

  /** With the host's name as its own, which host files name. */
  #daemon(host: string): HostProcess {
    const settings: ProbingSettings = {
      home: this.#bed.home(host),
      keyFile: this.#bed.keyFile,
      name: host,
    };
    const daemon = [process.execPath, PROCESS, JSON.stringify(settings)];
    return this.spawn(host, 'unshare', ['--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', host, ...daemon]);
  }
}

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const PROCESS = fileURLToPath(new URL('./probing-process.ts', import.meta.url));
