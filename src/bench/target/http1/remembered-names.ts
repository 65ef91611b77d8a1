// Looks a name up once: a lookup for each connection would load the resolver of whoever measures, and would be in the
// connection times. What could not be found is asked again.

import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

export class RememberedNames {
  readonly #found: Map<string, readonly LookupAddress[]> = new Map();

  /** In the form that `net.connect` wants. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    const key = `${hostname} ${options.family ?? 0} ${options.hints ?? 0}`;
    const known = this.#found.get(key);
    if (known !== undefined) {
      // Never at once: net.connect expects an answer from later.
      queueMicrotask(() => answer(known, options, callback));
      return;
    }
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '', 0);
        return;
      }
      this.#found.set(key, addresses);
      answer(addresses, options, callback);
    });
  };
}

type Callback = Parameters<LookupFunction>[2];

const answer = (addresses: readonly LookupAddress[], options: LookupOptions, callback: Callback): void => {
  const [first] = addresses;
  if (options.all === true || first === undefined) callback(null, [...addresses]);
  else callback(null, first.address, first.family);
};
