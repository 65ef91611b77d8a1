// The flags of another tool's command line, by name, whichever way they are written: --flag value, --flag=value, -f value.

export class ToolFlags {
  readonly #given = new Map<string, string[]>();
  readonly #read = new Set<string>();

  /** @param words behind the tool's own name @param aliases short for long names */
  constructor(words: readonly string[], aliases: Readonly<Record<string, string>> = {}) {
    let name: string | undefined;
    for (const word of words) {
      const [, flag, joined] = /^(--?[A-Za-z][\w.-]*)(?:=(.*))?$/s.exec(word) ?? [];
      if (flag === undefined) {
        if (name !== undefined) this.#given.get(name)?.push(word);
        continue;
      }
      name = (aliases[flag] ?? flag).replace(/^-+/, '').replaceAll('_', '-');
      const values = this.#given.get(name) ?? [];
      if (joined !== undefined) values.push(joined);
      this.#given.set(name, values);
      if (joined !== undefined) name = undefined;
    }
  }

  /** Its first value; '' for one without; undefined where it was not given. */
  one(...names: readonly string[]): string | undefined {
    return this.all(...names)?.[0] ?? (this.has(...names) ? '' : undefined);
  }

  /** Its values; undefined where it was not given. */
  all(...names: readonly string[]): readonly string[] | undefined {
    for (const name of names) this.#read.add(name);
    const given = names.find(name => this.#given.has(name));
    return given === undefined ? undefined : this.#given.get(given);
  }

  has(...names: readonly string[]): boolean {
    for (const name of names) this.#read.add(name);
    return names.some(name => this.#given.has(name));
  }

  number(...names: readonly string[]): number | undefined {
    const text = this.one(...names);
    return text === undefined || text === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);
  }

  /** Those that nobody asked for, as they would be written. */
  unread(): readonly string[] {
    return [...this.#given.keys()].filter(name => !this.#read.has(name)).map(name => `--${name}`);
  }
}
