// The current traffic of ports from their counters: the difference between two readings.

import { counted } from '../core/figure/figure.ts';
import { type CountedPort, type NodeTraffic, withRates } from '../core/node/traffic.ts';

export class TrafficMeter {
  #before: ReadonlyMap<string, CountedPort> = new Map();
  #readAtMs = Number.NaN;

  /** @param nowMs when the counters were read. A new port starts from its first reading. */
  read(ports: readonly CountedPort[], nowMs: number): NodeTraffic {
    const seconds = (nowMs - this.#readAtMs) / 1_000;
    const kept = mostUsed(ports);
    const traffic = {
      ports: kept.map(port => withRates(port, this.#before.get(`${port.kind} ${port.name}`), seconds)),
    };
    this.#before = new Map(kept.map(port => [`${port.kind} ${port.name}`, port]));
    this.#readAtMs = nowMs;
    return traffic;
  }
}

/** ", 12 of 76 ports left out", for the source of a reading; '' where none was. */
export const portsLeftOut = (count: number): string =>
  count <= PORTS_MAX ? '' : `, ${count - PORTS_MAX} of ${counted(count, 'port')} left out`;

/** A counter of the kernel, of up to 64 bits: past 2^53 within a few bytes, which no rate shows. */
export const counterIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,20}$/.test(text) ? Number(text) : undefined;

/** In the order of the source. If there are more than can be reported, the ports that carried the most traffic. */
const mostUsed = (ports: readonly CountedPort[]): readonly CountedPort[] => {
  if (ports.length <= PORTS_MAX) return ports;
  const carried = ({ received, sent }: CountedPort): number => received.bytes + sent.bytes;
  const kept = new Set(ports.toSorted((a, b) => carried(b) - carried(a)).slice(0, PORTS_MAX));
  return ports.filter(port => kept.has(port));
};

/** A node with hundreds of containers has as many virtual interfaces. */
const PORTS_MAX = 64;
