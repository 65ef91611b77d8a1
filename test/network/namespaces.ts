// Hosts made of network namespaces, joined by veth cables. Everything happens inside namespaces of the test's own: this
// machine's interfaces never see a packet. Disposing ends what runs there and deletes them.

import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

export interface CableEnd {
  readonly host: string;
  /** Of the interface, up to 15 characters. */
  readonly name: string;
  /** "10.0.0.1/24"; none by default: IPv6 link-local only. */
  readonly ipv4?: string;
}

export type HostProcess = ChildProcessByStdio<null, Readable, null>;

/** Why there can be no namespaces here; undefined where they can be made. */
export const reasonAgainstNamespaces = (): string | undefined => {
  if (process.platform !== 'linux') return 'network namespaces exist on Linux only';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const name = `plim-${randomBytes(3).toString('hex')}`;
  try {
    ip('netns', 'add', name);
    ip('netns', 'del', name);
    return undefined;
  } catch (error) {
    return `no network namespace can be made here: ${error instanceof Error ? error.message.trim() : error}`;
  }
};

export class Namespaces implements AsyncDisposable {
  readonly #prefix: string;
  readonly #hosts = new Set<string>();
  readonly #interfaces = new Set<string>();
  readonly #processes = new Set<HostProcess>();

  /** @param prefix of the hosts' names in `ip netns` */
  constructor(prefix: string = `plim-${randomBytes(3).toString('hex')}`) {
    this.#prefix = prefix;
  }

  addHost(host: string): void {
    ip('netns', 'add', this.nameOf(host));
    this.#hosts.add(host);
    // No wait for duplicate addresses: a cable can be used as soon as it is there.
    for (const scope of ['all', 'default'])
      this.run(
        host,
        'sysctl',
        '-qw',
        `net.ipv6.conf.${scope}.accept_dad=0`,
        `net.ipv6.conf.${scope}.disable_ipv6=0`,
      );
    this.ip(host, 'link', 'set', 'lo', 'up');
  }

  /** A cable, up at both ends. Its ends are born in the first namespace, never on the machine itself. */
  connect(one: CableEnd, other: CableEnd): void {
    const parking = `p${randomBytes(3).toString('hex')}`;
    this.ip(
      one.host,
      'link',
      'add',
      one.name,
      'type',
      'veth',
      'peer',
      'name',
      parking,
      'netns',
      this.nameOf(other.host),
    );
    this.ip(other.host, 'link', 'set', parking, 'name', other.name);
    for (const { host, name, ipv4 } of [one, other]) {
      if (ipv4 !== undefined) this.ip(host, 'addr', 'add', ipv4, 'dev', name);
      this.ip(host, 'link', 'set', name, 'up');
      this.#interfaces.add(`${host} ${name}`);
    }
  }

  hasInterface(host: string, name: string): boolean {
    return this.#interfaces.has(`${host} ${name}`);
  }

  /** `ip` inside a host. */
  ip(host: string, ...args: readonly string[]): string {
    return ip('-n', this.nameOf(host), ...args);
  }

  /** Any command inside a host; throws when it fails. */
  run(host: string, command: string, ...args: readonly string[]): string {
    return ip('netns', 'exec', this.nameOf(host), command, ...args);
  }

  /** The IPv6 link-local address of an interface, without scope. */
  linkLocalOf(host: string, name: string): string {
    const text = this.ip(host, '-6', 'addr', 'show', 'dev', name, 'scope', 'link');
    const address = /inet6 (fe80:[0-9a-f:]+)\//.exec(text)?.[1];
    if (address === undefined) throw new Error(`${name} of ${host} has no link-local address`);
    return address;
  }

  /** A process that lives in a host, until it ends or this is disposed. */
  spawn(host: string, command: string, args: readonly string[]): HostProcess {
    const child = spawn('ip', ['netns', 'exec', this.nameOf(host), command, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#processes.add(child);
    child.once('exit', () => this.#processes.delete(child));
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      [...this.#processes].map(async child => {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }),
    );
    for (const host of this.#hosts) ip('netns', 'del', this.nameOf(host));
    this.#hosts.clear();
  }

  /** The host's name in `ip netns`. */
  nameOf(host: string): string {
    return `${this.#prefix}-${host}`;
  }
}

const ip = (...args: readonly string[]): string =>
  execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
