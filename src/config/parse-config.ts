// From the text of config.toml to a Config, or to everything that is wrong with it.

import { counted } from '../core/figure/figure.ts';
import { nearest } from '../core/text/nearest.ts';
import type { Config } from './config.ts';
import { CONFIG_SECTIONS, type ConfigKey, type ConfigSection, tomlText } from './config-keys.ts';
import { type ConfigProblem, positionAt, positionOfSecret, withoutCredentials } from './config-problem.ts';
import { parseToml, plainValue, type TomlEntries, type TomlNode } from './toml-document.ts';
import { type ValueReader, valueKind } from './value-kinds.ts';

export type ParsedConfig =
  | { readonly kind: 'ok'; readonly config: Config; readonly settings: readonly Setting[] }
  | { readonly kind: 'broken'; readonly problems: readonly ConfigProblem[] };

/** One key with its effective value. */
export interface Setting {
  readonly section: string;
  /** Of a section that is a list: its number in the file. */
  readonly block?: number;
  readonly key: string;
  /** As TOML, without credentials; '' if it is not set and has no default. */
  readonly valueText: string;
  readonly source: { readonly kind: 'default' } | { readonly kind: 'file'; readonly line: number };
}

/** Never throws, for any text. */
export const parseConfig = (text: string, file: string): ParsedConfig => {
  const document = parseToml(text);
  if (document.kind === 'broken') return { kind: 'broken', problems: [notToml(document, text, file)] };
  const reader = new ConfigReader({ file, text, entries: document.entries });
  const config = reader.config();
  if (reader.problems.length > 0) return { kind: 'broken', problems: inOrder(reader.problems) };
  if (!isConfig(config)) throw new TypeError('a section of config.toml was not read');
  return { kind: 'ok', config, settings: CONFIG_SECTIONS.flatMap(section => settingsOf(reader, section)) };
};

const notToml = (
  { problem, offset }: { readonly problem: string; readonly offset: number },
  text: string,
  file: string,
): ConfigProblem => ({
  file,
  position: positionAt(text, offset),
  problem: `this is not TOML: ${problem.charAt(0).toLowerCase()}${problem.slice(1)}`,
  advice: 'Text is in quotes, lists in brackets, sections on their own lines: see https://toml.io.',
});

/** Each value has the type of its reader, as Config does. */
const isConfig = (config: object): config is Config =>
  CONFIG_SECTIONS.every(({ name, keys }) =>
    name === '' ? keys.every(({ property }) => property in config) : name in config,
  );

const settingsOf = (
  reader: ConfigReader,
  { name: section, isList, keys }: ConfigSection,
): readonly Setting[] => {
  const fromFile = (key: string, written: TomlNode): Setting => ({
    section,
    key,
    valueText: isSecret(keys, key) ? HIDDEN_VALUE : writtenText(plainValue(written)),
    source: { kind: 'file', line: reader.lineOf(written) },
  });
  if (isList) {
    return reader
      .blocksOf(section)
      .flatMap(({ entries }, block) =>
        [...entries].map(([key, written]) => ({ ...fromFile(key, written), block })),
      );
  }
  return keys.map(({ key, default: standard }): Setting => {
    const written = reader.written(section, key);
    if (written !== undefined) return fromFile(key, written);
    const valueText = standard === undefined ? '' : tomlText(standard);
    return { section, key, valueText, source: { kind: 'default' } };
  });
};

const isSecret = (keys: readonly ConfigKey[], key: string): boolean =>
  keys.some(each => each.key === key && valueKind(each.kind).isSecret === true);

const HIDDEN_VALUE = '"…"';

/** A checked value contains only what JSON and TOML write in the same way. */
const writtenText = (written: unknown): string =>
  withoutCredentials(JSON.stringify(written).replaceAll('","', '", "'));

const inOrder = (problems: readonly ConfigProblem[]): readonly ConfigProblem[] =>
  problems.toSorted(
    (a, b) =>
      (a.position?.line ?? 0) - (b.position?.line ?? 0) ||
      (a.position?.column ?? 0) - (b.position?.column ?? 0),
  );

// Reads values from a parsed TOML document one by one and collects every problem, so a person can fix them all at once.
interface ConfigDocument {
  readonly file: string;
  readonly text: string;
  readonly entries: TomlEntries;
}

class ConfigReader {
  readonly problems: ConfigProblem[] = [];
  readonly #document: ConfigDocument;

  constructor(document: ConfigDocument) {
    this.#document = document;
    this.#refuseUnknownKeys();
  }

  /** The node of a key in the file; undefined if it is not there. */
  written(section: string, key: string): TomlNode | undefined {
    if (section === '') return this.#document.entries.get(key);
    const table = this.#document.entries.get(section);
    return table?.kind === 'table' ? table.entries.get(key) : undefined;
  }

  /** By section and property; what is invalid has its default, or is left out of its list. */
  config(): object {
    return Object.fromEntries(
      CONFIG_SECTIONS.flatMap((section): readonly (readonly [string, unknown])[] => {
        const { name, isList } = section;
        if (isList) return [[name, this.blocksOf(name).map(block => this.#block(section, block))]];
        const values = section.keys.map((key): readonly [string, unknown] => [
          key.property,
          this.#value(name, key, this.written(name, key.key)),
        ]);
        return name === '' ? values : [[name, Object.fromEntries(values)]];
      }),
    );
  }

  #block({ name, keys }: ConfigSection, { entries, keyOffset }: TomlTable): object {
    return Object.fromEntries(
      keys.map(key => {
        const written = entries.get(key.key);
        if (written === undefined && key.default === undefined) {
          const problem = `this [[${name}]] has no ${key.key}`;
          this.#report(keyOffset, problem, `Add a line: ${key.key} = "…".`);
        }
        return [key.property, this.#value(name, key, written)];
      }),
    );
  }

  #value(section: string, key: ConfigKey, written: TomlNode | undefined): unknown {
    const name = nameOf(section, key.key);
    const read = readerOf(key);
    const isHidden = isSecret([key], key.key);
    if (Array.isArray(key.default))
      return written === undefined ? [] : this.#list(written, key.key, name, read);
    const value = written === undefined ? undefined : this.#parsed(written, name, read, isHidden);
    if (value !== undefined || key.default === undefined) return value;
    const standard = read(key.default, false);
    if (standard.kind === 'ok') return standard.value;
    throw new TypeError(`the default of ${name} is not valid: ${standard.problem}`);
  }

  #list(written: TomlNode, key: string, name: string, read: ValueReader<unknown>): readonly unknown[] {
    if (written.kind !== 'list') {
      this.#report(written.valueOffset, `${key} is not a list`, 'Write it in brackets: ["one", "two"].');
      return [];
    }
    if (written.items.length > LIST_LENGTH_MAX) {
      const problem = `${key} has ${counted(written.items.length, 'item')}`;
      this.#report(written.valueOffset, problem, `At most ${LIST_LENGTH_MAX} are allowed.`);
      return [];
    }
    return written.items.map(item => this.#parsed(item, name, read)).filter(item => item !== undefined);
  }

  blocksOf(section: string): readonly TomlTable[] {
    const list = this.#document.entries.get(section);
    return list?.kind === 'list' && list.items.length <= LIST_LENGTH_MAX
      ? list.items.filter(item => item.kind === 'table')
      : [];
  }

  lineOf({ keyOffset }: TomlNode): number {
    return positionAt(this.#document.text, keyOffset).line;
  }

  #parsed(written: TomlNode, name: string, read: ValueReader<unknown>, isHidden = false): unknown {
    const value = read(plainValue(written), true);
    if (value.kind === 'ok') return value.value;
    this.#report(written.valueOffset, `${name}: ${value.problem}`, value.advice, isHidden);
    return undefined;
  }

  #refuseUnknownKeys(): void {
    const topKeys = CONFIG_SECTIONS.flatMap(({ name, keys }) =>
      name === '' ? keys.map(({ key }) => key) : [name],
    );
    this.#refuseUnknown(this.#document.entries, topKeys, '');
    for (const section of CONFIG_SECTIONS) {
      const written = this.#document.entries.get(section.name);
      if (section.name === '' || written === undefined) continue;
      if (section.isList) this.#checkBlocks(section, written);
      else this.#checkTable(section, written);
    }
  }

  #checkBlocks(section: ConfigSection, written: TomlNode): void {
    if (written.kind !== 'list') {
      const advice = `Write [[${section.name}]].`;
      this.#report(written.keyOffset, `${section.name} is not a list of blocks`, advice);
    } else if (written.items.length > LIST_LENGTH_MAX) {
      const advice = `At most ${LIST_LENGTH_MAX} are allowed.`;
      this.#report(written.keyOffset, counted(written.items.length, 'block'), advice);
    } else for (const block of written.items) this.#checkTable(section, block);
  }

  #checkTable({ name, keys }: ConfigSection, written: TomlNode): void {
    if (written.kind === 'table') {
      this.#refuseUnknown(
        written.entries,
        keys.map(({ key }) => key),
        ` in [${name}]`,
      );
    } else {
      const advice = `Put its keys under a line [${name}].`;
      this.#report(written.keyOffset, `${name} is a section, not a value`, advice);
    }
  }

  #refuseUnknown(entries: TomlEntries, known: readonly string[], where: string): void {
    for (const [key, { keyOffset }] of entries) {
      if (this.problems.length >= PROBLEMS_MAX) return;
      if (known.includes(key)) continue;
      this.#report(
        keyOffset,
        `unknown key ${JSON.stringify(key.slice(0, 60))}${where}`,
        adviceFor(key, known),
      );
    }
  }

  #report(offset: number, problem: string, advice: string, isHidden = false): void {
    if (this.problems.length >= PROBLEMS_MAX) return;
    const { file, text } = this.#document;
    const position = (isHidden ? positionOfSecret : positionAt)(text, offset);
    this.problems.push({ file, position, problem, advice });
  }
}

const adviceFor = (key: string, known: readonly string[]): string => {
  const meant = nearest(key, known);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  const home = CONFIG_SECTIONS.find(section => section.keys.some(candidate => candidate.key === key));
  if (home !== undefined && home.name !== '') return `It belongs under [${home.name}].`;
  return `Known here: ${known.join(', ')}.`;
};

const nameOf = (section: string, key: string): string => (section === '' ? key : `${section}.${key}`);

const readerOf = ({ kind, min = 0, max = 0 }: ConfigKey): ValueReader<unknown> =>
  valueKind(kind).read({ min, max });

type TomlTable = TomlNode & { readonly kind: 'table' };

const LIST_LENGTH_MAX = 256;
/** Each costs a pass over the text for its line, and nobody fixes more at once: the next check finds the rest. */
const PROBLEMS_MAX = 64;
