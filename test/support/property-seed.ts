// Runs before each test file (vitest.config.ts): `PLIMSOLL_TEST_SEED=N npm test -- FILE` repeats the values of a property test
// that failed and printed `seed: N`.

/** Most files have no properties: without a seed fast-check is not loaded. */
export const seedProperties = async (seed: string | undefined): Promise<void> => {
  if (seed !== undefined) (await import('fast-check')).default.configureGlobal({ seed: Number(seed) });
};

await seedProperties(process.env['PLIMSOLL_TEST_SEED']);
