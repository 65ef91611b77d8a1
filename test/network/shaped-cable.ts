// Two hosts on a cable with a rate of its own in each direction, by tbf.

import { spawnSync } from 'node:child_process';
import { reasonAgainstNamespaces } from './namespaces.ts';
import { SINK_ADDRESS, TwoHosts } from './two-hosts.ts';

export interface CableRates {
  readonly upMbit: number;
  readonly downMbit: number;
}

/** Why it cannot be done here; undefined where it can. */
export const reasonAgainstShaping = (): string | undefined => {
  const reason = reasonAgainstNamespaces();
  if (reason !== undefined) return reason;
  if (spawnSync('tc', ['-V']).error !== undefined) return 'tc is not installed';
  return spawnSync('iperf3', ['--version']).error === undefined ? undefined : 'iperf3 is not installed';
};

export class ShapedCable extends TwoHosts {
  constructor(rates?: CableRates) {
    super();
    this.net.connect(
      { host: 'source', name: 'en0', ipv4: '10.83.0.1/24' },
      { host: 'sink', name: 'en0', ipv4: `${SINK_ADDRESS}/24` },
    );
    if (rates === undefined) return;
    this.#shape('source', rates.upMbit);
    this.#shape('sink', rates.downMbit);
  }

  /** A burst must hold what comes between two ticks of the kernel (250 Hz), and one packet of 64 KiB that veth carries whole. */
  #shape(host: string, mbit: number): void {
    const burstKb = Math.max(16, Math.ceil((mbit * 1_000) / 8 / 250));
    const tbf = ['rate', `${mbit}mbit`, 'burst', `${burstKb}kb`, 'latency', '50ms'];
    this.net.run(host, 'tc', 'qdisc', 'add', 'dev', 'en0', 'root', 'tbf', ...tbf);
  }
}
