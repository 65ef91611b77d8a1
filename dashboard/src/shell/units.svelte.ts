// Whether rates of links are written in bits or in bytes; memory is always bytes.

const KEY = 'plimsoll-units';

export class UnitChoice {
  rate: 'bits' | 'bytes' = $state(stored());

  choose(rate: 'bits' | 'bytes'): void {
    this.rate = rate;
    try {
      localStorage.setItem(KEY, rate);
    } catch {
      // Storage is forbidden: the choice lasts as long as the page.
    }
  }
}

const stored = (): 'bits' | 'bytes' => {
  try {
    return localStorage.getItem(KEY) === 'bytes' ? 'bytes' : 'bits';
  } catch {
    return 'bits';
  }
};
