// Adds up what the checks and Vitest said. A run that ended without a result, or in which nothing ran, has failed.

const fs = require('node:fs');

const newTally = () => ({ passed: 0, failed: [], skipped: [] });

/** What count-reporter.mjs wrote; a Vitest that crashed wrote nothing. */
const readCounts = file => {
  try {
    return { kind: 'read', ...JSON.parse(fs.readFileSync(file, 'utf8')) };
  } catch {
    return { kind: 'missing' };
  }
};

/** `isNameFiltered`: with -t Vitest calls every test that was not asked for skipped, without a reason. */
const addVitest = (tally, { counts, exitCode, isNameFiltered }) => {
  if (counts.kind === 'missing') {
    tally.failed.push(`vitest ended without a result (exit code ${exitCode})`);
    return;
  }
  const skipped = counts.skipped.filter(({ reason }) => reason !== undefined || !isNameFiltered);
  tally.passed += counts.passed;
  tally.failed.push(...counts.failed);
  tally.skipped.push(...skipped);
  if (counts.passed + counts.failed.length + skipped.length === 0) tally.failed.push('vitest ran no test');
  else if (exitCode !== 0 && counts.failed.length === 0) tally.failed.push(`vitest: exit code ${exitCode}`);
};

/** The last line is the one that people and machines read. */
const tallyText = ({ passed, failed, skipped }) =>
  [
    '',
    ...skipped.map(({ name, reason }) => `skipped: ${name}: ${reason || 'no reason given'}`),
    ...failed.map(name => `failed: ${name}`),
    `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`,
    '',
  ].join('\n');

module.exports = { newTally, readCounts, addVitest, tallyText };
