// A machine as a survey has captured it: what gatherers request is looked up among the replies of its script, and what is not there is
// noted as missing, to be requested before they run again. So gatherers alone declare what is read.

import { untilAborted } from '../../clock/clock.ts';
import { unknown } from '../../core/unknown.ts';
import { parseDf } from '../../gather/df/parse-df.ts';
import { type MachineAccess, machineAccess } from '../../gather/machine-access.ts';
import { type MachineFiles, unreadable } from '../../gather/machine-files.ts';
import type { MachineHost } from '../../gather/machine-host.ts';
import type { MachineTree } from '../../gather/machine-path.ts';
import type { MachineTools } from '../../gather/machine-tools.ts';
import { toolLines } from '../../gather/tool-output.ts';
import { ToolError, type ToolResult } from '../../process/child.ts';
import { TOOL_SECONDS_MAX } from './remote-script.ts';
import type { RemoteReply, RemoteRequest } from './remote-shell.ts';

export class CapturedMachine {
  readonly #replies = new Map<string, RemoteReply>();
  readonly #all = new Map<string, RemoteRequest>();
  readonly #streams = new Map<string, RemoteRequest>();
  #missing = new Map<string, RemoteRequest>();
  #requested = new Map<string, RemoteRequest>();

  /** What gatherers are given. `name`: of the node. */
  access({
    name,
    plimsollVersion,
  }: {
    readonly name: string;
    readonly plimsollVersion: string;
  }): MachineAccess {
    return {
      ...machineAccess({
        env: {},
        plimsollVersion,
        files: this.#files(),
        tools: this.#tools(),
        host: this.#host(),
        settings: () => ({ name, ignoredInterfaces: [] }),
      }),
      root: { tree: this.#tree(), path: '/' },
    };
  }

  /** Of tools that keep running: each costs seconds. */
  get streams(): readonly RemoteRequest[] {
    return [...this.#streams.values()];
  }

  /** Every request so far, apart from those. */
  get all(): readonly RemoteRequest[] {
    return [...this.#all.values()];
  }

  /** Requests without a reply since the last call. */
  takeMissing(): readonly RemoteRequest[] {
    const missing = [...this.#missing.values()];
    this.#missing = new Map();
    return missing;
  }

  /** All requests since the last call, apart from streams. */
  takeRequested(): readonly RemoteRequest[] {
    const requested = [...this.#requested.values()];
    this.#requested = new Map();
    return requested;
  }

  store(request: RemoteRequest, reply: RemoteReply): void {
    this.#replies.set(keyOf(request), reply);
  }

  #reply(request: RemoteRequest): RemoteReply | undefined {
    const key = keyOf(request);
    // A line is one word of a request.
    if (request.some(word => /[\n\0]/.test(word))) return undefined;
    this.#requested.set(key, request);
    this.#all.set(key, request);
    const reply = this.#replies.get(key);
    if (reply === undefined) this.#missing.set(key, request);
    return reply;
  }

  /** @throws an error with the system's code, as Node does. */
  #read(request: RemoteRequest): Buffer {
    const reply = this.#reply(request);
    if (reply?.status === 'ok') return reply.bytes;
    const code = reply?.status ?? 'ENOENT';
    throw Object.assign(new Error(code), { code });
  }

  #files(): MachineFiles {
    const attempt = <T>(path: string, request: RemoteRequest, read: (bytes: Buffer) => T) => {
      const reply = this.#reply(request);
      return reply?.status === 'ok' ? read(reply.bytes) : unreadable(reply?.status ?? 'ENOENT', path);
    };
    const textNow = (path: string) =>
      attempt(path, ['file', String(TEXT_BYTES_MAX), path], bytes => bytes.toString('utf8'));
    return {
      textNow,
      text: async path => textNow(path),
      namesNow: path => attempt(path, ['names', path], namesIn),
      linkNow: path => attempt(path, ['link', path], bytes => bytes.toString('utf8').trim()),
      keepOpen: path => ({
        readNow: () => textNow(path),
        read: async () => textNow(path),
        [Symbol.dispose]: () => {},
      }),
    };
  }

  #tree(): MachineTree {
    return {
      bytes: async (path, bytesMax) => this.#read(['file', String(bytesMax), path]),
      names: async path => namesIn(this.#read(['names', path])),
      link: async path => this.#read(['link', path]).toString('utf8').trim(),
      realPath: async path => this.#read(['real', path]).toString('utf8').trim(),
      kind: async path => {
        const status = this.#reply(['kind', path])?.status ?? 'ENOENT';
        if (status === 'ENOENT') throw Object.assign(new Error(status), { code: status });
        return status === 'file' ? 'file' : 'other';
      },
    };
  }

  #tools(): MachineTools {
    return {
      run: async (command, args, { timeoutMs, signal }) => {
        signal.throwIfAborted();
        const seconds = Math.min(TOOL_SECONDS_MAX, Math.ceil(timeoutMs / 1_000));
        const reply = this.#reply(['run', String(seconds), command, ...args]);
        return toolResult(command, reply);
      },
      lines: (command, args, options) =>
        options.idleTimeoutMs === Number.POSITIVE_INFINITY
          ? nothing(options.signal)
          : this.#lines(command, args, options),
      changes: (_command, { signal }) => nothing(signal),
    };
  }

  /** What a tool prints in a few seconds. @throws ToolError when it is missing or exits by itself. */
  async *#lines(
    command: string,
    args: readonly string[],
    { signal, variables = {} }: Parameters<MachineTools['lines']>[2],
  ): AsyncGenerator<string, void, void> {
    const set = Object.entries(variables).map(([name, text]) => `${name}=${text}`);
    const words = set.length === 0 ? [command, ...args] : ['env', ...set, command, ...args];
    const request: RemoteRequest = ['run', STREAM_SECONDS, ...words];
    this.#streams.set(keyOf(request), request);
    const reply = this.#replies.get(keyOf(request));
    if (reply === undefined || reply.status === 'missing' || reply.status === NOT_FOUND)
      throw new ToolError({ code: 'tool-missing', problem: `${command}: not installed`, advice: '' });
    for (const line of toolLines(reply.bytes.toString('utf8'))) yield line;
    const exitCode = Number(reply.status);
    if (!ENDED_BY_US.includes(exitCode))
      throw new ToolError({
        code: 'exited',
        exitCode,
        problem: `${command} exited with code ${exitCode}: ${reply.stderr.slice(0, REASON_LENGTH_MAX)}`,
        advice: '',
      });
    await untilAborted(signal);
  }

  /** Only a Mac's gatherers need the figures, which sysctl has. */
  #host(): MachineHost {
    const printed = (...words: readonly string[]): string => {
      const reply = this.#reply(['run', '5', ...words]);
      return reply === undefined ? '' : reply.bytes.toString('utf8').trim();
    };
    const number = (text: string | undefined): number => (Number.isFinite(Number(text)) ? Number(text) : 0);
    return {
      hostName: () => printed('hostname'),
      architecture: () => {
        const name = printed('uname', '-m');
        return ARCHITECTURES.get(name) ?? (name || 'unknown');
      },
      memoryTotalBytes: () => number(printed('sysctl', '-n', 'hw.memsize')),
      loadAverage1: () => number(printed('sysctl', '-n', 'vm.loadavg').split(' ')[1]),
      uptimeSeconds: () => {
        const bootedAt = number(/sec = (\d+)/.exec(printed('sysctl', '-n', 'kern.boottime'))?.[1]);
        return Math.max(0, number(printed('date', '+%s')) - bootedAt);
      },
      // No tool of macOS prints them since boot: the share is unknown.
      processorTimes: () => ({ busyMs: 0, totalMs: 0 }),
      networkInterfaces: () => ({}),
      kernelLog: unknown('a survey does not read the kernel log'),
      volumeSpace: async path => {
        const isFolder = this.#reply(['kind', path])?.status === 'folder';
        const result = toolResult('df', this.#reply(['run', '5', 'df', '-kP', path]));
        const [volume] = result.kind === 'exited' ? parseDf(result.stdout) : [];
        if (volume === undefined)
          throw new Error(result.kind === 'exited' ? 'df lists no volume' : result.reason);
        return {
          isFolder,
          totalBytes: BigInt(volume.totalBytes),
          availableBytes: BigInt(volume.availableBytes),
        };
      },
    };
  }
}

const keyOf = (request: RemoteRequest): string => request.join('\n');

/** No name of a file leads elsewhere. */
const namesIn = (bytes: Buffer): readonly string[] =>
  bytes
    .toString('utf8')
    .split('\n', NAMES_MAX)
    .filter(name => name !== '' && name !== '.' && name !== '..' && !name.includes('/'));

const toolResult = (command: string, reply: RemoteReply | undefined): ToolResult => {
  if (reply === undefined || reply.status === 'missing')
    return { kind: 'missing', reason: `${command}: not installed` };
  const code = Number(reply.status);
  if (!Number.isInteger(code)) return { kind: 'failed', reason: `${command} did not end as a tool does` };
  if (ENDED_BY_US.includes(code)) return { kind: 'timeout', reason: `${command} gave no answer in time` };
  return { kind: 'exited', code, stdout: reply.bytes.toString('utf8'), stderr: reply.stderr };
};

/** Of a tool that prints on a change: there is none in a moment. */
async function* nothing(signal: AbortSignal): AsyncGenerator<string, void, void> {
  yield* [];
  await untilAborted(signal);
}

/** uname -m, as Node names it. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['x86_64', 'x64'],
  ['amd64', 'x64'],
  ['aarch64', 'arm64'],
  ['i686', 'ia32'],
  ['armv7l', 'arm'],
]);
/** Of a shell if there is no such command (POSIX). */
const NOT_FOUND = '127';
/** SIGTERM and SIGKILL, as a shell reports them. */
const ENDED_BY_US: readonly number[] = [143, 137];
/** Of a tool that prints each second; a driver that nobody has open takes seconds first. */
const STREAM_SECONDS = '5';
const TEXT_BYTES_MAX = 4 * 1024 * 1024;
const NAMES_MAX = 65_536;
const REASON_LENGTH_MAX = 200;
