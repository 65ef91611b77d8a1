// A main task with a helper beside it, inside one gatherer: the helper stops when the main task ends, and a failure of
// either ends both, so that no background task is left without an owner.

/**
 * Resolves when `main` has ended and `helper` has stopped; a helper that ends early is done, not an end of `main`.
 * @throws what either throws, but for the abort itself.
 */
export const runBeside = async (
  signal: AbortSignal,
  main: (signal: AbortSignal) => Promise<void>,
  helper: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> => {
  const ending = new AbortController();
  const own = AbortSignal.any([signal, ending.signal]);
  const results = await Promise.allSettled([
    main(own).finally(() => ending.abort()),
    helper(own).catch(error => {
      ending.abort();
      throw error;
    }),
  ]);
  for (const result of results) {
    if (result.status === 'rejected' && result.reason !== own.reason) throw result.reason;
  }
};
