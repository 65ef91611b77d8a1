// Day, night, or as the system has it. public/theme.js sets it before the first paint; this changes it afterwards.

export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'plimsoll-theme';
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };

export class ThemeChoice {
  chosen: Theme = $state(stored());
  #system: MediaQueryList = matchMedia('(prefers-color-scheme: dark)');
  #systemIsDark: boolean = $state(matchMedia('(prefers-color-scheme: dark)').matches);

  get shown(): 'light' | 'dark' {
    if (this.chosen !== 'auto') return this.chosen;
    return this.#systemIsDark ? 'dark' : 'light';
  }

  get next(): Theme {
    return NEXT[this.chosen];
  }

  /** Follows the system; returns what ends it. */
  start(): () => void {
    const follow = (): void => {
      this.#systemIsDark = this.#system.matches;
      this.#show();
    };
    this.#system.addEventListener('change', follow);
    return () => this.#system.removeEventListener('change', follow);
  }

  turn(): void {
    this.chosen = this.next;
    try {
      if (this.chosen === 'auto') localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, this.chosen);
    } catch {
      // Storage is blocked: the choice lasts as long as the page.
    }
    this.#show();
  }

  #show(): void {
    document.documentElement.dataset['theme'] = this.shown;
  }
}

const stored = (): Theme => {
  try {
    const text = localStorage.getItem(KEY);
    return text === 'light' || text === 'dark' ? text : 'auto';
  } catch {
    return 'auto';
  }
};
