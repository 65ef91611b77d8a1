// `netstat -ibn` of macOS: a line for each address of an interface, all with the same counters. The line of the interface itself
// has "<Link#4>" for its network; lines without an address have a column less, so the counters are read from the right.

import type { CountedPort } from '../../core/node/traffic.ts';
import { unknown } from '../../core/unknown.ts';
import { counterIn } from '../traffic-meter.ts';

/** Undefined where this is not such a table. */
export const parseNetstat = (text: string): readonly CountedPort[] | undefined => {
  const lines = text.split('\n');
  if (!HEAD.test(lines[0] ?? '')) return undefined;
  return lines.slice(1).flatMap(line => {
    const cells = line.trim().split(/\s+/);
    // A star marks an interface that is down.
    const name = cells[0]?.replace(/\*$/, '') ?? '';
    if (name === '' || !LINK.test(cells[2] ?? '')) return [];
    const [receivedPackets, receivedErrors, received, sentPackets, sentErrors, sent] = cells
      .slice(-COUNTS)
      .map(counterIn);
    if (receivedPackets === undefined || receivedErrors === undefined || received === undefined) return [];
    if (sentPackets === undefined || sentErrors === undefined || sent === undefined) return [];
    return [
      {
        name,
        kind: 'interface',
        received: {
          bytes: received,
          packets: receivedPackets,
          errors: receivedErrors,
          drops: NOT_REPORTED,
        },
        sent: { bytes: sent, packets: sentPackets, errors: sentErrors, drops: NOT_REPORTED },
      } as const,
    ];
  });
};

const HEAD = /^Name +Mtu +Network +Address +Ipkts +Ierrs +Ibytes +Opkts +Oerrs +Obytes +Coll *$/;
const LINK = /^<Link#\d+>$/;
/** Ipkts, Ierrs, Ibytes, Opkts, Oerrs, Obytes, Coll. */
const COUNTS = 7;
const NOT_REPORTED = unknown('netstat -ib does not report it');
