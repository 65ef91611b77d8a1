// What a saturated cable does to other traffic on it: how much longer a round trip takes while it is fully
// loaded (bufferbloat).

import { maximumOf } from '../extremes.ts';
import { formatNanoseconds } from '../figure/duration.ts';
import { figureText } from '../figure/figure.ts';
import { isKnown, knownOr } from '../unknown.ts';
import type { ConnectionFacts } from './link-facts.ts';
import type { LinkProfile } from './link-profile.ts';

type Queues = Pick<LinkProfile, 'uploadQueueNs' | 'downloadQueueNs'>;

/** "queue adds 180 ms up, 2.0 ms down under load", or why that is unknown. */
export const queueText = (queues: Queues): string =>
  longerQueueNs(queues) === undefined
    ? `queue under load ${queueWays(queues)}`
    : `queue adds ${queueWays(queues)} under load`;

/** "180 ms up, 2.0 ms down", for a labelled field; or "unknown: …". */
export const queueWays = ({ uploadQueueNs: up, downloadQueueNs: down }: Queues): string => {
  if (!isKnown(up) && !isKnown(down)) return `unknown: ${up.reason}`;
  const ways = [
    { queueNs: up, way: 'up' },
    { queueNs: down, way: 'down' },
  ].map(({ queueNs, way }) =>
    isKnown(queueNs) ? `${figureText(formatNanoseconds(queueNs))} ${way}` : `– ${way} (${queueNs.reason})`,
  );
  return ways.join(', ');
};

/** The longer queue of both directions; undefined if neither is known. */
export const longerQueueNs = ({ uploadQueueNs, downloadQueueNs }: Queues): number | undefined => {
  const known = [knownOr(uploadQueueNs, undefined), knownOr(downloadQueueNs, undefined)].filter(
    queueNs => queueNs !== undefined,
  );
  return known.length === 0 ? undefined : maximumOf(known);
};

/** The longest queue among the connections of a link; undefined if none is known. */
export const worstQueue = ({
  connections,
}: {
  readonly connections: readonly ConnectionFacts[];
}): { readonly of: ConnectionFacts; readonly profile: LinkProfile; readonly queueNs: number } | undefined =>
  connections
    .flatMap(of => {
      const queueNs = of.profile === undefined ? undefined : longerQueueNs(of.profile);
      return of.profile === undefined || queueNs === undefined ? [] : [{ of, profile: of.profile, queueNs }];
    })
    .sort((a, b) => b.queueNs - a.queueNs)[0];

/** "RTT 20.3 ms idle, 216 ms under load": one direction, from its median; '' if either is unknown. */
export const loadedText = (
  { roundTripNsP50: idleNs, ...queues }: Queues & Pick<LinkProfile, 'roundTripNsP50'>,
  direction: 'upload' | 'download',
): string => {
  const queueNs = queues[`${direction}QueueNs`];
  if (!isKnown(idleNs) || !isKnown(queueNs)) return '';
  const [idle, loaded] = [idleNs, idleNs + queueNs].map(figureNs => figureText(formatNanoseconds(figureNs)));
  return `RTT ${idle} idle, ${loaded} under load`;
};

/**
 * From here on a link is reported: every reply takes a tenth of a second longer while something is copied. A
 * managed queue adds a few milliseconds (CoDel aims at 5, RFC 8289 §4.4).
 */
export const LONG_QUEUE_NS = 100_000_000;
