// The end of a script: the promised exit code, or what went wrong.

const exitWith = promise =>
  promise.then(
    code => {
      process.exitCode = code;
    },
    error => {
      process.stderr.write(
        `Plimsoll: ${error.code === 'EACCES' || error.code === 'EROFS' ? error.message : error.stack}\n`
      );
      process.exitCode = 1;
    }
  );

module.exports = { exitWith };
