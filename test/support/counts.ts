// How often a test that proves something by repetition repeats it: few times on every run, the full count that the
// issue names in `npm run test:long`.

export const isLongRun: boolean = process.env['PLIMSOLL_TEST_LONG'] === '1';

/** Of screens that a test looks at: each width in the long run, one of them otherwise. */
export const widthsOf = (theme: 'light' | 'dark', all: readonly number[]): readonly number[] =>
  isLongRun ? all : [theme === 'light' ? 1_280 : 390];

export const longCount = (short: number, long: number): number => (isLongRun ? long : short);
