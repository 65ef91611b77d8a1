// Adds up the results of the checks and Vitest. A run without a result, or in which nothing ran, has failed.

const fs = require('node:fs');

const newTally = () => ({ passed: 0, failed: [], unsteady: [], skipped: [] });

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
  tally.failed.push(...counts.failed);
  tally.unsteady.push(...(counts.unsteady ?? []));
  tally.skipped.push(...skipped);
  if (!counts.hasEnded) tally.failed.push(endText({ counts, exitCode, overdueMinutes }));
  else if (counts.passed + counts.failed.length + skipped.length === 0)
    tally.failed.push('vitest ran no test');
  else if (exitCode !== 0 && counts.failed.length === 0) tally.failed.push(`vitest: exit code ${exitCode}`);
};

/**
 * Files to run once more by themselves: of failed tests, where they are few. Whole daemons, cables and processors are tested,
 * and a machine with two cores that does other things as well sometimes lets a wait run out.
 */
const filesToRepeat = ({ failed, hasEnded }) => {
  const files = failed.map(name => /^(test\/\S+\.test\.ts) > /.exec(name)?.[1]);
  if (!hasEnded || failed.length === 0 || failed.length > REPEATED_MAX || files.includes(undefined))
    return [];
  return [...new Set(files)];
};

/**
 * A file that passes whole when nothing runs beside it turns its failures into tests that are named as unsteady. A test that was
 * skipped then has not passed.
 */
const withRepeated = (counts, again) => {
  if (!again.hasEnded || again.passed === 0) return counts;
  const hasFailedAgain = name =>
    again.failed.some(other => fileOf(other) === fileOf(name)) ||
    again.skipped.some(other => other.name === name);
  const unsteady = counts.failed.filter(name => !hasFailedAgain(name));
  return {
    ...counts,
    passed: counts.passed + unsteady.length,
    failed: counts.failed.filter(hasFailedAgain),
    unsteady,
  };
};

const fileOf = name => name.split(' > ')[0];

/** More than so many is no accident. */
const REPEATED_MAX = 5;

const endText = ({ counts: { running }, exitCode, overdueMinutes }) => {
  const place = running.length === 0 ? '' : `, in ${running.join(' and ')}`;
  return overdueMinutes === undefined
    ? `vitest ended without a result (exit code ${exitCode})${place}`
    : `the watchdog killed vitest, which had not finished after ${overdueMinutes} minutes${place}. A slow machine gets more by PLIMSOLL_TEST_MINUTES_MAX.`;
};

/** The last line is for people and machines. */
const tallyText = ({ passed, failed, unsteady, skipped }) =>
  [
    '',
    ...skipped.map(({ name, reason }) => `skipped: ${name}: ${reason || 'no reason given'}`),
    ...unsteady.map(name => `unsteady: failed beside other tests, passed by itself: ${name}`),
    ...failed.map(name => `failed: ${name}`),
    `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`,
    '',
  ].join('\n');

module.exports = { newTally, readCounts, filesToRepeat, withRepeated, addVitest, tallyText };
