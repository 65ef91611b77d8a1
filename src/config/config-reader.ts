// Takes values out of a parsed TOML document one by one and collects everything that is wrong with it, so that a person
// mends a file once and not once a mistake.

import { nearest } from '../core/text/nearest.ts';
import type { ConfigSection, TomlValue } from './config-keys.ts';
import { CONFIG_SECTIONS } from './config-keys.ts';
import type { ConfigProblem } from './config-problem.ts';
import { placeAt } from './config-problem.ts';
import type { ValueParser } from './config-values.ts';
import type { TomlPath } from './toml-places.ts';
import { TomlPlaces } from './toml-places.ts';

export interface ConfigDocument {
  readonly file: string;
  readonly text: string;
  readonly table: Readonly<Record<string, unknown>>;
}

export class ConfigReader {
  readonly problems: ConfigProblem[] = [];
  readonly #document: ConfigDocument;
  readonly #places: TomlPlaces;

  constructor(document: ConfigDocument) {
    this.#document = document;
    this.#places = new TomlPlaces(document.text);
    this.#refuseUnknownKeys();
  }

  isSet(section: string, key: string): boolean {
    return this.#written(section, key) !== undefined;
  }

  /** The value, or its default where it is not set or wrong. */
  value<T>(section: string, key: string, parse: ValueParser<T>): T {
    const set = this.optional(section, key, parse);
    if (set !== undefined) return set;
    const standard = parse(defaultOf(section, key));
    if (standard.kind === 'ok') return standard.value;
    throw new TypeError(`the default of ${section}.${key} is not valid: ${standard.problem}`);
  }

  /** undefined where it is not set or wrong. */
  optional<T>(section: string, key: string, parse: ValueParser<T>): T | undefined {
    const written = this.#written(section, key);
    if (written === undefined) return undefined;
    return this.#parsed(written, pathOf(section, key), parse);
  }

  list<T>(section: string, key: string, parse: ValueParser<T>): readonly T[] {
    const written = this.#written(section, key) ?? defaultOf(section, key) ?? [];
    const path = pathOf(section, key);
    if (!Array.isArray(written)) {
      this.#report(path, 'value', `${key} is not a list`, 'Write it in brackets: ["one", "two"].');
      return [];
    }
    if (written.length > LIST_LENGTH_MAX) {
      this.#report(
        path,
        'value',
        `${key} has ${written.length} items`,
        `At most ${LIST_LENGTH_MAX} are allowed.`,
      );
      return [];
    }
    return written
      .map((item, index) => this.#parsed(item, [...path, index], parse))
      .filter(item => item !== undefined);
  }

  /** One value of each block of a list section; blocks without it are a problem. */
  blocks<T>(section: string, key: string, parse: ValueParser<T>): readonly T[] {
    const values: T[] = [];
    for (const [index, block] of this.#blocksOf(section).entries()) {
      const written = ownValue(block, key);
      if (written === undefined) {
        this.#report(
          [section, index],
          'key',
          `this [[${section}]] has no ${key}`,
          `Add a line: ${key} = "…".`,
        );
        continue;
      }
      const value = this.#parsed(written, [section, index, key], parse);
      if (value !== undefined) values.push(value);
    }
    return values;
  }

  /** Line of a key that the file sets. */
  lineOf(section: string, key: string): number {
    return placeAt(this.#document.text, this.#places.find(pathOf(section, key)).keyOffset).line;
  }

  lineOfBlock(section: string, index: number, key: string): number {
    return placeAt(this.#document.text, this.#places.find([section, index, key]).keyOffset).line;
  }

  #parsed<T>(written: unknown, path: TomlPath, parse: ValueParser<T>): T | undefined {
    const value = parse(written);
    if (value.kind === 'ok') return value.value;
    const name = path.filter(part => typeof part === 'string').join('.');
    this.#report(path, 'value', `${name}: ${value.problem}`, value.advice);
    return undefined;
  }

  #written(section: string, key: string): unknown {
    if (section === '') return ownValue(this.#document.table, key);
    const table = ownValue(this.#document.table, section);
    return isTable(table) ? ownValue(table, key) : undefined;
  }

  #refuseUnknownKeys(): void {
    const top = sectionNamed('');
    const topKeys = [
      ...(top?.keys.map(({ key }) => key) ?? []),
      ...CONFIG_SECTIONS.map(({ name }) => name).filter(name => name !== ''),
    ];
    for (const key of Object.keys(this.#document.table)) {
      if (!topKeys.includes(key)) this.#reportUnknown([key], topKeys);
    }
    for (const section of CONFIG_SECTIONS) {
      if (section.name === '') continue;
      if (section.isList) this.#checkBlocks(section);
      else this.#checkTable(section, [section.name], ownValue(this.#document.table, section.name));
    }
  }

  #checkBlocks(section: ConfigSection): void {
    const written = ownValue(this.#document.table, section.name);
    if (written === undefined) return;
    if (!Array.isArray(written)) {
      this.#report(
        [section.name],
        'key',
        `${section.name} is not a list of blocks`,
        `Write [[${section.name}]].`,
      );
      return;
    }
    if (written.length > LIST_LENGTH_MAX) {
      this.#report(
        [section.name],
        'key',
        `${written.length} blocks`,
        `At most ${LIST_LENGTH_MAX} are allowed.`,
      );
      return;
    }
    written.forEach((block, index) => {
      this.#checkTable(section, [section.name, index], block);
    });
  }

  #checkTable(section: ConfigSection, path: TomlPath, table: unknown): void {
    if (table === undefined) return;
    if (!isTable(table)) {
      const advice = `Put its keys under a line [${section.name}].`;
      this.#report(path, 'key', `${section.name} is a section, not a value`, advice);
      return;
    }
    const keys = section.keys.map(({ key }) => key);
    for (const key of Object.keys(table)) {
      if (!keys.includes(key)) this.#reportUnknown([...path, key], keys);
    }
  }

  #blocksOf(section: string): readonly Readonly<Record<string, unknown>>[] {
    const written = ownValue(this.#document.table, section);
    return Array.isArray(written) && written.length <= LIST_LENGTH_MAX ? written.filter(isTable) : [];
  }

  #reportUnknown(path: TomlPath, known: readonly string[]): void {
    const key = String(path.at(-1));
    const section = path.length === 1 ? '' : ` in [${path[0]}]`;
    this.#report(
      path,
      'key',
      `unknown key ${JSON.stringify(key.slice(0, 60))}${section}`,
      adviceFor(key, known),
    );
  }

  #report(path: TomlPath, at: 'key' | 'value', problem: string, advice: string): void {
    const place = this.#places.find(path);
    this.problems.push({
      file: this.#document.file,
      place: placeAt(this.#document.text, at === 'key' ? place.keyOffset : place.valueOffset),
      problem,
      advice,
    });
  }
}

export const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const adviceFor = (key: string, known: readonly string[]): string => {
  const meant = nearest(key, known);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  const home = CONFIG_SECTIONS.find(section => section.keys.some(candidate => candidate.key === key));
  if (home !== undefined && home.name !== '') return `It belongs under [${home.name}].`;
  return `Known here: ${known.join(', ')}.`;
};

const pathOf = (section: string, key: string): TomlPath => (section === '' ? [key] : [section, key]);

const sectionNamed = (name: string): ConfigSection | undefined =>
  CONFIG_SECTIONS.find(section => section.name === name);

/** @throws TypeError for a key that the table of keys does not know: nothing is read that is not documented. */
const defaultOf = (section: string, key: string): TomlValue | undefined => {
  const found = sectionNamed(section)?.keys.find(candidate => candidate.key === key);
  if (found === undefined) throw new TypeError(`config key ${section}.${key} is not documented`);
  return found.default;
};

const ownValue = (table: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(table, key) ? table[key] : undefined;

const LIST_LENGTH_MAX = 256;
