// The one script of a survey. It arrives over the standard input of `ssh HOST sh -s`, so nothing is written on that machine and its
// login shell parses two words. It serves requests until its input ends: the gatherers decide what is read, and there is no second
// list of files and tools here. POSIX (dash, BusyBox, bash, the sh of macOS); no word of a request is ever parsed as code.

/** A line of it, with the name of the system, means that requests are served. */
export const READY = 'plimsoll-survey-1';

/** Of any tool, s: no request is read meanwhile. */
export const TOOL_SECONDS_MAX = 15;

/**
 * After the ready line it reads a mark, then requests: a verb, how many words follow, and these, each on a line. A reply is bytes and a
 * line with the mark and a status; that of `run` has the standard error and the exit code between two such lines.
 * `guard` needs no end by others: it looks each second whether what it guards is still there. The script itself is ended after 20 s
 * without a request: sshd may not have noticed that the connection is gone.
 */
export const REMOTE_SCRIPT: string = `main() {
PATH="$PATH:/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/opt/homebrew/bin"
LC_ALL=C
export PATH LC_ALL
cd /
trap 'exit 1' HUP INT TERM PIPE
trap '' USR1
guard $$ 20 </dev/null >/dev/null 2>&1 &
life=$!
trap 'kill "$life" 2>/dev/null' EXIT
printf '\\nplimsoll-survey-1 %s\\n' "$(uname -s)"
IFS= read -r mark || exit 0
while IFS= read -r verb && IFS= read -r count; do
set --
kill -USR1 "$life" 2>/dev/null
while [ $# -lt "$count" ]; do
IFS= read -r word || exit 0
set -- "$@" "$word"
done
case $verb in
file) status=$(reason "$2"); if [ "$status" = ok ]; then head -c "$1" "$2" 2>/dev/null || status=EINVAL; fi;;
names) if [ ! -d "$1" ]; then status=ENOENT; elif [ ! -r "$1" ]; then status=EACCES; else ls -1A "$1" 2>/dev/null && status=ok || status=EACCES; fi;;
link) readlink "$1" 2>/dev/null && status=ok || status=ENOENT;;
real) (cd -P "$1" 2>/dev/null && pwd -P) && status=ok || status=ENOENT;;
kind) if [ -f "$1" ] && [ -r "$1" ]; then status=file; elif [ -d "$1" ]; then status=folder; elif [ -e "$1" ]; then status=other; else status=ENOENT; fi;;
run) run "$@"; status=end;;
*) status=EINVAL;;
esac
printf '\\n%s %s\\n' "$mark" "$status"
done
}
reason() {
if [ ! -e "$1" ]; then echo ENOENT
elif [ ! -f "$1" ]; then echo EISDIR
elif [ ! -r "$1" ]; then echo EACCES
else echo ok; fi
}
run() {
limit=$1
shift
{ text=$(
if command -v "$1" >/dev/null 2>&1; then
"$@" </dev/null 2>&1 >&3 3>&- &
tool=$!
guard "$tool" "$limit" </dev/null >/dev/null 2>&1 3>&- &
wait "$tool" 2>/dev/null
printf '\\n%s' "$?"
kill "$!" 2>/dev/null
else printf '\\nmissing'; fi
); } 3>&1
printf '\\n%s out\\n%s' "$mark" "$text"
}
guard() {
trap 'left=$2' USR1
left=$2
while [ "$left" -gt 0 ]; do
kill -0 "$1" || return
sleep 1
left=$((left - 1))
done
kill "$1"
sleep 1
kill -KILL "$1"
}
main
`;
