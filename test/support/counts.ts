// How often a test that proves something by repetition repeats it: few times on every run, the full count that the
// issue names in `npm run test:long`.

export const isLongRun: boolean = process.env['PLIMSOLL_TEST_LONG'] === '1';

export const longCount = (short: number, long: number): number => (isLongRun ? long : short);

/** Cases of one behaviour: those that differ most in every run, all of them in the long one. */
export const longCases = <Case>(few: readonly Case[], rest: readonly Case[]): readonly Case[] =>
  isLongRun ? [...few, ...rest] : few;
