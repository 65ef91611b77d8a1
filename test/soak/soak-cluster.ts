// Four daemons, each in a network namespace of its own on one segment of 200 Mbit/s, and everything that visits them. Two are
// never restarted, one is stopped and started in good order, one is killed, and its cable cut.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, type CDPSession, chromium } from 'playwright-core';
import { makeClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { createClusterKeyFile } from '../../src/mesh/key/key-file.ts';
import { chromiumPath } from '../e2e/browser.ts';
import { type HostProcess, Namespaces } from '../network/namespaces.ts';
import { segment } from '../network/shapes.ts';
import { removeLeftovers, soakPrefix, startTicksOf } from './leftovers.ts';

export const SOAK_HOSTS = ['ada', 'bea', 'cyr', 'dan'] as const;
export type SoakHost = (typeof SOAK_HOSTS)[number];

export interface SoakPage {
  readonly browserPid: number;
  /** Of the page's own heap, after a collection. */
  heapBytes(): Promise<number>;
}

export class SoakCluster implements AsyncDisposable {
  readonly #net: Namespaces;
  readonly #guard: ChildProcess;
  readonly #folder: string;
  readonly #report: (event: object) => void;
  readonly #daemons = new Map<SoakHost, HostProcess>();
  readonly #wanted = new Set<SoakHost>();
  #browser: Browser | undefined;

  private constructor({ net, guard, folder, report }: SoakParts) {
    this.#net = net;
    this.#guard = guard;
    this.#folder = folder;
    this.#report = report;
  }

  /** @param report called for each event, which is one line of the log */
  static async open(folder: string, report: (event: object) => void): Promise<SoakCluster> {
    for (const name of removeLeftovers())
      report({ what: 'removed the namespace of a soak that was killed', name });
    const net = new Namespaces(soakPrefix(process.pid, startTicksOf(process.pid) ?? 0));
    // It outlives a kill -9 of this process, and removes what is left then.
    const guard = spawn(process.execPath, [GUARD], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    segment(net, SOAK_HOSTS);
    for (const [index, host] of SOAK_HOSTS.entries()) {
      net.ip(host, 'addr', 'add', addressOf(index), 'dev', 'en0');
      for (const [namespace, name] of [
        [host, 'en0'],
        ['switch', `port${index}`],
      ] as const)
        net.run(namespace, 'tc', 'qdisc', 'add', 'dev', name, 'root', 'tbf', ...SHAPE);
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await createClusterKeyFile(join(folder, 'cluster-key'), makeClusterKey());
    return new SoakCluster({ net, guard, folder, report });
  }

  home(host: SoakHost): string {
    return join(this.#folder, host);
  }

  /** Undefined while it is down. */
  pid(host: SoakHost): number | undefined {
    return this.#daemons.get(host)?.pid;
  }

  start(host: SoakHost): void {
    mkdirSync(this.home(host), { recursive: true, mode: 0o700 });
    writeFileSync(join(this.home(host), 'config.toml'), CONFIG, { mode: 0o600 });
    const args = ['up', '--home', this.home(host), '--http', '127.0.0.1:4180', '--no-open', '--name', host];
    const key = join(this.#folder, 'cluster-key');
    const child = this.#net.spawn(host, process.execPath, [PROGRAM, ...args, '--cluster-key-file', key]);
    child.stdout.resume();
    this.#daemons.set(host, child);
    this.#wanted.add(host);
    this.#report({ what: 'start', host, pid: child.pid });
    child.once('exit', (code, signal) => {
      if (this.#daemons.get(host) === child) this.#daemons.delete(host);
      const isFault = this.#wanted.has(host);
      this.#report({ what: isFault ? 'fault: ended by itself' : 'end', host, code, signal });
    });
  }

  /** Resolves when it is gone. */
  async end(host: SoakHost, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#daemons.get(host);
    this.#wanted.delete(host);
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  cable(host: SoakHost, state: 'up' | 'down'): void {
    this.#net.ip('switch', 'link', 'set', `port${SOAK_HOSTS.indexOf(host)}`, state);
    this.#report({ what: `cable ${state}`, host });
  }

  visit(host: SoakHost, mode: 'heap' | 'plain', received: (reported: Visitor) => void): HostProcess {
    const child = this.#net.spawn(host, process.execPath, [VISITOR, this.home(host), mode]);
    createInterface(child.stdout).on('line', line => received(JSON.parse(line)));
    return child;
  }

  /** Serves until the end. */
  mock(host: SoakHost): HostProcess {
    const child = this.#net.spawn(host, process.execPath, [
      PROGRAM,
      'mock',
      '--host',
      '0.0.0.0',
      '--port',
      '8000',
    ]);
    child.stdout.resume();
    return child;
  }

  /** A short run of a host against the mock of another. @param load options of `plimsoll bench` */
  async bench(host: SoakHost, served: SoakHost, load: readonly string[] = SHORT_RUN): Promise<void> {
    const url = `http://${addressOf(SOAK_HOSTS.indexOf(served)).split('/')[0]}:8000`;
    const args = ['bench', url, '--home', this.home(host), ...load, '--json'];
    const child = this.#net.spawn(host, process.execPath, [PROGRAM, ...args]);
    child.stdout.resume();
    const [code] = await once(child, 'exit');
    this.#report({ what: code === 0 ? 'bench' : 'fault: bench', host, served, code });
  }

  /** Undefined where there is no Chromium. */
  async openPage(host: SoakHost): Promise<SoakPage | undefined> {
    const path = chromiumPath();
    if (path === undefined) return undefined;
    const pidFile = join(this.#folder, 'browser-pid');
    const script = join(this.#folder, 'browser');
    const inside = `ip netns exec ${this.#net.nameOf(host)} ${path}`;
    writeFileSync(script, `#!/bin/sh\necho $$ > ${pidFile}\nexec ${inside} "$@"\n`);
    chmodSync(script, 0o700);
    this.#browser = await chromium.launch({
      executablePath: script,
      args: ['--no-sandbox', '--disable-gpu'],
    });
    const page = await this.#browser.newPage({ viewport: { width: 1_280, height: 900 } });
    page.on('pageerror', error => this.#report({ what: 'fault: page', error: error.message }));
    page.on('crash', () => this.#report({ what: 'fault: page crashed' }));
    await page.goto('http://127.0.0.1:4180/');
    const session: CDPSession = await page.context().newCDPSession(page);
    return {
      browserPid: Number(readFileSync(pidFile, 'utf8')),
      heapBytes: async () => {
        await session.send('HeapProfiler.collectGarbage');
        return (await session.send('Runtime.getHeapUsage')).usedSize;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wanted.clear();
    await this.#browser?.close().catch(() => undefined);
    await Promise.all(SOAK_HOSTS.map(host => this.end(host, 'SIGTERM')));
    await this.#net[Symbol.asyncDispose]();
    this.#guard.stdin?.end();
  }
}

interface SoakParts {
  readonly net: Namespaces;
  readonly guard: ChildProcess;
  readonly folder: string;
  readonly report: (event: object) => void;
}

/** What a visitor reports: a refusal, or the daemon's heap. */
interface Visitor {
  readonly what?: string;
  readonly failed?: string;
  readonly heapBytes?: number;
}

const SHORT_RUN = ['--requests', '40', '--concurrency', '4'];
const addressOf = (index: number): string => `10.84.0.${index + 1}/24`;

const PROGRAM = fileURLToPath(new URL('../../bin/plimsoll.js', import.meta.url));
const VISITOR = fileURLToPath(new URL('./visitor-process.ts', import.meta.url));
const GUARD = fileURLToPath(new URL('./guard-process.ts', import.meta.url));
const SHAPE = ['rate', '200mbit', 'burst', '100kb', 'latency', '50ms'] as const;
/** Small budgets: what is looked for is what stays behind after probes, not what they measure. */
const CONFIG = '[probes]\nsocket_ttl = "2m"\nbandwidth_share = 0.005\nbytes_per_hour = "2GB"\n';
