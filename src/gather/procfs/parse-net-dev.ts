// /proc/net/dev: the counters of every interface of this network namespace in one read, the same as in `ip -s link`
// (Documentation/networking/statistics.rst, dev_seq_printf_stats of net/core/net-procfs.c).

import type { CountedPort } from '../../core/node/traffic.ts';
import { counterIn } from '../traffic-meter.ts';

/** Undefined where this is not that file; a line that cannot be read is left out. */
export const parseNetDev = (text: string): readonly CountedPort[] | undefined => {
  const lines = text.split('\n');
  if (!HEAD.test(lines[1] ?? '')) return undefined;
  return lines.slice(2).flatMap(line => {
    // The name may touch the first counter: "eth0:1234". An alias has a colon of its own.
    const colon = line.lastIndexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    const cells = line
      .slice(colon + 1)
      .trim()
      .split(/\s+/)
      .map(counterIn);
    const [received, receivedPackets, receivedErrors, receivedDrops] = cells;
    const [sent, sentPackets, sentErrors, sentDrops] = cells.slice(SENT_AT);
    if (name === '' || received === undefined || receivedPackets === undefined) return [];
    if (receivedErrors === undefined || receivedDrops === undefined) return [];
    if (sent === undefined || sentPackets === undefined) return [];
    if (sentErrors === undefined || sentDrops === undefined) return [];
    return [
      {
        name,
        kind: 'interface',
        received: {
          bytes: received,
          packets: receivedPackets,
          errors: receivedErrors,
          drops: receivedDrops,
        },
        sent: { bytes: sent, packets: sentPackets, errors: sentErrors, drops: sentDrops },
      } as const,
    ];
  });
};

const HEAD = /^ face \|bytes +packets errs drop fifo frame compressed multicast\|bytes +packets errs drop /;
/** Eight counters of what was received come first. */
const SENT_AT = 8;
