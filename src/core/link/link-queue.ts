// What a full cable does to whoever shares it: how much longer a round trip takes while it carries all it can (bufferbloat).

import { maximumOf } from '../extremes.ts';
import { formatNanoseconds } from '../figure/duration.ts';
import { figureText } from '../figure/figure.ts';
import { isKnown, knownOr } from '../unknown.ts';
import type { ConnectionFacts } from './link-facts.ts';
import type { LinkProfile } from './link-profile.ts';

type Queues = Pick<LinkProfile, 'uploadQueueNs' | 'downloadQueueNs'>;

/** "queue adds 180 ms up, 2.0 ms down under load", or why that is not known. */
export const queueWords = (queues: Queues): string =>
  longerQueueNs(queues) === undefined
    ? `queue under load ${queueWays(queues)}`
    : `queue adds ${queueWays(queues)} under load`;

/** "180 ms up, 2.0 ms down", where what it is stands beside it; or "unknown: …". */
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

/** Of the direction that waits longer; undefined where neither is known. */
export const longerQueueNs = ({ uploadQueueNs, downloadQueueNs }: Queues): number | undefined => {
  const known = [knownOr(uploadQueueNs, undefined), knownOr(downloadQueueNs, undefined)].filter(
    queueNs => queueNs !== undefined,
  );
  return known.length === 0 ? undefined : maximumOf(known);
};

/** Of all connections of a link, that on which whoever shares it waits longest; undefined where no queue is known. */
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

/** "RTT 20.3 ms idle, 216 ms under load": of one direction, from its median; '' where either is not known. */
export const loadedWords = (
  { roundTripNsP50: idleNs, ...queues }: Queues & Pick<LinkProfile, 'roundTripNsP50'>,
  direction: 'upload' | 'download',
): string => {
  const queueNs = queues[`${direction}QueueNs`];
  if (!isKnown(idleNs) || !isKnown(queueNs)) return '';
  const [idle, loaded] = [idleNs, idleNs + queueNs].map(figureNs => figureText(formatNanoseconds(figureNs)));
  return `RTT ${idle} idle, ${loaded} under load`;
};

/**
 * From here on a link is spoken of: a tenth of a second more before anything is answered while something is copied. A queue that is
 * managed adds a few milliseconds (CoDel aims at 5, RFC 8289 §4.4).
 */
export const LONG_QUEUE_NS = 100_000_000;
