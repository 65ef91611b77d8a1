// How figures of links are written: rates in bits or in bytes (memory is always bytes), delays as half a round trip or whole.

import type { DelayUnit, RateUnit } from '../link/link-text.ts';

const RATE_KEY = 'plimsoll-units';
const DELAY_KEY = 'plimsoll-delays';

export class UnitChoice {
  rate: RateUnit = $state(stored(RATE_KEY) === 'bytes' ? 'bytes' : 'bits');
  delay: DelayUnit = $state(stored(DELAY_KEY) === 'round' ? 'round' : 'half');

  chooseRate(rate: RateUnit): void {
    this.rate = rate;
    keep(RATE_KEY, rate);
  }

  chooseDelay(delay: DelayUnit): void {
    this.delay = delay;
    keep(DELAY_KEY, delay);
  }
}

const keep = (key: string, value: string): void => {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is blocked: the choice lasts as long as the page.
  }
};

const stored = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};
