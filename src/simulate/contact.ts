// Whether one simulated machine reaches another over a cable, and since when: the only place that decides when connections
// are lost and return. Losses have the codes and reasons that a daemon records (daemon/mesh/connections.ts).

import type { LossCode } from '../core/link/connection.ts';
import { type Absence, intoSeconds, isDuring, lastEndOf, type Spell } from './absence.ts';
import type { Cable } from './scenario/scenario.ts';
import type { Site } from './site.ts';

export type Contact =
  | {
      readonly kind: 'open';
      /** Since the simulation began; -Infinity: since long before. */
      readonly sinceSeconds: number;
      /** For how long it was lost before that; Infinity if it is new. */
      readonly lostSeconds: number;
    }
  | { readonly kind: 'lost'; readonly code: LossCode; readonly reason: string }
  /** A device that cannot be used. */
  | { readonly kind: 'absent' };

export type ContactAt = (atSeconds: number) => Contact;

export const contactOver = (
  { outages = [] }: Pick<Cable, 'outages'>,
  [source, sink]: readonly [Site, Site],
  absences: readonly Absence[],
): ContactAt => {
  const isNew = [source, sink].some(({ machine }) => machine.quirks?.isUnmeasured === true);
  const joined: Contact = isNew ? NEW_CONTACT : OLD_CONTACT;
  const interruptions = [
    ...absences.filter(({ machine }) => machine === sink.index).map(absenceOfSink),
    ...outages.map(outage => noticed(outage, LOST_SECONDS.outage, () => NO_ANSWER)),
    // The source itself reports nothing while it is away; back again, it measures as after any other loss.
    ...absences
      .filter(({ machine }) => machine === source.index)
      .map((absence): Interruption => ({ spell: absence, lossAt: () => undefined })),
  ];
  // Most machines are always up.
  if (interruptions.length === 0) return () => joined;
  return atSeconds => contactAt(interruptions, joined, atSeconds);
};

interface Interruption {
  readonly spell: Spell;
  readonly lossAt: (intoSeconds: number) => Extract<Contact, { kind: 'lost' }> | undefined;
}

const contactAt = (interruptions: readonly Interruption[], joined: Contact, atSeconds: number): Contact => {
  let newest = joined;
  for (const { spell, lossAt } of interruptions) {
    const loss = isDuring(spell, atSeconds) ? lossAt(intoSeconds(spell, atSeconds)) : undefined;
    if (loss !== undefined) return loss;
    const endedAt = lastEndOf(spell, atSeconds);
    if (endedAt !== undefined && newest.kind === 'open' && endedAt > newest.sinceSeconds)
      newest = { kind: 'open', sinceSeconds: endedAt, lostSeconds: spell.seconds };
  }
  return newest;
};

/** A daemon that stops announces it at once; a machine without power is called offline half a minute after its last event. */
const absenceOfSink = (absence: Absence): Interruption =>
  absence.isOrderly === true
    ? noticed(absence, LOST_SECONDS.stop, () => ({
        kind: 'lost',
        code: 'node-stopped',
        reason: 'the node stopped',
      }))
    : noticed(absence, LOST_SECONDS.absence, into =>
        into < OFFLINE_SECONDS - LOST_SECONDS.absence
          ? NO_ANSWER
          : { kind: 'lost', code: 'node-offline', reason: 'the node is offline' },
      );

const noticed = (spell: Spell, afterSeconds: number, lossAt: Interruption['lossAt']): Interruption => ({
  spell: {
    ...spell,
    fromSeconds: spell.fromSeconds + afterSeconds,
    seconds: spell.seconds - afterSeconds + FOUND_SECONDS,
  },
  lossAt,
});

export const OLD_CONTACT: Contact = { kind: 'open', sinceSeconds: Number.NEGATIVE_INFINITY, lostSeconds: 0 };
export const NEW_CONTACT: Contact = { kind: 'open', sinceSeconds: 0, lostSeconds: Number.POSITIVE_INFINITY };
const NO_ANSWER = { kind: 'lost', code: 'no-answer', reason: 'no answer' } as const;
/** Reachability is checked about every 10 s, and at once when an interface of this machine has changed. */
const LOST_SECONDS = { absence: 12, outage: 6, stop: 1 } as const;
const FOUND_SECONDS = 4;
const OFFLINE_SECONDS = 30;
