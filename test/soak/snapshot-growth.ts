// `node test/soak/snapshot-growth.ts EARLY LATE`: of two heap snapshots of one process, what the second has more of, by
// constructor: how many objects and how many bytes of their own. The format: v8's heap-snapshot-generator, "meta" names the fields.

import { readFileSync } from 'node:fs';

interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly (string | readonly string[])[];
    };
  };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

interface Kind {
  count: number;
  bytes: number;
}

const kindsOf = ({ snapshot: { meta }, nodes, strings }: Snapshot): ReadonlyMap<string, Kind> => {
  const at = (field: string): number => meta.node_fields.indexOf(field);
  const [type, name, size] = [at('type'), at('name'), at('self_size')];
  const types = meta.node_types[type] ?? [];
  const kinds = new Map<string, Kind>();
  for (let index = 0; index < nodes.length; index += meta.node_fields.length) {
    const typeName = types[nodes[index + type] ?? 0] ?? '';
    // Each string and each function's code would be a kind of its own.
    const isNamed = typeName === 'object' || typeName === 'native' || typeName === 'closure';
    const key = isNamed ? `${typeName} ${strings[nodes[index + name] ?? 0] ?? ''}` : typeName;
    const kind = kinds.get(key) ?? { count: 0, bytes: 0 };
    kind.count += 1;
    kind.bytes += nodes[index + size] ?? 0;
    kinds.set(key, kind);
  }
  return kinds;
};

/** The kinds that have grown most, the largest growth first. */
const growthOf = (
  early: ReadonlyMap<string, Kind>,
  late: ReadonlyMap<string, Kind>,
): readonly { readonly kind: string; readonly count: number; readonly bytes: number }[] =>
  [...late]
    .map(([kind, { count, bytes }]) => {
      const before = early.get(kind) ?? { count: 0, bytes: 0 };
      return { kind, count: count - before.count, bytes: bytes - before.bytes };
    })
    .filter(({ count, bytes }) => count > 0 || bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);

const [early, late] = process.argv.slice(2).map(file => kindsOf(JSON.parse(readFileSync(file, 'utf8'))));
if (early === undefined || late === undefined) throw new Error('name two heap snapshots');
const total = (kinds: ReadonlyMap<string, Kind>): number =>
  [...kinds.values()].reduce((sum, { bytes }) => sum + bytes, 0);
process.stdout.write(`all: ${total(early)} to ${total(late)} bytes\n`);
for (const { kind, count, bytes } of growthOf(early, late).slice(0, 40))
  process.stdout.write(`${bytes} bytes, ${count} objects more: ${kind}\n`);
