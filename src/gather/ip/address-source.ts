// The addresses of all interfaces. `ip` is asked once after each change and not at each reading, so that a daemon at
// rest starts no process; where it is missing or broken, the C library's list stands in.

import type { Clock } from '../../clock/clock.ts';
import type { Env } from '../../process/child.ts';
import { isUnreadable, type MachineFiles, textOr } from '../machine-files.ts';
import { toolText } from '../tool-text.ts';
import { hostAddresses, type ListAddresses } from './host-addresses.ts';
import { type AddressTable, parseIpAddr } from './parse-ip-addr.ts';

export interface AddressSourceOptions {
  readonly files: MachineFiles;
  readonly env: Env;
  readonly clock: Clock;
  readonly listAddresses: ListAddresses;
  readonly timeoutMs: number;
}

export interface Addresses {
  readonly table: AddressTable;
  /** "ip" or "getifaddrs". */
  readonly source: string;
}

export class AddressSource {
  readonly #options: AddressSourceOptions;
  #fingerprint: string | undefined;
  #last: Addresses | undefined;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(options: AddressSourceOptions) {
    this.#options = options;
  }

  /**
   * `isHinted`: something has told of a change, which the fingerprint need not show.
   * @throws only the signal's reason, when it aborts.
   */
  async read(isHinted: boolean, signal: AbortSignal): Promise<Addresses> {
    const { env, clock, listAddresses, timeoutMs } = this.#options;
    const listed = hostAddresses(listAddresses);
    const fingerprint = this.#fingerprintOf(listed);
    const isFromIp = this.#last?.source === 'ip';
    if (this.#last !== undefined && isFromIp && !isHinted && fingerprint === this.#fingerprint)
      return this.#last;
    this.#fingerprint = fingerprint;
    this.#last = { table: listed, source: 'getifaddrs' };
    if (clock.nowMs() < this.#notBeforeMs) return this.#last;

    const text = await toolText('ip', ['-j', 'addr'], { env, signal, timeoutMs });
    const answer = text.kind === 'parsed' ? parseIpAddr(text.value) : text;
    if (answer.kind === 'parsed') this.#last = { table: answer.value, source: 'ip' };
    else this.#notBeforeMs = clock.nowMs() + ASK_AGAIN_MS;
    return this.#last;
  }

  /** Cheap to make, and different after nearly every change of an address or of a link. */
  #fingerprintOf(listed: AddressTable): string {
    const { files } = this.#options;
    const names = files.namesNow('/sys/class/net');
    const states = (isUnreadable(names) ? [] : names).map(
      name => `${name} ${textOr(files.textNow(`/sys/class/net/${name}/operstate`), '')}`,
    );
    return JSON.stringify([...listed, states, textOr(files.textNow('/proc/net/if_inet6'), '')]);
  }
}

/** After `ip` was missing, hung or printed something else. */
const ASK_AGAIN_MS = 300_000;
