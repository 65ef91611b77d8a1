// Takes out of events who and where: node ids, names of machines and of what people name on them, addresses, paths. What
// hardware it is, how loaded, and every figure stays, for that is what a recording is for. Names of models stay too.

import type { Event } from '../core/event.ts';
import type { NodeId } from '../core/ids.ts';
import { isNodeId } from '../core/ids.ts';
import { entriesOf } from '../core/selectors.ts';
import type { State } from '../core/state.ts';
import { HiddenText } from './hidden-text.ts';
import type { RecordedEvent } from './recording-line.ts';
import { eventsOf, originsOf } from './state-events.ts';

export class Anonymiser {
  readonly #text = new HiddenText();

  /** Ids and names before they are needed, in an order that does not depend on which is spoken of first. */
  learn(state: State): void {
    for (const origin of originsOf(state)) this.#text.pseudonyms.nodeId(origin);
    for (const origin of originsOf(state)) this.learnEvents(eventsOf(state, origin));
    for (const runs of entriesOf(state.runs))
      for (const runId of Object.keys(runs)) this.#text.learn('run', runId);
  }

  learnEvents(events: readonly Event[]): void {
    for (const event of events) {
      switch (event.kind) {
        case 'identity.gathered': {
          const { friendlyName, hostName } = event.payload.value;
          this.#text.learn('node', friendlyName);
          this.#text.learn('host', hostName);
          break;
        }
        case 'thunderbolt.gathered':
          for (const port of event.payload.value.ports)
            for (const { name } of port.peers) this.#text.learn('node', name);
          break;
        case 'run.started':
        case 'run.ended':
          this.#text.learn('run', event.payload.runId);
          break;
        default:
          break;
      }
    }
  }

  nodeId(real: NodeId): NodeId {
    return this.#text.pseudonyms.nodeId(real);
  }

  event(event: RecordedEvent): RecordedEvent {
    return {
      ...event,
      origin: this.nodeId(event.origin),
      key: KEYS_THAT_SAY_NOTHING.test(event.kind) ? event.key : this.#text.key(event.key),
      payload: this.#value(event.payload, ''),
    };
  }

  /** `field`: where it stands; a list's for what is in it. */
  #value(value: unknown, field: string): unknown {
    if (typeof value === 'string') return this.#string(value, field);
    if (Array.isArray(value)) return value.map(one => this.#value(one, field));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        this.#value(inner, name === 'name' && field === 'interfaces' ? 'interfaceName' : name),
      ]),
    );
  }

  #string(text: string, field: string): string {
    if (PLAIN_FIELDS.has(field)) return text;
    const { pseudonyms } = this.#text;
    switch (field) {
      case 'friendlyName':
        return this.#text.learn('node', text);
      case 'hostName':
        return this.#text.learn('host', text);
      case 'runId':
        return this.#text.learn('run', text);
      case 'connectionKey':
      case 'runnerKey':
        return this.#text.key(text);
      case 'interfaceName':
      case 'sourceInterface':
      case 'sinkInterface':
      case 'rdmaInterfaceName':
      case 'members':
      case 'ignoredInterfaces':
        return pseudonyms.interfaceName(text);
      case 'nodeGuid':
      case 'systemImageGuid':
      case 'subnetPrefix':
        return pseudonyms.guid(text);
      case 'sinkAddress':
        return this.#text.address(text);
      case 'directory':
        return pseudonyms.of('directory', text, number => `/recording/run-${number}`);
      case 'mountPoint':
        return SYSTEM_MOUNT.test(text) ? text : pseudonyms.of('volume', text, number => `/volume-${number}`);
      case 'device':
        return text.startsWith('/dev/') ? text : pseudonyms.of('share', text, number => `share-${number}`);
      case 'devices':
        return pseudonyms.of('device', text, number => `device-${number}`);
      case 'tags':
        return pseudonyms.of('tag', text, number => `tag-${number}`);
      case 'serviceName':
        return text === 'Thunderbolt Bridge'
          ? text
          : pseudonyms.of('service', text, number => `service-${number}`);
      case 'dataset':
        return text.startsWith('synthetic')
          ? text
          : pseudonyms.of('data set', text, number => `data set ${number}`);
      default:
        return isNodeId(text) ? this.nodeId(text) : this.#text.hidden(text);
    }
  }
}

/** The key of these is the name of a reading or of a vendor. */
const KEYS_THAT_SAY_NOTHING = /^(?:gpus|gpuLoads|reading)\./;
const SYSTEM_MOUNT = /^\/(?:boot(?:\/efi)?|System\/Volumes\/Data)?$/;

/** Words of a fixed list, and what hardware and software are called. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set([
  'kind',
  'vendor',
  'reading',
  'status',
  'state',
  'type',
  'platform',
  'level',
  'linkLayer',
  'physicalState',
  'family',
  'scope',
  'fileSystem',
  'architecture',
  'virtualisation',
  'phase',
  'source',
  'engine',
  'deviceKind',
  'deviceName',
  'verdict',
  'model',
  'chip',
  'driver',
  'runtime',
  'firmware',
  'version',
  'build',
  'plimsollVersion',
  'serverKind',
  'startedAt',
  'failure',
]);
