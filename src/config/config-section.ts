// A section of config.toml, its keys, and their values as they are written.

export type TomlValue = string | number | boolean | readonly string[];

export interface ConfigSection {
  /** '' for keys before the first section. */
  readonly name: string;
  /** Written [[name]], any number of times. */
  readonly isList: boolean;
  readonly meaning: string;
  readonly keys: readonly ConfigKey[];
}

export interface ConfigKey {
  readonly key: string;
  /** undefined: no default; `example` shows a possible value. */
  readonly default: TomlValue | undefined;
  readonly example?: TomlValue;
  readonly meaning: string;
}

/** As written in the file: JSON's strings, numbers, booleans and lists of strings are also valid TOML. */
export const tomlText = (value: TomlValue): string =>
  isList(value) ? `[${value.map(item => JSON.stringify(item)).join(', ')}]` : JSON.stringify(value);

const isList = (value: TomlValue): value is readonly string[] => Array.isArray(value);
