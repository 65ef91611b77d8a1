// Adds up the results of the checks and Vitest. A run without a result, or in which nothing ran, has failed.

const fs = require('node:fs');

/** `listed`: what readFlakyList returned. */
const newTally = (listed = []) => ({ passed: 0, failed: [], skipped: [], listed, failedListed: [] });

/**
 * Flaky tests that are not fixed yet: [{test, owner, since}], with the name that a failure prints ("test/a.test.ts > adds"), a
 * person, and a date (2026-11-27). A failure of such a test does not fail the run; the last line counts the list.
 * @throws Error if the list or an entry of it has another form.
 */
const readFlakyList = file => {
  const listed = JSON.parse(fs.readFileSync(file, 'utf8'));
  if (!Array.isArray(listed)) throw new Error(`${file} is not a list`);
  for (const entry of listed) {
    const isValid =
      /^test\/\S+\.test\.ts > /.test(entry.test) && entry.owner && /^\d{4}-\d\d-\d\d$/.test(entry.since);
    if (!isValid) throw new Error(`${file}: an entry needs test, owner and since: ${JSON.stringify(entry)}`);
  }
  return listed;
};

/** What count-reporter.mjs wrote. `hasEnded` is false where Vitest was killed or crashed; then it may be less than there is. */
const readCounts = file => {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: [], skipped: [], running: [], hasEnded: false };
  }
};

/**
 * `isNameFiltered`: with -t Vitest calls every test that was not asked for skipped, without a reason.
 * `overdueMinutes`: run-tests.js killed it after so many.
 */
const addVitest = (tally, { counts, exitCode, isNameFiltered, overdueMinutes }) => {
  const skipped = counts.skipped.filter(({ reason }) => reason !== undefined || !isNameFiltered);
  tally.passed += counts.passed;
  for (const name of counts.failed) {
    const entry = tally.listed.find(({ test }) => test === name);
    if (entry === undefined) tally.failed.push(name);
    else tally.failedListed.push(entry);
  }
  tally.skipped.push(...skipped);
  if (!counts.hasEnded) tally.failed.push(endText({ counts, exitCode, overdueMinutes }));
  else if (counts.passed + counts.failed.length + skipped.length === 0)
    tally.failed.push('vitest ran no test');
  else if (exitCode !== 0 && counts.failed.length === 0) tally.failed.push(`vitest: exit code ${exitCode}`);
};

const endText = ({ counts: { running }, exitCode, overdueMinutes }) => {
  const where = running.length === 0 ? '' : `, in ${running.join(' and ')}`;
  return overdueMinutes === undefined
    ? `vitest ended without a result (exit code ${exitCode})${where}`
    : `the watchdog killed vitest, which had not finished after ${overdueMinutes} minutes${where}. A slow machine gets more by PLIMSOLL_TEST_MINUTES_MAX.`;
};

/** The last line is for people and machines. */
const tallyText = ({ passed, failed, skipped, listed, failedListed }) =>
  [
    '',
    ...skipped.map(({ name, reason }) => `skipped: ${name}: ${reason || 'no reason given'}`),
    ...failedListed.map(({ test, owner, since }) => `flaky, failed: ${test} (${owner}, listed ${since})`),
    ...failed.map(name => `failed: ${name}`),
    [
      `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`,
      ...(listed.length === 0 ? [] : [`${listed.length} listed as flaky`]),
    ].join(', '),
    '',
  ].join('\n');

module.exports = { newTally, readCounts, readFlakyList, addVitest, tallyText };
