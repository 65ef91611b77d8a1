#!/usr/bin/env node
// The command `plimsoll`. This file is a script that Node 6 parses (bin/package.json keeps it one), so that an old Node
// says what is wrong in two lines instead of a syntax error. What needs a newer Node is in start.js.

const OLDEST_MAJOR = 24;

const found = process.versions.node;
if (Number(found.split('.')[0]) < OLDEST_MAJOR) {
  process.stderr.write(`Plimsoll needs Node ${OLDEST_MAJOR} or newer; this is Node ${found}.\n`);
  process.stderr.write('Install a current one from https://nodejs.org, then run the same command again.\n');
  process.exit(1);
}

require('./start.js');
