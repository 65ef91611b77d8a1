// Where each key and value of a TOML text stands. The TOML library gives values without places, and a person needs the
// line. Only for texts that the library has parsed already: what is not understood here is skipped.

export type TomlPath = readonly (string | number)[];

export interface TomlPlace {
  readonly keyOffset: number;
  readonly valueOffset: number;
}

export class TomlPlaces {
  readonly #text: string;
  readonly #places = new Map<string, TomlPlace>();
  readonly #listLengths = new Map<string, number>();
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
    this.#readDocument();
  }

  /** Of the key or list item, or of the nearest thing around it that has a place. */
  find(path: TomlPath): TomlPlace {
    for (let length = path.length; length > 0; length--) {
      const place = this.#places.get(JSON.stringify(path.slice(0, length)));
      if (place !== undefined) return place;
    }
    return { keyOffset: 0, valueOffset: 0 };
  }

  has(path: TomlPath): boolean {
    return this.#places.has(JSON.stringify(path));
  }

  #readDocument(): void {
    let table: TomlPath = [];
    for (this.#skipBlank(); this.#offset < this.#text.length; this.#skipBlank()) {
      const start = this.#offset;
      if (this.#text.startsWith('[', start)) table = this.#readHeader();
      else this.#readPair(table);
      if (this.#offset === start) this.#offset += 1; // never stand still, whatever the text
    }
  }

  #readHeader(): TomlPath {
    const isList = this.#text.startsWith('[[', this.#offset);
    this.#offset += isList ? 2 : 1;
    this.#skipSpace();
    const keyOffset = this.#offset;
    const names = this.#readKeyPath();
    this.#offset += isList ? 2 : 1;
    const path = this.#resolved(isList ? names.slice(0, -1) : names, keyOffset);
    const last = names.at(-1);
    if (!isList || last === undefined) return this.#note(path, keyOffset, keyOffset);
    const list = [...path, last];
    const index = this.#listLengths.get(JSON.stringify(list)) ?? 0;
    this.#listLengths.set(JSON.stringify(list), index + 1);
    this.#note(list, keyOffset, keyOffset);
    return this.#note([...list, index], keyOffset, keyOffset);
  }

  /** [a.b] under [[a]] speaks of the last a. */
  #resolved(names: readonly string[], keyOffset: number): TomlPath {
    let path: TomlPath = [];
    for (const name of names) {
      path = this.#note([...path, name], keyOffset, keyOffset);
      const length = this.#listLengths.get(JSON.stringify(path));
      if (length !== undefined) path = [...path, length - 1];
    }
    return path;
  }

  #readPair(table: TomlPath): void {
    const keyOffset = this.#offset;
    const names = this.#readKeyPath();
    this.#skipSpace();
    if (this.#text[this.#offset] !== '=') return;
    this.#offset += 1;
    this.#skipSpace();
    for (let length = 1; length < names.length; length++) {
      this.#note([...table, ...names.slice(0, length)], keyOffset, keyOffset);
    }
    const path = this.#note([...table, ...names], keyOffset, this.#offset);
    this.#readValue(path);
  }

  #readKeyPath(): string[] {
    const names: string[] = [];
    while (this.#offset < this.#text.length) {
      this.#skipSpace();
      const start = this.#offset;
      const quote = this.#text[start];
      if (quote === '"' || quote === "'") {
        this.#skipString(quote);
        names.push(unquoted(this.#text.slice(start, this.#offset)));
      } else {
        while (/[\w-]/.test(this.#text.charAt(this.#offset))) this.#offset += 1;
        names.push(this.#text.slice(start, this.#offset));
      }
      this.#skipSpace();
      if (this.#text[this.#offset] !== '.') break;
      this.#offset += 1;
    }
    return names;
  }

  #readValue(path: TomlPath): void {
    const first = this.#text.charAt(this.#offset);
    if (first === '"' || first === "'") {
      if (this.#text.startsWith(first.repeat(3), this.#offset)) this.#skipLongString(first.repeat(3));
      else this.#skipString(first);
    } else if (first === '[') this.#readItems(path);
    else if (first === '{') this.#readInlineTable(path);
    else while (/[^,\]}\n#]/.test(this.#text.charAt(this.#offset))) this.#offset += 1;
  }

  #readItems(path: TomlPath): void {
    this.#offset += 1;
    for (let index = 0; ; index++) {
      this.#skipBlank();
      const start = this.#offset;
      if (start >= this.#text.length) return;
      if (this.#text[start] === ']') break;
      this.#readValue(this.#note([...path, index], start, start));
      this.#skipBlank();
      if (this.#text[this.#offset] === ',') this.#offset += 1;
      if (this.#offset === start) return;
    }
    this.#offset += 1;
  }

  #readInlineTable(path: TomlPath): void {
    this.#offset += 1;
    for (;;) {
      this.#skipBlank();
      const start = this.#offset;
      if (start >= this.#text.length) return;
      if (this.#text[start] === '}') break;
      this.#readPair(path);
      this.#skipBlank();
      if (this.#text[this.#offset] === ',') this.#offset += 1;
      if (this.#offset === start) return;
    }
    this.#offset += 1;
  }

  #skipString(quote: string): void {
    this.#offset += 1;
    while (this.#offset < this.#text.length && this.#text[this.#offset] !== quote) {
      this.#offset += quote === '"' && this.#text[this.#offset] === '\\' ? 2 : 1;
    }
    this.#offset += 1;
  }

  #skipLongString(quotes: string): void {
    this.#offset += 3;
    while (this.#offset < this.#text.length && !this.#text.startsWith(quotes, this.#offset)) {
      this.#offset += quotes === '"""' && this.#text[this.#offset] === '\\' ? 2 : 1;
    }
    // Up to two more quotes may belong to the text itself.
    this.#offset += 3;
    while (this.#text[this.#offset] === quotes[0]) this.#offset += 1;
  }

  #skipSpace(): void {
    while (/[ \t]/.test(this.#text.charAt(this.#offset))) this.#offset += 1;
  }

  /** Spaces, line ends and comments. */
  #skipBlank(): void {
    for (;;) {
      while (/\s/.test(this.#text.charAt(this.#offset))) this.#offset += 1;
      if (this.#text[this.#offset] !== '#') return;
      const end = this.#text.indexOf('\n', this.#offset);
      this.#offset = end === -1 ? this.#text.length : end;
    }
  }

  #note(path: TomlPath, keyOffset: number, valueOffset: number): TomlPath {
    const key = JSON.stringify(path);
    if (!this.#places.has(key)) this.#places.set(key, { keyOffset, valueOffset });
    return path;
  }
}

const unquoted = (text: string): string => {
  if (text.startsWith("'")) return text.slice(1, -1);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch {
    return text.slice(1, -1); // an escape that TOML has and JSON has not: only its place is less exact
  }
};
