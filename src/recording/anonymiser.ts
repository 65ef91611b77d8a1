// Removes identities from events: node ids, names of machines and of what people name on them, addresses, paths.
// Hardware, load and all figures stay, because a recording is for those. Names of models stay too.

import { entriesOf } from '../core/entry-maps.ts';
import type { Event } from '../core/event.ts';
import { EVENT_KINDS, isEventKind } from '../core/event-kinds.ts';
import { isNodeId, type NodeId } from '../core/ids.ts';
import type { TextClass } from '../core/kind-row.ts';
import type { State } from '../core/state.ts';
import { isUnknown, unknown } from '../core/unknown.ts';
import { knownPayload } from '../wire/event-schema.ts';
import { HiddenText } from './hidden-text.ts';
import { eventsOf, originsOf, type RecordedEvent } from './recording-line.ts';

export class Anonymiser {
  readonly #text = new HiddenText();

  /** Assigns ids and names in advance, in an order that does not depend on which appears first. */
  learn(state: State): void {
    for (const origin of originsOf(state)) this.#text.pseudonyms.nodeId(origin);
    for (const origin of originsOf(state)) this.learnEvents(eventsOf(state, origin));
    for (const runs of entriesOf(state.runs))
      for (const runId of Object.keys(runs)) this.#text.learn('run', runId);
  }

  learnEvents(events: readonly Event[]): void {
    for (const event of events)
      if (event.kind !== 'unknown') this.#learnTexts(event.payload, textsOf(event.kind), '');
  }

  nodeId(real: NodeId): NodeId {
    return this.#text.pseudonyms.nodeId(real);
  }

  /** Kinds of newer versions are left out: this version cannot know what to hide in them. */
  event(event: RecordedEvent): RecordedEvent {
    const { kind, payload } = event;
    const isKeyPlain = isEventKind(kind) && EVENT_KINDS[kind].isKeyPlain === true;
    const known = isEventKind(kind) ? knownPayload(kind, payload) : undefined;
    return {
      ...event,
      origin: this.nodeId(event.origin),
      key: isKeyPlain ? event.key : this.#text.key(event.key),
      payload: this.#value(known, textsOf(kind), ''),
    };
  }

  #learnTexts(value: unknown, texts: Texts, field: string): void {
    if (typeof value === 'string') {
      const name = NAMES[texts[field] ?? 'plain'];
      if (name !== undefined) this.#text.learn(name, value);
    } else if (Array.isArray(value)) for (const one of value) this.#learnTexts(one, texts, field);
    else if (typeof value === 'object' && value !== null && !isUnknown(value))
      for (const [name, inner] of Object.entries(value)) this.#learnTexts(inner, texts, name);
  }

  /** `field`: its name; for list items the list's. Undefined: left out. */
  #value(value: unknown, texts: Texts, field: string): unknown {
    if (typeof value === 'string') return this.#string(value, texts[field]);
    if (Array.isArray(value))
      return value.map(one => this.#value(one, texts, field)).filter(one => one !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    if (isUnknown(value)) return unknown(this.#text.hidden(value.reason), value.code);
    return Object.fromEntries(
      Object.entries(value)
        .map(([name, inner]) => [name, this.#value(inner, texts, name)] as const)
        .filter(([, inner]) => inner !== undefined),
    );
  }

  #string(text: string, textClass: TextClass | undefined): string | undefined {
    const { pseudonyms } = this.#text;
    switch (textClass) {
      case undefined:
        return isNodeId(text) ? this.nodeId(text) : undefined;
      case 'plain':
        return text;
      case 'free':
        return this.#text.hidden(text);
      case 'nodeName':
        return this.#text.learn('node', text);
      case 'hostName':
        return this.#text.learn('host', text);
      case 'runId':
        return this.#text.learn('run', text);
      case 'key':
        return this.#text.key(text);
      case 'interface':
        return pseudonyms.interfaceName(text);
      case 'guid':
        return pseudonyms.guid(text);
      case 'address':
        return this.#text.address(text);
      case 'directory':
        return pseudonyms.of('directory', text, number => `/recording/run-${number}`);
      case 'mountPoint':
        return SYSTEM_MOUNT.test(text) ? text : pseudonyms.of('volume', text, number => `/volume-${number}`);
      case 'blockDevice':
        return pseudonyms.blockDevice(text);
      case 'modelName':
        return pseudonyms.modelName(text);
      case 'peripheral':
        return pseudonyms.of('device', text, number => `device-${number}`);
      case 'tag':
        return pseudonyms.of('tag', text, number => `tag-${number}`);
      case 'site':
        return pseudonyms.of('site', text, number => `site-${number}`);
      case 'rack':
        return pseudonyms.of('rack', text, number => `rack-${number}`);
      case 'machineKind':
        return pseudonyms.of('kind', text, number => `kind-${number}`);
      case 'service':
        return text === 'Thunderbolt Bridge'
          ? text
          : pseudonyms.of('service', text, number => `service-${number}`);
      case 'dataset':
        return text.startsWith('synthetic: ')
          ? text
          : pseudonyms.of('data set', text, number => `data set ${number}`);
      default:
        return textClass satisfies never;
    }
  }
}

type Texts = Readonly<Record<string, TextClass>>;

const textsOf = (kind: string): Texts => (isEventKind(kind) ? EVENT_KINDS[kind].texts : {});

/** Texts that name something and may appear elsewhere. */
const NAMES: { readonly [C in TextClass]?: 'node' | 'host' | 'run' } = {
  nodeName: 'node',
  hostName: 'host',
  runId: 'run',
};

const SYSTEM_MOUNT = /^\/(?:boot(?:\/efi)?|System\/Volumes\/Data)?$/;
