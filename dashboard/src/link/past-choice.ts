// Which part of a link's history its page shows, from and to the address: a picture can be shared. Invalid parts of an address
// are ignored rather than refused.

import type { ConnectionFacts } from '../../../src/core/link/link-facts.ts';
import type { LinkView } from '../../../src/core/link/link-view.ts';
import {
  connectionName,
  FIRST_SPAN,
  firstConnection,
  PAST_SPANS,
  type PastMeasure,
  type PastSpan,
} from './link-past.ts';

interface PastChoice {
  readonly measure: PastMeasure;
  readonly span: PastSpan;
  readonly connection: ConnectionFacts;
}

export const pastChoice = (query: URLSearchParams, link: LinkView): PastChoice => ({
  measure: query.get('measure') === 'delay' ? 'delay' : 'bandwidth',
  span: PAST_SPANS.find(({ key }) => key === query.get('span')) ?? FIRST_SPAN,
  connection:
    link.connections.find(facts => connectionName(facts) === query.get('connection')) ??
    firstConnection(link),
});

/** The inverse, with the rest of the address; the usual measure and span are left out of an address. */
export const pastQuery = (
  query: URLSearchParams,
  chosen: { readonly measure?: PastMeasure; readonly span?: string; readonly connection?: string },
): URLSearchParams => {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(chosen)) next.set(name, value);
  for (const [name, usual] of USUAL) if (next.get(name) === usual) next.delete(name);
  return next;
};

const USUAL: readonly (readonly [string, string])[] = [
  ['measure', 'bandwidth'],
  ['span', FIRST_SPAN.key],
];
