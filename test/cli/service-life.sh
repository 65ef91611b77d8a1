# A systemd of a user's session in a mount namespace of its own: nothing of it is seen outside, and it ends with this script.
# HOME: an empty folder. NODE: the Node to run. ROOT: the repository, built.
mount --make-rprivate /
mount -t tmpfs none /run
mkdir -p /run/systemd/system /run/user/0
chmod 700 /run/user/0
export XDG_RUNTIME_DIR=/run/user/0 DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/0/bus
unset XDG_CONFIG_HOME PLIMSOLL_HOME
timeout 110 /lib/systemd/systemd --user >/dev/null 2>&1 &
manager=$!
trap 'kill $manager; wait $manager || true' EXIT
until systemctl --user show --property=Version >/dev/null 2>&1; do sleep 0.2; done

plimsoll() { "$NODE" "$ROOT/bin/plimsoll.js" "$@"; }
process() { systemctl --user show plimsoll --property=MainPID --value; }
another() {
  until [ "$(process)" != "$1" ] && [ "$(systemctl --user is-active plimsoll)" = active ]; do sleep 0.2; done
}

mkdir -p "$HOME/.config/systemd/user/plimsoll.service.d"
# A sign of life every second, so that a daemon that hangs is noticed within three; any free port.
printf '[Service]\nWatchdogSec=3\nExecStart=\nExecStart=%s %s up --no-open --http 127.0.0.1:0 --home %s\n' \
  "$NODE" "$ROOT/bin/plimsoll.js" "$HOME/.plimsoll" >"$HOME/.config/systemd/user/plimsoll.service.d/test.conf"
plimsoll service install --user >/dev/null
plimsoll status --home "$HOME/.plimsoll" >/dev/null
echo 'installed and ready'
first=$(process)
kill -9 "$first"
another "$first"
echo 'another process after kill -9'
second=$(process)
sleep 4
[ "$(process)" = "$second" ]
kill -STOP "$second"
another "$second"
echo 'another process after it hung'
echo "status: $(plimsoll service status --user | sed -n 's/.*: \(active ([a-z]*)\).*/\1/p')"
rm -r "$HOME/.config/systemd/user/plimsoll.service.d"
plimsoll service uninstall --user --purge >/dev/null
echo "removed: $(find "$HOME" -type f | wc -l) files left"
