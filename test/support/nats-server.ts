// A real nats-server for one test: on a free port of loopback, with a folder of its own, and killed at the end. The program
// is the one that PLIMSOLL_NATS_SERVER names, or the one of the system.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { generateNodeKey, type NodeKey } from '../../src/daemon/node-key.ts';
import {
  applyFleetStreams,
  FLEET_STREAM_DEFAULTS,
  type FleetStreamOptions,
  fleetStreams,
} from '../../src/mesh/nats/fleet-streams.ts';
import { FLEET_TEST_CLUSTER } from './fleet-nodes.ts';
import { temporaryDirectory } from './temporary-directory.ts';

interface NatsProgram {
  readonly path: string;
  /** "2.9.10". */
  readonly version: string;
}

/** Undefined where there is none. */
export const natsProgram = (): NatsProgram | undefined => {
  const named = process.env['PLIMSOLL_NATS_SERVER'];
  const programs = named === undefined ? ['nats-server', '/usr/sbin/nats-server'] : [named];
  for (const path of programs) {
    if (path.startsWith('/') && !existsSync(path)) continue;
    try {
      const reported = execFileSync(path, ['--version'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return { path, version: /v(\d+\.\d+\.\d+)/.exec(reported)?.[1] ?? 'unknown' };
    } catch {
      // Not there, or not a program: the next path.
    }
  }
  return undefined;
};

export const NO_NATS_SERVER = 'there is no nats-server on PATH and PLIMSOLL_NATS_SERVER names none';

export interface NatsServerOptions {
  /** Added to the configuration. */
  readonly config?: string;
  readonly hasJetStream?: boolean;
  readonly program?: NatsProgram;
  /** Starts with the nats-server.conf of this folder, which stays; the port is the one in it. */
  readonly configFolder?: string;
}

export class NatsServer implements AsyncDisposable {
  readonly program: NatsProgram;
  #port = -1;
  readonly #folder: ReturnType<typeof temporaryDirectory>;
  #child: ChildProcess | undefined;
  #options: NatsServerOptions = {};
  #reloaded: (() => void) | undefined;
  readonly #awaited = new Set<{ readonly pattern: RegExp; readonly reported: () => void }>();

  private constructor(program: NatsProgram, folder: ReturnType<typeof temporaryDirectory>) {
    this.program = program;
    this.#folder = folder;
  }

  /** @throws Error where there is no program; ask `natsProgram` before. */
  static async start(options: NatsServerOptions = {}): Promise<NatsServer> {
    const program = options.program ?? natsProgram();
    if (program === undefined) throw new Error(NO_NATS_SERVER);
    const folder = temporaryDirectory();
    const server = new NatsServer(program, folder);
    server.configure(options);
    await server.run();
    return server;
  }

  /** The same one after each restart. */
  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  get folder(): string {
    return this.#folder.path;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  configure(options: NatsServerOptions): void {
    this.#options = options;
  }

  #write(): void {
    const { config = '', hasJetStream = true } = this.#options;
    const lines = [`listen: "127.0.0.1:${this.#port}"`];
    if (hasJetStream) lines.push(`jetstream { store_dir: ${JSON.stringify(join(this.folder, 'js'))} }`);
    writeFileSync(join(this.folder, 'server.conf'), [...lines, config].join('\n'));
  }

  /** Resolves when it takes connections. */
  async run(): Promise<void> {
    const { configFolder } = this.#options;
    if (configFolder === undefined) this.#write();
    const file = configFolder === undefined ? 'server.conf' : 'nats-server.conf';
    const child = spawn(this.program.path, ['-c', file], {
      cwd: configFolder ?? this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    const ready = Promise.withResolvers<void>();
    const reported: string[] = [];
    createInterface({ input: child.stderr }).on('line', line => {
      reported.push(line);
      const port = /Listening for client connections on .*:(\d+)/.exec(line)?.[1];
      if (port !== undefined) this.#port = Number(port);
      if (line.includes('Server is ready')) ready.resolve();
      if (line.includes('Reloaded server configuration')) this.#reloaded?.();
      for (const { pattern, reported: report } of this.#awaited) if (pattern.test(line)) report();
    });
    child.once('exit', () => ready.reject(new Error(`nats-server ended: ${reported.slice(-5).join('\n')}`)));
    await ready.promise;
  }

  /** Reads its configuration again; resolves when it has. */
  async reload(): Promise<void> {
    const reloaded = Promise.withResolvers<void>();
    this.#reloaded = reloaded.resolve;
    if (this.#options.configFolder === undefined) this.#write();
    this.#child?.kill('SIGHUP');
    await reloaded.promise;
  }

  /** From now on, in its log. */
  hasPrinted(pattern: RegExp): { readonly isSo: boolean; readonly reported: Promise<void> } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const awaited = { isSo: false, reported: promise };
    this.#awaited.add({
      pattern,
      reported: () => {
        awaited.isSo = true;
        resolve();
      },
    });
    return awaited;
  }

  /** As a power failure: no farewell to anybody. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** A new node of the fleet, with a stream for its last values. */
  async addNode(): Promise<NodeKey> {
    const key = generateNodeKey();
    await this.createStreams({ nodes: [key.nodeId] });
    return key;
  }

  /** That of records, and those of the nodes. */
  async createStreams(options: Partial<FleetStreamOptions> = {}): Promise<void> {
    const connection = await connect({ servers: `127.0.0.1:${this.port}` });
    try {
      const manager = await jetstreamManager(connection, { timeout: API_TIMEOUT_MS });
      await applyFleetStreams(manager, fleetStreams({ ...SMALL, ...options }));
    } finally {
      await connection.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#folder[Symbol.dispose]();
  }
}

/** A server that has no leader yet does not answer: it is asked again. */
const API_TIMEOUT_MS = 2_000;
const SMALL: FleetStreamOptions = {
  ...FLEET_STREAM_DEFAULTS,
  eventBytesMax: 16_000_000,
  cluster: FLEET_TEST_CLUSTER,
  nodes: [],
  hasMessageTtl: false,
};
