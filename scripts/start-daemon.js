// What `npm start` does once the Node that runs it is known to be new enough: prepare, then `plimsoll up` in this
// terminal, with the arguments after `--`.

const { exitWith } = require('./exit-with.js');
const { inRoot, nodeToRun } = require('./paths.js');
const { prepare } = require('./prepare.js');
const { exitCodeOf, runCommand } = require('./run-command.js');

const start = async () => {
  const prepared = await prepare();
  if (prepared.kind === 'failed') return prepared.code;
  const node = nodeToRun();
  if (node.kind === 'too-old') {
    for (const line of node.lines) process.stderr.write(`${line}\n`);
    return 1;
  }
  const ending = await runCommand(node.path, [inRoot('bin/plimsoll.js'), 'up', ...process.argv.slice(2)]);
  if (ending.error) process.stderr.write(`Plimsoll could not be started: ${ending.error.message}\n`);
  return exitCodeOf(ending);
};

exitWith(start());
