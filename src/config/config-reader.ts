// Reads values from a parsed TOML document one by one and collects every problem, so a person can fix them all at once.

import { counted } from '../core/figure/figure.ts';
import { nearest } from '../core/text/nearest.ts';
import { CONFIG_SECTIONS } from './config-keys.ts';
import { type ConfigProblem, placeAt } from './config-problem.ts';
import type { ConfigSection, TomlValue } from './config-section.ts';
import type { ValueParser } from './config-values.ts';
import { plainValue, type TomlEntries, type TomlNode } from './toml-document.ts';

interface ConfigDocument {
  readonly file: string;
  readonly text: string;
  readonly entries: TomlEntries;
}

export class ConfigReader {
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

  /** The value, or its default if it is not set or invalid. */
  value<T>(section: string, key: string, parse: ValueParser<T>): T {
    const set = this.optional(section, key, parse);
    if (set !== undefined) return set;
    const standard = parse(defaultOf(section, key));
    if (standard.kind === 'ok') return standard.value;
    throw new TypeError(`the default of ${section}.${key} is not valid: ${standard.problem}`);
  }

  /** undefined if it is not set or invalid. */
  optional<T>(section: string, key: string, parse: ValueParser<T>): T | undefined {
    const written = this.written(section, key);
    return written === undefined ? undefined : this.#parsed(written, nameOf(section, key), parse);
  }

  /** The valid items; none if it is not set, which is the default of every list. */
  list<T>(section: string, key: string, parse: ValueParser<T>): readonly T[] {
    const written = this.written(section, key);
    if (written === undefined) return [];
    if (written.kind !== 'list') {
      this.#report(written.valueOffset, `${key} is not a list`, 'Write it in brackets: ["one", "two"].');
      return [];
    }
    if (written.items.length > LIST_LENGTH_MAX) {
      const problem = `${key} has ${counted(written.items.length, 'item')}`;
      this.#report(written.valueOffset, problem, `At most ${LIST_LENGTH_MAX} are allowed.`);
      return [];
    }
    return written.items
      .map(item => this.#parsed(item, nameOf(section, key), parse))
      .filter(item => item !== undefined);
  }

  /** One value of each block of a list section; blocks without it are a problem. */
  blocks<T>(section: string, key: string, parse: ValueParser<T>): readonly T[] {
    const values: T[] = [];
    for (const block of this.blocksOf(section)) {
      const written = block.entries.get(key);
      if (written === undefined) {
        this.#report(block.keyOffset, `this [[${section}]] has no ${key}`, `Add a line: ${key} = "…".`);
        continue;
      }
      const value = this.#parsed(written, nameOf(section, key), parse);
      if (value !== undefined) values.push(value);
    }
    return values;
  }

  blocksOf(section: string): readonly (TomlNode & { readonly kind: 'table' })[] {
    const list = this.#document.entries.get(section);
    return list?.kind === 'list' && list.items.length <= LIST_LENGTH_MAX
      ? list.items.filter(item => item.kind === 'table')
      : [];
  }

  lineOf({ keyOffset }: TomlNode): number {
    return placeAt(this.#document.text, keyOffset).line;
  }

  #parsed<T>(written: TomlNode, name: string, parse: ValueParser<T>): T | undefined {
    const value = parse(plainValue(written));
    if (value.kind === 'ok') return value.value;
    this.#report(written.valueOffset, `${name}: ${value.problem}`, value.advice);
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

  #report(offset: number, problem: string, advice: string): void {
    if (this.problems.length >= PROBLEMS_MAX) return;
    const { file, text } = this.#document;
    this.problems.push({ file, place: placeAt(text, offset), problem, advice });
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

/** @throws TypeError for a key that is missing from the table of keys: only documented keys are read. */
const defaultOf = (section: string, key: string): TomlValue | undefined => {
  const found = CONFIG_SECTIONS.find(({ name }) => name === section)?.keys.find(
    candidate => candidate.key === key,
  );
  if (found === undefined) throw new TypeError(`config key ${section}.${key} is not documented`);
  return found.default;
};

const LIST_LENGTH_MAX = 256;
/** Each costs a pass over the text for its line, and nobody fixes more at once: the next check finds the rest. */
const PROBLEMS_MAX = 64;
