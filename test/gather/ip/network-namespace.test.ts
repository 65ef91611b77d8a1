// The network gatherer over a real kernel: a pair of virtual Ethernet ends in a namespace of its own, changed under it.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const NAMESPACE = ['--map-root-user', '--net', '--mount', 'sh', '-c'];
const PAIR =
  'mount -t sysfs none /sys && ip link add near type veth peer name far && ip link set near mtu 1400 up && ip link set far up && ip address add 192.0.2.1/24 dev near';

describe('the network of a namespace', () => {
  it('is reported as the kernel has it, and each change as soon as the kernel announces it', async context => {
    const tried = spawnSync('unshare', [...NAMESPACE, PAIR], { encoding: 'utf8' });
    if (tried.status !== 0) {
      const [why = 'no unshare'] = `${tried.error?.message ?? tried.stderr}`.trim().split('\n');
      return context.skip(`a network namespace cannot be made here: ${why}`);
    }
    await using network = new NamespaceNetwork();
    await network.until('near', { isUp: true, mtuBytes: 1_400, type: 'virtual' });
    await network.until('near', {
      addresses: expect.arrayContaining([
        { address: '192.0.2.1', family: 'ipv4', prefixLength: 24, scope: 'global' },
      ]),
    });
    network.ip('link set far down');
    await network.until('near', { isUp: false });
    network.ip('link set far up');
    await network.until('near', { isUp: true });
    network.ip('address add 2001:db8::1/64 dev near nodad');
    await network.until('near', {
      addresses: expect.arrayContaining([
        { address: '2001:db8::1', family: 'ipv6', prefixLength: 64, scope: 'global' },
      ]),
    });
    network.ip('link delete near');
    await network.untilGone('near');
  });
});

/** A gatherer that runs in a namespace with the pair in it. */
class NamespaceNetwork implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #readings: AsyncIterator<string>;
  #last: unknown;

  constructor() {
    const script = fileURLToPath(new URL('print-network-here.ts', import.meta.url));
    this.#child = spawn('unshare', [...NAMESPACE, `${PAIR} && exec "$@"`, 'sh', process.execPath, script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the child has no output');
    this.#readings = createInterface(stdout)[Symbol.asyncIterator]();
  }

  ip(command: string): void {
    this.#child.stdin?.write(`${command}\n`);
  }

  /** Reads on until the interface looks like this. */
  async until(name: string, like: Readonly<Record<string, unknown>>): Promise<void> {
    const wanted = expect.objectContaining({
      interfaces: expect.arrayContaining([expect.objectContaining({ name, ...like })]),
    });
    while (!wanted.asymmetricMatch(this.#last)) await this.#next();
  }

  async untilGone(name: string): Promise<void> {
    while (JSON.stringify(this.#last).includes(`"name":"${name}"`)) await this.#next();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#child, 'close');
    this.#child.stdin?.end();
    await closed;
  }

  async #next(): Promise<void> {
    const { value, done } = await this.#readings.next();
    if (done === true)
      throw new Error(`the gatherer ended; its last report was ${JSON.stringify(this.#last)}`);
    this.#last = JSON.parse(value);
  }
}
